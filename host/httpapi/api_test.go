package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/httpapi"
)

func TestTokens(t *testing.T) {
	for _, test := range []struct {
		name   string
		tokens []string
		status int
		code   dispatch.Code
		error  string // in the challenge
	}{
		{"a token", []string{"Bearer " + bobs}, 200, "", ""},
		{"in small letters", []string{"bearer " + bobs}, 200, "", ""},
		{"in capitals, with spaces", []string{"BEARER   " + bobs + " "}, 200, "", ""},
		{"none", nil, 401, "unauthorized", ""},
		{"nobody's", []string{"Bearer " + bobs + "x"}, 401, "unauthorized", "invalid_token"},
		{"longer than tokens are", []string{"Bearer " + strings.Repeat("x", 5000)}, 401, "unauthorized", "invalid_token"},
		{"empty", []string{""}, 401, "unauthorized", ""},
		{"an empty token", []string{"Bearer "}, 401, "unauthorized", ""},
		{"a scheme alone", []string{"Bearer"}, 401, "unauthorized", ""},
		{"another scheme", []string{"Basic " + bobs}, 401, "unauthorized", ""},
		{"no scheme", []string{bobs}, 401, "unauthorized", ""},
		{"two headers", []string{"Bearer " + bobs, "Bearer " + bobs}, 400, "invalid-request", "invalid_request"},
		{"two headers of two people", []string{"Bearer " + bobs, "Bearer " + adas}, 400, "invalid-request", "invalid_request"},
		{"two tokens", []string{"Bearer " + bobs + " " + adas}, 400, "invalid-request", "invalid_request"},
		{"a list", []string{"Bearer " + bobs + ", Bearer " + adas}, 400, "invalid-request", "invalid_request"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{}
			log, lines := logged()
			h := httpapi.New(httpapi.Options{Host: f, Log: log, Metrics: http.NotFoundHandler()})
			for _, target := range []string{"/api/packages/shop/list", "/api/catalog", "/api/nothing", "/api", "/api/", "/metrics"} {
				r := request("GET", target, "")
				r.Header["Authorization"] = test.tokens
				w := answer(h, r)
				if test.code == "" {
					if w.Code == 401 || w.Code == 400 {
						t.Errorf("%s: got %d", target, w.Code)
					}
					continue
				}
				challenge := w.Header().Get("WWW-Authenticate")
				if w.Code != test.status || codeOf(t, w.Body.Bytes()) != test.code || !strings.HasPrefix(challenge, "Bearer realm=") {
					t.Errorf("%s: got %d, %s: %s", target, w.Code, challenge, w.Body)
				}
				if strings.Contains(challenge, "error=") != (test.error != "") || !strings.Contains(challenge, test.error) {
					t.Errorf("%s: the challenge is %s", target, challenge)
				}
				if strings.Contains(w.Body.String()+challenge, "-token-") {
					t.Errorf("%s: the token is sent back: %s", target, w.Body)
				}
			}
			if test.code != "" && len(f.requests) > 0 {
				t.Error("the host was called")
			}
			if test.code == "" && f.who.UserID != "bob" {
				t.Errorf("called by %+v", f.who)
			}
			if strings.Contains(lines.String(), "-token-") {
				t.Errorf("the token is logged: %s", lines)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	for _, test := range []struct {
		name, method, target string
		status               int
		code                 dispatch.Code
		allow                string
	}{
		{"the root", "GET", "/", 404, "not-found", ""},
		{"below nothing", "GET", "/nothing", 404, "not-found", ""},
		{"health", "GET", "/healthz", 200, "", ""},
		{"health, posted", "POST", "/healthz", 405, "method-not-allowed", "GET, HEAD"},
		{"health with a slash", "GET", "/healthz/", 404, "not-found", ""},
		{"readiness", "HEAD", "/readyz", 200, "", ""},
		{"readiness, deleted", "DELETE", "/readyz", 405, "method-not-allowed", "GET, HEAD"},
		{"the API", "GET", "/api", 404, "not-found", ""},
		{"the API with a slash", "GET", "/api/", 404, "not-found", ""},
		{"nothing in the API", "GET", "/api/nothing", 404, "not-found", ""},
		{"the catalog", "GET", "/api/catalog", 200, "", ""},
		{"the catalog, posted", "POST", "/api/catalog", 405, "method-not-allowed", "GET, HEAD"},
		{"calls", "GET", "/api/calls", 405, "method-not-allowed", "POST"},
		{"calls, in small letters", "post", "/api/calls", 405, "method-not-allowed", "POST"},
		{"a tool", "GET", "/api/tools/list", 405, "method-not-allowed", "POST"},
		{"no tool", "POST", "/api/tools/", 404, "not-found", ""},
		{"below a tool", "POST", "/api/tools/a/b", 404, "not-found", ""},
		{"rescan", "GET", "/api/rescan", 405, "method-not-allowed", "POST"},
		{"no metrics", "GET", "/metrics", 404, "not-found", ""},
		{"routes without a slash", "GET", "/api/packages", 404, "not-found", ""},
		{"routes", "GET", "/api/packages/shop/list", 200, "", ""},
		{"routes, with a method of their own", "PROPFIND", "/api/packages/shop/list", 200, "", ""},
		{"the API in capitals", "GET", "/API/catalog", 404, "not-found", ""},
		{"encoded", "GET", "/api/%63atalog", 404, "not-found", ""},
		{"dots", "GET", "/api/packages/../catalog", 200, "", ""},
		{"dots in front", "GET", "/x/../api/catalog", 404, "not-found", ""},
		{"two slashes", "GET", "//api/catalog", 404, "not-found", ""},
		{"two slashes within", "GET", "/api//catalog", 404, "not-found", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{packages: scan(t, nil)}
			w := ask(httpapi.New(httpapi.Options{Host: f}), adas, test.method, test.target, "")
			if w.Code != test.status || w.Header().Get("Allow") != test.allow {
				t.Errorf("got %d, %q: %s", w.Code, w.Header().Get("Allow"), w.Body)
			}
			if test.code != "" && codeOf(t, w.Body.Bytes()) != test.code {
				t.Errorf("got %s", w.Body)
			}
			if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("X-Request-Id") == "" {
				t.Errorf("the headers are %v", w.Header())
			}
		})
	}
}

// Those who may not come in learn nothing of what there is.
func TestNothingIsToldWithoutToken(t *testing.T) {
	h := httpapi.New(httpapi.Options{Host: &fake{}})
	want := answer(h, request("GET", "/api/catalog", "")).Body.String()
	for _, r := range []*http.Request{request("DELETE", "/api/catalog", ""), request("GET", "/api/x", ""), request("POST", "/api/packages/shop/list", "{"), request("OPTIONS", "/api/calls", "")} {
		if w := answer(h, r); w.Code != 401 || w.Body.String() != want {
			t.Errorf("%s %s: %d %s", r.Method, r.URL, w.Code, w.Body)
		}
	}
}

func TestHealth(t *testing.T) {
	f := &fake{}
	h := httpapi.New(httpapi.Options{Host: f})
	for _, test := range []struct {
		down         error
		target, want string
		status       int
	}{
		{nil, "/healthz", `{"status":"ok"}`, 200},
		{nil, "/readyz", `{"status":"ready"}`, 200},
		{errDown, "/healthz", `{"status":"ok"}`, 200},
		{errDown, "/readyz", `{"status":"unavailable","reason":"the host is stopping"}`, 503},
	} {
		f.down = test.down
		w := answer(h, request("GET", test.target, ""))
		if w.Code != test.status || strings.TrimSpace(w.Body.String()) != test.want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d %s", test.target, w.Code, w.Body)
		}
	}
	for _, target := range []string{"/api/catalog", "/api/packages/shop/list", "/api/calls", "/api/rescan"} {
		w := ask(h, adas, "POST", target, `{"tool":"x"}`)
		if w.Code != 503 || codeOf(t, w.Body.Bytes()) != httpapi.CodeUnavailable {
			t.Errorf("%s: got %d %s", target, w.Code, w.Body)
		}
	}
	if w := answer(h, request("GET", "/api/catalog", "")); w.Code != 401 {
		t.Errorf("without a token: %d", w.Code)
	}
	if len(f.calls)+len(f.requests)+f.rescans > 0 {
		t.Error("a host that is not ready was called")
	}
}

func TestAdmins(t *testing.T) {
	f := &fake{}
	shown := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "up 1\n") })
	h := httpapi.New(httpapi.Options{Host: f, Metrics: shown})
	if w := ask(h, bobs, "POST", "/api/rescan", ""); w.Code != 403 || codeOf(t, w.Body.Bytes()) != httpapi.CodeForbidden || f.rescans != 0 {
		t.Errorf("bob: %d %s", w.Code, w.Body)
	}
	if w := ask(h, adas, "POST", "/api/rescan", ""); w.Code != 204 || w.Body.Len() > 0 || f.rescans != 1 {
		t.Errorf("ada: %d %s", w.Code, w.Body)
	}
	f.rescan = func(context.Context) error { return errors.New("the disk is gone") }
	if w := ask(h, adas, "POST", "/api/rescan", ""); w.Code != 500 || !strings.Contains(w.Body.String(), "the disk is gone") {
		t.Errorf("ada: %d %s", w.Code, w.Body)
	}
	f.rescan = func(context.Context) error { f.down = errDown; return errDown }
	if w := ask(h, adas, "POST", "/api/rescan", ""); w.Code != 503 || codeOf(t, w.Body.Bytes()) != httpapi.CodeUnavailable {
		t.Errorf("ada, of a host that stops: %d %s", w.Code, w.Body)
	}
	if w := ask(h, bobs, "GET", "/metrics", ""); w.Code != 403 || strings.Contains(w.Body.String(), "up 1") {
		t.Errorf("bob: %d %s", w.Code, w.Body)
	}
	// Also while the host stops: it is then that somebody looks.
	if w := ask(h, adas, "GET", "/metrics", ""); w.Code != 200 || w.Body.String() != "up 1\n" {
		t.Errorf("ada: %d %s", w.Code, w.Body)
	}
	if w := ask(h, adas, "POST", "/metrics", ""); w.Code != 405 {
		t.Errorf("ada, posting: %d %s", w.Code, w.Body)
	}
}

