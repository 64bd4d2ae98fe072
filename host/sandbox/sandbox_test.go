package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/neuralis-dev/neuralis/build/wasm"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// What the tests of this package share: a compiler, and an engine that has its core.
var shared struct {
	compiler *wasm.Compiler
	engine   *sandbox.Engine
	options  sandbox.Options // of engine: another one with them finds the machine code in the cache
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "neuralis-sandbox-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		ctx := context.Background()
		if shared.compiler, err = wasm.New(ctx, wasm.Options{CacheDir: dir}); err != nil {
			panic(err)
		}
		defer shared.compiler.Close(ctx)
		shared.options = sandbox.Options{CacheDir: dir, Cores: []image.Core{ownCore()}}
		shared.engine = sandbox.NewEngine(shared.options)
		defer shared.engine.Close(ctx)
		return m.Run()
	}())
}

// ownCore is the core that the compiler in this program links, whether or not a release has it.
func ownCore() image.Core {
	meta := shared.compiler.Core()
	return image.Core{Hash: meta.Core, Interrupt: meta.Interrupt}
}

// prelude is a guest as small as one can be: handler(input) is called, its result is the output.
const prelude = `
const native = globalThis.__neuralis_native; delete globalThis.__neuralis_native;
let settled;
const fail = (e) => native(2, JSON.stringify({ name: e?.name ?? '', message: String(e?.message ?? e), stack: e?.stack ?? '' }));
native(16,
	(kind) => { settled = undefined; const text = native(0);
		if (kind === 2) { settled = { ok: {} }; return; }
		(async () => handler(JSON.parse(text)))().then(ok => settled = { ok }, error => settled = { error }); },
	() => { if (!settled) { fail(new Error('never settles')); return 1; }
		if ('error' in settled) { fail(settled.error); return 1; }
		native(1, JSON.stringify(settled.ok) ?? 'null'); return 0; },
	() => {},
	fail);
`

func compile(t testing.TB, source string) []byte {
	t.Helper()
	module, err := shared.compiler.Snapshot(context.Background(), []wasm.Source{{Name: "bundle.js", Code: []byte(prelude + source)}}, nil, wasm.Identity{ID: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return module.WASM
}

func load(t testing.TB, module []byte, limits sandbox.Limits) *sandbox.Plugin {
	t.Helper()
	plugin, err := shared.engine.Load(context.Background(), module, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plugin.Close(context.Background()) })
	return plugin
}

func instance(t testing.TB, plugin *sandbox.Plugin) *sandbox.Instance {
	t.Helper()
	i, err := plugin.Instance(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.Close(context.Background()) })
	return i
}

// start is an instance of a package with the given handler.
func start(t testing.TB, source string) *sandbox.Instance {
	t.Helper()
	return instance(t, load(t, compile(t, source), sandbox.Limits{}))
}

// ports answers with a function.
type ports struct {
	answer func(ctx context.Context, request string) string
	lines  []string
}

func (p *ports) Answer(ctx context.Context, request []byte) []byte {
	return []byte(p.answer(ctx, string(request)))
}

func (p *ports) Log(_ context.Context, level int, message string) {
	p.lines = append(p.lines, fmt.Sprint(level, " ", message))
}

func call(i *sandbox.Instance, input string, p sandbox.Ports) (string, error) {
	output, err := i.Call(context.Background(), sandbox.ExportTool, []byte(input), p)
	return string(output), err
}

func mustCall(t *testing.T, i *sandbox.Instance, input, want string) {
	t.Helper()
	if got, err := call(i, input, nil); err != nil || got != want {
		t.Fatalf("got %s, %v; want %s", got, err, want)
	}
}

func TestCall(t *testing.T) {
	i := start(t, `let calls = 0; const handler = async (x) => { await null; return [++calls, x, native(3, 'request é')] }`)
	p := &ports{answer: func(_ context.Context, request string) string { return "answer to " + request }}
	for n := 1; n < 4; n++ {
		want := fmt.Sprintf(`[%d,{"a":"ü"},"answer to request é"]`, n)
		if got, err := call(i, `{"a":"ü"}`, p); err != nil || got != want {
			t.Fatalf("got %s, %v", got, err)
		}
	}
}

