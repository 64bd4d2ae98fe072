package sourcemap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

const source = `type Args = { id: string };

/* é😀 in front */ function inner(args: Args): string {
  const wide = '😀'; throw new TypeError('no lamp');
}

export class Service {
  find(id: string) { return [id].map(function (one) { return inner({ id: one }); }); }
}

declare const globalThis: { stack: string };
try { new Service().find('lamp'); } catch (error) { globalThis.stack = (error as Error).stack; }
`

// compile makes the bundle and map of one source, as build/bundle does.
func compile(t *testing.T, name, text string, minify bool) (string, *Map) {
	t.Helper()
	result := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: text, Sourcefile: name, Loader: api.LoaderTS},
		Bundle: true, Sourcemap: api.SourceMapExternal, Target: api.ES2023, Outfile: "p.js", Format: api.FormatIIFE,
		MinifyWhitespace: minify, MinifyIdentifiers: minify, MinifySyntax: minify, KeepNames: minify,
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors[0].Text)
	}
	m, err := Parse(result.OutputFiles[0].Contents)
	if err != nil {
		t.Fatal(err)
	}
	return string(result.OutputFiles[1].Contents), m
}

func TestStackOfTheEngine(t *testing.T) {
	want := `    at inner (src/tools/x.ts:4:32)
    at <anonymous> (src/tools/x.ts:8:62)
    at map (native)
    at find (src/tools/x.ts:8:38)
    at <anonymous> (src/tools/x.ts:12:21)
`
	for _, test := range []struct {
		name   string
		minify bool
	}{{"plain", false}, {"minified, all on the first line", true}} {
		t.Run(test.name, func(t *testing.T) {
			code, m := compile(t, "src/tools/x.ts", source, test.minify)
			raw := newEngine(t).eval("bundle.js", code+"\nglobalThis.stack")
			if got := m.Rewrite("bundle.js", raw); !strings.HasPrefix(got, want) {
				t.Errorf("got\n%swant\n%sraw\n%scode\n%s", got, want, raw, code)
			}
		})
	}
}

