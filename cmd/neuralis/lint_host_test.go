package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/lint"
	"github.com/neuralis-dev/neuralis/manifest"
)

// TestHostAgreesWithLint puts the examples of every rule, and the packages without faults that the linter is tested with,
// into a project, and compares what the linter says with what a host makes of them: nothing that a host reports may be
// news to somebody who has read lint's output.
func TestHostAgreesWithLint(t *testing.T) {
	packages := map[string]string{}
	for _, r := range lint.Rules() {
		if r.Bad != "" {
			packages[r.ID+", bad"] = strings.NewReplacer("«", "", "»", "").Replace(r.Bad)
			packages[r.ID+", good"] = r.Good
		}
	}
	corpus, err := filepath.Glob("../../lint/testdata/corpus/*.txtar")
	if err != nil || len(corpus) == 0 {
		t.Fatalf("there is no corpus (%v)", err)
	}
	for _, file := range corpus {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		packages[filepath.Base(file)] = string(text)
	}
	compared := map[string]bool{}
	for name, text := range packages {
		t.Run(name, func(t *testing.T) {
			project := t.TempDir()
			dir := filepath.Join(project, "_packages", "demo")
			for _, f := range txtar.Parse([]byte(text)).Files {
				path := filepath.Join(dir, filepath.FromSlash(f.Name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			// The host does not ask a package for its standing.
			report, err := lint.Run(t.Context(), []string{dir}, lint.Options{Standing: lint.StandingProject})
			if err != nil {
				t.Fatal(err)
			}
			if settings, _ := os.ReadFile(filepath.Join(dir, lint.SettingsFile)); strings.Contains(string(settings), string(lint.StandingFirstParty)) {
				t.Skip("the package is meant for another place")
			}
			said := map[string]bool{}
			failing := false
			for _, d := range report.Packages[0].Diagnostics {
				said[fmt.Sprintf("%s %s:%d:%d", d.Rule, d.File, d.Line, d.Column)] = true
				said[d.Rule] = true
				failing = failing || d.Severity == manifest.SeverityError && slices.Contains(hostRules(), d.Rule)
			}
			entries := catalog.Scan(t.Context(), catalog.Roots{ProjectRoot: project}).All()
			if len(entries) == 0 && !said[manifest.RuleManifestMissing] {
				t.Fatal("the host does not see the package, and the linter says nothing")
			}
			for _, e := range entries {
				for _, d := range e.Diagnostics {
					at := fmt.Sprintf("%s %s:%d:%d", d.Rule, d.File, d.Line, d.Column)
					if d.Rule == catalog.RuleNotBuilt {
						continue // building is the next step
					}
					compared[d.Rule] = true
					if !said[at] && !(d.Rule == catalog.RuleReservedID && said[d.Rule]) {
						t.Errorf("the host says %s: %s", at, d.Message)
					}
				}
				if failing && e.Status == catalog.StatusReady {
					t.Errorf("the linter finds an error, and the host takes the package: %v", report.Packages[0].Diagnostics)
				}
			}
		})
	}
	if len(compared) < 12 {
		t.Errorf("the host reported under these rules only: %v", compared)
	}
}

// hostRules are the rules whose errors a host acts on when it discovers a package.
func hostRules() []string {
	return []string{
		manifest.RuleManifestInvalid, manifest.RuleUnknownRuntime, manifest.RuleInvalidID, manifest.RuleToolInvalid, manifest.RuleToolName, manifest.RuleSkillInvalid,
		manifest.RuleJSONSyntax, manifest.RuleDuplicateKey, catalog.RuleReservedID,
	}
}
