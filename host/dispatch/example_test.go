package dispatch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// A host scans for packages, makes a directory of what it found, and sends every call through one dispatcher.
func Example() {
	project, err := os.MkdirTemp("", "shop")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(project)
	dir := filepath.Join(project, "_packages", "greet")
	for name, text := range map[string]string{
		"package.json":      `{"neuralis": {"id": "greet", "runtime": {"type": "wasm"}}}`,
		"tools/greet.json":  `{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "x-neuralis": {"annotations": {"category": "read"}}}`,
		"dist/package.wasm": emptyModule,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			panic(err)
		}
	}

	directory := dispatch.NewDirectory(catalog.Scan(context.Background(), catalog.Roots{ProjectRoot: project}), nil)
	d := dispatch.New(dispatch.Options{
		Directory: func() *dispatch.Directory { return directory },
		Limits:    trust.DefaultLimits,
		Hold: func(context.Context, *catalog.Entry) (runtime.Package, func(), error) {
			return &fake{result: `"Hello!"`}, func() {}, nil // a real host loads the package by runtime.WASM
		},
	})
	for _, args := range []string{`{"name":"Ada"}`, `{"name":1}`, `{}`} {
		result := d.CallTool(context.Background(), session.Session{UserID: "ada"}, "greet", json.RawMessage(args))
		if result.Err != nil {
			fmt.Println(result.Err.Code, result.Err.Paths)
		} else {
			fmt.Printf("%s\n", result.Content)
		}
	}
	// Output:
	// [{"type":"text","text":"Hello!"}]
	// invalid-arguments [/name]
	// invalid-arguments [/name]
}
