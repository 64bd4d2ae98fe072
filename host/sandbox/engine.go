package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/linearmemory"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// Names of the plug-in's exports.
const (
	ExportTool      = "handleTool"
	ExportRoute     = "handleRoute"
	ExportLifecycle = "handleLifecycle"
)

// exportRestore is the core's function that grows memory for an image.
const exportRestore = "neuralis_restore"

// hostFunction is the one function of ours that a plug-in imports.
const hostFunction = "neuralis_host"

// Options configure an Engine.
type Options struct {
	// CacheDir keeps machine code between runs; empty keeps it in memory.
	CacheDir string
}

// Limits bound what an instance may use.
type Limits struct {
	// MemoryPages is the most linear memory, in pages of 64 KiB; 0 means the largest there is.
	MemoryPages uint32
	// AllowedHosts are the host names, with * as a wildcard, that the guest may send requests to.
	AllowedHosts []string
}

// Engine loads plug-ins and owns their machine code. It is safe for concurrent use, and must
// outlive every plug-in and instance.
type Engine struct {
	cache wazero.CompilationCache

	mu    sync.Mutex
	cores map[coreKey]*core
}

// coreKey names a compiled core. The memory limit is part of it because the runtime applies it
// when it compiles.
type coreKey struct {
	hash        string
	memoryPages uint32
}

type core struct {
	once     sync.Once
	compiled *extism.CompiledPlugin
	err      error
}

// NewEngine makes an engine.
func NewEngine(opts Options) *Engine {
	// The SDK has one log level for the process; what is kept is for the host to say.
	extism.SetLogLevel(extism.LogLevelDebug)
	e := &Engine{cache: wazero.NewCompilationCache(), cores: map[coreKey]*core{}}
	if opts.CacheDir != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(opts.CacheDir); err == nil {
			e.cache = cache
		}
	}
	return e
}

// Close frees all machine code. No instance may be left.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var errs []error
	for _, c := range e.cores {
		if c.compiled != nil {
			errs = append(errs, c.compiled.Close(ctx))
		}
	}
	e.cores = map[coreKey]*core{}
	return errors.Join(append(errs, e.cache.Close(ctx))...)
}

// Plugin is a loaded package, ready to make instances of.
type Plugin struct {
	meta     image.Meta
	image    *image.Image // nil for a foreign plug-in
	compiled *extism.CompiledPlugin
	owned    bool // the machine code is this plug-in's alone
	limits   Limits
}

// Load prepares a plug-in. It keeps module and does not change it.
func (e *Engine) Load(ctx context.Context, module []byte, limits Limits) (*Plugin, error) {
	if limits.MemoryPages == 0 || limits.MemoryPages > linearmemory.Limit/wasmbin.PageSize {
		limits.MemoryPages = linearmemory.Limit / wasmbin.PageSize
	}
	code, img, meta, err := image.Split(module)
	if errors.Is(err, image.ErrForeign) {
		compiled, err := e.compile(ctx, module, limits, true)
		if err != nil {
			return nil, err
		}
		return &Plugin{compiled: compiled, owned: true, limits: limits}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the plug-in: %w", err)
	}
	if img.Pages > limits.MemoryPages {
		return nil, fmt.Errorf("the plug-in starts with %d KiB of memory; %d KiB are allowed", img.Pages*64, limits.MemoryPages*64)
	}
	c := e.core(coreKey{image.CoreHash(code), limits.MemoryPages})
	c.once.Do(func() { c.compiled, c.err = e.compile(ctx, code, limits, false) })
	if c.err != nil {
		return nil, c.err
	}
	return &Plugin{meta: meta, image: &img, compiled: c.compiled, limits: limits}, nil
}

func (e *Engine) core(key coreKey) *core {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.cores[key]
	if c == nil {
		c = &core{}
		e.cores[key] = c
	}
	return c
}

// compile makes machine code. Foreign code has no cells that end it, so the runtime itself must
// look whether its time is over, which costs it some speed.
func (e *Engine) compile(ctx context.Context, code []byte, limits Limits, foreign bool) (*extism.CompiledPlugin, error) {
	config := wazero.NewRuntimeConfig().WithCompilationCache(e.cache).WithMemoryLimitPages(limits.MemoryPages)
	if foreign {
		config = config.WithCloseOnContextDone(true)
	}
	compiled, err := extism.NewCompiledPlugin(ctx, extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmData{Data: code}},
	}, extism.PluginConfig{EnableWasi: true, RuntimeConfig: config}, []extism.HostFunction{portFunction()})
	if err != nil {
		return nil, fmt.Errorf("compiling the plug-in: %w", err)
	}
	return compiled, nil
}

// Close frees what the plug-in has for itself. No instance of it may be left.
func (p *Plugin) Close(ctx context.Context) error {
	if p.owned {
		return p.compiled.Close(ctx)
	}
	return nil
}

// Meta describes a plug-in made by this toolchain; it is zero for others.
func (p *Plugin) Meta() image.Meta { return p.meta }

// Instance makes an instance.
func (p *Plugin) Instance(ctx context.Context) (*Instance, error) {
	// The SDK shows the memory of a plug-in to nobody; its allocator is where it can be seen. The
	// kernel's memory is made first, the plug-in's last.
	var memory linearmemory.Watch
	ctx = linearmemory.WithAllocator(ctx, &memory)
	plugin, err := p.compiled.Instance(ctx, extism.PluginInstanceConfig{
		ModuleConfig: wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader),
	})
	if err != nil {
		return nil, fmt.Errorf("starting the plug-in: %w", err)
	}
	plugin.AllowedHosts = p.limits.AllowedHosts
	if plugin.AllowedHosts == nil {
		plugin.AllowedHosts = []string{}
	}
	plugin.SetLogger(func(extism.LogLevel, string) {})
	i := &Instance{plugin: plugin, own: p.image != nil}
	if p.image != nil {
		if err := i.restore(ctx, p, &memory); err != nil {
			plugin.CloseWithContext(ctx)
			return nil, err
		}
	}
	return i, nil
}

func (i *Instance) restore(ctx context.Context, p *Plugin, memory *linearmemory.Watch) error {
	pages := binary.LittleEndian.AppendUint64(nil, uint64(p.image.Pages))
	if status, _, err := i.plugin.CallWithContext(ctx, exportRestore, pages); err != nil || status != 0 {
		return fmt.Errorf("starting the plug-in: no memory for its image of %d KiB: %v", p.image.Pages*64, err)
	}
	all := memory.Last()
	if err := p.image.Restore(all); err != nil {
		return fmt.Errorf("starting the plug-in: %w", err)
	}
	if at := uint64(p.meta.Interrupt); at%4 == 0 && at+8 <= uint64(len(all)) {
		i.soft, i.hard = cell(all, at), cell(all, at+4)
	}
	return nil
}
