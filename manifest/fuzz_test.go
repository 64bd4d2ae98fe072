package manifest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// addSeeds adds the files of the test packages whose names end in suffix.
func addSeeds(f *testing.F, suffix string) {
	archives, err := filepath.Glob(filepath.Join("testdata", "load", "*.txtar"))
	if err != nil || len(archives) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, suffix) {
				f.Add(file.Data)
			}
		}
	}
}

// checkDiagnostics looks whether diagnostics can be shown.
func checkDiagnostics(t *testing.T, source []byte, diagnostics Diagnostics) {
	t.Helper()
	lines := bytes.Count(source, []byte("\n")) + bytes.Count(source, []byte("\r")) + 1
	for _, d := range diagnostics {
		if d.Rule == "" || d.Message == "" || d.File == "" || d.Line < 1 || d.Line > lines || d.Column < 1 {
			t.Errorf("%+v", d)
		}
		for _, text := range []string{d.Message, d.Hint, d.Frame} {
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b") {
				t.Errorf("%q cannot be shown", text)
			}
		}
		if strings.ContainsAny(d.Message, "\n\r") || len(d.Message) > 1000 {
			t.Errorf("%q is no line", d.Message)
		}
	}
}

// agree compares the verdict of the loader with that of a foreign reader of the JSON Schema.
func agree(t *testing.T, schema *jsonschema.Schema, value *jsondoc.Value, good bool) {
	t.Helper()
	err := schema.Validate(value.Any())
	if (err == nil) != good {
		t.Errorf("the loader says good is %t; the schema says %v", good, err)
	}
}

func newTestLoader() *loader {
	l := &loader{}
	l.pkg.Dir = filepath.Join("somewhere", "pkg")
	return l
}

func FuzzManifest(f *testing.F) {
	addSeeds(f, PackageJSON)
	schema := compile(f, "manifest.schema.json", ManifestSchema())
	f.Fuzz(func(t *testing.T, source []byte) {
		for _, file := range []string{PackageJSON, NeuralisPackageJSON} {
			l := newTestLoader()
			loaded := l.parseManifest(file, source)
			checkDiagnostics(t, source, l.diagnostics)
			if !loaded && !l.diagnostics.HasErrors() {
				t.Error("no package, and nothing is said about it")
			}
			if loaded && !l.diagnostics.HasErrors() && (!ValidID(l.pkg.ID) || !l.pkg.Runtime.Valid()) {
				t.Errorf("the id is %q and the runtime %q", l.pkg.ID, l.pkg.Runtime)
			}
			doc, problems := jsondoc.Parse(source, jsondoc.DefaultLimits())
			if doc.Root == nil || len(problems) > 0 {
				continue
			}
			value := doc.LookupPath(manifestPath(file)...)
			if !value.Found {
				continue
			}
			var m Manifest
			agree(t, schema, value.Value, len(manifestModel().Decode(doc, value.Value, &m)) == 0)
		}
	})
}

func FuzzTool(f *testing.F) {
	for _, name := range []string{"catalog_list", "catalog_put"} {
		text, err := os.ReadFile(filepath.Join("testdata", "catalog", "tools", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	addSeeds(f, ".json")
	schema := compile(f, "tool.schema.json", ToolSchema())
	f.Fuzz(func(t *testing.T, source []byte) {
		l := newTestLoader()
		tool := l.parseTool("tools/a.json", source)
		checkDiagnostics(t, source, l.diagnostics)
		if tool.Invalid != l.diagnostics.HasErrors() {
			t.Errorf("invalid is %t, and the diagnostics are %v", tool.Invalid, l.diagnostics)
		}
		if !tool.Invalid {
			agree(t, schema, tool.Document().Root, true)
		} else if doc, problems := jsondoc.Parse(source, jsondoc.DefaultLimits()); len(problems) == 0 {
			agree(t, schema, doc.Root, false)
		}
	})
}

func FuzzSkill(f *testing.F) {
	addSeeds(f, skillFile)
	f.Add([]byte("---\r\nname: a\r\ndescription: b\r\n---\r\ntext"))
	f.Add([]byte("\uFEFF---\n? [a]\n: &x {b: *x}\n---\n"))
	f.Add([]byte("---\n<<: *a\n!!binary name: 'x'\ndescription: |2-\n   x\n---\n"))
	f.Add([]byte("---\n" + strings.Repeat("[", 5000) + "\n---\n"))
	f.Fuzz(func(t *testing.T, source []byte) {
		front, diagnostics := ParseSkill("skills/a/SKILL.md", source)
		checkDiagnostics(t, source, diagnostics)
		if !diagnostics.HasErrors() && (!ValidID(front.Name) || front.Description == "") {
			t.Errorf("%+v", front)
		}
		if front.Body < 0 || front.Body > len(source) {
			t.Errorf("the text begins at %d", front.Body)
		}
	})
}
