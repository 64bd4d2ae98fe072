package devserver

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// watcher is an MCP client that is told of changes.
type watcher struct {
	*mcp.ClientSession
	tools, prompts chan struct{}
}

func connect(t *testing.T, transport mcp.Transport) *watcher {
	t.Helper()
	w := &watcher{tools: make(chan struct{}, 16), prompts: make(chan struct{}, 16)}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ToolListChangedHandler:   func(context.Context, *mcp.ToolListChangedRequest) { w.tools <- struct{}{} },
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { w.prompts <- struct{}{} },
	})
	var err error
	if w.ClientSession, err = client.Connect(t.Context(), transport, nil); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *watcher) names(t *testing.T) (names []string) {
	t.Helper()
	list, err := w.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func (w *watcher) text(t *testing.T, tool string) string {
	t.Helper()
	result, err := w.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// A client over each transport lists, calls, is told of an edit on the disk, and lists again.
func TestMCP(t *testing.T) {
	for _, transport := range []struct {
		name    string
		connect func(*testing.T, *studio) mcp.Transport
	}{
		{"HTTP", func(_ *testing.T, s *studio) mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: s.url + PathMCP, HTTPClient: http.DefaultClient}
		}},
		{"stdio", func(t *testing.T, s *studio) mcp.Transport {
			in, fromClient := io.Pipe()
			toClient, out := io.Pipe()
			served := make(chan error, 1)
			go func() { served <- s.server.ServeStdio(context.Background(), in, out) }()
			t.Cleanup(func() {
				fromClient.Close()
				if err := <-served; err != nil {
					t.Errorf("when the client had gone: %v", err)
				}
			})
			return &mcp.IOTransport{Reader: toClient, Writer: fromClient}
		}},
	} {
		t.Run(transport.name, func(t *testing.T) {
			s := newStudio(t, shop(nil))
			c := connect(t, transport.connect(t, s))
			defer c.Close()
			if got := c.names(t); !slices.Equal(got, []string{"a"}) {
				t.Fatalf("the tools are %q", got)
			}
			if got := c.text(t, "a"); got != "one" {
				t.Errorf("%q is answered", got)
			}
			s.put(map[string]string{"_packages/shop/src/tools/b.ts": answering("b")})
			<-c.tools
			if got := c.names(t); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("after an edit the tools are %q", got)
			}
			if got := c.text(t, "b"); got != "b" {
				t.Errorf("%q is answered", got)
			}
			s.put(map[string]string{"_packages/shop/skills/s/SKILL.md": "---\nname: s\ndescription: does s\n---\nDo s."})
			<-c.prompts
			if list, err := c.ListPrompts(t.Context(), nil); err != nil || len(list.Prompts) != 1 || list.Prompts[0].Name != "s" {
				t.Errorf("the prompts are %+v, %v", list, err)
			}
			// A new answer is no change of a list.
			s.save(KindBuilt, map[string]string{"_packages/shop/src/tools/a.ts": answering("two")})
			if got := c.text(t, "a"); got != "two" {
				t.Errorf("%q is answered", got)
			}
			s.save(KindBroken, map[string]string{"_packages/shop/src/tools/a.ts": "export default ("})
			if got := c.text(t, "a"); got != "two" {
				t.Errorf("after a broken save %q is answered", got)
			}
			if len(c.tools) > 0 {
				t.Error("the client was told of a change of tools that was none")
			}
		})
	}
}
