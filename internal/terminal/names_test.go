package terminal

import (
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

// A file's name is one line, whatever is in it.
func TestNamesOfFilesStayOnTheirLine(t *testing.T) {
	streams, buffers := Test()
	PrintDiagnostics(streams, manifest.Diagnostics{{
		Rule: "r", Severity: manifest.SeverityError, File: "src/a\nb\tc\x1b.ts", Line: 1, Column: 2, Message: "m",
		Notes: []manifest.Note{{Message: "n", File: "src/d\ne.ts", Line: 1, Column: 1}},
	}})
	if out := buffers.Err.String() + buffers.Out.String(); !strings.Contains(out, `src/a\nb\tc\x1b.ts`) || !strings.Contains(out, `src/d\ne.ts`) {
		t.Errorf("got\n%s", out)
	}
}
