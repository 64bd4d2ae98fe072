package mcpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

// stdio sends lines to a server after a handshake, ends the input, and returns the answers by their ids.
func stdio(t *testing.T, s *mcpapi.Server, who session.Session, lines ...string) map[int]string {
	t.Helper()
	lines = append([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}, lines...)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.ServeStdio(context.Background(), who, in, out)
		out.Close()
	}()
	calls := 0
	for _, line := range lines {
		if strings.Contains(line, `"id"`) {
			calls++
		}
	}
	go func() {
		for _, line := range lines {
			_, _ = io.WriteString(toServer, line+"\n")
		}
	}()
	answers := map[int]string{}
	scanner := bufio.NewScanner(fromServer)
	scanner.Buffer(nil, 1<<24)
	for len(answers) < calls && scanner.Scan() {
		var head struct{ ID *int }
		if err := json.Unmarshal(scanner.Bytes(), &head); err != nil {
			t.Fatal(err)
		}
		if head.ID != nil {
			answers[*head.ID] = scanner.Text()
		}
	}
	toServer.Close()
	go func() { _, _ = io.Copy(io.Discard, fromServer) }()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return answers
}

var oneTool = map[string]string{
	"_packages/a/package.json":      pkg("a", ""),
	"_packages/a/dist/package.wasm": emptyModule,
	"_packages/a/tools/t.json":      tool("", ""),
}

func TestResultsGoOutAsTheyAre(t *testing.T) {
	h := newFake(t, oneTool)
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, test := range []struct {
		name   string
		answer dispatch.Result
		want   string
	}{
		{"nothing", dispatch.Result{}, `{"content":[]}`},
		{"a block with what nobody knows", dispatch.Result{Content: []json.RawMessage{raw(`{"type":"text","text":"","z":1.0,"annotations":{"audience":["user"],"x":1}}`)}},
			`{"content":[{"type":"text","text":"","z":1.0,"annotations":{"audience":["user"],"x":1}}]}`},
		{"_meta", dispatch.Result{Content: []json.RawMessage{raw(`{"type":"text","text":"a","_meta":{"x":1}}`)}, Meta: raw(`{"trace":"t"}`), StructuredContent: raw(`{"b":1,"a":[9007199254740993]}`)},
			`{"content":[{"text":"a","type":"text"}],"structuredContent":{"b":1,"a":[9007199254740993]},"_meta":{"trace":"t"}}`},
		{"what the package calls an error", dispatch.Result{Content: []json.RawMessage{raw(`{"type":"text","text":"no"}`)}, IsError: true}, `{"content":[{"type":"text","text":"no"}],"isError":true}`},
		{"what the host calls one", failed(dispatch.CodeFeatureRequired, "needs a.x"),
			`{"content":[{"type":"text","text":"needs a.x"}],"structuredContent":{"error":{"code":"feature-required","message":"needs a.x"}},"isError":true}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h.call = func(context.Context, session.Session, string, json.RawMessage) dispatch.Result { return test.answer }
			s := newServer(t, mcpapi.Options{Host: h})
			answers := stdio(t, s, ada, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`)
			if got := answers[2]; got != `{"jsonrpc":"2.0","id":2,"result":`+test.want+`}` {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestErrorsOfTheProtocol(t *testing.T) {
	h := newFake(t, oneTool)
	h.call = func(context.Context, session.Session, string, json.RawMessage) dispatch.Result {
		panic("a fault of the host")
	}
	s := newServer(t, mcpapi.Options{Host: h})
	for _, test := range []struct {
		name, request, want string
	}{
		{"no such tool", `"method":"tools/call","params":{"name":"x"}`, `"error":{"code":-32602,"message":"there is no tool x","data":{"code":"unknown-tool","message":"there is no tool x"}}`},
		{"no such method", `"method":"tools/none","params":{}`, `"error":{"code":-32601`},
		{"no such level", `"method":"logging/setLevel","params":{"level":"loud"}`, `"error":{"code":-32602,"message":"there is no level`},
		{"no such resource", `"method":"resources/read","params":{"uri":"a://b"}`, `"error":{"code":-32002,"message":"there is no resource \"a://b\"","data":{"uri":"a://b"}}`},
		{"no such resource to watch", `"method":"resources/subscribe","params":{"uri":"a://b"}`, `"error":{"code":-32002`},
		{"no such prompt to complete", `"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""}}`, `"error":{"code":-32602`},
		{"parameters of another kind", `"method":"tools/call","params":{"name":1}`, `"error":{"code":-32602`},
		{"a panic", `"method":"tools/call","params":{"name":"t"}`, `"error":{"code":-32603,"message":"the host failed"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := stdio(t, s, ada, `{"jsonrpc":"2.0","id":2,`+test.request+`}`)[2]
			if !strings.Contains(got, test.want) {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestCancellation(t *testing.T) {
	h := newFake(t, oneTool)
	began, ended := make(chan bool), make(chan error, 1)
	h.call = func(ctx context.Context, _ session.Session, _ string, _ json.RawMessage) dispatch.Result {
		close(began)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return failed(dispatch.CodeCancelled, "cancelled")
	}
	c := connect(t, newServer(t, mcpapi.Options{Host: h}), ada, nil)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-began
		cancel()
	}()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "t"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("the call has no cause to end")
	}
	if _, err := c.ListTools(context.Background(), nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestClose(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(finish, giveUp func())
		err  error
		want string
	}{
		{"calls that finish are answered", func(finish, _ func()) { finish() }, nil, "finished"},
		{"calls that do not are ended", func(_, giveUp func()) { giveUp() }, context.Canceled, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newFake(t, oneTool)
			began, finish, ended := make(chan bool), make(chan bool), make(chan bool)
			h.call = func(ctx context.Context, _ session.Session, _ string, _ json.RawMessage) dispatch.Result {
				defer close(ended)
				close(began)
				select {
				case <-finish:
					return dispatch.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"finished"}`)}}
				case <-ctx.Done():
					return failed(dispatch.CodeCancelled, "cancelled")
				}
			}
			s := newSite(t, mcpapi.Options{Host: h})
			id := s.begin(t, "ada")
			closed := make(chan error, 1)
			go func() {
				<-began
				ctx, giveUp := context.WithCancel(context.Background())
				go test.end(func() { close(finish) }, giveUp)
				closed <- s.Close(ctx)
				giveUp()
			}()
			if _, answer, _ := s.request(t, "POST", "ada", id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`); !strings.Contains(answer, test.want) {
				t.Errorf("got %q", answer)
			}
			<-ended
			if err := <-closed; err != test.err {
				t.Errorf("closing: %v, want %v", err, test.err)
			}
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
			if n := s.Sessions(); n != 0 {
				t.Errorf("%d clients are left", n)
			}
			if status, _, _ := s.request(t, "POST", "ada", "", initialize); status != 503 {
				t.Errorf("a server that is closed lets somebody in: %d", status)
			}
			in, out := io.Pipe()
			if err := s.ServeStdio(context.Background(), ada, in, out); err == nil {
				t.Error("a server that is closed lets somebody in")
			}
		})
	}
}

func TestNewerProtocolIsNotSpoken(t *testing.T) {
	s := newServer(t, mcpapi.Options{Host: newFake(t, oneTool)})
	c := connect(t, s, ada, nil)
	if v := c.InitializeResult().ProtocolVersion; v != "2025-11-25" {
		t.Errorf("the version is %s", v)
	}
}
