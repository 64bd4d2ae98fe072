package interop

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// as says in each request which role it is made in.
type as string

func (a as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Role", string(a))
	return http.DefaultTransport.RoundTrip(r)
}

// TestCatalogAnswersAsExpected holds the endpoint to what the package is expected to answer, whoever asks.
func TestCatalogAnswersAsExpected(t *testing.T) {
	sources := filepath.Join("..", "..", "..", "build", "interop", "testdata", "catalog")
	text, err := os.ReadFile(filepath.Join(sources, "expected.json"))
	must(t, err)
	var expectations []struct {
		Tool, As string
		Args     map[string]any
		Expect   any
	}
	must(t, json.Unmarshal(text, &expectations))
	s := newSiteOf(t, sources)
	clients := map[string]*mcp.ClientSession{}
	calls := 0
	for _, e := range expectations {
		if e.Tool == "" {
			continue // it is about a route
		}
		calls++
		if clients[e.As] == nil {
			client := mcp.NewClient(&mcp.Implementation{Name: "interop"}, nil)
			c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{Transport: as(e.As)}}, nil)
			must(t, err)
			defer c.Close()
			clients[e.As] = c
		}
		r, err := clients[e.As].CallTool(t.Context(), &mcp.CallToolParams{Name: e.Tool, Arguments: e.Args})
		must(t, err)
		answer, err := json.Marshal(r)
		must(t, err)
		var got any
		must(t, json.Unmarshal(answer, &got))
		if !within(got, e.Expect) {
			t.Errorf("%s as %s: got %s, want %v", e.Tool, e.As, answer, e.Expect)
		}
	}
	if calls == 0 {
		t.Error("nothing is expected of any tool")
	}
}

// within reports whether a value has all that another one has.
func within(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		for name, value := range want {
			ok = ok && within(object[name], value)
		}
		return ok
	case []any:
		array, ok := have.([]any)
		ok = ok && len(array) == len(want)
		for i := range want {
			ok = ok && within(array[i], want[i])
		}
		return ok
	}
	return have == want
}
