package mcpapi_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

// emptyHost is a host without packages; programs have a host.Host.
type emptyHost struct{ dispatch.Caller }

func (emptyHost) Catalog() *catalog.Catalog { return nil }

// A client on stdio. Each line is a message.
func ExampleServer_ServeStdio() {
	server := mcpapi.New(mcpapi.Options{Host: emptyHost{}, Version: "1.0.0"})
	defer server.Close(context.Background())

	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"example","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	var out strings.Builder
	if err := server.ServeStdio(context.Background(), session.Session{UserID: "ada"}, in, &out); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		fmt.Print(line)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}},"protocolVersion":"2025-11-25","serverInfo":{"name":"neuralis","version":"1.0.0"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
}

// Clients over HTTP, each of whom has a token.
func ExampleServer_Handler() {
	server := mcpapi.New(mcpapi.Options{Host: emptyHost{}})
	defer server.Close(context.Background())

	http.Handle("/mcp", server.Handler(func(r *http.Request) (session.Session, error) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if token != "a secret" {
			return session.Session{}, fmt.Errorf("send a token in the header Authorization")
		}
		return session.Session{UserID: "ada"}, nil
	}))
}
