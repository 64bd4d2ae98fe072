package dispatch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/data"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/ports"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/manifest"
)

// What the tests share: a builder, and an engine that trusts the core it links.
var shared struct {
	builder *build.Builder
	cache   string

	mu       sync.Mutex
	engine   *sandbox.Engine
	projects map[string]string // folders of projects that are built, by name
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "neuralis-dispatch-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		ctx := context.Background()
		shared.cache, shared.projects = dir, map[string]string{}
		shared.builder = build.New(build.Options{CacheDir: dir})
		defer shared.builder.Close(ctx)
		code := m.Run()
		if shared.engine != nil {
			shared.engine.Close(ctx)
		}
		return code
	}())
}

// engineFor is the engine, which trusts the core of the first module that it is asked for.
func engineFor(t testing.TB, module string) *sandbox.Engine {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.engine == nil {
		text, err := os.ReadFile(module)
		if err != nil {
			t.Fatal(err)
		}
		meta, err := image.ReadMeta(text)
		if err != nil {
			t.Fatal(err)
		}
		shared.engine = sandbox.NewEngine(sandbox.Options{CacheDir: shared.cache, Cores: []image.Core{{Hash: meta.Core, Interrupt: meta.Interrupt}}})
	}
	return shared.engine
}

// realHost is a host of packages that are built and run.
type realHost struct {
	*dispatch.Dispatcher
	limits map[trust.Tier]trust.Limits
	data   string

	mu    sync.Mutex
	slots map[string]*runtime.Slot
	lines []string
}

func (h *realHost) Log(_ context.Context, level logs.Level, message string, _ json.RawMessage, call logs.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, fmt.Sprintf("%s %s", level, message))
}

// project builds the packages below _packages/ of a project, once for each name.
func project(t testing.TB, name string, files map[string]string) string {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if dir, ok := shared.projects[name]; ok {
		return dir
	}
	root := filepath.Join(shared.cache, name)
	writeFiles(t, root, files)
	dirs, err := filepath.Glob(filepath.Join(root, "_packages", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		pkg, diags := manifest.Load(dir)
		if !diags.HasErrors() {
			_, diags = shared.builder.Build(context.Background(), pkg)
		}
		if diags.HasErrors() {
			t.Fatal(diags)
		}
	}
	shared.projects[name] = root
	return root
}

// newRealHost starts a host of a project. Its data is of its own.
func newRealHost(t testing.TB, project string) *realHost {
	t.Helper()
	ctx := context.Background()
	roots := catalog.Roots{ProjectRoot: project, Trust: map[string]trust.Tier{"trusted": trust.Trusted, "other": trust.Trusted}}
	found := catalog.Scan(ctx, roots)
	directory := dispatch.NewDirectory(found, nil)
	h := &realHost{limits: map[trust.Tier]trust.Limits{}, slots: map[string]*runtime.Slot{}, data: t.TempDir()}
	for _, tier := range trust.Tiers() {
		h.limits[tier] = trust.DefaultLimits(tier)
	}
	wasm := runtime.NewWASM(engineFor(t, filepath.Join(found.All()[0].Dir, found.All()[0].Module)), runtime.WASMOptions{MaxInstances: 4})
	h.Dispatcher = dispatch.New(dispatch.Options{
		Directory: func() *dispatch.Directory { return directory },
		Limits:    func(tier trust.Tier) trust.Limits { return h.limits[tier] },
		Hold: func(_ context.Context, e *catalog.Entry) (runtime.Package, func(), error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			slot := h.slots[e.Key()]
			if slot == nil {
				slot = runtime.NewSlot(func(ctx context.Context) (runtime.Package, error) { return h.load(ctx, wasm, e) })
				h.slots[e.Key()] = slot
			}
			p, release := slot.Hold()
			return p, release, nil
		},
	})
	t.Cleanup(func() {
		for key, slot := range h.slots {
			if health := slot.Health(); health.Instances != health.Idle {
				t.Errorf("%s: %+v after all calls", key, health)
			}
			if err := slot.Close(ctx); err != nil {
				t.Error(err)
			}
		}
	})
	return h
}

func (h *realHost) load(ctx context.Context, wasm *runtime.WASM, e *catalog.Entry) (runtime.Package, error) {
	dir, err := data.PackageDir(h.data, e.Key())
	if err != nil {
		return nil, err
	}
	store, err := data.Open(dir, data.Options{Volatile: true})
	if err != nil {
		return nil, err
	}
	limits := h.limits[e.Tier]
	return wasm.Load(ctx, runtime.Source{
		ID: e.ID, Dir: e.Dir, Module: e.Module, Hash: e.ModuleHash, Limits: limits,
		Ports: ports.New(ports.Package{
			ID: e.ID, Tier: e.Tier, Limits: limits, Data: store, Log: h, Others: h.Dispatcher,
			Settings: e.Package.Manifest.ConfigSettings,
		}),
	})
}

func (h *realHost) tool(name, args string) dispatch.Result {
	return h.CallTool(context.Background(), ada, name, json.RawMessage(args))
}

// text is the text of a result.
func text(r dispatch.Result) string {
	var all []string
	for _, raw := range r.Content {
		var block struct{ Text string }
		_ = json.Unmarshal(raw, &block)
		all = append(all, block.Text)
	}
	return strings.Join(all, "\n")
}
