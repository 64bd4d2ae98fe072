package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/internal/npmci"
	"github.com/neuralis-dev/neuralis/manifest"
)

// npmFixture is a package with real npm packages in its node_modules.
func npmFixture(t *testing.T) *manifest.Package {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", "npm"))
	if err != nil {
		t.Fatal(err)
	}
	if err := npmci.Install(context.Background(), dir, os.Stderr); errors.Is(err, npmci.ErrNoNPM) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return &manifest.Package{
		Dir: dir, ID: "npm-fixture", Runtime: manifest.RuntimeWASM,
		Tools: []manifest.Tool{{Name: "libraries", Source: "src/tools/libraries.ts"}},
	}
}

// runInNode runs a tool of a bundle and returns its result.
func runInNode(t *testing.T, code []byte, tool, args string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "package.mjs")
	if err := os.WriteFile(file, code, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", filepath.Join("testdata", "run.mjs"), file, tool, args)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s%s", err, out, stderr.Bytes())
	}
	return out
}

func TestPackagesFromNPM(t *testing.T) {
	pkg := npmFixture(t)
	const want = `{
		"order": {"id": "lamp", "count": 2}, "issues": ["id", "count"], "date": "2024-03-01",
		"chunks": [[1, 2], [3]], "name": "deskLamp", "ms": 172800000, "nanoid": [21, 5, 21],
		"uuid": [true, "d6ccf7fa-62d7-57ac-ac7c-c5017a6098bf", 36], "env": "production"
	}`
	for _, minify := range []bool{false, true} {
		out, diags := Bundle(context.Background(), Input{Package: pkg, Minify: minify, ListInputs: true})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		var got, expected map[string]any
		if err := json.Unmarshal(runInNode(t, out.Code, "libraries", `{"id":"lamp","count":"2"}`), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(want), &expected); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, expected) {
			t.Errorf("minify %v: got %v\nwant %v", minify, got, expected)
		}
		checkMap(t, pkg.Dir, out)
	}
}

// checkMap looks for names that would differ on another machine.
func checkMap(t *testing.T, dir string, out Output) {
	t.Helper()
	for name, data := range map[string][]byte{"code": out.Code, "map": out.Map} {
		if bytes.Contains(data, []byte(dir)) {
			t.Errorf("the %s names the package folder", name)
		}
	}
	var file struct{ Sources []string }
	if err := json.Unmarshal(out.Map, &file); err != nil {
		t.Fatal(err)
	}
	for _, source := range file.Sources {
		known := false
		for _, prefix := range []string{"src/", "node_modules/", "neuralis:", ".neuralis/"} {
			known = known || strings.HasPrefix(source, prefix)
		}
		if !known {
			t.Errorf("the map has a source named %q", source)
		}
	}
	for _, input := range out.Inputs {
		if strings.HasPrefix(input.Path, "..") || filepath.IsAbs(input.Path) {
			t.Errorf("an input is named %q", input.Path)
		}
	}
}
