package mcpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

// stream sends a request whose answer is a stream of events. Closing it is what the network does at times.
func (s site) stream(t *testing.T, method, id, body string, headers ...string) (events *bufio.Scanner, cut func()) {
	t.Helper()
	r, err := http.NewRequest(method, s.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"X-User": {"ada"}, "Mcp-Session-Id": {id}, "Mcp-Protocol-Version": {"2025-11-25"},
		"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	for err == nil && response.StatusCode == http.StatusConflict {
		response.Body.Close() // the server has not noticed yet that the connection before is gone
		r.Body = io.NopCloser(strings.NewReader(body))
		response, err = http.DefaultClient.Do(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != 200 {
		text, _ := io.ReadAll(response.Body)
		t.Fatalf("%d %s", response.StatusCode, text)
	}
	return bufio.NewScanner(response.Body), func() { response.Body.Close() }
}

// next is the next line of a stream that begins with a word.
func next(t *testing.T, events *bufio.Scanner, word string) string {
	t.Helper()
	for events.Scan() {
		if rest, ok := strings.CutPrefix(events.Text(), word); ok && strings.TrimSpace(rest) != "" {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("the stream has ended without %q: %v", word, events.Err())
	return ""
}

func TestClientWhoseConnectionBreaksGetsItsAnswer(t *testing.T) {
	h := newFake(t, oneTool)
	began, end := make(chan bool), make(chan bool)
	h.call = func(context.Context, session.Session, string, json.RawMessage) dispatch.Result {
		close(began)
		<-end
		return dispatch.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"late"}`)}}
	}
	s := newSite(t, mcpapi.Options{Host: h})
	id := s.begin(t, "ada")
	events, cut := s.stream(t, "POST", id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`)
	last := next(t, events, "id: ")
	<-began
	cut()
	close(end)
	events, cut = s.stream(t, "GET", id, "", "Last-Event-ID: "+last)
	defer cut()
	if got := next(t, events, "data: "); !strings.Contains(got, `"text":"late"`) {
		t.Errorf("got %s", got)
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	h := newFake(t, oneTool)
	h.call = func(context.Context, session.Session, string, json.RawMessage) dispatch.Result {
		return dispatch.Result{}
	}
	t.Run("", func(t *testing.T) {
		s := newSite(t, mcpapi.Options{Host: h, MaxSessionsPerUser: 10})
		for range 50 {
			id := s.begin(t, "ada")
			if status, answer, _ := s.request(t, "POST", "ada", id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`); status != 200 {
				t.Fatalf("%d %s", status, answer)
			}
		}
		_, cut := s.stream(t, "GET", s.begin(t, "ada"), "")
		defer cut()
	})
	http.DefaultClient.CloseIdleConnections()
	for runtime.NumGoroutine() > before { // or the test never ends
		runtime.Gosched()
	}
}

func TestStdioEndsWithItsContext(t *testing.T) {
	s := newServer(t, mcpapi.Options{Host: newFake(t, oneTool)})
	ctx, cancel := context.WithCancelCause(context.Background())
	in, out := io.Pipe()
	defer out.Close()
	cancel(io.ErrUnexpectedEOF)
	if err := s.ServeStdio(ctx, ada, in, io.Discard); err != io.ErrUnexpectedEOF {
		t.Errorf("got %v", err)
	}
	if n := s.Sessions(); n != 0 {
		t.Errorf("%d clients are left", n)
	}
}

// A script writes what it wants, and ends.
func TestInputThatEndsIsAnswered(t *testing.T) {
	h := newFake(t, oneTool)
	began, end := make(chan bool), make(chan bool)
	h.call = func(ctx context.Context, _ session.Session, _ string, _ json.RawMessage) dispatch.Result {
		close(began)
		select {
		case <-end:
		case <-ctx.Done():
		}
		return dispatch.Result{}
	}
	script := initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}` + "\n"
	for _, test := range []struct {
		name string
		end  func(stop func())
		err  error
		want string
	}{
		{"after a while", func(func()) { close(end) }, nil, `"id":2,"result":{"content":[]}`},
		{"never", func(stop func()) { stop() }, context.Canceled, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			began, end = make(chan bool), make(chan bool)
			s := newServer(t, mcpapi.Options{Host: h})
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			go func() {
				<-began
				test.end(stop)
			}()
			var out strings.Builder
			if err := s.ServeStdio(ctx, ada, strings.NewReader(script), &out); err != test.err {
				t.Errorf("got %v, want %v", err, test.err)
			}
			if !strings.Contains(out.String(), test.want) {
				t.Errorf("got %s", out.String())
			}
		})
	}
}