func TestRequestID(t *testing.T) {
	for _, test := range []struct {
		name string
		ids  []string
		want string
	}{
		{"none", nil, "made"},
		{"one", []string{"Ab-1._"}, "Ab-1._"},
		{"the longest", []string{strings.Repeat("x", 128)}, strings.Repeat("x", 128)},
		{"too long", []string{strings.Repeat("x", 129)}, "made"},
		{"empty", []string{""}, "made"},
		{"two", []string{"a", "b"}, "made"},
		{"with a space", []string{"a b"}, "made"},
		{"with a line", []string{"a\nb"}, "made"},
		{"with another letter", []string{"aß"}, "made"},
		{"not UTF-8", []string{"a\xff"}, "made"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{}
			log, lines := logged()
			h := httpapi.New(httpapi.Options{Host: f, Log: log, NewRequestID: func() string { return "made" }})
			r := request("GET", "/api/packages/shop/list", "")
			r.Header.Set(as(bobs))
			r.Header["X-Request-Id"] = test.ids
			w := answer(h, r)
			if got := w.Header()["X-Request-Id"]; len(got) != 1 || got[0] != test.want {
				t.Errorf("answered %q", got)
			}
			if got := f.last().Header["X-Request-Id"]; len(got) != 1 || got[0] != test.want {
				t.Errorf("the package got %q", got)
			}
			if !strings.Contains(lines.String(), `"request":"`+test.want+`"`) {
				t.Errorf("logged %s", lines)
			}
		})
	}
}

