package mcpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/runtime"
)

func TestCallsHaveTheIDsOfTheirRequests(t *testing.T) {
	ids := make(chan string, 1)
	h := dispatched(t, oneTool, func(_ context.Context, c runtime.ToolCall) (json.RawMessage, error) {
		ids <- c.Request
		return nil, nil
	})
	s := newServer(t, mcpapi.Options{Host: h})
	inner := s.Handler(identify)
	named := ""
	loopback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if named != "" {
			w.Header().Set("X-Request-Id", named)
		}
		inner.ServeHTTP(w, r)
	}))
	defer loopback.Close()
	over := site{s, loopback.URL}
	named = "first"
	id := over.begin(t, "ada")
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`
	for _, test := range []struct{ named, want string }{{"second", "second"}, {"third", "third"}, {"", "mcp-"}} {
		named = test.named
		over.request(t, "POST", "ada", id, call, "X-Request-Id: the-client's")
		if got := <-ids; !strings.HasPrefix(got, test.want) || strings.Contains(got, id) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	stdio(t, s, ada, call)
	if got := <-ids; !strings.HasPrefix(got, "mcp-stdio-") {
		t.Errorf("got %q", got)
	}
}
