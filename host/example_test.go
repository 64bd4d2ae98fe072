package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/dispatch"
)

// greeting makes a project with a package that declares a tool, and whose code is not built yet.
func greeting() (project string, remove func()) {
	project, err := os.MkdirTemp("", "shop")
	if err == nil {
		err = files{
			"package.json":     `{"neuralis": {"id": "greet", "runtime": {"type": "wasm"}, "requires": {"accessFeature": "greet.use"}, "features": [{"id": "greet.use", "title": "Be greeted"}]}}`,
			"tools/greet.json": `{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "x-neuralis": {"annotations": {"category": "read"}}}`,
			"docs/about.md":    "# What greeting is\n",
		}.write(filepath.Join(project, "_packages", "greet"))
	}
	if err != nil {
		panic(err)
	}
	return project, func() { os.RemoveAll(project) }
}

// A host is opened with an operator's config. Whoever calls passes the same gates, in the same order.
func ExampleOpen() {
	project, remove := greeting()
	defer remove()
	ctx := context.Background()
	c, err := config.Default(project) // or config.Load("neuralis.host.json")
	if err != nil {
		panic(err)
	}
	h, err := host.Open(ctx, host.Options{Config: c})
	if err != nil {
		panic(err)
	}
	defer h.Close(ctx)
	for _, s := range h.States() {
		fmt.Println(s.Key, s.Tier, s.Status, s.Reason)
	}
	for _, call := range []struct {
		tool, args string
		features   []string
	}{
		{"nothing", `{}`, nil},
		{"greet", `{"name": "Ada"}`, nil},
		{"greet", `{"name": 1}`, []string{"greet.*"}},
		{"greet", `{"name": "Ada"}`, []string{"greet.*"}},
	} {
		result := h.CallTool(ctx, h.SessionAs("member", call.features...), call.tool, json.RawMessage(call.args))
		fmt.Println(result.Err.Code)
	}
	// Output:
	// greet untrusted partial not-built
	// unknown-tool
	// feature-required
	// invalid-arguments
	// runtime-unavailable
}

// What a rescan finds answers the next call.
func ExampleHost_Rescan() {
	project, remove := greeting()
	defer remove()
	ctx := context.Background()
	c, err := config.Default(project)
	if err != nil {
		panic(err)
	}
	h, err := host.Open(ctx, host.Options{Config: c})
	if err != nil {
		panic(err)
	}
	defer h.Close(ctx)
	if err := os.RemoveAll(filepath.Join(project, "_packages", "greet")); err != nil {
		panic(err)
	}
	changes, err := h.Rescan(ctx)
	fmt.Println(changes.Added, changes.Removed, changes.Changed, err)
	fmt.Println(h.CallTool(ctx, h.SessionAs("owner", "*"), "greet", nil).Err.Code == dispatch.CodeUnknownTool)
	// Output:
	// [] [greet] [] <nil>
	// true
}
