package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/httpapi"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// A package gets what was sent.
func TestRequests(t *testing.T) {
	for _, test := range []struct{ method, target, path, query string }{
		{"GET", "shop/list", "shop/list", ""},
		{"GET", "shop/list?q=caf%C3%A9+x&q=2", "shop/list", "q=caf%C3%A9+x&q=2"},
		{"GET", "shop/list?", "shop/list", ""},
		{"GET", "shop/a%2Fb%20c/%64", "shop/a%2Fb%20c/%64", ""},
		{"GET", "shop/../list", "shop/../list", ""},
		{"GET", "shop/%2e%2e/list", "shop/%2e%2e/list", ""},
		{"GET", "shop/./list", "shop/./list", ""},
		{"GET", "shop//list/", "shop//list/", ""},
		{"GET", "", "", ""},
		{"GET", "shop/a;b=c,d!$&'()*+=:@~", "shop/a;b=c,d!$&'()*+=:@~", ""},
		{"GET", "shop/%00%ff", "shop/%00%ff", ""},
		{"GET", "shop/list?a=/../b?c", "shop/list", "a=/../b?c"},
		{"HEAD", "shop/list", "shop/list", ""},
		{"OPTIONS", "shop/list", "shop/list", ""},
		{"DELETE", "shop/list", "shop/list", ""},
		{"PROPFIND", "shop/list", "shop/list", ""},
	} {
		t.Run(test.method+" "+test.target, func(t *testing.T) {
			f := &fake{}
			w := ask(httpapi.New(httpapi.Options{Host: f}), bobs, test.method, "/api/packages/"+test.target, "a body", "X-Thing", "1", "X-Thing", "2")
			got := f.last()
			if w.Code != 200 || got.Method != test.method || got.Path != test.path || got.RawQuery != test.query || got.Package != "" {
				t.Errorf("got %d, %q %q ? %q", w.Code, got.Method, got.Path, got.RawQuery)
			}
			if string(got.Body) != "a body" || !slices.Equal(got.Header["X-Thing"], []string{"1", "2"}) || f.who.UserID != "bob" {
				t.Errorf("got %q, %v by %+v", got.Body, got.Header, f.who)
			}
		})
	}
}

// What begins with two slashes is another path than with one, to whoever guards paths in front of the host.
func TestNoPackageBehindTwoSlashes(t *testing.T) {
	f := &fake{}
	for _, target := range []string{"/api/packages//shop/list", "/api/packages//", "/api/packages///x"} {
		if w := ask(httpapi.New(httpapi.Options{Host: f}), bobs, "GET", target, ""); w.Code != 404 || !f.who.IsZero() {
			t.Errorf("%s: got %d %s", target, w.Code, w.Body)
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name     string
		method   string
		response dispatch.Response
		status   int
		body     string
		length   string
		kind     string
	}{
		{"text", "GET", dispatch.Response{Status: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte("hello")}, 200, "hello", "5", "text/plain"},
		{"bytes without a type", "GET", dispatch.Response{Status: 200, Body: []byte("<html>")}, 200, "<html>", "6", "application/octet-stream"},
		{"bytes with an empty type", "GET", dispatch.Response{Status: 200, Header: http.Header{"Content-Type": {""}}, Body: []byte("<html>")}, 200, "<html>", "6", "application/octet-stream"},
		{"nothing", "GET", dispatch.Response{Status: 200}, 200, "", "0", ""},
		{"created", "PUT", dispatch.Response{Status: 201, Body: []byte("x")}, 201, "x", "1", "application/octet-stream"},
		{"no content", "GET", dispatch.Response{Status: 204, Body: []byte("x")}, 204, "", "", "application/octet-stream"},
		{"not modified", "GET", dispatch.Response{Status: 304}, 304, "", "", ""},
		{"HEAD with a body", "HEAD", dispatch.Response{Status: 200, Body: []byte("hello")}, 200, "", "5", "application/octet-stream"},
		{"HEAD without", "HEAD", dispatch.Response{Status: 200}, 200, "", "", ""},
		{"an error of its own", "GET", dispatch.Response{Status: 500, Body: []byte("oh")}, 500, "oh", "2", "application/octet-stream"},
		{"a status that is none", "GET", dispatch.Response{Status: 99}, 500, "which is none", "", "application/json; charset=utf-8"},
		{"switching protocols", "GET", dispatch.Response{Status: 101}, 500, "which is none", "", "application/json; charset=utf-8"},
		{"a status beyond", "GET", dispatch.Response{Status: 1000}, 500, "which is none", "", "application/json; charset=utf-8"},
		{"an error of the host's", "GET", dispatch.Response{Status: 429, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Retry-After": {"7"}}, Body: []byte(`{"error":{"code":"rate-limited"}}`),
			Err: &dispatch.Error{Code: dispatch.CodeRateLimited, RetryAfter: 7}}, 429, "rate-limited", "", "application/json; charset=utf-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{route: func(context.Context, dispatch.Request) dispatch.Response { return test.response }}
			w := ask(httpapi.New(httpapi.Options{Host: f}), bobs, test.method, "/api/packages/shop/list", "")
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) || test.body == "" && w.Body.Len() > 0 {
				t.Errorf("got %d %q", w.Code, w.Body)
			}
			if got := w.Header().Get("Content-Length"); test.length != "" && got != test.length || test.length == "" && test.body == "" && got != "" {
				t.Errorf("the length is %q", got)
			}
			if got := w.Header().Get("Content-Type"); got != test.kind {
				t.Errorf("the type is %q", got)
			}
			if test.response.Err != nil && (w.Header().Get("Retry-After") != "7" || w.Header().Get("Cache-Control") != "no-store") {
				t.Errorf("the headers are %v", w.Header())
			}
		})
	}
}

