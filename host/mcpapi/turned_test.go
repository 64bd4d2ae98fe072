//lint:file-ignore SA1019 log messages and sampling are deprecated in a version of the protocol that is not spoken here.

package mcpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// real is a host whose dispatch is the real one, and whose packages are run by a function.
type real struct {
	*dispatch.Dispatcher
	found *catalog.Catalog
}

func (h real) Catalog() *catalog.Catalog { return h.found }

func dispatched(t testing.TB, files map[string]string, call func(context.Context, runtime.ToolCall) (json.RawMessage, error)) real {
	t.Helper()
	found := newFake(t, files).Catalog()
	directory := dispatch.NewDirectory(found, nil)
	return real{dispatch.New(dispatch.Options{
		Directory: func() *dispatch.Directory { return directory },
		Hold: func(context.Context, *catalog.Entry) (runtime.Package, func(), error) {
			return code{call: call}, func() {}, nil
		},
		Limits: trust.DefaultLimits,
	}), found}
}

type code struct {
	runtime.Package
	call func(context.Context, runtime.ToolCall) (json.RawMessage, error)
}

func (c code) CallTool(ctx context.Context, call runtime.ToolCall) (json.RawMessage, error) {
	result, err := c.call(ctx, call)
	if result == nil {
		result = json.RawMessage("null")
	}
	return result, err
}

func TestClientIsTurnedTo(t *testing.T) {
	var call func(context.Context, runtime.Client)
	h := dispatched(t, oneTool, func(ctx context.Context, c runtime.ToolCall) (json.RawMessage, error) {
		call(ctx, c.Client)
		return nil, nil
	})
	progress, logged := make(chan string, 10), make(chan string, 10)
	var asked *mcp.ElicitParams
	opts := &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress <- fmt.Sprint(r.Params.ProgressToken, r.Params.Progress, r.Params.Total, r.Params.Message)
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			logged <- fmt.Sprint(r.Params.Level, r.Params.Logger, r.Params.Data)
		},
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			if r.Params.MaxTokens != 7 {
				return nil, &jsonrpc.Error{Code: -1, Message: "the user says no"}
			}
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "42"}}, nil
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked = r.Params
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"b": "yes"}}, nil
		},
	}
	c := connect(t, newServer(t, mcpapi.Options{Host: h}), ada, opts)
	ctx := context.Background()
	do := func(token any, f func(context.Context, runtime.Client)) {
		t.Helper()
		call = f
		params := &mcp.CallToolParams{Name: "t"}
		if token != nil {
			params.SetProgressToken(token)
		}
		if _, err := c.CallTool(ctx, params); err != nil {
			t.Fatal(err)
		}
	}
	total := 4.0
	do(nil, func(ctx context.Context, c runtime.Client) {
		if err := c.Progress(ctx, 1, nil, "unwanted"); err != nil {
			t.Error(err)
		}
	})
	do("tok", func(ctx context.Context, c runtime.Client) {
		if err := c.Progress(ctx, 1.5, &total, "half"); err != nil {
			t.Error(err)
		}
	})
	if got := <-progress; got != "tok 1.5 4 half" && got != "tok1.5 4half" {
		t.Errorf("progress: %s", got)
	}
	say := func(ctx context.Context, c runtime.Client) {
		for _, level := range []string{"debug", "warn", "error"} {
			if err := c.Log(ctx, level, json.RawMessage(`{"a":1}`), "l"); err != nil {
				t.Error(err)
			}
		}
		if err := c.Log(ctx, "loud", nil, ""); err == nil {
			t.Error("a level that there is not")
		}
	}
	do(nil, say) // the client has set no level
	if err := c.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "warning"}); err != nil {
		t.Fatal(err)
	}
	do(nil, say)
	for _, want := range []string{"warning", "error"} {
		if got := <-logged; !strings.HasPrefix(got, want) || !strings.Contains(got, "map[a:1]") {
			t.Errorf("logged %s, want %s", got, want)
		}
	}
	do(nil, func(ctx context.Context, c runtime.Client) {
		if o := c.Offers(); !o.Sample || !o.Elicit {
			t.Errorf("it offers %+v", o)
		}
		answer, err := c.Sample(ctx, json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":7}`))
		if err != nil || string(answer) != `{"content":{"type":"text","text":"42"},"model":"m","role":"assistant"}` {
			t.Errorf("sampled %s, %v", answer, err)
		}
		if _, err = c.Sample(ctx, json.RawMessage(`{"messages":[],"maxTokens":8}`)); err == nil || !strings.Contains(err.Error(), "the user says no") {
			t.Errorf("got %v", err)
		}
		if _, err = c.Sample(ctx, json.RawMessage(`[]`)); err == nil {
			t.Error("parameters that are none")
		}
		answer, err = c.Elicit(ctx, json.RawMessage(`{"message":"?","requestedSchema":{"type":"object","properties":{"b":{"type":"string","x-own":1},"a":{"type":"string"}},"required":["b"]}}`))
		if err != nil || string(answer) != `{"action":"accept","content":{"b":"yes"}}` {
			t.Errorf("elicited %s, %v", answer, err)
		}
	})
	if got := text(t, asked); !strings.Contains(got, `"x-own":1`) || !strings.Contains(got, `"message":"?"`) {
		t.Errorf("the client was asked %s", got)
	}
	if len(progress)+len(logged) != 0 {
		t.Error("there was more than was asked for")
	}

	other := connect(t, newServer(t, mcpapi.Options{Host: h}), ada, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	call = func(_ context.Context, c runtime.Client) {
		if o := c.Offers(); o.Sample || o.Elicit {
			t.Errorf("it offers %+v", o)
		}
	}
	if _, err := other.CallTool(ctx, &mcp.CallToolParams{Name: "t"}); err != nil {
		t.Error(err)
	}
}
