package scaffold

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

func add(t *testing.T, dir string, a Addition) *Result {
	t.Helper()
	result, err := Add(context.Background(), dir, a)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// all is one addition of each kind.
func all() []Addition {
	return []Addition{
		{Kind: Tool, Name: "hello_world", Feature: "hello.say", Category: "write", Description: `Says "hello"`},
		{Kind: Tool, Name: "hello-2"},
		{Kind: Route, Name: "orders", Pattern: "/orders/:id/*rest", Methods: []string{"get", "POST", "GET"}},
		{Kind: Route, Name: "v1.status", Methods: []string{"HEAD"}},
		{Kind: Skill, Name: "packing-list"},
		{Kind: Test, Name: "hello_world"},
		{Kind: Test, Name: "routes"},
	}
}

func TestAddToEachTemplate(t *testing.T) {
	for _, template := range []string{"wasm", "node", "skills"} {
		t.Run(template, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "hello")
			create(t, Options{Dir: dir, Template: template})
			additions := all()
			if template != "wasm" {
				additions = append(additions, Addition{Kind: Lifecycle})
			}
			for _, a := range additions {
				before := tree(t, dir)
				result := add(t, dir, a)
				after := tree(t, dir)
				for name, content := range after {
					old, existed := before[name]
					switch {
					case !existed && !slices.Contains(result.Created, name):
						t.Errorf("%s %s: %s was written and not reported", a.Kind, a.Name, name)
					case existed && old != content && !slices.Contains(result.Changed, name):
						t.Errorf("%s %s: %s was changed and not reported", a.Kind, a.Name, name)
					case !existed && (strings.Contains(content, "<<") || !strings.HasSuffix(content, "}\n") && !strings.HasSuffix(content, ";\n") && !strings.HasSuffix(content, ".\n")):
						t.Errorf("%s:\n%s", name, content)
					}
				}
				if len(result.Created) == 0 || len(result.Next) == 0 {
					t.Errorf("%s: %+v", a.Kind, result)
				}
				// Once more must change nothing.
				var exists *ExistsError
				if _, err := Add(context.Background(), dir, a); !errors.As(err, &exists) {
					t.Errorf("%s %s a second time: %v", a.Kind, a.Name, err)
				}
				if again := tree(t, dir); len(again) != len(after) || again["package.json"] != after["package.json"] {
					t.Errorf("%s %s: refused, and yet something changed", a.Kind, a.Name)
				}
			}
			pkg := checkPackage(t, dir)
			if pkg.Lifecycle == "" || len(pkg.RouteSources) < 2 || len(pkg.Tools) < 2 {
				t.Errorf("got %+v", pkg)
			}
			if template == "skills" && pkg.Runtime != manifest.RuntimeWASM {
				t.Errorf("runtime %q", pkg.Runtime)
			}
		})
	}
}

func TestAddFindsThePackage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pkg")
	create(t, Options{Dir: dir})
	// A package.json that is no manifest is passed over, a broken one too.
	for name, content := range map[string]string{"src/lib/package.json": `{"type":"module"}`, "src/lib/deep/package.json": "{"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := add(t, filepath.Join(dir, "src", "lib", "deep"), Addition{Kind: Skill, Name: "x"}).Dir; got != dir {
		t.Errorf("found %s", got)
	}
	var refused *RefusedError
	if _, err := Add(context.Background(), t.TempDir(), Addition{Kind: Skill, Name: "x"}); !errors.As(err, &refused) {
		t.Errorf("outside of a package: %v", err)
	}
}

func TestAddKeepsTheManifestsLayout(t *testing.T) {
	const before = "{\r\n\t\"neuralis\": {\r\n\t\t\"id\": \"x\"\r\n\t},\r\n\t\"files\": [\"./skills/\"],\r\n\t\"name\": \"x\"\r\n}"
	const after = "{\r\n\t\"neuralis\": {\r\n\t\t\"id\": \"x\",\r\n\t\t\"runtime\": { \"type\": \"wasm\" },\r\n\t\t\"features\": [\r\n\t\t\t{ \"id\": \"x.use\", \"title\": \"Use\" }\r\n\t\t]\r\n\t},\r\n\t\"files\": [\"./skills/\", \"dist\", \"tools\"],\r\n\t\"name\": \"x\"\r\n}"
	dir := t.TempDir()
	path := filepath.Join(dir, "package.json")
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, dir, Addition{Kind: Skill, Name: "a"}) // ./skills/ counts as listed
	add(t, dir, Addition{Kind: Tool, Name: "b", Feature: "x.use"})
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != after {
		t.Errorf("got\n%s\nwant\n%s", got, after)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the permissions have changed: %v %v", info.Mode(), err)
	}
}

