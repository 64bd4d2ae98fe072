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

	"github.com/neuralis-dev/neuralis/internal/cachedir"
	"github.com/neuralis-dev/neuralis/internal/direct"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/interrupt"
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
	// Cores are trusted besides those that released toolchains have made (image.Cores): the core of
	// the compiler in the same program, say. A plug-in with any other core runs much slower, since
	// the runtime has to see to it that it ends.
	Cores []image.Core
}

// Limits bound what an instance may use.
type Limits struct {
	// MemoryPages is the most linear memory, in pages of 64 KiB; 0 means the largest there is.
	MemoryPages uint32
	// AllowedHosts are the host names, with * as a wildcard, that a foreign plug-in may send requests to.
	// Packages of this toolchain send theirs through the Ports.
	AllowedHosts []string
}

// Engine loads plug-ins and owns their machine code. It is safe for concurrent use, and must
// outlive every plug-in and instance.
type Engine struct {
	cache    wazero.CompilationCache
	cacheDir string                  // where cache is kept; empty when it is in memory
	memory   wazero.CompilationCache // takes the place of a cache on the disk that fails
	trusted  map[string]uint32       // address of the cells, by the core's hash

	// ballast is never touched, and so takes no memory but for the collector's reckoning. A host's own heap is a few
	// megabytes, as the memory of guests is outside of it, and Go would collect it every ten calls.
	ballast []byte

	mu    sync.Mutex
	cores map[coreKey]*core
}

// ballastBytes is how much garbage there may be at least before Go collects it: that of about a hundred calls.
const ballastBytes = 16 << 20

// coreKey names a compiled core. The memory limit is part of it because the runtime applies it
// when it compiles.
type coreKey struct {
	hash        string
	memoryPages uint32
}

// core is a compiled core and how many plug-ins use it. What this toolchain made stays until the
// engine is closed; a core of somebody else's goes with its last plug-in.
type core struct {
	key      coreKey
	users    int // guarded by Engine.mu
	once     sync.Once
	compiled *extism.CompiledPlugin
	err      error
}

// NewEngine makes an engine.
func NewEngine(opts Options) *Engine {
	// The SDK has one log level for the process; what is kept is for the host to say.
	extism.SetLogLevel(extism.LogLevelDebug)
	e := &Engine{ballast: make([]byte, ballastBytes), memory: wazero.NewCompilationCache(), cores: map[coreKey]*core{}, trusted: map[string]uint32{}}
	for _, c := range append(image.Cores(), opts.Cores...) {
		e.trusted[c.Hash] = c.Interrupt
	}
	disk := false
	if e.cache, disk = cachedir.OpenMachineCode(opts.CacheDir); disk {
		e.cacheDir = opts.CacheDir
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
	return errors.Join(append(errs, e.cache.Close(ctx), e.memory.Close(ctx))...)
}

// Plugin is a loaded package, ready to make instances of. It is safe for concurrent use.
type Plugin struct {
	meta     image.Meta
	image    *image.Image // nil for a foreign plug-in
	compiled *extism.CompiledPlugin
	trusted  bool   // the code is ours, and looks at its cells
	cells    uint32 // where they are
	limits   Limits
	close    func(context.Context) error
}

// Load prepares a plug-in. It does not keep module.
func (e *Engine) Load(ctx context.Context, module []byte, limits Limits) (*Plugin, error) {
	if limits.MemoryPages == 0 || limits.MemoryPages > linearmemory.Limit/wasmbin.PageSize {
		limits.MemoryPages = linearmemory.Limit / wasmbin.PageSize
	}
	code, img, meta, err := image.Split(module)
	if errors.Is(err, image.ErrForeign) {
		compiled, err := e.compile(ctx, module, limits, false)
		if err != nil {
			return nil, err
		}
		return &Plugin{compiled: compiled, limits: limits, close: once(compiled.Close)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the plug-in: %w", err)
	}
	if img.Pages > limits.MemoryPages {
		return nil, fmt.Errorf("the plug-in starts with %d KiB of memory; %d KiB are allowed", img.Pages*64, limits.MemoryPages*64)
	}
	hash := image.CoreHash(code)
	cells, trusted := e.trusted[hash]
	c := e.acquire(coreKey{hash, limits.MemoryPages})
	c.once.Do(func() {
		// Others wait for the same core: that this caller gives up must not be its end.
		c.compiled, c.err = e.compile(context.WithoutCancel(ctx), code, limits, trusted)
	})
	if c.err != nil {
		return nil, errors.Join(c.err, e.release(ctx, c, trusted))
	}
	img = img.Clone()
	return &Plugin{meta: meta, image: &img, compiled: c.compiled, trusted: trusted, cells: cells, limits: limits, close: once(func(ctx context.Context) error {
		return e.release(ctx, c, trusted)
	})}, nil
}

// once makes a function that does nothing the second time.
func once(f func(context.Context) error) func(context.Context) error {
	var done sync.Once
	return func(ctx context.Context) (err error) {
		done.Do(func() { err = f(ctx) })
		return err
	}
}

func (e *Engine) acquire(key coreKey) *core {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.cores[key]
	if c == nil {
		c = &core{key: key}
		e.cores[key] = c
	}
	c.users++
	return c
}

// release takes a user from a core, and frees it when nobody is likely to want it again.
func (e *Engine) release(ctx context.Context, c *core, keep bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.users--
	if e.cores[c.key] != c || c.users > 0 || keep && c.err == nil {
		return nil
	}
	delete(e.cores, c.key)
	if c.compiled == nil {
		return nil
	}
	return c.compiled.Close(ctx)
}

// compile makes machine code. Code that is not ours has no cells that end it, so the runtime itself
// must look whether its time is over, which costs it much of its speed. A cache on the disk that is
// damaged or full costs time and nothing else.
func (e *Engine) compile(ctx context.Context, code []byte, limits Limits, trusted bool) (*extism.CompiledPlugin, error) {
	compiled, err := compileWith(ctx, e.cache, code, limits, trusted)
	if err == nil {
		cachedir.SealMachineCode(e.cacheDir)
	}
	if err == nil || e.cacheDir == "" || ctx.Err() != nil {
		return compiled, err
	}
	compiled, again := compileWith(ctx, e.memory, code, limits, trusted)
	if again != nil {
		return nil, err // it was not the cache
	}
	cachedir.DiscardMachineCode(e.cacheDir)
	return compiled, nil
}

func compileWith(ctx context.Context, cache wazero.CompilationCache, code []byte, limits Limits, trusted bool) (*extism.CompiledPlugin, error) {
	if !trusted {
		within, err := bounded(code)
		if err != nil {
			return nil, fmt.Errorf("compiling the plug-in: %w", err)
		}
		code = within
	}
	config := wazero.NewRuntimeConfig().WithCompilationCache(cache).WithMemoryLimitPages(limits.MemoryPages).WithCloseOnContextDone(!trusted)
	compiled, err := extism.NewCompiledPlugin(ctx, extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmData{Data: code}},
	}, extism.PluginConfig{EnableWasi: true, RuntimeConfig: config}, []extism.HostFunction{portFunction()})
	if err != nil {
		return nil, fmt.Errorf("compiling the plug-in: %w", err)
	}
	return compiled, nil
}

