package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/httpapi"
)

// listen starts a server as an operator's is, and returns its address.
func listen(t *testing.T, o httpapi.Options) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config = httpapi.Server(httpapi.New(o), nil)
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// dial connects to a server. The lines of what is written may end as lines of Go do.
func dial(t *testing.T, address string) (conn net.Conn, write func(text string)) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn, func(text string) {
		t.Helper()
		if _, err := io.WriteString(conn, strings.ReplaceAll(text, "\n", "\r\n")); err != nil {
			t.Fatal(err)
		}
	}
}

// read reads one response.
func read(t *testing.T, from *bufio.Reader) (*http.Response, string) {
	t.Helper()
	response, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

const token = "Authorization: Bearer " + bobs + "\n"

func TestOddRequests(t *testing.T) {
	for _, test := range []struct {
		name, request string
		status        int
		path          string // that the package gets; empty is that it gets nothing
		body          string
	}{
		{"plain", "GET /api/packages/a HTTP/1.1\nHost: x\n" + token + "\n", 200, "a", ""},
		{"of an older version", "GET /api/packages/a HTTP/1.0\n" + token + "\n", 200, "a", ""},
		{"dots", "GET /api/packages/a/../../catalog HTTP/1.1\nHost: x\n" + token + "\n", 200, "a/../../catalog", ""},
		{"slashes", "GET /api/packages/a//b HTTP/1.1\nHost: x\n" + token + "\n", 200, "a//b", ""},
		{"slashes after the prefix", "GET /api/packages//a//b HTTP/1.1\nHost: x\n" + token + "\n", 404, "", ""},
		{"slashes in front", "GET //api/packages/a HTTP/1.1\nHost: x\n" + token + "\n", 404, "", ""},
		{"a bad escape", "GET /api/packages/%zz HTTP/1.1\nHost: x\n" + token + "\n", 400, "", ""},
		{"half an escape", "GET /api/packages/% HTTP/1.1\nHost: x\n" + token + "\n", 400, "", ""},
		{"an encoded slash", "GET /api/packages/a%2fb HTTP/1.1\nHost: x\n" + token + "\n", 200, "a%2fb", ""},
		{"an absolute address", "GET http://elsewhere/api/packages/a HTTP/1.1\nHost: x\n" + token + "\n", 200, "a", ""},
		{"a fragment", "GET /api/packages/a#b HTTP/1.1\nHost: x\n" + token + "\n", 200, "a%23b", ""},
		{"a quote", "GET /api/packages/a\"<b HTTP/1.1\nHost: x\n" + token + "\n", 200, "a%22%3Cb", ""},
		{"bytes that are no text", "GET /api/packages/\xff HTTP/1.1\nHost: x\n" + token + "\n", 200, "%FF", ""},
		{"a query of all sorts", "GET /api/packages/a?%zz&\xff;=? HTTP/1.1\nHost: x\n" + token + "\n", 200, "a", ""},
		{"no host", "GET /api/packages/a HTTP/1.1\n" + token + "\n", 400, "", ""},
		{"two tokens", "GET /api/packages/a HTTP/1.1\nHost: x\n" + token + token + "\n", 400, "", ""},
		{"a token on two lines", "GET /api/packages/a HTTP/1.1\nHost: x\nAuthorization: Bearer\n " + bobs + "\n\n", 200, "a", ""},
		{"a space before the colon", "GET /api/packages/a HTTP/1.1\nHost: x\nAuthorization : Bearer " + bobs + "\n\n", 400, "", ""},
		{"all of the server", "OPTIONS * HTTP/1.1\nHost: x\n\n", 200, "", ""},
		{"a tunnel", "CONNECT elsewhere:443 HTTP/1.1\nHost: elsewhere:443\n" + token + "\n", 404, "", ""},
		{"another protocol", "GET /api/packages/a HTTP/1.1\nHost: x\nConnection: Upgrade\nUpgrade: websocket\n" + token + "\n", 200, "a", ""},
		{"in chunks", "POST /api/packages/a HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n" + token + "\n3\nabc\n2;x=y\nde\n0\nTrailer: x\n\n", 200, "a", "abcde"},
		{"in chunks that are none", "POST /api/packages/a HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n" + token + "\nno\nabc\n", 400, "", ""},
		{"in chunks, and as a whole", "POST /api/packages/a HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\nContent-Length: 3\n" + token + "\n3\nabc\n0\n\n", 200, "a", "abc"},
		{"in chunks that are compressed", "POST /api/packages/a HTTP/1.1\nHost: x\nTransfer-Encoding: gzip, chunked\n" + token + "\n", 501, "", ""},
		{"of two lengths", "POST /api/packages/a HTTP/1.1\nHost: x\nContent-Length: 3\nContent-Length: 4\n" + token + "\nabcd", 400, "", ""},
		{"of no length that there is", "POST /api/packages/a HTTP/1.1\nHost: x\nContent-Length: -1\n" + token + "\n", 400, "", ""},
		{"too long", "POST /api/packages/a HTTP/1.1\nHost: x\nContent-Length: 1000000000000\n" + token + "\n", 413, "", ""},
		{"too long in chunks", "POST /api/packages/a HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n" + token + "\nff\n" + strings.Repeat("x", 255) + "\n", 413, "", ""},
		{"with an expectation that nobody meets", "POST /api/packages/a HTTP/1.1\nHost: x\nContent-Length: 3\nExpect: more\n" + token + "\nabc", 417, "", ""},
		{"of headers that are too long", "GET /api/packages/a HTTP/1.1\nHost: x\n" + token + "X: " + strings.Repeat("x", 80<<10) + "\n\n", 431, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{}
			conn, write := dial(t, listen(t, httpapi.Options{Host: f, MaxBodyBytes: 200}))
			write(test.request)
			response, body := read(t, bufio.NewReader(conn))
			got := f.last()
			if response.StatusCode != test.status || got.Path != test.path || string(got.Body) != test.body {
				t.Errorf("got %d %s; the package got %q, %q", response.StatusCode, body, got.Path, got.Body)
			}
		})
	}
}

