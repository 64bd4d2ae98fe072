package scaffold

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/manifest"
)

// tree is every file below a folder, with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func create(t *testing.T, o Options) *Result {
	t.Helper()
	result, err := Create(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// compile reads a JSON Schema document of package manifest.
func compile(t *testing.T, document []byte) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", value); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, name string, document []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// checkPackage wants a package that loads without a word and validates against
// the published schemas.
func checkPackage(t *testing.T, dir string) *manifest.Package {
	t.Helper()
	pkg, diags := manifest.Load(dir)
	for _, d := range diags {
		t.Errorf("%s: %s: %v\n%s", d.Severity, d.Rule, d, d.Frame)
	}
	if pkg == nil {
		t.FailNow()
	}
	source, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Files    []string        `json:"files"`
		Neuralis json.RawMessage `json:"neuralis"`
	}
	if err := json.Unmarshal(source, &document); err != nil {
		t.Fatal(err)
	}
	validate(t, compile(t, manifest.ManifestSchema()), "package.json#neuralis", document.Neuralis)
	toolSchema := compile(t, manifest.ToolSchema())
	for _, tool := range pkg.Tools {
		if tool.File == "" || tool.Source == "" && pkg.Runtime != manifest.RuntimeMCP {
			t.Errorf("tool %s: file %q, source %q", tool.Name, tool.File, tool.Source)
		}
		validate(t, toolSchema, tool.File, tool.Schema)
	}
	ships := func(folder string, has bool) {
		if has && !slices.Contains(document.Files, folder) {
			t.Errorf("%s is not listed in files: %q", folder, document.Files)
		}
	}
	code := pkg.Runtime == manifest.RuntimeWASM || pkg.Runtime == manifest.RuntimeNode
	ships("dist", code)
	ships("tools", len(pkg.Tools) > 0)
	ships("skills", len(pkg.Skills) > 0)
	ships("rules", len(pkg.Rules) > 0)
	declared := map[string]bool{}
	for _, f := range pkg.Manifest.Features {
		declared[f.ID] = true
	}
	for _, tool := range pkg.Tools {
		if f := tool.Extension.Feature; f != "" && !declared[f] {
			t.Errorf("tool %s needs the feature %s, which is not declared", tool.Name, f)
		}
	}
	return pkg
}

func TestTemplates(t *testing.T) {
	for _, tmpl := range Templates() {
		// Ids that stress quoting, identifiers and the lengths of names.
		for _, id := range []string{"weather", "price-list-2", "3d", strings.Repeat("long-", 12) + "name"} {
			t.Run(tmpl.Name+"/"+id, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "pkg")
				result := create(t, Options{Dir: dir, Template: tmpl.Name, ID: id,
					Name: `Bob's "Wetter": #1 & Söhne`, Description: `It's "fine": a\b {{x}} <<y>> ${z}`})
				pkg := checkPackage(t, dir)
				if pkg.ID != id || pkg.Manifest.Name != `Bob's "Wetter": #1 & Söhne` {
					t.Errorf("id %q, name %q", pkg.ID, pkg.Manifest.Name)
				}
				if len(pkg.TestSources) == 0 || len(pkg.Skills) == 0 {
					t.Error("a template without tests or skills")
				}
				files := tree(t, dir)
				var names []string
				for name, content := range files {
					names = append(names, name)
					if strings.Contains(strings.ReplaceAll(content, "<<y>>", ""), "<<") || !strings.HasSuffix(content, "\n") || strings.Contains(content, "\r") {
						t.Errorf("%s: a leftover of the template, a carriage return, or no final line end", name)
					}
				}
				slices.Sort(names)
				if !slices.Equal(names, result.Created) {
					t.Errorf("written %q, reported %q", names, result.Created)
				}
				for _, want := range []string{"README.md", ".gitignore", "tsconfig.json"} {
					if _, ok := files[want]; !ok {
						t.Errorf("there is no %s", want)
					}
				}
			})
		}
	}
}

func TestCreateTwiceGivesTheSameBytes(t *testing.T) {
	base := t.TempDir()
	a, b := filepath.Join(base, "a"), filepath.Join(base, "b")
	create(t, Options{Dir: a, ID: "x"})
	create(t, Options{Dir: b, ID: "x"})
	one, two := tree(t, a), tree(t, b)
	for name := range one {
		if one[name] != two[name] {
			t.Errorf("%s differs", name)
		}
	}
}

// TestGoServerCompiles builds and tests what the mcp-go template writes, with the
// versions its go.sum names.
func TestGoServerCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := filepath.Join(t.TempDir(), "texts")
	create(t, Options{Dir: dir, Template: "mcp-go"})
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}, {"build", "-o", filepath.Join(t.TempDir(), "server"), "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = filepath.Join(dir, "server")
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	formatted, err := exec.Command("gofmt", "-l", filepath.Join(dir, "server")).CombinedOutput()
	if err != nil || len(formatted) > 0 {
		t.Errorf("gofmt -l: %v\n%s", err, formatted)
	}
}

