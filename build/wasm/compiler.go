package wasm

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/neuralis-dev/neuralis/internal/cachedir"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/interrupt"
	"github.com/neuralis-dev/neuralis/internal/linearmemory"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// Options say how a Compiler works.
type Options struct {
	// CacheDir keeps the linked core and its machine code between runs. Empty: nothing is kept,
	// and every New costs about a second.
	CacheDir string
	// Toolchain is the version written into packages.
	Toolchain string
	// OnColdStart is called before the work that only the first run on a machine does.
	OnColdStart func()
	// Patience bounds how long a package's top-level code may run; 0 means DefaultPatience.
	Patience time.Duration
}

// DefaultPatience is long for code that only sets things up, and short for somebody who waits.
const DefaultPatience = 10 * time.Second

// Compiler turns bundles into modules. It is safe for concurrent use; Close it when done.
type Compiler struct {
	opts     Options
	core     []byte
	base     image.Image // memory after the engine was initialised
	meta     image.Meta
	cells    cells
	cache    wazero.CompilationCache
	onDisk   bool // cache outlives this compiler
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// Module is a built package.
type Module struct {
	// WASM is the plug-in, the content of dist/package.wasm.
	WASM []byte
	// Describe is what the guest says of itself: its tools, routes and lifecycle exports, as the
	// JSON of the describe hook.
	Describe json.RawMessage
	// ImageBytes and Pages are the size of the image and of the memory it fills.
	ImageBytes int
	Pages      uint32
	// Logs are what the package's top-level code wrote to the console.
	Logs []LogLine
	// What the next Snapshot can use, see Earlier: the keys of all sources; the bytecode of those that were compiled
	// or asked for; and a checkpoint, nil when the earlier one is still the best.
	Keys       []Key
	Bytecode   Bytecode
	Checkpoint *Checkpoint
}

// EvalError says that a bundle could not be evaluated. Stack is the engine's, with positions in
// the bundle.
type EvalError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack"`
	// Pending is set when nothing failed but a top-level await never settled.
	Pending bool `json:"-"`
	// TimedOut is set when the code ran for longer than Options.Patience; Stack tells where it was.
	TimedOut bool `json:"-"`
}

func (e *EvalError) Error() string {
	if e.Name == "" {
		return e.Message
	}
	return e.Name + ": " + e.Message
}

// New makes a compiler: it takes the core from the cache, or links it.
func New(ctx context.Context, opts Options) (*Compiler, error) {
	c := &Compiler{opts: opts}
	file := ""
	if opts.CacheDir != "" {
		file = coreFile(opts.CacheDir)
	}
	cold := true
	if file != "" {
		if module, err := readCache(file); err == nil {
			if c.core, c.base, c.meta, err = image.Split(module); err == nil && image.CoreHash(c.core) == c.meta.Core {
				cold = false
			}
		}
	}
	if cold && opts.OnColdStart != nil {
		opts.OnColdStart()
	}
	c.cache, c.onDisk = cachedir.OpenMachineCode(opts.CacheDir)
	if cold {
		if err := c.linkBase(ctx); err != nil {
			c.Close(ctx)
			return nil, err
		}
		if file != "" {
			// A cache that cannot be written costs time, not correctness.
			if module, err := image.Join(c.core, c.base, c.meta); err == nil {
				_ = writeCache(file, module)
			}
		}
	}
	c.cells = cells{base: c.meta.Interrupt - (cells{}).softInterrupt(), stackBottom: c.meta.Stack[0], stackTop: c.meta.Stack[1]}
	if c.compiled == nil {
		if err := c.compile(ctx); err != nil {
			c.Close(ctx)
			return nil, err
		}
	}
	return c, nil
}