func TestWithoutPorts(t *testing.T) {
	i := start(t, `const handler = () => { native(4, 4, 'into the void'); return JSON.parse(native(3, '{}')).error.code }`)
	mustCall(t, i, "1", `"unsupported"`)
	mustCall(t, i, "1", `"unsupported"`)
}

func TestGuestErrors(t *testing.T) {
	i := start(t, `const handler = (x) => { if (x === 1) throw new TypeError('no ' + x); return x }`)
	_, err := call(i, "1", nil)
	var fail *sandbox.GuestError
	if !errors.As(err, &fail) || fail.Name != "TypeError" || fail.Message != "no 1" || !strings.Contains(fail.Stack, "bundle.js:") {
		t.Fatalf("got %#v", err)
	}
	if !i.Usable() {
		t.Error("an error of the guest's took the instance")
	}
	mustCall(t, i, "2", "2")
	if _, err := i.Call(context.Background(), "noSuchExport", nil, nil); err == nil {
		t.Error("an export that does not exist was called")
	}
}

func TestLogs(t *testing.T) {
	i := start(t, `const handler = () => { for (const l of [0, 1, 2, 3, 4]) native(4, l, 'm' + l); native(4, 2, 'Calling function : handleTool') }`)
	p := &ports{}
	for range 2 {
		p.lines = nil
		if _, err := call(i, "1", p); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.lines, ","); got != "1 m0,1 m1,2 m2,3 m3,4 m4,2 Calling function : handleTool" {
			t.Errorf("got %s", got)
		}
	}
}

// Lines of one call must not fill the kernel's memory, which has the same limit as the guest's.
func TestLogsAreFreed(t *testing.T) {
	i := instance(t, load(t, compile(t, `const handler = () => { const s = 'x'.repeat(1e5); for (let n = 0; n < 250; n++) native(4, 2, s); return 1 }`), sandbox.Limits{MemoryPages: 192}))
	mustCall(t, i, "1", "1")
}

