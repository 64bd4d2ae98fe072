package mcpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

// site is a server on loopback.
type site struct {
	*mcpapi.Server
	url string
}

// identify takes the user from a header.
func identify(r *http.Request) (session.Session, error) {
	user, features, _ := strings.Cut(r.Header.Get("X-User"), " ")
	if user == "" {
		return session.Session{}, errors.New("a token is needed")
	}
	return session.Session{UserID: user}.With(strings.Fields(features)...), nil
}

func newSite(t testing.TB, opts mcpapi.Options) site {
	t.Helper()
	s := mcpapi.New(opts)
	server := httptest.NewServer(s.Handler(identify))
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return site{s, server.URL}
}

// as sends requests as somebody, whom a test may change.
type as struct {
	mu   sync.Mutex
	user string
}

func (a *as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	a.mu.Lock()
	r.Header.Set("X-User", a.user)
	a.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

func (a *as) become(user string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.user = user
}

func (s site) connect(t testing.TB, user string, opts *mcp.ClientOptions) (*mcp.ClientSession, *as) {
	t.Helper()
	who := &as{user: user}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, opts)
	c, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{Transport: who}, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, who
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// request sends one request as text.
func (s site) request(t testing.TB, method, user, id, body string, headers ...string) (status int, answer string, header http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, s.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	if user != "" {
		r.Header.Set("X-User", user)
	}
	if id != "" {
		r.Header.Set("Mcp-Session-Id", id)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

// begin begins a session as text, and returns its id.
func (s site) begin(t testing.TB, user string) string {
	t.Helper()
	status, answer, header := s.request(t, "POST", user, "", initialize)
	if status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	return header.Get("Mcp-Session-Id")
}

func TestHTTP(t *testing.T) {
	h := newFake(t, shop)
	h.call = func(ctx context.Context, who session.Session, name string, args json.RawMessage) dispatch.Result {
		return dispatch.Result{Content: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"type":"text","text":%q}`, who.UserID+" "+name+string(args)))}}
	}
	s := newSite(t, mcpapi.Options{Host: h, Version: "1.2.3"})
	told := newChanges()
	c, who := s.connect(t, "ada a.use", told.options())
	ctx := context.Background()
	if info := c.InitializeResult().ServerInfo; info.Name != "neuralis" || info.Version != "1.2.3" {
		t.Errorf("the server is %+v", info)
	}
	if got := listing(t, c); !strings.HasPrefix(got, "claim free list | open/pack pack review | ") {
		t.Errorf("listed: %s", got)
	}
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "list", Arguments: map[string]any{"z": "x"}})
	if err != nil || text(t, r.Content) != `[{"type":"text","text":"ada list{\"z\":\"x\"}"}]` {
		t.Errorf("called: %v %s", err, text(t, r))
	}

	write(t, h.dir, map[string]string{"_packages/a/tools/more.json": tool("", "")})
	h.rescan()
	s.Changed()
	<-told.tools

	// The same user with more permissions: the next request brings them.
	who.become("ada a.use a.read")
	if got := listing(t, c); !strings.HasPrefix(got, "claim free list more read | ") {
		t.Errorf("listed: %s", got)
	}
	<-told.tools

	// Somebody else does not get into the session.
	who.become("bob a.use a.read")
	if _, err := c.ListTools(ctx, nil); err == nil {
		t.Error("bob was let into ada's session")
	}
}

func TestHTTPRefusals(t *testing.T) {
	s := newSite(t, mcpapi.Options{Host: newFake(t, oneTool), MaxBodyBytes: 1000})
	id := s.begin(t, "ada")
	ping := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for _, test := range []struct {
		name             string
		method, user, id string
		body             string
		headers          []string
		status           int
	}{
		{"all is well", "POST", "ada", id, ping, nil, 200},
		{"nobody", "POST", "", "", initialize, nil, 401},
		{"nobody with a session of somebody", "POST", "", id, ping, nil, 401},
		{"somebody else's session", "POST", "bob", id, ping, nil, 404},
		{"somebody else's session to be closed", "DELETE", "bob", id, "", nil, 404},
		{"no such session", "POST", "ada", "x", ping, nil, 404},
		{"no session to listen to", "GET", "ada", "", "", nil, 400},
		{"no method of the protocol", "PUT", "ada", "", "", nil, 405},
		{"no JSON", "POST", "ada", id, "{", nil, 400},
		{"nothing", "POST", "ada", id, "", nil, 400},
		{"a request before the session begins", "POST", "ada", "", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, nil, 200},
		{"another kind of content", "POST", "ada", id, ping, []string{"Content-Type: text/plain"}, 415},
		{"an answer nobody would understand", "POST", "ada", id, ping, []string{"Accept: text/html"}, 400},
		{"too long", "POST", "ada", id, `{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"` + strings.Repeat("x", 1000) + `"}}`, nil, 413},
		{"a version of the future", "POST", "ada", id, ping, []string{"Mcp-Protocol-Version: 2026-07-28"}, 400},
		{"a name that leads here and should not", "POST", "ada", "", initialize, []string{"Host: evil.example"}, 403},
		{"a page of another origin", "POST", "ada", "", initialize, []string{"Origin: http://evil.example"}, 403},
		{"a page of another site", "POST", "ada", "", initialize, []string{"Sec-Fetch-Site: cross-site"}, 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, answer, header := s.request(t, test.method, test.user, test.id, test.body, test.headers...)
			if status != test.status {
				t.Errorf("%d, want %d: %s", status, test.status, answer)
			}
			if status == 401 && header.Get("Www-Authenticate") == "" {
				t.Error("nothing says how to authenticate")
			}
		})
	}
	if n := s.Sessions(); n != 1 {
		t.Errorf("%d sessions are left of requests that began none", n-1)
	}
	if status, _, _ := s.request(t, "DELETE", "ada", id, ""); status != 204 {
		t.Errorf("closing: %d", status)
	}
	if status, _, _ := s.request(t, "POST", "ada", id, ping); status != 404 {
		t.Errorf("after the end: %d", status)
	}
}

// clock is set by the test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestSessionsAreBounded(t *testing.T) {
	now := &clock{now: time.Unix(1e9, 0)}
	s := newSite(t, mcpapi.Options{Host: newFake(t, oneTool), MaxSessions: 5, MaxSessionsPerUser: 3, Now: now.Now, IdleAfter: time.Minute})
	there := func(user, id string) bool {
		status, _, _ := s.request(t, "POST", user, id, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		return status == 200
	}
	var adas []string
	for range 3 {
		adas = append(adas, s.begin(t, "ada"))
		now.pass(time.Second)
	}
	if !there("ada", adas[0]) {
		t.Error("the first one is gone")
	}
	now.pass(time.Second)
	adas = append(adas, s.begin(t, "ada")) // for the second one, which was unused the longest
	for i, want := range []bool{true, false, true, true} {
		if there("ada", adas[i]) != want {
			t.Errorf("ada's session %d is there: %t", i, !want)
		}
	}
	bobs := []string{s.begin(t, "bob"), s.begin(t, "bob")}
	if status, _, header := s.request(t, "POST", "eve", "", initialize); status != 503 || header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d", status)
	}
	now.pass(time.Second)
	bobs = append(bobs, s.begin(t, "bob"))
	if there("bob", bobs[0]) == there("bob", bobs[1]) || !there("ada", adas[0]) {
		t.Error("bob's third session is not in the place of one of his own")
	}
	now.pass(50 * time.Second)
	there("ada", adas[3])
	now.pass(20 * time.Second)
	s.DropIdle()
	if n := s.Sessions(); n != 1 || !there("ada", adas[3]) {
		t.Errorf("%d sessions are there that somebody uses", n)
	}
}

func TestClosingEndsCalls(t *testing.T) {
	h := newFake(t, oneTool)
	began, ended := make(chan bool), make(chan bool)
	h.call = func(ctx context.Context, _ session.Session, _ string, _ json.RawMessage) dispatch.Result {
		close(began)
		<-ctx.Done()
		close(ended)
		return failed(dispatch.CodeCancelled, "cancelled")
	}
	s := newSite(t, mcpapi.Options{Host: h})
	id := s.begin(t, "ada")
	go func() {
		r, err := http.NewRequest("POST", s.url, strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`))
		if err != nil {
			return
		}
		r.Header = http.Header{"X-User": {"ada"}, "Mcp-Session-Id": {id}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		if response, err := http.DefaultClient.Do(r); err == nil {
			response.Body.Close()
		}
	}()
	<-began
	if status, _, _ := s.request(t, "DELETE", "ada", id, ""); status != 204 {
		t.Errorf("closing: %d", status)
	}
	<-ended
}
