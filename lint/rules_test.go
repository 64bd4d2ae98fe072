package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/neuralis-dev/neuralis/lint"
)

// unpack writes an example into a folder and returns the places that it marks, as file:line:column[-end].
func unpack(t *testing.T, example string) (dir string, marks []string) {
	t.Helper()
	dir = t.TempDir()
	archive := txtar.Parse([]byte(example))
	hasManifest := false
	for _, file := range archive.Files {
		hasManifest = hasManifest || file.Name == "package.json" || file.Name == "neuralis.package.json"
	}
	if !hasManifest {
		archive.Files = append(archive.Files, txtar.File{Name: "package.json", Data: []byte(`{ "name": "demo", "version": "1.0.0", "neuralis": { "id": "demo" } }`)})
	}
	for _, file := range archive.Files {
		var clean strings.Builder
		for number, line := range strings.SplitAfter(string(file.Data), "\n") {
			column, open := 1, ""
			for _, r := range line {
				switch r {
				case '«':
					open = fmt.Sprintf("%s:%d:%d", file.Name, number+1, column)
				case '»':
					marks = append(marks, fmt.Sprintf("%s-%d", open, column))
					open = ""
				default:
					clean.WriteRune(r)
					column += max(1, utf16.RuneLen(r))
				}
			}
			if open != "" {
				marks = append(marks, open) // to wherever it goes
			}
		}
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(clean.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, marks
}

func run(t *testing.T, dir string) []string {
	t.Helper()
	report, err := lint.Run(t.Context(), []string{dir}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, d := range report.Packages[0].Diagnostics {
		found = append(found, fmt.Sprintf("%s:%d:%d-%d %s %s: %s", d.File, d.Line, d.Column, d.EndColumn, d.Severity, d.Rule, d.Message))
	}
	return found
}

// TestExamples reads the bad and the good example of every rule: the bad one is reported at its marks, by this rule alone,
// and the good one not at all.
func TestExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range lint.Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			if seen[rule.ID] {
				t.Error("the rule is there twice")
			}
			seen[rule.ID] = true
			if rule.Summary == "" || rule.Todo == "" || rule.Family == "" || rule.Severity == "" {
				t.Errorf("the rule does not say what it is: %+v", rule)
			}
			if rule.Bad == "" {
				return
			}
			dir, marks := unpack(t, rule.Bad)
			found := run(t, dir)
			if len(found) != len(marks) || len(marks) == 0 {
				t.Fatalf("the bad example marks %q, found\n%s", marks, strings.Join(found, "\n"))
			}
			for i, mark := range marks {
				place, rest, _ := strings.Cut(found[i], " ")
				if !strings.Contains(mark, "-") || !strings.Contains(strings.TrimPrefix(mark, strings.Split(mark, ":")[0]), "-") {
					place = place[:strings.LastIndex(place, "-")]
				}
				if place != mark || !strings.HasPrefix(rest, string(rule.Severity)+" "+rule.ID+": ") {
					t.Errorf("the bad example marks %s, found %s", mark, found[i])
				}
			}
			if rule.Fixable {
				report, err := lint.Run(t.Context(), []string{dir}, lint.Options{})
				if err != nil {
					t.Fatal(err)
				}
				made, err := lint.Apply(dir, report.Packages[0].Fixes)
				if err != nil || made != len(marks) {
					t.Errorf("%d changes were made (%v)", made, err)
				}
				if found := run(t, dir); len(found) > 0 {
					t.Errorf("after the changes:\n%s", strings.Join(found, "\n"))
				}
			}
			good, _ := unpack(t, rule.Good)
			if found := run(t, good); len(found) > 0 {
				t.Errorf("in the good example:\n%s", strings.Join(found, "\n"))
			}
		})
	}
}