func TestInstancesAreApart(t *testing.T) {
	plugin := load(t, compile(t, `globalThis.count = 0; const handler = () => [++count, Math.random()]`), sandbox.Limits{})
	a, err := call(instance(t, plugin), "1", nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := call(instance(t, plugin), "1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(a, "[1,") || !strings.HasPrefix(b, "[1,") || a == b {
		t.Errorf("got %s and %s", a, b)
	}
}

func TestConcurrentInstances(t *testing.T) {
	const n = 8
	modules := [][]byte{compile(t, `const handler = (x) => x * 2`), compile(t, `const handler = (x) => x * 2 + 0`)}
	engine := sandbox.NewEngine(shared.options)
	defer engine.Close(context.Background())
	var group sync.WaitGroup
	for g := range n {
		group.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			plugin, err := engine.Load(ctx, modules[g%2], sandbox.Limits{})
			if err != nil {
				t.Error(err)
				return
			}
			defer plugin.Close(ctx)
			i, err := plugin.Instance(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			defer i.Close(ctx)
			for k := range 20 {
				if got, err := i.Call(ctx, sandbox.ExportTool, []byte(fmt.Sprint(k)), &ports{}); err != nil || string(got) != fmt.Sprint(k*2) {
					t.Errorf("got %s, %v", got, err)
				}
			}
		})
	}
	group.Wait()
}

func TestImageLargerThanTheLimit(t *testing.T) {
	module := compile(t, `const big = new Uint8Array(20e6).fill(1); const handler = () => big.length`)
	if _, err := shared.engine.Load(context.Background(), module, sandbox.Limits{MemoryPages: 300}); err == nil || !strings.Contains(err.Error(), "19200 KiB are allowed") {
		t.Errorf("got %v", err)
	}
	mustCall(t, instance(t, load(t, module, sandbox.Limits{MemoryPages: 1024})), "1", "20000000")
}

func TestMemoryLimit(t *testing.T) {
	plugin := load(t, compile(t, `const handler = (n) => { const all = []; for (let i = 0; i < n; i++) all.push(new Uint8Array(1e6).fill(1)); return all.length }`), sandbox.Limits{MemoryPages: 1024})
	i := instance(t, plugin)
	mustCall(t, i, "10", "10")
	_, err := call(i, "100", nil)
	var fail *sandbox.GuestError
	if !errors.As(err, &fail) || !strings.Contains(fail.Message, "out of memory") {
		t.Fatalf("got %v", err)
	}
	if i.Usable() {
		mustCall(t, i, "10", "10")
	}
}

func TestInputLargerThanTheLimit(t *testing.T) {
	i := instance(t, load(t, compile(t, `const handler = (s) => s.length`), sandbox.Limits{MemoryPages: 256}))
	if _, err := call(i, `"`+strings.Repeat("x", 16<<20)+`"`, nil); !errors.Is(err, sandbox.ErrTooLarge) || !i.Usable() {
		t.Fatalf("got %v", err)
	}
	// What fits into the kernel but not into the guest is the guest's error.
	if _, err := call(i, `"`+strings.Repeat("x", 13<<20)+`"`, nil); err == nil || !strings.Contains(err.Error(), "out of memory") {
		t.Fatalf("got %v", err)
	}
	if i.Usable() {
		mustCall(t, i, `"abc"`, "3")
	}
}

func TestAnswerLargerThanTheLimit(t *testing.T) {
	i := instance(t, load(t, compile(t, `const handler = () => native(3, '{}').length`), sandbox.Limits{MemoryPages: 1024}))
	if got, err := call(i, "1", &ports{answer: func(context.Context, string) string { return strings.Repeat("x", 100<<20) }}); err == nil {
		t.Fatalf("got %s", got)
	}
	if got, err := call(i, "1", &ports{answer: func(context.Context, string) string { return "short" }}); err == nil && got != "5" {
		t.Fatalf("got %s", got)
	}
}

func TestHostThatPanics(t *testing.T) {
	i := start(t, `const handler = (x) => x === 1 ? native(3, '{}') : x`)
	mustCall(t, i, "2", "2")
	_, err := call(i, "1", &ports{answer: func(context.Context, string) string { panic("the host is broken") }})
	if !errors.Is(err, sandbox.ErrTrapped) || !strings.Contains(err.Error(), "the host is broken") {
		t.Fatalf("got %v", err)
	}
	if i.Usable() {
		t.Error("the instance counts as usable")
	}
	if _, err := call(i, "2", nil); !errors.Is(err, sandbox.ErrUnusable) {
		t.Errorf("got %v", err)
	}
}

func TestDeepRecursionIsTheGuestsError(t *testing.T) {
	i := start(t, `const f = () => f() + 1; const handler = (x) => x === 1 ? f() : x`)
	_, err := call(i, "1", nil)
	var fail *sandbox.GuestError
	if !errors.As(err, &fail) || fail.Name != "RangeError" {
		t.Fatalf("got %v", err)
	}
	mustCall(t, i, "2", "2")
}

// foreign is a plug-in of somebody else: it doubles the first byte of its input. loop never ends.
func foreign() *wasmbin.Module {
	types := []wasmbin.FuncType{
		{Results: []wasmbin.ValueType{wasmbin.I64}},
		{Params: []wasmbin.ValueType{wasmbin.I64}, Results: []wasmbin.ValueType{wasmbin.I32}},
		{Params: []wasmbin.ValueType{wasmbin.I64}, Results: []wasmbin.ValueType{wasmbin.I64}},
		{Params: []wasmbin.ValueType{wasmbin.I64, wasmbin.I32}},
		{Params: []wasmbin.ValueType{wasmbin.I64, wasmbin.I64}},
		{Results: []wasmbin.ValueType{wasmbin.I32}},
	}
	const alloc, inputLoad, store, outputSet = 0, 1, 2, 3
	double := wasmbin.NewAssembler(0)
	off := double.Local(wasmbin.I64)
	double.I64Const(1).Call(alloc).LocalTee(off)
	double.I64Const(0).Call(inputLoad).I32Const(2).I32Mul().Call(store)
	double.LocalGet(off).I64Const(1).Call(outputSet).I32Const(0)
	loop := wasmbin.NewAssembler(0).Loop().Br(0).End().I32Const(0)
	return &wasmbin.Module{
		Types: types,
		Imports: []wasmbin.Import{
			{Module: "extism:host/env", Name: "alloc", Type: 2},
			{Module: "extism:host/env", Name: "input_load_u8", Type: 1},
			{Module: "extism:host/env", Name: "store_u8", Type: 3},
			{Module: "extism:host/env", Name: "output_set", Type: 4},
		},
		Funcs:    []wasmbin.Func{{Type: 5, Body: double.Body()}, {Type: 5, Body: loop.Body()}},
		Memories: []wasmbin.Limits{{Min: 1}},
		Exports:  []wasmbin.Export{{Name: "double", Index: 4}, {Name: "loop", Index: 5}},
	}
}

func TestForeignPlugin(t *testing.T) {
	plugin := load(t, foreign().Encode(), sandbox.Limits{MemoryPages: 64})
	if plugin.Meta().Format != 0 {
		t.Errorf("meta %+v", plugin.Meta())
	}
	i := instance(t, plugin)
	for range 2 {
		if got, err := i.Call(context.Background(), "double", []byte("!"), nil); err != nil || string(got) != "B" {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := i.Call(ctx, "loop", nil, nil)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, sandbox.ErrInterrupted) {
		t.Fatalf("got %v", err)
	}
}

// disguised is somebody else's code that says it was made by this toolchain.
func disguised(t testing.TB, m *wasmbin.Module, meta image.Meta) []byte {
	t.Helper()
	i32 := wasmbin.FuncType{Results: []wasmbin.ValueType{wasmbin.I32}}
	m.Types = append(m.Types, i32)
	m.Exports = append(m.Exports, wasmbin.Export{Name: "neuralis_restore", Index: uint32(len(m.Imports) + len(m.Funcs))})
	m.Funcs = append(m.Funcs, wasmbin.Func{Type: uint32(len(m.Types) - 1), Body: wasmbin.NewAssembler(0).I32Const(0).Body()})
	module, err := image.Join(m.Encode(), image.Image{Pages: m.Memories[0].Min}, meta)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// Code that only claims to be ours has no cells that anybody should rely on: it must end all the same.
func TestDisguisedPluginEnds(t *testing.T) {
	for _, interrupt := range []uint32{0, 64, 65536 - 8, 65536 - 4, 65535, 1, 0xffffffff, 0xfffffff8} {
		i := instance(t, load(t, disguised(t, foreign(), image.Meta{Engine: "x", Interrupt: interrupt}), sandbox.Limits{MemoryPages: 64}))
		if got, err := i.Call(context.Background(), "double", []byte("!"), nil); err != nil || string(got) != "B" {
			t.Fatalf("got %q, %v", got, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			_, err := i.Call(ctx, "loop", nil, nil)
			done <- err
		}()
		cancel()
		if err := <-done; !errors.Is(err, sandbox.ErrInterrupted) {
			t.Fatalf("interrupt at %d: got %v", interrupt, err)
		}
	}
}

// A module may lie about where its cells are, though its code is ours.
func TestLyingAboutTheCells(t *testing.T) {
	core, img, meta, err := image.Split(compile(t, `const handler = () => { native(3, ''); for (;;); }`))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []uint32{0, 3, 128, 0xffffffff} {
		meta.Interrupt = at
		module, err := image.Join(core, img, meta)
		if err != nil {
			t.Fatal(err)
		}
		if err := interrupted(instance(t, load(t, module, sandbox.Limits{})), "1"); !errors.Is(err, sandbox.ErrInterrupted) {
			t.Errorf("interrupt at %d: got %v", at, err)
		}
	}
}

func Example() {
	ctx := context.Background()
	engine := sandbox.NewEngine(shared.options)
	defer engine.Close(ctx)
	source := prelude + "const handler = ({ name }) => `Hello, ${name}!`"
	module, err := shared.compiler.Snapshot(ctx, []wasm.Source{{Name: "bundle.js", Code: []byte(source)}}, nil, wasm.Identity{})
	if err != nil {
		fmt.Println(err)
		return
	}
	plugin, err := engine.Load(ctx, module.WASM, sandbox.Limits{MemoryPages: 1024})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer plugin.Close(ctx)
	instance, err := plugin.Instance(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer instance.Close(ctx)
	output, err := instance.Call(ctx, sandbox.ExportTool, json.RawMessage(`{"name":"Ada"}`), nil)
	fmt.Println(string(output), err)
	// Output: "Hello, Ada!" <nil>
}
