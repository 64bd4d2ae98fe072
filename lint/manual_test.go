package lint_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/lint"
)

var update = flag.Bool("update", false, "write the tables of rules in the manual")

// TestManual wants the tables of rules in the manual to be those of the program.
func TestManual(t *testing.T) {
	const page = "../docs/lint.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- rules: written by go test ./lint -run TestManual -update -->\n", "<!-- end of rules -->"
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the rules", page)
	}
	var tables strings.Builder
	var families []string
	rows := map[string][]string{}
	for _, r := range lint.Rules() {
		if rows[r.Family] == nil {
			families = append(families, r.Family)
		}
		mark := ""
		if r.Fixable {
			mark = " ✎"
		}
		rows[r.Family] = append(rows[r.Family], fmt.Sprintf("| `%s`%s | %s | %s | %s |\n", r.ID, mark, r.Severity, r.Summary, r.Todo))
	}
	for _, family := range families {
		fmt.Fprintf(&tables, "\n### %s\n\n| rule | | what happened | what to do |\n|---|---|---|---|\n%s", family, strings.Join(rows[family], ""))
	}
	want := before + begin + tables.String() + "\n" + end + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Error("the tables of rules in docs/lint.md are not those of the program: go test ./lint -run TestManual -update")
	}
}
