package metrics_test

import (
	"os"
	"strings"
	"testing"
)

// TestDocumented wants each metric of ours in the table of docs/http.md.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	families, err := full(t).Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if name := f.GetName(); strings.HasPrefix(name, "neuralis_") && !strings.Contains(string(page), "\n| `"+name+"` | ") {
			t.Errorf("docs/http.md does not tell of %s", name)
		}
	}
}
