package httpapi_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/httpapi"
)

// TestDocumented wants each code in the table of docs/http.md, with its status.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[dispatch.Code]int{
		httpapi.CodeInvalidRequest: 400, httpapi.CodeUnauthorized: 401, httpapi.CodeForbidden: 403,
		httpapi.CodeRequestTimeout: 408, httpapi.CodeUnavailable: 503,
	}
	for _, code := range dispatch.Codes() {
		statuses[code] = code.Status()
	}
	for code, status := range statuses {
		if row := fmt.Sprintf("\n| `%s` | %d | ", code, status); !strings.Contains(string(page), row) {
			t.Errorf("docs/http.md has no row %q", row)
		}
	}
}
