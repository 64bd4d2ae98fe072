package manifest

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestDiagnosticError(t *testing.T) {
	tests := []struct {
		name string
		give Diagnostic
		want string
	}{
		{"all", Diagnostic{File: "a.json", Line: 1, Column: 2, Message: "m"}, "a.json:1:2: m"},
		{"no column", Diagnostic{File: "a.json", Line: 1, Message: "m"}, "a.json:1: m"},
		{"no line", Diagnostic{File: "a.json", Column: 2, Message: "m"}, "a.json: m"},
		{"file that acts on a terminal", Diagnostic{File: "a\x1b[31m\xff目.json", Line: 1, Column: 2, Message: "m"}, `a\x1b[31m\xff目.json:1:2: m`},
		{"no file", Diagnostic{Line: 1, Column: 2, Message: "m"}, "m"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.give.Error(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			note := Note{Message: test.give.Message, File: test.give.File, Line: test.give.Line, Column: test.give.Column}
			if got := note.String(); got != test.want {
				t.Errorf("as a note: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDiagnosticsSort(t *testing.T) {
	want := Diagnostics{
		{Rule: "z", Message: "no file"},
		{Rule: "a", File: "a", Line: 2, Column: 9},
		{Rule: "a", File: "a", Line: 10, Column: 1},
		{Rule: "a", File: "a", Line: 10, Column: 2, Severity: SeverityError},
		{Rule: "a", File: "a", Line: 10, Column: 2, Severity: SeverityWarning},
		{Rule: "b", File: "a", Line: 10, Column: 2, Severity: SeverityError, Message: "x"},
		{Rule: "b", File: "a", Line: 10, Column: 2, Severity: SeverityError, Message: "y"},
		{Rule: "a", File: "b", Line: 1},
	}
	got := Diagnostics{want[7], want[6], want[4], want[5], want[3], want[1], want[2], want[0]}
	got.Sort()
	for i := range want {
		if got[i].Error() != want[i].Error() || got[i].Rule != want[i].Rule || got[i].Severity != want[i].Severity {
			t.Errorf("%d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestDiagnosticsAsError(t *testing.T) {
	warning := Diagnostic{Severity: SeverityWarning, File: "a", Message: "careful"}
	fault := Diagnostic{Severity: SeverityError, File: "b", Message: "broken"}
	if err := (Diagnostics{warning}).Err(); err != nil {
		t.Errorf("warnings alone are the error %v", err)
	}
	err := Diagnostics{warning, fault}.Err()
	var all Diagnostics
	if !errors.As(err, &all) || len(all) != 2 {
		t.Fatalf("got %v", err)
	}
	if got, want := err.Error(), "a: careful\nb: broken"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := all.Errors(); len(got) != 1 || got[0].File != "b" {
		t.Errorf("errors: %v", got)
	}
	if got := all.Warnings(); len(got) != 1 || got[0].File != "a" {
		t.Errorf("warnings: %v", got)
	}
}

func TestDiagnosticJSON(t *testing.T) {
	got, err := json.Marshal(Diagnostic{Rule: "r", Severity: SeverityError, File: "f", Line: 1, Column: 2, EndColumn: 3,
		Message: "m", Hint: "h", Docs: "d", Frame: "c", Notes: []Note{{Message: "n", File: "g", Line: 4, Column: 5}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"rule":"r","severity":"error","file":"f","line":1,"column":2,"endColumn":3,"message":"m","hint":"h","docs":"d","frame":"c",` +
		`"notes":[{"message":"n","file":"g","line":4,"column":5}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
