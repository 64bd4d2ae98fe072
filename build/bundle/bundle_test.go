package bundle

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/manifest"
)

// writeFiles writes a folder of files and returns where it is.
func writeFiles(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// onePackage is a package with one tool, src/tools/t.ts, and further files.
func onePackage(t *testing.T, tool string, files map[string]string) *manifest.Package {
	t.Helper()
	dir := writeFiles(t, t.TempDir(), map[string]string{"package.json": `{"name":"p"}`, "src/tools/t.ts": tool})
	writeFiles(t, dir, files)
	return &manifest.Package{Dir: dir, ID: "p", Tools: []manifest.Tool{{Name: "t", Source: "src/tools/t.ts"}}}
}

// bundleOf bundles a package that has no faults.
func bundleOf(t *testing.T, in Input) Output {
	t.Helper()
	out, diags := Bundle(context.Background(), in)
	if len(diags) > 0 {
		t.Fatalf("%v\n%s", diags, diags[0].Frame)
	}
	return out
}

func TestBundleRuns(t *testing.T) {
	pkg := onePackage(t, `
		import { price } from '../lib/price';
		import rates from '../rates.json';
		import note from '../note.md';
		enum Currency { EUR = 'eur' }
		export default async (args: { amount: number }) => {
			const { late } = await import('../lib/late.js');
			return { price: price(args.amount), rate: rates[Currency.EUR], note, late, url: new URL('../b?x=1', 'https://a.example/c/d').href };
		};`, map[string]string{
		"src/lib/price.ts": "export const price = (n: number): string => n.toFixed(2);",
		"src/lib/late.ts":  "export const late = globalThis.structuredClone('hi');",
		"src/rates.json":   `{"eur": 1.5}`,
		"src/note.md":      "# é\n",
	})
	for _, minify := range []bool{false, true} {
		out := bundleOf(t, Input{Package: pkg, Minify: minify})
		checkMap(t, pkg.Dir, out)
		got := strings.TrimSpace(string(runInNode(t, out.Code, "t", `{"amount":2}`)))
		if want := `{"price":"2.00","rate":1.5,"note":"# é\n","late":"hi","url":"https://a.example/b?x=1"}`; got != want {
			t.Errorf("minify %v: got %s, want %s", minify, got, want)
		}
	}
}

func TestOddFileNames(t *testing.T) {
	pkg := &manifest.Package{Dir: t.TempDir(), ID: "odd"}
	for i, name := range []string{"plain", "a b", "it's", "h#q?p%20", "naïve-日本", "$x", "__proto__", "a.b", "\"quoted\"", "back\\slash", "line\u2028end", "-1"} {
		source := "src/tools/" + name + ".ts"
		file := filepath.Join(pkg.Dir, filepath.FromSlash(source))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, fmt.Appendf(nil, "export default () => 'answer %d';", i), 0o644); err != nil {
			t.Logf("this system has no file named %q: %v", name, err)
			continue
		}
		pkg.Tools = append(pkg.Tools, manifest.Tool{Name: name, Source: source})
	}
	out := bundleOf(t, Input{Package: pkg})
	for i, tool := range pkg.Tools {
		if got, want := strings.TrimSpace(string(runInNode(t, out.Code, tool.Name, "{}"))), fmt.Sprintf(`"answer %d"`, i); got != want {
			t.Errorf("%q: got %s, want %s", tool.Name, got, want)
		}
	}
}

func TestGlobalsAreInjectedOnlyWhereNamed(t *testing.T) {
	for _, test := range []struct {
		name, tool    string
		present, gone []string
	}{
		{"none", "export default () => 1", nil, []string{"class URL", "class URLPattern", "structuredClone"}},
		{"free name", "export default () => new URLPattern({ pathname: '/:id' })", []string{"URLPattern"}, nil},
		{"member of globalThis", "export default () => globalThis.structuredClone({})", []string{"structuredClone"}, nil},
		{"shadowed", "class Blob {}; export default () => new Blob()", nil, []string{"neuralis:web/blob"}},
		{"in a comment only", "// URL, Blob\nexport default () => 1", nil, []string{"// neuralis:web/url\n", "// neuralis:web/blob\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			code := string(bundleOf(t, Input{Package: onePackage(t, test.tool, nil)}).Code)
			for _, text := range test.present {
				if !strings.Contains(code, text) {
					t.Errorf("the bundle lacks %q", text)
				}
			}
			for _, text := range test.gone {
				if strings.Contains(code, text) {
					t.Errorf("the bundle has %q, which nothing uses", text)
				}
			}
		})
	}
}

func TestAssignmentsToGlobalsBuild(t *testing.T) {
	// Polyfills and tests write to the global object; that must not stop a build.
	bundleOf(t, Input{Package: onePackage(t, `
		globalThis.fetch ??= (async () => new Response('')) as typeof fetch;
		(globalThis as any).URL = URL;
		if (typeof globalThis.Blob === 'undefined') (globalThis as any).Blob = class {};
		export default () => typeof self.fetch;`, nil)})
}