// compile makes the core's machine code. When that fails with what is on the disk, the code is made
// in memory instead: a damaged file or a full disk costs time.
func (c *Compiler) compile(ctx context.Context) error {
	err := c.compileOnce(ctx)
	if err == nil && c.onDisk {
		cachedir.SealMachineCode(c.opts.CacheDir)
	}
	if err == nil || !c.onDisk || ctx.Err() != nil {
		return err
	}
	c.closeEngine(ctx)
	c.cache, c.onDisk = wazero.NewCompilationCache(), false
	if again := c.compileOnce(ctx); again != nil {
		return err // it was not the cache
	}
	cachedir.DiscardMachineCode(c.opts.CacheDir)
	return nil
}

func (c *Compiler) compileOnce(ctx context.Context) error {
	c.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithCompilationCache(c.cache).
		WithMemoryLimitPages(linearmemory.Limit/wasmbin.PageSize))
	if err := instantiateKernel(ctx, c.runtime); err != nil {
		return fmt.Errorf("preparing the engine: %w", err)
	}
	var err error
	if c.compiled, err = c.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), c.core); err != nil {
		return fmt.Errorf("compiling the engine: %w", err)
	}
	return nil
}

// linkBase links the core and initialises the engine once.
func (c *Compiler) linkBase(ctx context.Context) error {
	linked, err := link(quickjs.QuickJSWASM)
	if err != nil {
		return err
	}
	initial := image.Image{Pages: linked.module.Memories[0].Min, Segments: linked.module.Data}
	linked.module.Data = nil
	c.core = linked.module.Encode()
	c.cells = linked.cells
	c.base = initial
	if err := c.compile(ctx); err != nil {
		return err
	}
	instance, err := c.instantiate(ctx)
	if err != nil {
		return err
	}
	defer instance.close()
	if _, err := instance.call(exportInit); err != nil {
		return fmt.Errorf("initialising the engine: %w", err)
	}
	c.base = instance.capture().Clone()
	c.meta = image.Meta{
		Engine:    engineVersion,
		Core:      image.CoreHash(c.core),
		Interrupt: linked.cells.softInterrupt(),
		Stack:     [2]uint32{linked.cells.stackBottom, linked.cells.stackTop},
	}
	return nil
}

// Close frees the engine.
func (c *Compiler) Close(ctx context.Context) error { return c.closeEngine(ctx) }

func (c *Compiler) closeEngine(ctx context.Context) error {
	var err error
	if c.runtime != nil {
		err = c.runtime.Close(ctx)
	}
	return errors.Join(err, c.cache.Close(ctx))
}

// Core describes the core that this compiler builds on.
func (c *Compiler) Core() image.Meta { return c.meta }

// Identity is what a package says of itself besides its code.
type Identity struct{ ID, Version string }

// Source is an ES module. Its name is what stack traces and imports of other sources call it.
type Source struct {
	Name string
	Code []byte
}

// Snapshot evaluates sources and returns the module that wakes up in the state which that leaves.
// They are evaluated in order; each imports the one before it, and what else it uses of those before. earlier
// saves work, and may be nil. An error of the sources' own is an *EvalError.
func (c *Compiler) Snapshot(ctx context.Context, sources []Source, earlier *Earlier, id Identity) (*Module, error) {
	patience := c.opts.Patience
	if patience == 0 {
		patience = DefaultPatience
	}
	timeUp := fmt.Errorf("the package's top-level code ran for longer than %s", patience)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, timeUp)
	defer cancel()
	module, err := c.snapshot(ctx, sources, earlier, id)
	if err != nil && ctx.Err() != nil {
		if context.Cause(ctx) != timeUp {
			return nil, context.Cause(ctx)
		}
		ended := &EvalError{Message: timeUp.Error(), TimedOut: true}
		if thrown := (*EvalError)(nil); errors.As(err, &thrown) {
			ended.Stack = thrown.Stack
		}
		return nil, ended
	}
	return module, err
}

