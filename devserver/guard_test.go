package devserver

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestGuard(t *testing.T) {
	for _, test := range []struct {
		name   string
		guard  Guard
		host   string
		header http.Header
		status int
	}{
		{"localhost", Guard{}, "localhost:7878", nil, 200},
		{"an address", Guard{}, "127.0.0.1:7878", nil, 200},
		{"another loopback address", Guard{}, "127.1.2.3", nil, 200},
		{"IPv6", Guard{}, "[::1]:7878", nil, 200},
		{"IPv6 without a port", Guard{}, "[::1]", nil, 200},
		{"in capitals, with a dot", Guard{}, "LOCALHOST.:1", nil, 200},
		{"no host", Guard{}, "", nil, 421},
		{"a name that leads here", Guard{}, "evil.example:7878", nil, 421},
		{"a name like ours", Guard{}, "localhost.evil.example", nil, 421},
		{"an address like ours", Guard{}, "127.0.0.1.evil.example", nil, 421},
		{"another machine's address", Guard{}, "10.0.0.1", nil, 421},
		{"a name that was given", Guard{Hosts: []string{"box.lan"}}, "Box.lan:7878", nil, 200},

		{"our own page", Guard{}, "localhost:7878", http.Header{"Origin": {"http://localhost:7878"}}, 200},
		{"our own page by address, to the name", Guard{}, "localhost:7878", http.Header{"Origin": {"http://127.0.0.1:7878"}}, 403},
		{"another port", Guard{}, "localhost:7878", http.Header{"Origin": {"http://localhost:9999"}}, 403},
		{"another port that was given", Guard{Origins: []string{"http://localhost:9999"}}, "localhost:7878", http.Header{"Origin": {"http://localhost:9999"}}, 200},
		{"a page on the Web", Guard{}, "localhost:7878", http.Header{"Origin": {"https://evil.example"}}, 403},
		{"a page from nowhere", Guard{}, "localhost:7878", http.Header{"Origin": {"null"}}, 403},
		{"an empty one", Guard{}, "localhost:7878", http.Header{"Origin": {""}}, 403},
		{"two", Guard{}, "localhost:7878", http.Header{"Origin": {"http://localhost:7878", "https://evil.example"}}, 403},
		{"an extension", Guard{}, "localhost:7878", http.Header{"Origin": {"chrome-extension://localhost:7878"}}, 403},
		{"an image on a page", Guard{}, "localhost:7878", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}}, 403},
		{"a link on a page", Guard{}, "localhost:7878", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}}, 200},

		{"no token", Guard{Token: "secret"}, "localhost", nil, 401},
		{"the token", Guard{Token: "secret"}, "localhost", http.Header{"Authorization": {"bearer secret"}}, 200},
		{"another token", Guard{Token: "secret"}, "localhost", http.Header{"Authorization": {"Bearer secret2"}}, 401},
		{"two tokens", Guard{Token: "secret"}, "localhost", http.Header{"Authorization": {"Bearer secret", "Bearer secret"}}, 401},
		{"basic", Guard{Token: "secret"}, "localhost", http.Header{"Authorization": {"Basic secret"}}, 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			reached := false
			handler := test.guard.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = test.host
			for name, values := range test.header {
				r.Header[name] = values
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != test.status || reached != (test.status == 200) {
				t.Errorf("got %d, reached %v: %s", w.Code, reached, w.Body)
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "" && len(test.guard.Origins) == 0 {
				t.Error("a page elsewhere may read the answer")
			}
		})
	}
}
