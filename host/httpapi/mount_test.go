package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/httpapi"
	"github.com/neuralis-dev/neuralis/host/openapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

func TestMounts(t *testing.T) {
	f := &fake{}
	log, lines := logged()
	h := httpapi.New(httpapi.Options{Host: f, Log: log, NewRequestID: func() string { return "made" }, Mounts: map[string]http.Handler{
		"/mcp": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if flusher, ok := w.(http.Flusher); ok {
				flusher.Flush()
			}
			fmt.Fprintf(w, "%s of %s", r.Method, httpapi.Caller(r.Context()).UserID)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}),
		"/mcp/deep": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "deep") }),
	}})
	if w := answer(h, request("POST", "/mcp", "{}")); w.Code != 401 || codeOf(t, w.Body.Bytes()) != httpapi.CodeUnauthorized {
		t.Errorf("nobody: %d %s", w.Code, w.Body)
	}
	if w := ask(h, bobs, "DELETE", "/mcp", "{}"); w.Code != 200 || w.Body.String() != "DELETE of bob" || w.Header().Get("X-Request-Id") != "made" || !w.Flushed {
		t.Errorf("bob: %d %s", w.Code, w.Body)
	}
	if !strings.Contains(lines.String(), `"status":200,"bytes":13,`) || !strings.Contains(lines.String(), `"user":"bob"`) {
		t.Errorf("logged %s", lines)
	}
	for target, mounted := range map[string]string{"/mcp": "POST of bob", "/mcp/": "POST of bob", "/mcp/x": "POST of bob", "/mcp/deep": "deep", "/mcp/deep/x": "deep", "/mcp/deeper": "POST of bob"} {
		if w := ask(h, bobs, "POST", target, ""); w.Body.String() != mounted {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	for _, target := range []string{"/mcpx", "//mcp", "/%6dcp"} {
		if w := ask(h, bobs, "POST", target, ""); w.Code != 404 {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	f.down = errDown
	if w := ask(h, bobs, "POST", "/mcp", ""); w.Code != 503 || codeOf(t, w.Body.Bytes()) != httpapi.CodeUnavailable {
		t.Errorf("of a host that stops: %d %s", w.Code, w.Body)
	}
	if who := httpapi.Caller(context.Background()); !who.IsZero() {
		t.Errorf("out of nowhere comes %+v", who)
	}
}

// deadlined is a response that remembers its deadline.
type deadlined struct {
	http.ResponseWriter
	at []time.Time
}

func (d *deadlined) SetWriteDeadline(at time.Time) error {
	d.at = append(d.at, at)
	return nil
}

// A stream may last for ever, but each piece of it has its time.
func TestMountsWaitForNoClient(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	h := httpapi.New(httpapi.Options{Host: &fake{}, Now: func() time.Time { return now }, Mounts: map[string]http.Handler{
		"/mcp": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			now = now.Add(time.Hour)
			_, _ = w.Write(make([]byte, 64<<10*10)) // ten seconds for that
			now = now.Add(time.Hour)
			_ = http.NewResponseController(w).Flush()
		}),
	}})
	w := &deadlined{ResponseWriter: httptest.NewRecorder()}
	r := request("GET", "/mcp", "")
	r.Header.Set(as(bobs))
	h.ServeHTTP(w, r)
	first := time.Unix(1_000_000, 0).Add(httpapi.DefaultPatience)
	if want := []time.Time{first, first.Add(time.Hour + 10*time.Second), first.Add(2 * time.Hour)}; !slices.Equal(w.at, want) {
		t.Errorf("got %v; want %v", w.at, want)
	}
}

func TestOpenAPI(t *testing.T) {
	f := &fake{packages: scan(t, files())}
	h := httpapi.New(httpapi.Options{Host: f, Mounts: map[string]http.Handler{
		"/api/openapi.json": httpapi.OpenAPI(f, openapi.Options{Title: "A host", Version: "1", Tokens: true}),
	}})
	w := ask(h, bobs, "GET", "/api/openapi.json", "")
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil || w.Code != 200 || w.Header().Get("ETag") == "" {
		t.Fatalf("got %d, %v: %s", w.Code, err, w.Body)
	}
	// What it says there is, is there.
	for path, methods := range document.Paths {
		for method := range methods {
			r := ask(h, adas, strings.ToUpper(method), strings.ReplaceAll(path, "{id}", "1"), "")
			if r.Code >= 400 && codeOf(t, r.Body.Bytes()) == dispatch.CodeNotFound || r.Code == 405 {
				t.Errorf("%s %s: %d %s", method, path, r.Code, r.Body)
			}
		}
	}
	if _, ok := document.Paths["/api/tools/secret_note"]; !ok {
		t.Errorf("bob's own is not there: %s", w.Body)
	}
	if w := ask(h, adas, "GET", "/api/openapi.json", ""); strings.Contains(w.Body.String(), "secret_note") {
		t.Errorf("ada is told of it: %s", w.Body)
	}
	if w := ask(h, bobs, "GET", "/api/openapi.json", "", "If-None-Match", w.Header().Get("ETag")); w.Code != 304 {
		t.Errorf("the same: %d", w.Code)
	}
	for _, target := range []string{"/api/openapi.json/", "/api/openapi.json/x"} {
		if w := ask(h, bobs, "GET", target, ""); w.Code != 404 {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
	if w := ask(h, bobs, "POST", "/api/openapi.json", ""); w.Code != 405 {
		t.Errorf("posted: %d", w.Code)
	}
	if w := answer(httpapi.OpenAPI(f, openapi.Options{}), request("GET", "/", "")); w.Code != 500 {
		t.Errorf("by itself: %d %s", w.Code, w.Body)
	}
}

// Where there are no tokens, somebody else says who it is.
func TestIdentify(t *testing.T) {
	f := &fake{}
	h := httpapi.New(httpapi.Options{Host: f, Identify: func(r *http.Request) (session.Session, error) {
		if r.Header.Get("X-As") == "" {
			return session.Session{}, errors.New("say who you are")
		}
		return session.Session{UserID: r.Header.Get("X-As")}, nil
	}})
	if w := answer(h, request("GET", "/api/packages/a", "", "X-As", "eve")); w.Code != 200 || f.who.UserID != "eve" {
		t.Errorf("eve: %d %s, by %+v", w.Code, w.Body, f.who)
	}
	w := ask(h, bobs, "GET", "/api/packages/a", "")
	if w.Code != 400 || codeOf(t, w.Body.Bytes()) != httpapi.CodeInvalidRequest || !strings.Contains(w.Body.String(), "say who you are") || w.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("nobody: %d %s", w.Code, w.Body)
	}
}