func TestSameBytesEverywhere(t *testing.T) {
	text := "import { a } from '../a';\nexport default () => new Headers({ a });"
	files := map[string]string{"src/a.ts": "export const a = 'a';", "node_modules/x/index.js": ""}
	first := bundleOf(t, Input{Package: onePackage(t, text, files)})
	pkg := onePackage(t, text, files)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(pkg.Dir, link); err != nil {
		t.Skip(err)
	}
	pkg.Dir = link
	for name, again := range map[string]Output{
		"another folder":      bundleOf(t, Input{Package: onePackage(t, text, files)}),
		"through a link":      bundleOf(t, Input{Package: pkg}),
		"with inputs listed":  bundleOf(t, Input{Package: pkg, ListInputs: true}),
		"dispatcher as given": bundleOf(t, Input{Package: pkg, Dispatcher: nil}),
	} {
		if !bytes.Equal(first.Code, again.Code) {
			t.Errorf("%s: the code differs", name)
		}
		if !bytes.Equal(first.Map, again.Map) {
			t.Errorf("%s: the map differs", name)
		}
	}
}

func TestPackagesOfAWorkspace(t *testing.T) {
	root := writeFiles(t, t.TempDir(), map[string]string{
		"packages/shared/package.json":  `{"name":"@acme/shared","type":"module","exports":"./index.ts"}`,
		"packages/shared/index.ts":      "import { u } from './deep/u.ts'; export const shared: string = u;",
		"packages/shared/deep/u.ts":     "export const u = new URL('https://a.example/x').pathname;",
		"node_modules/hoisted/index.js": "module.exports = () => new URLSearchParams({ h: 'oisted' }).toString();",
		"packages/p/package.json":       `{"name":"p"}`,
		"packages/p/src/tools/t.ts":     "import { shared } from '@acme/shared'; import hoisted from 'hoisted'; export default () => [shared, hoisted()];",
	})
	scope := filepath.Join(root, "node_modules", "@acme")
	if err := os.MkdirAll(scope, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "packages", "shared"), filepath.Join(scope, "shared")); err != nil {
		t.Skip(err)
	}
	pkg := &manifest.Package{Dir: filepath.Join(root, "packages", "p"), Tools: []manifest.Tool{{Name: "t", Source: "src/tools/t.ts"}}}
	out := bundleOf(t, Input{Package: pkg})
	if got := strings.TrimSpace(string(runInNode(t, out.Code, "t", "{}"))); got != `["/x","h=oisted"]` {
		t.Errorf("got %s", got)
	}
	if bytes.Contains(out.Map, []byte(root)) || bytes.Contains(out.Code, []byte(root)) {
		t.Error("the output names the workspace's folder")
	}
}

func TestRebuild(t *testing.T) {
	pkg := onePackage(t, "export default () => 'one'", nil)
	c, diags := NewContext(Input{Package: pkg, ListInputs: true})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	defer c.Close()
	for _, step := range []struct{ text, want, fault string }{
		{"export default () => 'one'", "one", ""},
		{"export default () => 'two'", "two", ""},
		{"export default () =>", "", RuleSyntax},
		{"export default () => 'three ' + btoa('x')", "three", ""},
		{"import x from 'nowhere'; export default () => x", "", RuleMissingImport},
		{"export default () => 'four'", "four", ""},
	} {
		writeFiles(t, pkg.Dir, map[string]string{"src/tools/t.ts": step.text})
		out, diags := c.Rebuild(context.Background(), nil)
		if step.fault != "" {
			if len(diags) != 1 || diags[0].Rule != step.fault {
				t.Fatalf("%s: got %v", step.text, diags)
			}
			continue
		}
		if len(diags) > 0 || !bytes.Contains(out.Code, []byte(step.want)) {
			t.Fatalf("%s: got %v\n%s", step.text, diags, out.Code)
		}
	}

	writeFiles(t, pkg.Dir, map[string]string{"src/routes/r.ts": "export const pattern = 'r'; export const GET = () => 'fresh';"})
	out, diags := c.Rebuild(context.Background(), []byte("import * as r from '../src/routes/r.ts';\nglobalThis.x = r;\n"))
	if len(diags) > 0 || !bytes.Contains(out.Code, []byte("fresh")) {
		t.Errorf("a new dispatcher: %v\n%s", diags, out.Code)
	}
	if len(out.Inputs) != 2 || out.Inputs[1].Path != "src/routes/r.ts" || out.Inputs[1].Bytes == 0 || out.Inputs[1].BytesInOutput == 0 {
		t.Errorf("inputs: %+v", out.Inputs)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, diags := Bundle(ctx, Input{Package: onePackage(t, "export default 1", nil)})
	if len(diags) != 1 || diags[0].Rule != RuleCancelled {
		t.Errorf("got %v", diags)
	}
}

// stuck is a bundler that does not come back before it is let go.
type stuck struct {
	api.BuildContext
	began, release chan struct{}
}

func (s stuck) Rebuild() api.BuildResult { close(s.began); <-s.release; return api.BuildResult{} }
func (s stuck) Cancel()                  { <-s.release }
func (s stuck) Dispose()                 { <-s.release }

func TestCancelledWhileTheBundlerIsStuck(t *testing.T) {
	pkg := onePackage(t, "export default () => 'again'", nil)
	c, diags := NewContext(Input{Package: pkg})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	defer c.Close()
	s := stuck{began: make(chan struct{}), release: make(chan struct{})}
	defer close(s.release)
	c.build = s
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-s.began; cancel() }()
	if _, diags := c.Rebuild(ctx, nil); len(diags) != 1 || diags[0].Rule != RuleCancelled {
		t.Fatalf("got %v", diags)
	}
	out, diags := c.Rebuild(t.Context(), nil)
	if len(diags) > 0 || !bytes.Contains(out.Code, []byte("again")) {
		t.Errorf("after it: %v", diags)
	}
}
