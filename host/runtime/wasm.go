package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

// pagesPerMiB is how many pages of linear memory a MiB has.
const pagesPerMiB = 16

// maxModule is the largest module that is loaded, in bytes.
const maxModule = 256 << 20

// WASMOptions are how sandboxed packages run.
type WASMOptions struct {
	// MaxInstances is how many calls of one package run at the same time; more wait. 0 is 8. A call that a
	// package makes while it answers one does not wait, since it would wait for itself.
	MaxInstances int
	// IdleAfter is how long an instance stays that no call wants; 0 is a minute. See [Slot.Idle].
	IdleAfter time.Duration
	// Now is the clock that IdleAfter is measured by; nil is time.Now.
	Now func() time.Time
}

// WASM runs sandboxed packages. All of them share the engine.
type WASM struct {
	engine *sandbox.Engine
	opts   WASMOptions
}

// NewWASM makes the runtime. The engine must outlive the packages.
func NewWASM(engine *sandbox.Engine, opts WASMOptions) *WASM {
	if opts.MaxInstances <= 0 {
		opts.MaxInstances = 8
	}
	if opts.IdleAfter <= 0 {
		opts.IdleAfter = time.Minute
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &WASM{engine: engine, opts: opts}
}

// Load implements Runtime. The package is an [Idler]: told to look, it drops instances that are idle for too long.
// No instance is made yet, and no code of the package runs.
func (w *WASM) Load(ctx context.Context, src Source) (Package, error) {
	module, err := readModule(src)
	if err != nil {
		return nil, &Failure{Kind: Unavailable, Message: fmt.Sprintf("the module of %s cannot be read: %v", src.ID, err), Err: err}
	}
	limits := sandbox.Limits{MemoryPages: uint32(max(src.Limits.MemoryMiB, 0)) * pagesPerMiB}
	if src.Limits.Network {
		limits.AllowedHosts = src.AllowedHosts
	}
	plugin, err := w.engine.Load(ctx, module, limits)
	if err != nil {
		return nil, &Failure{Kind: Unavailable, Message: fmt.Sprintf("the module of %s cannot be loaded: %v", src.ID, err), Err: err}
	}
	return &wasmPackage{src: src, plugin: plugin, pool: newPool(plugin, w.opts), places: mapOf(src.Dir, src.Module)}, nil
}

// readModule reads the module, and sees to it that it is the one that was meant.
func readModule(src Source) ([]byte, error) {
	root, err := regularfile.Root(src.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	module, err := regularfile.ReadIn(root, filepath.FromSlash(src.Module), maxModule)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(module); src.Hash != "" && hex.EncodeToString(sum[:]) != src.Hash {
		return nil, fmt.Errorf("%s is not the file that was found any more; look for packages again", src.Module)
	}
	return module, nil
}

// wasmPackage is a loaded module with its instances.
type wasmPackage struct {
	src    Source
	plugin *sandbox.Plugin
	pool   *pool
	places places
}

func (p *wasmPackage) CallTool(ctx context.Context, call ToolCall) (json.RawMessage, error) {
	input, err := toolInput(call)
	if err != nil {
		return nil, err
	}
	return p.call(ctx, sandbox.ExportTool, input, call.Caller)
}

func (p *wasmPackage) CallRoute(ctx context.Context, call RouteCall) (*RouteAnswer, error) {
	// Before it is written as JSON, which may be six times as long.
	if most := p.src.Limits.MemoryMiB << 20; most > 0 && len(call.Body) > most {
		return nil, &Failure{Kind: TooLarge, Message: fmt.Sprintf("the body has %d bytes, and the package has %d MiB of memory", len(call.Body), p.src.Limits.MemoryMiB), Err: sandbox.ErrTooLarge}
	}
	input, err := routeInput(call)
	if err != nil {
		return nil, err
	}
	output, err := p.call(ctx, sandbox.ExportRoute, input, call.Caller)
	if err != nil {
		return nil, err
	}
	return routeAnswer(output)
}

func (p *wasmPackage) CallLifecycle(ctx context.Context, call LifecycleCall) (json.RawMessage, error) {
	input, err := lifecycleInput(call)
	if err != nil {
		return nil, err
	}
	return p.call(ctx, sandbox.ExportLifecycle, input, call.Caller)
}

// call runs an export on an instance of its own.
func (p *wasmPackage) call(ctx context.Context, export string, input []byte, caller Caller) ([]byte, error) {
	instance, err := p.pool.get(ctx)
	if err != nil {
		return nil, err
	}
	keep := false
	defer func() { p.pool.put(instance, keep) }()
	var ports Ports
	if p.src.Ports != nil {
		ports = &placedPorts{p.src.Ports(caller), p.places}
		defer ports.Close()
	}
	output, err := instance.Call(within(ctx), export, input, ports)
	// An instance that has grown to its limit stays that large.
	keep = instance.Usable() && (err == nil || !exhausted(err))
	if err != nil {
		f, guest := failed(ctx, err)
		p.explain(f, caller, guest)
		return nil, f
	}
	return output, nil
}

func (p *wasmPackage) Health() Health { return p.pool.health() }

// Idle implements Idler.
func (p *wasmPackage) Idle() { p.pool.dropIdle() }

func (p *wasmPackage) Close(ctx context.Context) error {
	p.pool.close()
	return p.plugin.Close(ctx)
}

// nestedKey is the key, in a context, of whether a call of a package is running in it.
type nestedKey struct{}

// within is the context of what a call of a package does.
func within(ctx context.Context) context.Context {
	if nested(ctx) {
		return ctx
	}
	return context.WithValue(ctx, nestedKey{}, true)
}

// nested reports whether a call is made by a package that is answering another one.
func nested(ctx context.Context) bool { return ctx.Value(nestedKey{}) != nil }

// guard turns a panic into an error.
func guard[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}
