//lint:file-ignore SA1019 log messages and sampling are deprecated in a version of the protocol that is not spoken here.

package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSandboxTurnsToItsClient is the Go SDK's client, and needs nothing from npm.
func TestSandboxTurnsToItsClient(t *testing.T) {
	s := newSite(t)
	events := make(chan string, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "interop"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			events <- fmt.Sprintf("%v of %v: %s", r.Params.Progress, r.Params.Total, r.Params.Message)
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { events <- fmt.Sprint(r.Params.Data) },
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "fine"}}, nil
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	ctx := t.Context()
	c, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.url}, nil)
	must(t, err)
	defer c.Close()
	must(t, c.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"}))
	for _, test := range []struct {
		tool   string
		args   map[string]any
		text   string
		events []string
	}{
		{"test_tool_with_progress", nil, "All of it is done.", []string{"0 of 100: 0 of 100", "50 of 100: 50 of 100", "100 of 100: 100 of 100"}},
		{"test_tool_with_logging", nil, "Three messages were logged.", []string{"Tool execution started", "Tool processing data", "Tool execution completed"}},
		{"test_sampling", map[string]any{"prompt": "How are you?"}, "LLM response: fine", nil},
		{"test_elicitation", map[string]any{"message": "Who are you?"}, "Elicitation completed: action=decline, content={}", nil},
	} {
		t.Run(test.tool, func(t *testing.T) {
			params := &mcp.CallToolParams{Name: test.tool, Arguments: test.args}
			params.SetProgressToken(test.tool)
			r, err := c.CallTool(ctx, params)
			must(t, err)
			text, err := json.Marshal(r.Content)
			must(t, err)
			if want := fmt.Sprintf(`[{"type":"text","text":%q}]`, test.text); string(text) != want || r.IsError {
				t.Errorf("got %s, want %s", text, want)
			}
			for _, want := range test.events {
				if got := <-events; got != want {
					t.Errorf("the client heard %q, want %q", got, want)
				}
			}
		})
	}
	if len(events) > 0 {
		t.Errorf("the client heard too much: %q", <-events)
	}
}
