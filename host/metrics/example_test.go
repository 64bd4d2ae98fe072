package metrics_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/metrics"
)

// A host is made with Observe as its observer, and the HTTP API with Request and Handler.
func Example() {
	m := metrics.New(metrics.Options{Version: "1.2.3"})
	m.Observe(dispatch.Observation{Kind: "tools", Code: dispatch.CodeUnknownTool, Duration: time.Microsecond})
	done := m.Request()
	done(http.StatusNotFound)

	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "neuralis_calls") || strings.HasPrefix(line, "neuralis_http_requests_total") {
			fmt.Print(line)
		}
	}
	// Output:
	// neuralis_calls_total{code="unknown-tool",kind="tools",package="",tier=""} 1
	// neuralis_http_requests_total{status="4xx"} 1
}