func TestPythonServerParses(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	dir := filepath.Join(t.TempDir(), "3d")
	create(t, Options{Dir: dir, Template: "mcp-python"})
	parse := "import ast, sys; ast.parse(open(sys.argv[1]).read())"
	if out, err := exec.Command(python, "-c", parse, filepath.Join(dir, "server", "main.py")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestCreateRefuses(t *testing.T) {
	base := t.TempDir()
	write := func(name string) {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("full/notes.txt")
	write("hidden/.github/CODEOWNERS")
	write("file")
	if err := os.Symlink(filepath.Join(base, "nowhere"), filepath.Join(base, "dangling")); err != nil {
		t.Logf("no symbolic links here: %v", err)
	}
	before := tree(t, filepath.Join(base, "full"))
	for _, test := range []struct {
		name string
		o    Options
		want []string
	}{
		{"a folder with files", Options{Dir: "full"}, []string{"nothing was written", "is not empty", "notes.txt"}},
		{"a folder with hidden files", Options{Dir: "hidden"}, []string{"hidden is not empty", ".github/"}},
		{"a file", Options{Dir: "file"}, []string{"is a file"}},
		{"below a file", Options{Dir: "file/pkg"}, []string{"looking at the folder"}},
		{"a link to nowhere", Options{Dir: "dangling"}, []string{"symbolic link"}},
		{"an id that is none", Options{Dir: "new", ID: "My Package"}, []string{`"My Package"`, "lower-case", `"my-package" would do`}},
		{"an id that is a device", Options{Dir: "new", ID: "con"}, []string{`"con-package" would do`}},
		{"a folder name without an id", Options{Dir: "…"}, []string{"the id of a package is empty"}},
		{"a template that is none", Options{Dir: "new", Template: "rust"}, []string{`"rust" cannot be the template`}},
		{"a name with a line end", Options{Dir: "new", Name: "a\nb"}, []string{"on one line"}},
		{"a description with an escape", Options{Dir: "new", Description: "\x1b[2J"}, []string{"control characters"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := test.o
			o.Dir = filepath.Join(base, o.Dir)
			_, err := Create(context.Background(), o)
			if err == nil {
				t.Fatal("it was made")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in: %v", want, err)
				}
			}
		})
	}
	if after := tree(t, filepath.Join(base, "full")); len(after) != len(before) {
		t.Errorf("the folder has changed: %v", after)
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "new" || strings.HasPrefix(e.Name(), ".neuralis") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestCreateInAnEmptyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "here")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	create(t, Options{Dir: dir})
	after, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) || after.Mode() != before.Mode() {
		t.Error("the folder was replaced: a shell in it would be nowhere")
	}
	checkPackage(t, dir)
	for name := range tree(t, dir) {
		if strings.HasPrefix(name, ".neuralis-new") {
			t.Errorf("%s was left behind", name)
		}
	}
}

func TestCreateInAClone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "clone")
	head := filepath.Join(dir, ".git", "HEAD")
	if err := os.MkdirAll(filepath.Dir(head), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(head, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	create(t, Options{Dir: dir})
	if _, err := os.Stat(filepath.Join(dir, "package.json")); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(head); err != nil || string(got) != "mine" {
		t.Errorf("the repository has changed: %q, %v", got, err)
	}
}

func TestCreateMakesParents(t *testing.T) {
	base := t.TempDir()
	create(t, Options{Dir: filepath.Join(base, "a", "b", "pkg")})
	checkPackage(t, filepath.Join(base, "a", "b", "pkg"))
}

func TestCreateInterrupted(t *testing.T) {
	base := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Create(ctx, Options{Dir: filepath.Join(base, "a", "pkg")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if entries, _ := os.ReadDir(base); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestMoveEntriesTakesBack(t *testing.T) {
	base := t.TempDir()
	temp, dir := filepath.Join(base, "temp"), filepath.Join(base, "dir")
	for _, path := range []string{"temp/a", "temp/b", "temp/package.json", "dir/b"} {
		path = filepath.Join(base, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(path), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var exists *ExistsError
	if err := moveEntries(temp, dir, "dir"); !errors.As(err, &exists) || !slices.Equal(exists.Files, []string{"b"}) {
		t.Errorf("got %v", err)
	}
	if got := tree(t, dir); len(got) != 1 || got["b"] != filepath.Join(dir, "b") {
		t.Errorf("left in the folder: %v", got)
	}
}