func TestAddToAPlainManifest(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "neuralis.package.json")
	if err := os.WriteFile(path, []byte("{\n  \"id\": \"x\"\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	add(t, dir, Addition{Kind: Route, Name: "hello"})
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"id\": \"x\",\n  \"runtime\": { \"type\": \"wasm\" },\n  \"features\": [\n    { \"id\": \"x.read\", \"title\": \"Read\" }\n  ]\n}\n"
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
}

func TestAddRefuses(t *testing.T) {
	base := t.TempDir()
	wasm, mcp, broken := filepath.Join(base, "hello"), filepath.Join(base, "mcp"), filepath.Join(base, "broken")
	create(t, Options{Dir: wasm})
	create(t, Options{Dir: mcp, Template: "mcp-go"})
	if err := os.Mkdir(broken, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "package.json"), []byte(`{ "neuralis": { "id": "x", } `), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, dir string
		a         Addition
		want      string
	}{
		{"a tool that exists", wasm, Addition{Kind: Tool, Name: "hello_save_note"}, "src/tools/hello_save_note.ts"},
		{"a lifecycle that exists", wasm, Addition{Kind: Lifecycle}, "src/lifecycle.ts"},
		{"a path as a name", wasm, Addition{Kind: Tool, Name: "src/tools/my tool.ts"}, `"my_tool" would do`},
		{"a tool name with a slash", wasm, Addition{Kind: Tool, Name: "../x"}, "name of a tool"},
		{"an empty name", wasm, Addition{Kind: Tool, Name: ""}, "the name of a tool is empty"},
		{"a category that is none", wasm, Addition{Kind: Tool, Name: "x", Category: "delete"}, "read or write"},
		{"a feature that is none", wasm, Addition{Kind: Tool, Name: "x", Feature: "a b"}, "id of a feature"},
		{"a pattern as a name", wasm, Addition{Kind: Route, Name: "orders/:id"}, "--pattern"},
		{"a pattern that is none", wasm, Addition{Kind: Route, Name: "x", Pattern: "*rest/more"}, "pattern of a route"},
		{"a method that is none", wasm, Addition{Kind: Route, Name: "x", Methods: []string{"FETCH"}}, "one of GET"},
		{"a route named like a device", wasm, Addition{Kind: Route, Name: "con"}, "route's file"},
		{"a test in another folder", wasm, Addition{Kind: Test, Name: "../../x"}, "name of a test"},
		{"a skill in capitals", wasm, Addition{Kind: Skill, Name: "Foo"}, `"foo" would do`},
		{"a description of two lines", wasm, Addition{Kind: Skill, Name: "x", Description: "a\nb"}, "on one line"},
		{"a kind that is none", wasm, Addition{Kind: "agent", Name: "x"}, "kind of contribution"},
		{"code in an mcp package", mcp, Addition{Kind: Tool, Name: "x"}, "is an mcp package"},
		{"a broken manifest", broken, Addition{Kind: Skill, Name: "x"}, "package.json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := tree(t, test.dir)
			_, err := Add(context.Background(), test.dir, test.a)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("no %q in: %v", test.want, err)
			}
			after := tree(t, test.dir)
			if len(after) != len(before) || after["package.json"] != before["package.json"] {
				t.Error("something was written")
			}
		})
	}
}

// TestAddStaysInside wants a folder that is a link out of the package to be left alone.
func TestAddStaysInside(t *testing.T) {
	base := t.TempDir()
	dir, outside := filepath.Join(base, "pkg"), filepath.Join(base, "outside")
	create(t, Options{Dir: dir, Template: "skills"})
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "src")); err != nil {
		t.Skip("no symbolic links here")
	}
	before := tree(t, dir)
	if _, err := Add(context.Background(), dir, Addition{Kind: Tool, Name: "x"}); err == nil {
		t.Error("it was added")
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("written outside: %v", entries)
	}
	if after := tree(t, dir); len(after) != len(before) || after["package.json"] != before["package.json"] {
		t.Error("what was written before the error was left behind")
	}
}

func TestAddRefusesNamesThatDifferInCase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ad")
	create(t, Options{Dir: dir, Template: "wasm"})
	_, err := Add(t.Context(), dir, Addition{Kind: Route, Name: "Notes"})
	var refused *RefusedError
	var exists *ExistsError // where the file system knows no case
	if !errors.As(err, &exists) && (!errors.As(err, &refused) || !strings.Contains(err.Error(), "src/routes/notes.ts")) {
		t.Errorf("got %v", err)
	}
}

func TestExampleArguments(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{"nothing required", `{"properties":{"a":{"type":"string"}}}`, "{}"},
		{"one of each", `{"required":["s","i","b","l","n","o","e","d"],"properties":{"s":{"type":"string","minLength":3},"i":{"type":"integer","minimum":5},"b":{"type":"boolean"},"l":{"type":"array"},"n":{"type":["null","string"]},"o":{"type":"object","required":["x-y"],"properties":{"x-y":{"type":"number"}}},"e":{"enum":["red"]},"d":{"type":"string","default":"dd"}}}`,
			`{ b: true, d: "dd", e: "red", i: 5, l: [], n: null, o: { "x-y": 1 }, s: 'aaa' }`},
		{"a property that is not described", `{"required":["a"]}`, "{  }"},
		{"not JSON", `{`, "{}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := exampleArguments([]byte(test.schema)); got != test.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestCaller(t *testing.T) {
	grants := map[string][]string{"owner": {"a.read", "a.write"}, "member": {"a.read"}}
	for feature, want := range map[string]string{
		"":        "",
		"a.read":  ", { as: 'member' }",
		"a.write": ", { as: 'owner' }",
		"b.use":   ", { as: { features: ['b.use'] } }",
	} {
		if got := caller(grants, feature); got != want {
			t.Errorf("%q: %s", feature, got)
		}
	}
}
