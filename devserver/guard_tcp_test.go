package devserver

import (
	"bufio"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// raw sends bytes to the server and reads the answer to them.
func (s *studio) raw(request string) *http.Response {
	s.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { c.Close() })
	if _, err := c.Write([]byte(request)); err != nil {
		s.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { response.Body.Close() })
	return response
}

// Every path is guarded, streams and MCP as well.
func TestForeignRequests(t *testing.T) {
	s := newStudio(t, shop(nil))
	port := s.url[strings.LastIndex(s.url, ":"):]
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, path := range []string{"/api/catalog", PathEvents, PathLogs, PathProblems, PathOpenAPI, PathMCP, "/api/packages/shop/x", "/api/tools/a", "/healthz", "/", "/nothing"} {
		method, body := "GET", ""
		if path == PathMCP || strings.HasPrefix(path, "/api/tools") {
			method, body = "POST", initialize
		}
		for _, foreign := range []struct {
			name, headers string
			status        int
		}{
			{"a name that leads here", "Host: evil.example\r\n", 421},
			{"that name with our port", "Host: evil.example" + port + "\r\n", 421},
			{"a page", "Host: localhost" + port + "\r\nOrigin: https://evil.example\r\n", 403},
			{"a page in a sandbox", "Host: localhost" + port + "\r\nOrigin: null\r\n", 403},
			{"a page of another server here", "Host: localhost" + port + "\r\nOrigin: http://localhost:1\r\n", 403},
			{"an image on a page", "Host: localhost" + port + "\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", 403},
			{"both names, the wrong one in the line", "Host: localhost" + port + "\r\n", 421},
		} {
			target := path
			if strings.Contains(foreign.name, "in the line") {
				target = "http://evil.example" + path
			}
			request := method + " " + target + " HTTP/1.1\r\n" + foreign.headers + "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: " +
				strconv.Itoa(len(body)) + "\r\n\r\n" + body
			response := s.raw(request)
			if response.StatusCode != foreign.status {
				t.Errorf("%s %s, asked by %s: %s", method, path, foreign.name, response.Status)
			}
			for name := range response.Header {
				if strings.HasPrefix(name, "Access-Control-") || name == "Mcp-Session-Id" {
					t.Errorf("%s %s, asked by %s, answers with %s", method, path, foreign.name, name)
				}
			}
		}
	}
	// A browser asks before it sends what a form could not: it is told nothing.
	response := s.raw("OPTIONS /api/tools/a HTTP/1.1\r\nHost: localhost" + port + "\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n")
	if response.StatusCode != 403 || response.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a browser that asks is answered %s, %v", response.Status, response.Header)
	}
	// Our own page, and no page at all.
	for _, headers := range []string{"Host: localhost" + port + "\r\nOrigin: http://localhost" + port + "\r\n", "Host: 127.0.0.1" + port + "\r\n", "Host: [::1]" + port + "\r\n"} {
		if response := s.raw("GET /api/catalog HTTP/1.1\r\n" + headers + "\r\n"); response.StatusCode != 200 {
			t.Errorf("%q is answered %s", headers, response.Status)
		}
	}
	// No Host, or two, are no requests.
	for _, headers := range []string{"", "Host: localhost\r\nHost: evil.example\r\n"} {
		if response := s.raw("GET /api/catalog HTTP/1.1\r\n" + headers + "\r\n"); response.StatusCode != 400 {
			t.Errorf("%q is answered %s", headers, response.Status)
		}
	}
}

func TestIdentityOfRequests(t *testing.T) {
	s := newStudio(t, shop(map[string]string{
		"_packages/shop/package.json":   `{"name":"shop","version":"1.0.0","neuralis":{"runtime":{"type":"wasm"},"features":[{"id":"shop.buy","title":"Buy"}],"defaultRoleGrants":{"member":["shop.buy"]}}}`,
		"_packages/shop/tools/a.json":   `{"type":"object","x-neuralis":{"feature":"shop.buy","annotations":{"category":"write"}}}`,
		"_packages/shop/src/tools/a.ts": `export default (args: unknown, ctx: PdkContext) => [ctx.session.userId, ctx.session.role].join(' ');`,
	}), func(o *Options) { o.Identity = Identity{Role: "guest", User: "eve"} })
	for _, test := range []struct {
		name, header, want string
	}{
		{"who the server was told", "", "feature-required"},
		{"a role that has it", "member", "local member"},
		{"a feature", "role=guest,user=ada,feature=shop.buy", "ada guest"},
		{"all features", "feature=*", "local owner"},
		{"another feature", "role=guest,feature=shop.sell", "feature-required"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var header []string
			if test.header != "" {
				header = []string{IdentityHeader, test.header}
			}
			if got := s.call("a", header...); got != test.want {
				t.Errorf("%q is answered", got)
			}
		})
	}
	for _, bad := range [][]string{{IdentityHeader, "x=y"}, {IdentityHeader, "role=a,role=b"}, {IdentityHeader, "a", IdentityHeader, "b"}} {
		if status, body := s.ask("POST", "/api/tools/a", "{}", bad...); status != 400 || !strings.Contains(body, IdentityHeader) {
			t.Errorf("%q is answered %d %s", bad, status, body)
		}
	}
}

func TestLogs(t *testing.T) {
	s := newStudio(t, shop(map[string]string{
		"_packages/shop/src/tools/a.ts": `export default (args: unknown, ctx: PdkContext) => { ctx.logger.info('first'); ctx.logger.warn('second', { n: 2 }); ctx.logger.error('third'); return 'ok'; };`,
	}))
	s.call("a")
	for _, test := range []struct{ query, want string }{
		{"", "third second first"},
		{"?n=1", "third"},
		{"?level=warn", "third second"},
		{"?package=shop&level=error", "third"},
		{"?package=none", ""},
	} {
		status, body := s.ask("GET", PathLogs+test.query, "")
		var found []string
		for _, word := range []string{"third", "second", "first"} {
			if strings.Contains(body, `"`+word+`"`) {
				found = append(found, word)
			}
		}
		if got := strings.Join(found, " "); status != 200 || got != test.want {
			t.Errorf("%s: %d %s", test.query, status, body)
		}
	}
	for _, query := range []string{"?n=0", "?n=1001", "?n=x", "?level=loud"} {
		if status, body := s.ask("GET", PathLogs+query, ""); status != 400 {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	if status, _ := s.ask("POST", PathLogs, ""); status != 405 {
		t.Errorf("a POST is answered %d", status)
	}
}