func (c *Compiler) snapshot(ctx context.Context, sources []Source, earlier *Earlier, id Identity) (*Module, error) {
	if earlier == nil {
		earlier = &Earlier{}
	}
	run, err := c.evaluate(ctx, sources, earlier)
	if err != nil {
		return nil, err
	}
	instance := run.instance
	defer instance.close()
	logs := instance.kernel.logs
	if err := instance.scrub(); err != nil {
		return nil, err
	}
	img := instance.capture()
	joined, err := image.Begin(c.core, img)
	if err != nil {
		return nil, err
	}
	// What the guest says of itself is asked after the image was taken: the call wakes the
	// instance up, and a snapshot must not be awake.
	describe, err := instance.request(exportLifecycle, []byte(`{"hook":"describe"}`))
	if err != nil {
		return nil, err
	}
	meta := c.meta
	meta.Toolchain, meta.Package, meta.ID, meta.Version = c.opts.Toolchain, describe, id.ID, id.Version
	module, err := joined.Finish(meta)
	if err != nil {
		return nil, err
	}
	return &Module{
		WASM: module, Describe: describe, ImageBytes: img.Size(), Pages: img.Pages, Logs: logs,
		Keys: run.keys, Bytecode: run.bytecode, Checkpoint: run.checkpoint,
	}, nil
}

// instance is a running core with its kernel.
type instance struct {
	ctx    context.Context
	c      *Compiler
	kernel *kernel
	module api.Module
	watch  *linearmemory.Watch

	interrupted bool // the context ended during a call
}

// unstarted is an instance with a kernel and without a memory.
func (c *Compiler) unstarted(ctx context.Context) *instance {
	i := &instance{c: c, kernel: newKernel(), watch: &linearmemory.Watch{}}
	i.ctx = linearmemory.WithAllocator(context.WithValue(ctx, kernelKey{}, i.kernel), i.watch)
	return i
}

// start gives an instance its core and so many pages of memory.
func (i *instance) start(pages uint32) error {
	module, err := i.c.runtime.InstantiateModule(i.ctx, i.c.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return fmt.Errorf("starting the engine: %w", err)
	}
	i.module = module
	memory := module.Memory()
	if have := memory.Size() / wasmbin.PageSize; have < pages {
		if _, ok := memory.Grow(pages - have); !ok {
			i.close()
			return errors.New("starting the engine: no memory")
		}
	}
	return nil
}