// Nothing of a body is asked for that would not be taken.
func TestExpectations(t *testing.T) {
	for _, test := range []struct {
		name, header string
		status       int
	}{
		{"a body that is taken", "Content-Length: 3\n" + token, 200},
		{"one that is too long", "Content-Length: 300\n" + token, 413},
		{"one of nobody", "Content-Length: 3\n", 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{}
			conn, write := dial(t, listen(t, httpapi.Options{Host: f, MaxBodyBytes: 200}))
			write("PUT /api/packages/a HTTP/1.1\nHost: x\nExpect: 100-continue\n" + test.header + "\n")
			in := bufio.NewReader(conn)
			response, body := read(t, in)
			if test.status == 200 {
				if response.StatusCode != 100 {
					t.Fatalf("got %d %s", response.StatusCode, body)
				}
				write("abc")
				response, body = read(t, in)
			}
			if response.StatusCode != test.status {
				t.Errorf("got %d %s", response.StatusCode, body)
			}
		})
	}
}

// A client that does not go on sending is not waited for, whether or not it may come in.
func TestSlowBodies(t *testing.T) {
	for _, test := range []struct {
		name, request string
		status        int
	}{
		{"of a known length", "POST /api/packages/a HTTP/1.1\nHost: x\nContent-Length: 10\n" + token + "\nabc", 408},
		{"in chunks", "POST /api/calls HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n" + token + "\n3\nab", 408},
		{"of nobody", "POST /api/calls HTTP/1.1\nHost: x\nContent-Length: 10\n\nabc", 401},
		{"to nowhere", "POST /nowhere HTTP/1.1\nHost: x\nContent-Length: 10\n\nabc", 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{}
			conn, write := dial(t, listen(t, httpapi.Options{Host: f, Patience: time.Millisecond, MaxBodyBytes: 1 << 10}))
			write(test.request)
			in := bufio.NewReader(conn)
			response, body := read(t, in)
			if response.StatusCode != test.status || len(f.requests)+len(f.calls) > 0 {
				t.Errorf("got %d %s", response.StatusCode, body)
			}
			if test.status == http.StatusRequestTimeout && codeOf(t, []byte(body)) != httpapi.CodeRequestTimeout {
				t.Errorf("got %s", body)
			}
			if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
				t.Errorf("the connection stays: %q, %v", rest, err)
			}
		})
	}
}

// watched is a listener of one connection, whose deadlines are remembered.
type watched struct {
	net.Listener
	deadlines *deadlines
}

func (w watched) Accept() (net.Conn, error) {
	conn, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	w.deadlines.Conn = conn
	return w.deadlines, nil
}

// deadlines are those of a connection.
type deadlines struct {
	net.Conn
	mu          sync.Mutex
	read, write time.Time
	writes      []time.Time // all that were not zero
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read = at
	return d.Conn.SetReadDeadline(at)
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.write = at; !at.IsZero() {
		d.writes = append(d.writes, at)
	}
	return d.Conn.SetWriteDeadline(at)
}

