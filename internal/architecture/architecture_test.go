package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sourceImports reads the imports of all Go files of a module, whatever system they are for, tests left out.
func sourceImports(root, module string) (graph, error) {
	imports := graph{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path == root {
				return nil
			}
			if name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return fs.SkipDir // another module
			}
			return nil
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := module
		if dir != "." {
			pkg += "/" + filepath.ToSlash(dir)
		}
		list := imports[pkg]
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !slices.Contains(list, imported) {
				list = append(list, imported)
			}
		}
		imports[pkg] = list
		return nil
	})
	return imports, err
}

// goList runs go list in a folder and returns the imports of the packages it names.
func goList(t *testing.T, root string, arguments ...string) graph {
	t.Helper()
	command := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports"}, arguments...)...)
	command.Dir = root
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, stderr.Bytes())
	}
	imports := graph{}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return imports
		} else if err != nil {
			t.Fatal(err)
		}
		imports[pkg.ImportPath] = pkg.Imports
	}
}

// here is the root of the module, and its path.
func here(t *testing.T) (root, module string) {
	t.Helper()
	output, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}\n{{.Path}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, module, _ = strings.Cut(strings.TrimSpace(string(output)), "\n")
	return root, strings.TrimSpace(module)
}

func TestImportsLeadDownward(t *testing.T) {
	root, module := here(t)
	imports, err := sourceImports(root, module)
	if err != nil {
		t.Fatal(err)
	}
	if len(imports[module+"/manifest"]) == 0 {
		t.Fatalf("no imports of manifest were found below %s", root)
	}
	for _, found := range forbiddenImports(module, imports, layers()) {
		t.Error(found)
	}
}

// TestHostCarriesNoCompiler looks at all that is linked into the host, other modules included.
func TestHostCarriesNoCompiler(t *testing.T) {
	root, module := here(t)
	if _, err := os.Stat(filepath.Join(root, "host")); errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no host yet")
	}
	for _, found := range forbiddenPaths(module, goList(t, root, "-deps", "./host/..."), layers(), unreachable()) {
		t.Error(found)
	}
}

// TestTheRulesFindFaults has graphs with faults in them, which a test that always passes would not find.
func TestTheRulesFindFaults(t *testing.T) {
	tests := []struct {
		name    string
		imports graph
		want    []string
	}{
		{"as it should be", graph{
			"m/manifest": {"fmt", "m/manifest/jsondoc"}, "m/manifest/jsondoc": nil, "m/internal/x": {"m/manifest"},
			"m/build/wasm": {"m/manifest", "m/internal/x", "m/build/guest"}, "m/host": {"m/manifest", "m/host/data", "example.com/x"},
			"m/devserver": {"m/host", "m/build/wasm"}, "m/cmd/neuralis": {"m/build/wasm", "m/host", "m/scaffold", "m/devserver"},
		}, nil},
		{"host imports build", graph{"m/host/pool": {"m/build/wasm"}, "m/build/wasm": nil}, []string{
			"host/pool imports build/wasm: host may import manifest, internal",
			"host reaches host/pool -> build/wasm"}},
		{"host reaches build through internal", graph{"m/host": {"m/internal/x"}, "m/internal/x": {"m/internal/y"}, "m/internal/y": {"m/build"}}, []string{
			"internal/y imports build: internal may import manifest",
			"host reaches host -> internal/x -> internal/y -> build"}},
		{"host reaches the bundler through another module", graph{"m/host": {"example.com/a"}, "example.com/a": {"github.com/evanw/esbuild/pkg/api"}}, []string{
			"host reaches host -> example.com/a -> github.com/evanw/esbuild/pkg/api"}},
		{"a module that is only called like the bundler", graph{"m/host": {"github.com/evanw/esbuilder"}}, nil},
		{"manifest imports internal", graph{"m/manifest/jsondoc": {"m/internal/x"}, "m/internal/x": nil}, []string{
			"manifest/jsondoc imports internal/x: manifest may import no other layer"}},
		{"build imports host", graph{"m/build": {"m/host"}}, []string{"build imports host: build may import manifest, internal"}},
		{"lint imports build", graph{"m/lint": {"m/build/bundle"}}, []string{"lint imports build/bundle: lint may import manifest, internal"}},
		{"devserver imports scaffold", graph{"m/devserver": {"m/scaffold"}}, []string{"devserver imports scaffold: devserver may import host, build, manifest, internal"}},
		{"someone imports cmd", graph{"m/internal/x": {"m/cmd/neuralis"}}, []string{"internal/x imports cmd/neuralis: internal may import manifest"}},
		{"no place", graph{"m/misc/x": nil, "m": {"m/build"}}, []string{
			". has no layer; give its folder a place in the table",
			"misc/x has no layer; give its folder a place in the table"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := append(forbiddenImports("m", test.imports, layers()), forbiddenPaths("m", test.imports, layers(), unreachable())...)
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// TestSourceImportsReadsAllSystems has an import that go list would not see on most machines.
func TestSourceImportsReadsAllSystems(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"host/a.go":             "package host\n\nimport \"fmt\"\n",
		"host/a_plan9.go":       "//go:build plan9\n\npackage host\n\nimport \"m/build\"\n",
		"host/a_test.go":        "package host\n\nimport \"m/lint\"\n",
		"host/testdata/a.go":    "package testdata\n\nimport \"m/lint\"\n",
		"node_modules/x/a.go":   "not Go",
		"examples/other/go.mod": "module other\n",
		"examples/other/a.go":   "package other\n\nimport \"m/lint\"\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	imports, err := sourceImports(root, "m")
	if err != nil {
		t.Fatal(err)
	}
	if len(imports) != 1 || !slices.Equal(imports["m/host"], []string{"fmt", "m/build"}) {
		t.Errorf("got %v", imports)
	}
}
