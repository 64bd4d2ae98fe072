package lint_test

import (
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
	report, err := lint.Run(t.Context(), dirs, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Packages {
		for _, d := range p.Diagnostics {
			if d.Rule == "stale-output" {
				continue // of somebody's working copy
			}
			t.Errorf("%s: %s %s %s", p.Dir, d.Severity, d.Rule, d.Error())
		}
	}
}
