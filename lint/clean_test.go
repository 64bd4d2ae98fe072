package lint_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/neuralis-dev/neuralis/lint"
	"github.com/neuralis-dev/neuralis/scaffold"
)

// TestNoFalseFindings reads packages that are as they should be.
func TestNoFalseFindings(t *testing.T) {
	dirs := []string{"../build/interop/testdata/catalog"}
	examples, err := os.ReadDir("../examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		if dir := filepath.Join("../examples", e.Name()); e.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	for _, template := range scaffold.Templates() {
		dir := filepath.Join(t.TempDir(), "fresh-"+template.Name)
		if _, err := scaffold.Create(t.Context(), scaffold.Options{Dir: dir, Template: template.Name}); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	corpus, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil || len(corpus) < 20 {
		t.Fatalf("%d packages in the corpus (%v)", len(corpus), err)
	}
	names := map[string]string{}
	for _, file := range corpus {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir, _ := unpack(t, string(text))
		names[dir] = file
		dirs = append(dirs, dir)
	}
	report, err := lint.Run(t.Context(), dirs, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Packages {
		for _, d := range p.Diagnostics {
			if d.Rule == "stale-output" {
				continue // of somebody's working copy
			}
			t.Errorf("%s: %s %s %s", cmp.Or(names[p.Dir], p.Dir), d.Severity, d.Rule, d.Error())
		}
	}
}