// instantiate makes an instance of the initialised engine.
func (c *Compiler) instantiate(ctx context.Context) (*instance, error) {
	i := c.unstarted(ctx)
	if err := i.start(c.base.Pages); err != nil {
		return nil, err
	}
	if err := c.base.Restore(i.memory()); err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

// scrub fills the heap's free memory with zeros. What the engine freed while it compiled the
// package would otherwise be part of the image, and is a good half of it.
func (i *instance) scrub() error {
	i.watch.Freeze(true) // allocating must find free memory, and not get more
	defer i.watch.Freeze(false)
	_, err := i.call(exportScrub)
	return err
}

func (i *instance) close() {
	if i.module != nil {
		i.module.Close(i.ctx)
	}
}

func (i *instance) memory() []byte {
	all, _ := i.module.Memory().Read(0, i.module.Memory().Size())
	return all
}

// capture is the image of the memory as it is now, which it shares.
func (i *instance) capture() image.Image {
	return image.Capture(i.memory(), i.c.cells.stackBottom, i.c.cells.stackTop)
}

func (i *instance) call(name string, args ...uint64) (uint32, error) {
	cells, ok := interrupt.At(i.memory(), i.c.cells.softInterrupt())
	if !ok {
		return 0, errors.New("the engine has no memory")
	}
	stop := cells.When(i.ctx)
	// The runtime itself looks at no context: the cells end the call.
	results, err := i.module.ExportedFunction(name).Call(context.WithoutCancel(i.ctx), args...)
	stop()
	if i.ctx.Err() != nil {
		i.interrupted = true
	}
	if err != nil {
		// The runtime's own stack is of no use to a package author: its first line says it all.
		first, _, _ := strings.Cut(err.Error(), "\n")
		return 0, fmt.Errorf("the engine stopped: %s", first)
	}
	if len(results) == 0 {
		return 0, nil
	}
	return uint32(results[0]), nil
}

// put copies bytes and a final zero into memory of the engine.
func (i *instance) put(data []byte) (uint32, error) {
	ptr, err := i.call(exportAlloc, uint64(len(data)+1))
	if err != nil {
		return 0, err
	}
	if ptr == 0 {
		return 0, errors.New("the bundle does not fit into memory")
	}
	memory := i.memory()[ptr:]
	copy(memory, data)
	memory[len(data)] = 0
	return ptr, nil
}

// take frees what put wrote, leaving zeros: freed memory is part of the image, and sources in it
// would only make it larger.
func (i *instance) take(ptr uint32, length int) error {
	clear(i.memory()[ptr : int(ptr)+length+1])
	_, err := i.call(exportFree, uint64(ptr))
	return err
}

// failureScript turns what was thrown into text, whatever it is.
const failureScript = `(() => {
	const e = globalThis.` + textFailure + `;
	const text = (f) => { try { return String(f()); } catch { return ''; } };
	if (typeof e === 'object' && e !== null && 'message' in e)
		return JSON.stringify({ name: text(() => e.name), message: text(() => e.message), stack: text(() => e.stack ?? '') });
	return JSON.stringify({ name: '', message: 'threw ' + text(() => typeof e === 'string' ? JSON.stringify(e) : e), stack: '' });
})()`

// load evaluates the last of the compiled sources; the others are there to be imported. Then it runs promise jobs.
func (i *instance) load(compiled [][]byte) error {
	for n, code := range compiled {
		ptr, err := i.put(code)
		if err != nil {
			return err
		}
		export := exportRead
		if n == len(compiled)-1 {
			export = exportLoad
		}
		status, err := i.call(export, uint64(ptr), uint64(len(code)))
		switch {
		case err != nil:
			return &EvalError{Message: err.Error()}
		case status == evalFailed:
			return i.failure()
		case status == evalPending:
			return &EvalError{Message: "a top-level await never settled", Pending: true}
		}
		if err := i.take(ptr, len(code)); err != nil {
			return err
		}
	}
	return nil
}

// failure reads what the last compile or load threw.
func (i *instance) failure() error {
	fail := &EvalError{Message: "the package's code threw an error that could not be read"}
	const name = "<neuralis>"
	src, err := i.put([]byte(failureScript))
	if err != nil {
		return fail
	}
	file, err := i.put([]byte(name))
	if err != nil {
		return fail
	}
	if i.interrupted {
		// What was thrown is still to be read, and the context that ended must not end that.
		i.ctx = context.WithoutCancel(i.ctx)
	}
	if status, err := i.call(exportEval, uint64(src), uint64(len(failureScript)), uint64(file)); err != nil || status != evalDone {
		return fail
	}
	ptr, err := i.call(exportText)
	if err != nil || ptr == 0 {
		return fail
	}
	if err := json.Unmarshal(i.lengthAt(ptr), fail); err != nil {
		return fmt.Errorf("reading the engine's error: %w", err)
	}
	return fail
}

// lengthAt is the memory at ptr, as long as the length cell says.
func (i *instance) lengthAt(ptr uint32) []byte {
	memory := i.memory()
	length := binary.LittleEndian.Uint32(memory[i.c.cells.length():])
	return memory[ptr : ptr+length]
}

// request makes one call of the plug-in.
func (i *instance) request(export string, input []byte) ([]byte, error) {
	i.kernel.input = i.kernel.alloc(input)
	status, err := i.call(export)
	if err != nil {
		return nil, &EvalError{Message: err.Error()}
	}
	if status == 0 {
		return i.kernel.output, nil
	}
	fail := &EvalError{}
	if json.Unmarshal(i.kernel.err, fail) != nil {
		fail.Message = string(i.kernel.err)
	}
	return nil, fail
}
