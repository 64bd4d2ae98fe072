package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/httpapi"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// The tokens of the fake host.
const (
	adas = "adas-token-0123456789"
	bobs = "bobs-token-0123456789"
)

// fake is a host that answers what it is told to, and remembers what it was asked.
type fake struct {
	mu       sync.Mutex
	requests []dispatch.Request
	calls    []httpapi.Call
	who      session.Session

	route    func(ctx context.Context, r dispatch.Request) dispatch.Response
	tool     func(ctx context.Context, name string, args json.RawMessage) dispatch.Result
	packages *catalog.Catalog
	rescan   func(context.Context) error
	down     error
	rescans  int
}

func (f *fake) CallTool(ctx context.Context, who session.Session, name string, args json.RawMessage) dispatch.Result {
	f.mu.Lock()
	f.calls, f.who = append(f.calls, httpapi.Call{Tool: name, Arguments: bytes.Clone(args)}), who
	f.mu.Unlock()
	if f.tool != nil {
		return f.tool(ctx, name, args)
	}
	return dispatch.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"a < b"}`)}, Meta: json.RawMessage(`{"for":"programs"}`)}
}

func (f *fake) CallRoute(ctx context.Context, who session.Session, r dispatch.Request) dispatch.Response {
	f.mu.Lock()
	f.requests, f.who = append(f.requests, r), who
	f.mu.Unlock()
	if f.route != nil {
		return f.route(ctx, r)
	}
	return dispatch.Response{Status: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte("done"), Tier: trust.Untrusted}
}

func (*fake) CallAPI(context.Context, session.Session, string, string, json.RawMessage) (json.RawMessage, *dispatch.Error) {
	panic("nobody calls APIs over HTTP")
}

func (*fake) Authenticate(token string) (session.Session, bool) {
	switch token {
	case adas:
		return session.Session{UserID: "ada", Role: "owner"}, true
	case bobs:
		return session.Session{UserID: "bob", Role: "member"}, true
	}
	return session.Session{}, false
}

func (*fake) Admin(who session.Session) bool { return who.UserID == "ada" }

func (f *fake) Catalog() *catalog.Catalog { return f.packages }

func (f *fake) Rescan(ctx context.Context) error {
	f.rescans++
	if f.rescan != nil {
		return f.rescan(ctx)
	}
	return nil
}

func (f *fake) Ready() error { return f.down }

// last is the last request to a route.
func (f *fake) last() (r dispatch.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.requests); n > 0 {
		r = f.requests[n-1]
	}
	return r
}

// request makes a request; header are names and values in turns.
func request(method, target, body string, header ...string) *http.Request {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, reader)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

// as is the header of a request with a token.
func as(token string) (name, value string) { return "Authorization", "Bearer " + token }

// answer answers a request.
func answer(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// ask answers a request of somebody with a token.
func ask(h http.Handler, token, method, target, body string, header ...string) *httptest.ResponseRecorder {
	name, value := as(token)
	return answer(h, request(method, target, body, append(header, name, value)...))
}

// codeOf is the code of an error.
func codeOf(t *testing.T, body []byte) dispatch.Code {
	t.Helper()
	var out struct{ Error *dispatch.Error }
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if out.Error == nil {
		return ""
	}
	if out.Error.Message == "" {
		t.Errorf("an error has no message: %s", body)
	}
	return out.Error.Code
}

// logged is a log that can be read.
func logged() (*slog.Logger, *bytes.Buffer) {
	var out bytes.Buffer
	return slog.New(slog.NewJSONHandler(&out, nil)), &out
}

// scan makes a catalog of packages of the project, and of bob's own.
func scan(t testing.TB, files map[string]string) *catalog.Catalog {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "bob"), 0o755); err != nil {
		t.Fatal(err)
	}
	return catalog.Scan(context.Background(), catalog.Roots{ProjectRoot: root, Sources: []catalog.Source{
		{ID: "bobs", Path: filepath.Join(root, "bob"), RecognizesPackages: true, Scope: catalog.Scope{Kind: catalog.ScopeUser, Owner: "bob"}},
	}})
}

var errDown = errors.New("the host is stopping")
