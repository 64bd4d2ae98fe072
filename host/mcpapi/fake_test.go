package mcpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

// emptyModule is the smallest WebAssembly module.
const emptyModule = "\x00asm\x01\x00\x00\x00"

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// pkg is the package.json of a wasm package.
func pkg(id, more string) string {
	return fmt.Sprintf(`{"name":"@acme/%s","neuralis":{"id":%q,"runtime":{"type":"wasm"}%s}}`, id, id, more)
}

// tool is a tool file with members of the schema and of x-neuralis.
func tool(schema, extension string) string {
	return `{"description":"A tool","type":"object",` + schema + `"x-neuralis":{` + extension + `"annotations":{"category":"read"}}}`
}

// fakeHost is a host of packages in a folder, whose tools do what the test says.
type fakeHost struct {
	dir   string
	owned string // a folder of ada's own; empty for none

	mu   sync.Mutex
	now  *catalog.Catalog
	call func(ctx context.Context, who session.Session, name string, args json.RawMessage) dispatch.Result
}

func newFake(t testing.TB, files map[string]string) *fakeHost {
	t.Helper()
	h := &fakeHost{dir: t.TempDir()}
	write(t, h.dir, files)
	h.rescan()
	return h
}

func (h *fakeHost) rescan() {
	roots := catalog.Roots{ProjectRoot: h.dir}
	if h.owned != "" {
		roots.Sources = []catalog.Source{{ID: "own", Path: h.owned, RecognizesPackages: true, Scope: catalog.Scope{Kind: catalog.ScopeUser, Owner: "ada"}}}
	}
	found := catalog.Scan(context.Background(), roots)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = found
}

func (h *fakeHost) Catalog() *catalog.Catalog {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *fakeHost) CallTool(ctx context.Context, who session.Session, name string, args json.RawMessage) dispatch.Result {
	if _, _, ok := h.Catalog().Tool(who, name); !ok {
		return failed(dispatch.CodeUnknownTool, "there is no tool "+name)
	}
	return h.call(ctx, who, name, args)
}

func failed(code dispatch.Code, message string) dispatch.Result {
	e := &dispatch.Error{Code: code, Message: message}
	structured, _ := json.Marshal(map[string]any{"error": e})
	return dispatch.Result{IsError: true, Err: e, StructuredContent: structured, Content: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"type":"text","text":%q}`, message))}}
}

func (*fakeHost) CallRoute(context.Context, session.Session, dispatch.Request) dispatch.Response {
	panic("not called")
}

func (*fakeHost) CallAPI(context.Context, session.Session, string, string, json.RawMessage) (json.RawMessage, *dispatch.Error) {
	panic("not called")
}

var (
	ada = session.Session{UserID: "ada", Role: "member", Features: []string{"a.read", "a.use"}}
	bob = session.Session{UserID: "bob"}
)

func newServer(t testing.TB, opts mcpapi.Options) *mcpapi.Server {
	t.Helper()
	s := mcpapi.New(opts)
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// changes are the notifications that a client got.
type changes struct{ tools, prompts, resources, updated chan string }

func newChanges() *changes {
	return &changes{make(chan string, 10), make(chan string, 10), make(chan string, 10), make(chan string, 10)}
}

func (c *changes) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { c.tools <- "" },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { c.prompts <- "" },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { c.resources <- "" },
		ResourceUpdatedHandler:     func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { c.updated <- r.Params.URI },
	}
}

// connect connects a client in memory, as one on stdio.
func connect(t testing.TB, s *mcpapi.Server, who session.Session, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.ServeStdio(context.Background(), who, far, far)
		far.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, opts)
	session, err := client.Connect(context.Background(), &mcp.IOTransport{Reader: near, Writer: near}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return session
}

// text is what a value is as JSON.
func text(t testing.TB, value any) string {
	t.Helper()
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
