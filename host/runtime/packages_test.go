package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/manifest"
)

// What the tests of this package share: a builder, and an engine that trusts the core it links.
var shared struct {
	builder *build.Builder
	cache   string
	engine  func() *sandbox.Engine
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "neuralis-runtime-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		ctx := context.Background()
		shared.cache = dir
		shared.builder = build.New(build.Options{CacheDir: dir})
		defer shared.builder.Close(ctx)
		var engine *sandbox.Engine
		shared.engine = sync.OnceValue(func() *sandbox.Engine {
			probe := filepath.Join(dir, "probe")
			meta, err := image.ReadMeta(buildModule(probe, "export default () => null"))
			if err != nil {
				panic(err)
			}
			engine = sandbox.NewEngine(sandbox.Options{CacheDir: dir, Cores: []image.Core{{Hash: meta.Core, Interrupt: meta.Interrupt}}})
			return engine
		})
		code := m.Run()
		if engine != nil {
			engine.Close(ctx)
		}
		return code
	}())
}

// write makes a package with one tool, t, in a folder.
func write(dir, tool string, more map[string]string) {
	files := map[string]string{
		"package.json":   `{"name":"p","version":"1.0.0","neuralis":{"id":"p","runtime":{"type":"wasm"}}}`,
		"tools/t.json":   `{"description":"A tool","type":"object","x-neuralis":{"annotations":{"category":"read"}}}`,
		"src/tools/t.ts": tool,
	}
	for name, text := range more {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
}

func buildDir(dir string) {
	pkg, diags := manifest.Load(dir)
	if !diags.HasErrors() {
		var more manifest.Diagnostics
		_, more = shared.builder.Build(context.Background(), pkg)
		diags = append(diags, more...)
	}
	if diags.HasErrors() {
		panic(fmt.Sprint(diags))
	}
}

func buildModule(dir, tool string) []byte {
	write(dir, tool, nil)
	buildDir(dir)
	module, err := os.ReadFile(filepath.Join(dir, "dist", "package.wasm"))
	if err != nil {
		panic(err)
	}
	return module
}

// source builds a package and says how to load it.
func source(t testing.TB, tool string, more map[string]string) runtime.Source {
	t.Helper()
	dir := t.TempDir()
	write(dir, tool, more)
	buildDir(dir)
	return runtime.Source{ID: "p", Dir: dir, Module: "dist/package.wasm", Limits: trust.DefaultLimits(trust.Untrusted)}
}

// load builds and loads a package.
func load(t testing.TB, opts runtime.WASMOptions, src runtime.Source) runtime.Package {
	t.Helper()
	pkg, err := runtime.NewWASM(shared.engine(), opts).Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pkg.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return pkg
}

// call calls the tool t.
func call(ctx context.Context, pkg runtime.Package, args string) (string, error) {
	result, err := pkg.CallTool(ctx, runtime.ToolCall{Name: "t", Arguments: json.RawMessage(args)})
	return string(result), err
}

// clock is a clock that tests turn.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
