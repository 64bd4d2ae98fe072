package outbound

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAllowed(t *testing.T) {
	for _, tc := range []struct {
		patterns []string
		host     string
		want     bool
	}{
		{nil, "example.org", false},
		{[]string{"example.org"}, "example.org", true},
		{[]string{"example.org"}, "EXAMPLE.org:8443", true},
		{[]string{"Example.org"}, "example.org", true},
		{[]string{"example.org:443"}, "example.org:8443", false},
		{[]string{"example.org:8443"}, "example.org:8443", true},
		{[]string{"*.example.org"}, "api.example.org", true},
		{[]string{"*.example.org"}, "example.org", false},
		{[]string{"*.example.org"}, "example.org.evil.test", false},
		{[]string{"example.org"}, "example.org.evil.test", false},
		{[]string{"*"}, "anything", true},
		{[]string{"[::1]"}, "[::1]:80", true},
		{[]string{"["}, "example.org", false},
	} {
		if got := (&Client{AllowedHosts: tc.patterns}).Allowed(tc.host); got != tc.want {
			t.Errorf("%v allows %s: %v", tc.patterns, tc.host, got)
		}
	}
}

func TestDo(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/echo":
			body, _ := io.ReadAll(r.Body)
			w.Header().Add("Set-Cookie", "a=1")
			w.Header().Add("Set-Cookie", "b=2")
			w.WriteHeader(http.StatusTeapot)
			io.WriteString(w, r.Method+" "+r.Header.Get("X-Test")+" "+string(body))
		case "/away":
			http.Redirect(w, r, "http://other.example/", http.StatusFound)
		case "/large":
			io.WriteString(w, strings.Repeat("x", 100))
		}
	}))
	defer server.Close()
	client := &Client{AllowedHosts: []string{"127.0.0.1"}, MaxBytes: 50}

	answer, err := client.Do(context.Background(), Request{URL: server.URL + "/echo", Method: "PUT", Headers: map[string]string{"x-test": "é"}, BodyBase64: base64.StdEncoding.EncodeToString([]byte("\x00\xff"))})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := base64.StdEncoding.DecodeString(answer.BodyBase64)
	if answer.Status != http.StatusTeapot || string(body) != "PUT é \x00\xff" {
		t.Errorf("%d %q", answer.Status, body)
	}
	cookies := 0
	for _, h := range answer.Headers {
		if h[0] == "set-cookie" {
			cookies++
		}
	}
	if cookies != 2 {
		t.Errorf("%v", answer.Headers)
	}

	if answer, err = client.Do(context.Background(), Request{URL: server.URL + "/away"}); err != nil || answer.Status != http.StatusFound {
		t.Errorf("a redirect was followed, or failed: %v %v", answer, err)
	}

	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tc := range []struct {
		name string
		ctx  context.Context
		r    Request
		code string
	}{
		{"too large", context.Background(), Request{URL: server.URL + "/large"}, CodeTooLarge},
		{"not allowed", context.Background(), Request{URL: "http://other.example/"}, CodeNotAllowed},
		{"no URL", context.Background(), Request{URL: "::"}, CodeInvalid},
		{"no HTTP", context.Background(), Request{URL: "file:///etc/passwd"}, CodeInvalid},
		{"method", context.Background(), Request{URL: server.URL, Method: "A B"}, CodeInvalid},
		{"body", context.Background(), Request{URL: server.URL, BodyBase64: "?"}, CodeInvalid},
		{"nobody there", context.Background(), Request{URL: "http://127.0.0.1:1/"}, CodeNetwork},
		{"cancelled", cancelled, Request{URL: server.URL + "/echo"}, CodeNetwork},
	} {
		_, err := client.Do(tc.ctx, tc.r)
		var e *Error
		if !errors.As(err, &e) || e.Code != tc.code {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