// Close frees what the plug-in has for itself. No instance of it may be left.
func (p *Plugin) Close(ctx context.Context) error { return p.close(ctx) }

// Meta describes a plug-in made by this toolchain; it is zero for others.
func (p *Plugin) Meta() image.Meta { return p.meta }

// Instance makes an instance. Code of a foreign plug-in may run meanwhile, until ctx ends; then the error
// is ErrInterrupted.
func (p *Plugin) Instance(ctx context.Context) (i *Instance, err error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("starting the plug-in: %w: %w", ErrInterrupted, context.Cause(ctx))
	}
	// The SDK shows the memory of a plug-in to nobody; its allocator is where it can be seen. The
	// kernel's memory is made first, the plug-in's last.
	memory := &linearmemory.Watch{}
	memory.Hold()
	defer func() {
		if err == nil {
			return
		}
		memory.Release()
		if ctx.Err() != nil {
			err = fmt.Errorf("starting the plug-in: %w: %w", ErrInterrupted, context.Cause(ctx))
		}
	}()
	ctx = linearmemory.WithAllocator(ctx, memory)
	plugin, err := p.instantiate(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting the plug-in: %w", err)
	}
	// The SDK's function follows redirects, whoever they lead to. Packages of ours ask the ports, which
	// do not; others have nothing else.
	plugin.AllowedHosts = []string{}
	if p.image == nil {
		plugin.AllowedHosts = append(plugin.AllowedHosts, p.limits.AllowedHosts...)
	}
	plugin.SetLogger(func(extism.LogLevel, string) {})
	i = &Instance{plugin: plugin, memory: memory, largest: int(p.limits.MemoryPages)*wasmbin.PageSize - kernelReserve}
	if p.image != nil {
		if err := i.restore(ctx, p, memory); err != nil {
			plugin.CloseWithContext(context.WithoutCancel(ctx))
			return nil, err
		}
	}
	return i, nil
}

// kernelReserve is the part of its memory that the Extism kernel has for itself, generously.
const kernelReserve = 2 << 20

// instantiate makes the SDK's instance. The runtime panics when there is no memory for it.
func (p *Plugin) instantiate(ctx context.Context) (plugin *extism.Plugin, err error) {
	defer func() {
		if r := recover(); r != nil {
			plugin, err = nil, fmt.Errorf("no memory: %v", r)
		}
	}()
	return p.compiled.Instance(ctx, extism.PluginInstanceConfig{
		ModuleConfig: wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader),
	})
}

func (i *Instance) restore(ctx context.Context, p *Plugin, memory *linearmemory.Watch) error {
	input := binary.LittleEndian.AppendUint64(nil, uint64(p.image.Pages))
	input = binary.LittleEndian.AppendUint64(input, direct.Offer)
	status, _, err := i.plugin.CallWithContext(ctx, exportRestore, input)
	if err != nil || status != 0 && status != direct.Accepted {
		return fmt.Errorf("starting the plug-in: no memory for its image of %d KiB (status %d, %v)", p.image.Pages*64, status, err)
	}
	i.direct = status == direct.Accepted
	all := memory.Last()
	if err := p.image.Restore(all); err != nil {
		return fmt.Errorf("starting the plug-in: %w", err)
	}
	// Where the cells are follows from the core's hash, and never from what the module says.
	if cells, ok := interrupt.At(all, p.cells); ok && p.trusted {
		i.cells = &cells
	}
	return nil
}