func TestSourceCountsFromOne(t *testing.T) {
	// One source line, one generated line: generated column 0 is source column 4,
	// generated column 7 is source line 2, column 0.
	m, err := Parse([]byte(`{"version":3,"sources":["src/a.ts"],"sourcesContent":["    one;\ntwo;"],"names":["original"],"mappings":"AAAI,OACJA"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name         string
		line, column int
		want         Position
		ok           bool
	}{
		{"first column", 1, 1, Position{File: "src/a.ts", Line: 1, Column: 5}, true},
		{"before the second mapping", 1, 7, Position{File: "src/a.ts", Line: 1, Column: 5}, true},
		{"at the second mapping", 1, 8, Position{File: "src/a.ts", Line: 2, Column: 1, Name: "original"}, true},
		{"past the line's end", 1, 900, Position{File: "src/a.ts", Line: 2, Column: 1, Name: "original"}, true},
		{"line zero", 0, 1, Position{}, false},
		{"column zero", 1, 0, Position{}, false},
		{"a line that is not there", 2, 1, Position{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := m.Source(test.line, test.column)
			if got != test.want || ok != test.ok {
				t.Errorf("Source(%d, %d) = %+v, %v; want %+v, %v", test.line, test.column, got, ok, test.want, test.ok)
			}
		})
	}
	if got := string(m.Content("src/a.ts")); got != "    one;\ntwo;" {
		t.Errorf("Content = %q", got)
	}
	if m.Content("src/b.ts") != nil {
		t.Error("a source that is not in the map has content")
	}
}

// Sources are URLs in a map, and files to an author.
func TestSourcesAreFiles(t *testing.T) {
	for _, name := range []string{"a b.ts", "100%.ts", "%41.ts", "é`x`#.ts", "src/x.ts"} {
		dir := t.TempDir()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("throw new Error('x');"), 0o644); err != nil {
			t.Skip(err)
		}
		result := api.Build(api.BuildOptions{AbsWorkingDir: dir, EntryPoints: []string{file}, Outfile: "p.js", Bundle: true, Sourcemap: api.SourceMapExternal, Format: api.FormatIIFE})
		if len(result.Errors) > 0 {
			t.Fatal(result.Errors[0].Text)
		}
		m, err := Parse(result.OutputFiles[0].Contents)
		if err != nil {
			t.Fatal(err)
		}
		at, ok := m.Source(3, 3)
		if !ok || at.File != name || len(m.Content(name)) == 0 {
			t.Errorf("%q is %q (%v), with %d bytes", name, at.File, ok, len(m.Content(name)))
		}
	}
}

func TestMalformedMaps(t *testing.T) {
	for _, data := range []string{"", "{", "[]", `{"version":2}`, `{"version":3,"sections":[{}]}`} {
		if _, err := Parse([]byte(data)); err == nil {
			t.Errorf("Parse(%q) found nothing wrong", data)
		}
	}
	m, err := Parse([]byte(`{"version":3,"sources":[],"mappings":"AAAA"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Source(1, 1); ok {
		t.Error("a mapping to a source that is not there was followed")
	}
}

func TestParseStack(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       Frame
	}{
		{"function", "    at f (bundle.js:3:14)", Frame{Function: "f", File: "bundle.js", Line: 3, Column: 14}},
		{"anonymous", "    at <anonymous> (bundle.js:6:55)", Frame{Function: "<anonymous>", File: "bundle.js", Line: 6, Column: 55}},
		{"getter", "    at get g (bundle.js:5:59)", Frame{Function: "get g", File: "bundle.js", Line: 5, Column: 59}},
		{"constructor", "    at new X (bundle.js:5:36)", Frame{Function: "new X", File: "bundle.js", Line: 5, Column: 36}},
		{"private method", "    at #p (bundle.js:5:106)", Frame{Function: "#p", File: "bundle.js", Line: 5, Column: 106}},
		{"async", "    at async g (bundle.js:1:2)", Frame{Function: "async g", File: "bundle.js", Line: 1, Column: 2}},
		{"native", "    at map (native)", Frame{Function: "map", File: "native"}},
		{"no function", "    at <input>:1:1", Frame{File: "<input>", Line: 1, Column: 1}},
		{"parenthesis in the name", "    at x (y (b.js:1:106)", Frame{Function: "x (y", File: "b.js", Line: 1, Column: 106}},
		{"colon in the file", "    at f (neuralis:web/url:1:106)", Frame{Function: "f", File: "neuralis:web/url", Line: 1, Column: 106}},
		{"drive", `    at f (C:\pkg\a.js:1:2)`, Frame{Function: "f", File: `C:\pkg\a.js`, Line: 1, Column: 2}},
		{"line only", "    at f (a.js:12)", Frame{Function: "f", File: "a.js", Line: 12}},
		{"message", "Error: no lamp", Frame{}},
		{"unclosed", "    at f (", Frame{}},
		{"number too large", "    at f (a.js:1:99999999999999999999999)", Frame{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ParseStack(test.line)
			test.want.Text = strings.TrimSpace(test.line)
			if len(got) != 1 || got[0] != test.want {
				t.Fatalf("got %+v, want %+v", got, test.want)
			}
			if back := got[0].String(); back != test.want.Text {
				t.Errorf("written back: %q", back)
			}
		})
	}
	if got := ParseStack("\n  \n"); len(got) != 0 {
		t.Errorf("an empty stack has frames: %v", got)
	}
}

// layers is a bundle of three lines: a handler, an npm package and the sandbox's library.
const layers = `{"version":3,"sources":["src/tools/a.ts","node_modules/zod/index.js","neuralis:runtime/loop"],` +
	`"sourcesContent":["export default () => parse();","check();","run();"],"names":[],"mappings":"AAAA,qBAAqB;ACArB;ACAA"}`

func TestStackLeavesTheLibraryOut(t *testing.T) {
	m, err := Parse([]byte(layers))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, stack, want string }{
		{
			"library below the author", "at check (p.js:2:1)\nat default (p.js:1:22)\nat run (p.js:3:1)\nat apply (native)\n",
			"    at check (node_modules/zod/index.js:1:1)\n    at default (src/tools/a.ts:1:22)\n",
		},
		{"nothing but the library", "at run (p.js:3:1)\n", "    at run (neuralis:runtime/loop:1:1)\n"},
		{"another file", "at f (other.js:3:1)\n", "    at f (other.js:3:1)\n"},
		{"a helper of the bundler", "at __export (p.js:9:1)\nat default (p.js:1:1)\n", "    at default (src/tools/a.ts:1:1)\n"},
		{"a message first", "TypeError: no\n  at default (p.js:1:1)", "    TypeError: no\n    at default (src/tools/a.ts:1:1)\n"},
		{"empty", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := m.Rewrite("p.js", test.stack); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

func TestDiagnostic(t *testing.T) {
	m, err := Parse([]byte(layers))
	if err != nil {
		t.Fatal(err)
	}
	d := m.Diagnostic("p.js", Thrown{Name: "TypeError", Message: "not a lamp", Stack: "at check (p.js:2:1)\nat default (p.js:1:22)\nat run (p.js:3:1)\n"})
	if got, want := d.Error(), "src/tools/a.ts:1:22: TypeError: not a lamp"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := "> 1 | export default () => parse();\n    |                      ^^^^^\n"; d.Frame != want {
		t.Errorf("frame\n%swant\n%s", d.Frame, want)
	}
	if len(d.Notes) != 2 || d.Notes[0].String() != "node_modules/zod/index.js:1:1: in check" || d.Notes[1].String() != "src/tools/a.ts:1:22: in default" {
		t.Errorf("notes: %v", d.Notes)
	}

	for _, test := range []struct {
		name          string
		thrown        Thrown
		message, hint string
	}{
		{"process", Thrown{Name: "ReferenceError", Message: "process is not defined"}, "ReferenceError: process is not defined", "ctx.config.get"},
		{"unknown name", Thrown{Name: "ReferenceError", Message: "'frob' is not defined"}, "ReferenceError: 'frob' is not defined", "frob is neither"},
		{"no Error", Thrown{}, "something was thrown that is no Error", ""},
		{"only a name", Thrown{Name: "AbortError"}, "AbortError", ""},
		{"only a message", Thrown{Message: "a string"}, "a string", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, m := range []*Map{m, nil} {
				d := m.Diagnostic("p.js", test.thrown)
				if d.Message != test.message || !strings.Contains(d.Hint, test.hint) || test.hint == "" && d.Hint != "" {
					t.Errorf("got %q with hint %q", d.Message, d.Hint)
				}
			}
		})
	}
}

func FuzzStack(f *testing.F) {
	f.Add("    at f (p.js:1:22)\n    at map (native)\nError: x\n at <input>:1:1", []byte(layers))
	f.Add("at (:):(p.js:-1:0)", []byte(`{"version":3,"sources":["a"],"mappings":"AAAAA,C;;AACA"}`))
	f.Add("at f (p.js:1:1)", []byte(`{"version":3,"sources":["a"],"mappings":"ggggggE"}`))
	f.Fuzz(func(t *testing.T, stack string, data []byte) {
		m, err := Parse(data)
		if err != nil {
			m = nil
		} else {
			m.Rewrite("p.js", stack)
		}
		m.Diagnostic("p.js", Thrown{Name: "Error", Message: stack, Stack: stack})
	})
}
