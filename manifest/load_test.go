package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// unpack writes the files of an archive below a folder.
func unpack(t testing.TB, dir string, files []txtar.File) {
	t.Helper()
	for _, f := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
}

// write writes a file and makes the folders that it is in.
func write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// describe is a package and its diagnostics as text: what of the package is not empty, but for its path and
// its texts, and then each diagnostic with its code frame.
func describe(pkg *Package, diagnostics Diagnostics) []byte {
	var out bytes.Buffer
	if pkg == nil {
		out.WriteString("no package\n")
	} else {
		described := *pkg
		described.Dir, described.Source = "", nil
		text, err := json.Marshal(described)
		if err != nil {
			panic(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			panic(err)
		}
		text, err = json.MarshalIndent(strip(value), "", "  ")
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&out, "%s\n", text)
	}
	for _, d := range diagnostics {
		fmt.Fprintf(&out, "\n%s: %s [%s]\n", d.Severity, d.Error(), d.Rule)
		if d.Hint != "" {
			fmt.Fprintf(&out, "hint: %s\n", d.Hint)
		}
		out.WriteString(d.Frame)
	}
	return out.Bytes()
}

// strip leaves out what says nothing, and the texts of schemas.
func strip(value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		if list, ok := value.([]any); ok {
			for i := range list {
				list[i] = strip(list[i])
			}
		}
		return value
	}
	for name, inner := range object {
		inner = strip(inner)
		empty := inner == nil || inner == "" || inner == false
		if inner, ok := inner.(map[string]any); ok && len(inner) == 0 {
			empty = true
		}
		if name == "Schema" && !empty {
			inner = "…"
		}
		object[name] = inner
		if empty && name != "visible" {
			delete(object, name)
		}
	}
	return object
}

func TestLoad(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "load", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			last := &archive.Files[len(archive.Files)-1]
			dir := t.TempDir()
			unpack(t, dir, archive.Files[:len(archive.Files)-1])
			got := describe(Load(filepath.Join(dir, "pkg")))
			if *update {
				last.Data = got
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(got, last.Data) {
				t.Errorf("got:\n%s\nwant:\n%s", got, last.Data)
			}
		})
	}
}