// The times for a body and for an answer are none for the call between them.
func TestDeadlines(t *testing.T) {
	d := &deadlines{}
	f := &fake{tool: func(context.Context, string, json.RawMessage) dispatch.Result {
		d.mu.Lock()
		defer d.mu.Unlock()
		if !d.read.IsZero() || !d.write.IsZero() {
			t.Errorf("during the call, there are deadlines: %v and %v", d.read, d.write)
		}
		return dispatch.Result{}
	}}
	server := httptest.NewUnstartedServer(nil)
	server.Config = httpapi.Server(httpapi.New(httpapi.Options{Host: f}), nil)
	server.Listener = watched{server.Listener, d}
	server.Start()
	t.Cleanup(server.Close)

	start := time.Now()
	conn, write := dial(t, server.Listener.Addr().String())
	in := bufio.NewReader(conn)
	for range 2 {
		write("POST /api/calls HTTP/1.1\nHost: x\nContent-Length: 12\n" + token + "\n{\"tool\":\"x\"}")
		if response, body := read(t, in); response.StatusCode != 200 {
			t.Fatalf("got %d %s", response.StatusCode, body)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.writes) != 2 || d.writes[0].Before(start.Add(httpapi.DefaultPatience)) {
		t.Errorf("the deadlines of answers are %v", d.writes)
	}
}

// Whoever goes away ends the call.
func TestGoingAway(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	wait := func(ctx context.Context) {
		close(begun)
		<-ctx.Done()
		close(ended)
	}
	f := &fake{
		tool: func(ctx context.Context, _ string, _ json.RawMessage) dispatch.Result {
			wait(ctx)
			return dispatch.Result{}
		},
		route: func(ctx context.Context, _ dispatch.Request) dispatch.Response {
			wait(ctx)
			return dispatch.Response{Status: 200}
		},
	}
	address := listen(t, httpapi.Options{Host: f})
	for _, request := range []string{
		"POST /api/calls HTTP/1.1\nHost: x\nContent-Length: 12\n" + token + "\n{\"tool\":\"x\"}",
		"POST /api/tools/x HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n" + token + "\n2\n{}\n0\n\n",
		"GET /api/packages/a HTTP/1.1\nHost: x\n" + token + "\n",
	} {
		begun, ended = make(chan struct{}), make(chan struct{})
		conn, write := dial(t, address)
		write(request)
		<-begun
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		<-ended
	}
}

// One connection carries one request after another, refused ones too.
func TestConnections(t *testing.T) {
	f := &fake{}
	conn, write := dial(t, listen(t, httpapi.Options{Host: f}))
	in := bufio.NewReader(conn)
	for range 2 {
		write("GET /healthz HTTP/1.1\nHost: x\n\nPOST /api/packages/a HTTP/1.1\nHost: x\nContent-Length: 3\n\nabcHEAD /readyz HTTP/1.1\nHost: x\n\n")
		for _, status := range []int{200, 401} {
			if response, body := read(t, in); response.StatusCode != status {
				t.Fatalf("got %d %s", response.StatusCode, body)
			}
		}
		response, err := http.ReadResponse(in, &http.Request{Method: "HEAD"})
		if err != nil || response.StatusCode != 200 || response.ContentLength <= 0 {
			t.Fatalf("got %+v, %v", response, err)
		}
	}
}

// What a package says does not become a part of what the host says.
func TestHeadersCannotBeSplit(t *testing.T) {
	f := &fake{route: func(context.Context, dispatch.Request) dispatch.Response {
		return dispatch.Response{Status: 200, Header: http.Header{
			"X-A": {"1\r\nSet-Cookie: a=b\r\n\r\n<script>"}, "X-B\r\nSet-Cookie: a=b": {"1"}, "Set-Cookie ": {"a=b"}, "X-C": {"\x00", "fine\t\xff"},
		}, Body: []byte("hello")}
	}}
	conn, write := dial(t, listen(t, httpapi.Options{Host: f}))
	write("GET /api/packages/a HTTP/1.1\nHost: x\n" + token + "\n")
	response, body := read(t, bufio.NewReader(conn))
	if response.StatusCode != 200 || body != "hello" || len(response.Cookies()) > 0 || response.Header.Get("X-A") != "" || response.Header.Get("X-C") != "fine\t\xff" {
		t.Errorf("got %d %q %v", response.StatusCode, body, response.Header)
	}
}
