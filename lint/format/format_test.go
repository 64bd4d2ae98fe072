package format_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/lint"
	"github.com/neuralis-dev/neuralis/lint/format"
	"github.com/neuralis-dev/neuralis/manifest"
)

func report() lint.Report {
	return lint.Report{Packages: []lint.Package{
		{Dir: "/project/a b", ID: "a", Diagnostics: manifest.Diagnostics{
			{Rule: "tool-strict", Severity: manifest.SeverityWarning, File: "tools/x.json", Line: 3, Column: 5, EndColumn: 9, Message: "100%, \"loose\"\nand <more>", Hint: "close it", Frame: "> 3 | true"},
			{Rule: "node-builtin", Severity: manifest.SeverityError, File: "src/lib/é.ts", Line: 1, Column: 1, Message: "no", Notes: []manifest.Note{{Message: "imported by", File: "src/tools/x.ts"}}},
		}},
		{Dir: "/project/b", ID: "b", Known: 2, Suppressed: 1},
	}}
}

func write(t *testing.T, name string) string {
	t.Helper()
	var out bytes.Buffer
	if err := format.Write(&out, name, report(), format.Options{Base: "/project", Version: "1.2.3"}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGitHub(t *testing.T) {
	want := `::warning file=a b/tools/x.json,line=3,col=5,endColumn=9,title=tool-strict::100%25, "loose"%0Aand <more>%0Ahint: close it
::error file=a b/src/lib/é.ts,line=1,col=1,title=node-builtin::no
`
	if got := write(t, format.GitHub); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSARIF(t *testing.T) {
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndColumn int }
					}
				}
				RelatedLocations []any
			}
		}
	}
	if err := json.Unmarshal([]byte(write(t, format.SARIF)), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Results) != 2 || len(run.Tool.Driver.Rules) != len(lint.Rules()) {
		t.Fatalf("got %+v", run)
	}
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s has the index of %s", r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		}
	}
	at := run.Results[0].Locations[0].PhysicalLocation
	if at.ArtifactLocation.URI != "a%20b/tools/x.json" || at.Region.StartLine != 3 || at.Region.StartColumn != 5 || at.Region.EndColumn != 9 {
		t.Errorf("got %+v", at)
	}
	if len(run.Results[1].RelatedLocations) != 1 || run.Results[1].Level != "error" {
		t.Errorf("got %+v", run.Results[1])
	}
}

func TestXML(t *testing.T) {
	for name, want := range map[string][]string{
		format.JUnit:      {`<testsuites name="neuralis lint" tests="3" failures="2">`, `<testcase name="lint" classname="b">`, `name="tool-strict at a b/tools/x.json:3:5"`},
		format.Checkstyle: {`<file name="a b/tools/x.json">`, `line="3" column="5" severity="warning" message="100%, &#34;loose&#34;&#xA;and &lt;more&gt;`, `source="neuralis.node-builtin"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := write(t, name)
			if err := xml.Unmarshal([]byte(got), new(any)); err != nil {
				t.Errorf("it is no XML: %v", err)
			}
			for _, part := range want {
				if !strings.Contains(got, part) {
					t.Errorf("%s is missing in\n%s", part, got)
				}
			}
		})
	}
}

func TestJSON(t *testing.T) {
	var doc format.Document
	if err := json.Unmarshal([]byte(write(t, format.JSON)), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OK || doc.Counts.Errors != 1 || doc.Counts.Warnings != 1 || len(doc.Packages) != 2 || doc.Packages[1].Known != 2 || doc.Diagnostics[0].File != "a b/tools/x.json" {
		t.Errorf("got %+v", doc)
	}
}
