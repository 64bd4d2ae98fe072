package terminal

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

func sample() manifest.Diagnostics {
	return manifest.Diagnostics{
		{Rule: "unused-feature", Severity: manifest.SeverityWarning, File: "package.json", Line: 9, Column: 5, Message: "The feature a.b is used nowhere"},
		{Rule: "missing-import", Severity: manifest.SeverityError, File: "src/tools/list.ts", Line: 2, Column: 15, EndColumn: 23,
			Message: `Cannot find "./stor"`, Hint: "did you mean \"./store\"?\nor install it",
			Frame: manifest.Frame([]byte("import { x } from './y';\nimport s from './stor';"), 2, 15, 23),
			Notes: []manifest.Note{{Message: "imported from", File: "src/lifecycle.ts", Line: 1, Column: 8}, {Message: "just so"}}},
		{Rule: "empty", Severity: manifest.SeverityInfo, Message: "The package has no tests\x1b[2J"},
	}
}

func TestPrintDiagnostics(t *testing.T) {
	s, streams := Test()
	PrintDiagnostics(s, sample(), In("packages/catalog"))
	want := `  info  The package has no tests\x1b[2J  empty

packages/catalog/package.json
  9:5  warning  The feature a.b is used nowhere  unused-feature

packages/catalog/src/tools/list.ts
  2:15  error  Cannot find "./stor"  missing-import
      1 | import { x } from './y';
    > 2 | import s from './stor';
        |               ^^^^^^^^
    imported from (packages/catalog/src/lifecycle.ts:1:8)
    just so
    hint: did you mean "./store"?
          or install it

1 error, 1 warning, 1 note
`
	if got := streams.Err.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if streams.Out.Len() > 0 {
		t.Errorf("on Out: %q", streams.Out)
	}
}

func TestPrintDiagnosticsInColor(t *testing.T) {
	s, streams := Test()
	s.SetColorMode(ColorAlways)
	PrintDiagnostics(s, sample()[1:2], NoSummary())
	got := streams.Err.String()
	for _, want := range []string{"\x1b[1;31merror", "    > 2 | import s from './stor';", "\x1b[36mhint:"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%q", want, got)
		}
	}
	if strings.Contains(got, "1 error") {
		t.Error("there is a summary")
	}
}

func TestPrintNoDiagnostics(t *testing.T) {
	s, streams := Test()
	PrintDiagnostics(s, nil)
	if streams.Err.Len() > 0 {
		t.Errorf("got %q", streams.Err)
	}
}

func TestReport(t *testing.T) {
	data, err := json.Marshal(NewReport(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(data), `{"ok":true,"counts":{"errors":0,"warnings":0,"infos":0},"diagnostics":[]}`; got != want {
		t.Errorf("empty: %s", got)
	}
	r := NewReport(sample())
	if r.OK || r.Counts != (Counts{1, 1, 1}) || r.Diagnostics[0].Rule != "empty" {
		t.Errorf("got %+v", r)
	}
}