// Which headers of a package reach a browser depends on how far it is trusted.
func TestHeadersOfPackages(t *testing.T) {
	mine := []string{"Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Security-Policy", "Content-Type", "ETag",
		"Last-Modified", "Link", "Location", "Retry-After", "Vary", "X-Seen", "X-Frame-Options", "Referrer-Policy"}
	reaching := []string{"Set-Cookie", "set-cookie", "WWW-Authenticate", "Proxy-Authenticate", "Strict-Transport-Security", "Clear-Site-Data", "Alt-Svc",
		"Service-Worker-Allowed", "NEL", "Report-To", "Reporting-Endpoints", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials",
		"X-Accel-Redirect", "x-accel-buffering", "X-Sendfile", "X-Sendfile-Type", "X-LIGHTTPD-send-file", "X-Reproxy-URL", "Surrogate-Control"}
	hosts := []string{"X-Request-Id", "X-Content-Type-Options", "Connection", "Keep-Alive", "Transfer-Encoding", "Trailer", "Upgrade", "Date", "TE"}
	for _, tier := range []trust.Tier{trust.FirstParty, trust.Trusted, trust.Untrusted, ""} {
		t.Run(fmt.Sprintf("%q", tier), func(t *testing.T) {
			f := &fake{route: func(context.Context, dispatch.Request) dispatch.Response {
				r := dispatch.Response{Status: 200, Header: http.Header{}, Tier: tier}
				for _, name := range slices.Concat(mine, reaching, hosts) {
					r.Header[name] = append(r.Header[name], "of-package")
				}
				return r
			}}
			w := ask(httpapi.New(httpapi.Options{Host: f}), bobs, "GET", "/api/packages/shop/page", "")
			there := func(name string) bool { return slices.Contains(w.Header().Values(name), "of-package") }
			for _, name := range mine {
				if !there(name) {
					t.Errorf("%s is lost", name)
				}
			}
			for _, name := range hosts {
				if there(name) {
					t.Errorf("%s is the host's", name)
				}
			}
			for _, name := range reaching {
				if there(name) != (tier == trust.FirstParty) {
					t.Errorf("%s is there: %v", name, there(name))
				}
			}
			policies := w.Header().Values("Content-Security-Policy")
			if sandboxed := slices.Contains(policies, "sandbox"); sandboxed == (tier == trust.FirstParty) {
				t.Errorf("the policies are %q", policies)
			}
			if got := w.Header().Values("X-Content-Type-Options"); !slices.Equal(got, []string{"nosniff"}) {
				t.Errorf("X-Content-Type-Options is %q", got)
			}
		})
	}
}