func TestLog(t *testing.T) {
	f := &fake{}
	log, lines := logged()
	now := time.Unix(1e9, 0)
	var tracked []int
	h := httpapi.New(httpapi.Options{
		Host: f, Log: log, NewRequestID: func() string { return "id" },
		Now:   func() time.Time { now = now.Add(time.Second); return now },
		Track: func() func(int) { return func(status int) { tracked = append(tracked, status) } },
	})
	line := func() (l struct {
		Level, Msg, Request, Method, Path, User string
		Status, Bytes                           int
		TookMs                                  float64
	}) {
		t.Helper()
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%v: %s", err, lines)
		}
		lines.Reset()
		return l
	}
	ask(h, bobs, "GET", "/api/packages/shop/li%20st?secret=1", "")
	if l := line(); l.Level != "INFO" || l.Msg != "request" || l.Request != "id" || l.Method != "GET" || l.Path != "/api/packages/shop/li%20st" || l.User != "bob" ||
		l.Status != 200 || l.Bytes != 4 || l.TookMs < 1000 {
		t.Errorf("logged %+v", l)
	}
	f.route = func(context.Context, dispatch.Request) dispatch.Response { return dispatch.Response{Status: 502} }
	ask(h, bobs, "GET", "/api/packages/shop/list", "")
	if l := line(); l.Level != "WARN" || l.Status != 502 || l.Bytes != 0 {
		t.Errorf("logged %+v", l)
	}
	answer(h, request(strings.Repeat("M", 100), "/"+strings.Repeat("p", 5000), ""))
	if l := line(); len(l.Method) > 40 || len(l.Path) > 1100 || l.User != "" || l.Status != 404 {
		t.Errorf("logged %+v", l)
	}
	if fmt.Sprint(tracked) != "[200 502 404]" {
		t.Errorf("tracked %v", tracked)
	}
}

func TestPanics(t *testing.T) {
	f := &fake{}
	log, lines := logged()
	var tracked []int
	begun := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "up ")
		panic("half way")
	})
	h := httpapi.New(httpapi.Options{Host: f, Log: log, Metrics: begun, Track: func() func(int) { return func(s int) { tracked = append(tracked, s) } }})
	f.tool = func(context.Context, string, json.RawMessage) dispatch.Result { panic("a secret") }
	w := ask(h, bobs, "POST", "/api/calls", `{"tool":"x"}`)
	if w.Code != 500 || codeOf(t, w.Body.Bytes()) != dispatch.CodeInternal || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if !strings.Contains(lines.String(), "a secret") || !strings.Contains(lines.String(), "api_test.go") {
		t.Errorf("logged %s", lines)
	}
	func() {
		defer func() {
			if r := recover(); r != http.ErrAbortHandler { //nolint:errorlint // it is thrown as it is
				t.Errorf("thrown: %v", r)
			}
		}()
		ask(h, adas, "GET", "/metrics", "")
	}()
	if fmt.Sprint(tracked) != "[500 200]" {
		t.Errorf("tracked %v", tracked)
	}
}
