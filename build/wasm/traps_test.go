package wasm

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// Each test here stands for a way in which a snapshot of an engine can be subtly wrong.

// catching runs f, which recurses without end, and reports what it ends in; then it allocates and
// checks memory, because an overflow that was not caught shows as corruption.
const catching = `
function outcome(f) {
	let kind = 'returned';
	try { f() } catch (e) { kind = e instanceof RangeError ? 'RangeError' : e instanceof SyntaxError ? 'SyntaxError' : String(e) }
	const check = []; for (let i = 0; i < 5000; i++) check.push({ i, s: 'x' + i });
	if (!check.every((c, i) => c.i === i && c.s === 'x' + i)) return 'corrupted';
	return kind;
}
let depth = 0;
const recursions = {
	plain() { const f = () => { depth++; f() }; f() },
	withLocals() { const f = (a,b,c,d,e,g) => { const x=[a,b,c,d,e,g]; return f(...x, 1) + 1 }; f() },
	getter() { const o = { get x() { return this.x } }; o.x },
	toStringConversion() { const o = { toString() { return '' + o } }; '' + o },
	map() { const f = () => [1].map(f); f() },
	sort() { const f = () => [2,1].sort(f); f() },
	replace() { const f = () => 'a'.replace(/a/, f); f() },
	apply() { const f = () => Reflect.apply(f, null, []); f() },
	bound() { let f = () => 1; for (let i = 0; i < 3e4; i++) { f = f.bind(null); Object.defineProperty(f, 'name', { value: '' }) } f() },
	proxies() { let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x },
	construct() { class A { constructor() { new A() } } new A() },
	generator() { function* g() { yield* g() } [...g()] },
	asyncFunction() { const f = async () => { await f() }; f() },
	bigSpread() { const a = new Array(1000).fill(0); const f = (...r) => f(...a); f() },
	parseJSON() { JSON.parse('['.repeat(1e6)) },
	parseJSONObjects() { JSON.parse('{"a":'.repeat(1e6)) },
	stringifyNested() { let o = []; for (let i = 0; i < 2.5e4; i++) o = [o]; JSON.stringify(o) },
	reviver() { JSON.parse('['.repeat(5e4) + ']'.repeat(5e4), (k, v) => v) },
	parseCode() { (0, eval)('('.repeat(1e6)) },
	parseArrays() { (0, eval)('['.repeat(1e6)) },
	parseBlocks() { (0, eval)('{'.repeat(1e6)) },
	parseUnary() { (0, eval)('!'.repeat(1e6) + '1') },
	parseTemplates() { (0, eval)('` + "`${" + `'.repeat(1e5)) },
	parseFunctions() { (0, eval)('()=>'.repeat(1e6) + '1') },
	parsePatterns() { (0, eval)('let ' + '['.repeat(1e6)) },
	regexpGroups() { new RegExp('('.repeat(1e6)) },
	regexpNested() { new RegExp('(?:'.repeat(1e5) + 'a' + ')*'.repeat(1e5)) },
	flat() { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity) },
	freeDeep() { let a = {}; for (let i = 0; i < 1e6; i++) a = { a }; a = null },
};
`

func TestDeepRecursion(t *testing.T) {
	// What may come out: a RangeError that code can catch, or, for text that is not valid anyhow,
	// a SyntaxError; a few natives handle any depth.
	names := []string{}
	for _, line := range strings.Split(catching, "\n") {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), "()"); ok && strings.HasPrefix(rest, " {") && strings.HasSuffix(line, "},") {
			names = append(names, name)
		}
	}
	if len(names) < 25 {
		t.Fatalf("found only %d recursions: %v", len(names), names)
	}
	// One instance for all: what one recursion breaks, the next one finds.
	p := plugin(t, snapshot(t, catching+`const handler = (name) => outcome(recursions[name])`).WASM)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				got, err := call(t, p, name)
				if err != nil {
					t.Fatalf("the instance stopped: %v", err)
				}
				switch got {
				case `"RangeError"`, `"SyntaxError"`, `"returned"`:
				default:
					t.Fatalf("ended in %s", got)
				}
			}
		})
	}
}

func TestRecursionDepth(t *testing.T) {
	got, err := run(t, catching+`const handler = () => [outcome(recursions.plain), depth]`, nil)
	if err != nil || !strings.HasPrefix(got, `["RangeError",`) {
		t.Fatal(got, err)
	}
	depth, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(got, `["RangeError",`), "]"))
	if depth < 7000 {
		t.Errorf("only %d nested calls fit", depth)
	}
}

func TestDeepRecursionWhileBuilding(t *testing.T) {
	got, err := run(t, catching+`const atBuild = outcome(recursions.plain); const handler = () => [atBuild, outcome(recursions.plain)]`, nil)
	if err != nil || got != `["RangeError","RangeError"]` {
		t.Fatal(got, err)
	}
}

// The stack must be nobody else's memory.
func TestAllocatorStaysOffTheStack(t *testing.T) {
	i, err := shared.compiler.instantiate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer i.close()
	c := shared.compiler.cells
	for _, size := range []uint64{1, 16, 100, 5000, 21000, 65536, 1 << 20, 8 << 20} {
		for range 50 {
			ptr, err := i.call(exportAlloc, size)
			if err != nil {
				t.Fatal(err)
			}
			if ptr == 0 {
				t.Fatalf("no memory for %d bytes", size)
			}
			if end := uint64(ptr) + size; uint64(c.stackBottom) < end && ptr < c.stackTop {
				t.Fatalf("%d bytes at %d lie in the stack from %d to %d", size, ptr, c.stackBottom, c.stackTop)
			}
			if end := uint64(ptr) + size; uint64(c.base) < end && ptr < c.base+oldStackSize {
				t.Fatalf("%d bytes at %d lie in the glue's cells", size, ptr)
			}
		}
	}
}

func TestInstanceIsPoisonedByATrap(t *testing.T) {
	fails := extism.NewHostFunctionWithStack(hostFunction, func(context.Context, *extism.CurrentPlugin, []uint64) {
		panic("the host fails")
	}, []extism.ValueType{extism.ValueTypePTR}, []extism.ValueType{extism.ValueTypePTR})
	p := plugin(t, snapshot(t, `const handler = (x) => x === 1 ? native(3, 'x') : x`).WASM, fails)
	if got, err := call(t, p, 2); err != nil || got != "2" {
		t.Fatal(got, err)
	}
	if _, err := call(t, p, 1); err == nil {
		t.Fatal("the host's failure was lost")
	}
	if got, err := call(t, p, 2); err == nil {
		t.Fatalf("an instance whose stack is wrong answered %s", got)
	}
}

func TestCallInsideACallIsRefused(t *testing.T) {
	var p *extism.Plugin
	var inner error
	host := hostFunctionFor(func(string) string {
		_, _, inner = p.Call(exportTool, []byte("2"))
		return "{}"
	})
	p = plugin(t, snapshot(t, `const handler = (x) => x === 1 ? native(3, 'x') : x`).WASM, host)
	_, _ = call(t, p, 1)
	if inner == nil {
		t.Fatal("a second call ran on the stack of the first")
	}
}

func TestInstancesDifferInRandomness(t *testing.T) {
	module := snapshot(t, `const early = Math.random(); const handler = () => [early, Math.random(), native(11, 8) && [...new Uint8Array(native(11, 8))].join()]`).WASM
	a, err := call(t, plugin(t, module), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := call(t, plugin(t, module), nil)
	if err != nil {
		t.Fatal(err)
	}
	as, bs := strings.SplitN(a, ",", 3), strings.SplitN(b, ",", 3)
	if as[0] != bs[0] {
		t.Errorf("numbers drawn while building differ: %s, %s", as[0], bs[0])
	}
	if as[1] == bs[1] || as[2] == bs[2] {
		t.Errorf("two instances drew the same numbers: %s and %s", a, b)
	}
}

func TestClockIsReal(t *testing.T) {
	got, err := run(t, `const early = Date.now(); const handler = () => [early, new Date().getFullYear() >= 2024, Math.abs(native(17) - Date.now()) < 1000]`, nil)
	if err != nil || got != `[1577836800000,true,true]` {
		t.Fatal(got, err)
	}
}

func TestSnapshotIsReproducible(t *testing.T) {
	source := []byte(prelude + `
		const stamp = [Date.now(), Math.random(), new Uint8Array(native(11, 32)).join(), native(12)];
		const table = new Map(); for (let i = 0; i < 1000; i++) table.set('k' + i, { i, date: new Date() });
		class A { #x = Symbol('x'); get x() { return this.#x } }
		const handler = () => [stamp, table.size, new A()]`)
	var modules [][]byte
	for range 2 { // cold, without any cache; then the shared one
		c, err := New(context.Background(), Options{Toolchain: "test"})
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.Snapshot(context.Background(), []Source{{"bundle.js", source}}, nil, Identity{})
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m.WASM)
		c.Close(context.Background())
	}
	m, err := shared.compiler.Snapshot(context.Background(), []Source{{"bundle.js", source}}, nil, Identity{})
	if err != nil {
		t.Fatal(err)
	}
	modules = append(modules, m.WASM)
	if !bytes.Equal(modules[0], modules[1]) || !bytes.Equal(modules[0], modules[2]) {
		t.Fatal("the same source gave different bytes")
	}
}

func TestTopLevelRunsOnceWhileBuilding(t *testing.T) {
	module := snapshot(t, `let runs = 0; runs++; const handler = () => runs++`).WASM
	for range 2 {
		p := plugin(t, module)
		for want := range 3 {
			if got, err := call(t, p, nil); err != nil || got != strconv.Itoa(want+1) {
				t.Fatal(got, err, "want", want+1)
			}
		}
	}
}

func TestHostIsNotThereWhileBuilding(t *testing.T) {
	for op, name := range []string{"input", "output", "error", "host", "", "configGet", "varGet", "varSet", "httpRequest", "httpStatus", "httpHeaders"} {
		if name == "" {
			continue // the compiler keeps what is logged
		}
		_, err := shared.compiler.Snapshot(context.Background(), []Source{{"bundle.js", []byte(prelude + `const handler = () => 1; native(` + strconv.Itoa(op) + `, 'x', 'y')`)}}, nil, Identity{})
		if err == nil || !strings.Contains(err.Error(), textUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLogsWhileBuilding(t *testing.T) {
	m := snapshot(t, `const handler = () => 1; native(4, 2, 'hello'); native(4, 4, 'ouch')`)
	if len(m.Logs) != 2 || m.Logs[0] != (LogLine{"info", "hello"}) || m.Logs[1] != (LogLine{"error", "ouch"}) {
		t.Errorf("%+v", m.Logs)
	}
}

func TestEvaluationErrors(t *testing.T) {
	for _, tc := range []struct {
		name, source, wantName, wantMessage string
		pending                             bool
	}{
		{"thrown at the top", "\n\nthrow new TypeError('at the top')", "TypeError", "at the top", false},
		{"after an await", "await 0; throw new Error('later')", "Error", "later", false},
		{"no error object", "throw 'text'", "", `threw "text"`, false},
		{"undefined", "throw undefined", "", "threw undefined", false},
		{"a null prototype", "throw Object.create(null)", "", "threw ", false},
		{"an error that throws", "throw { get message() { throw 1 }, get stack() { throw 2 } }", "undefined", "", false},
		{"syntax", "let let = 1", "SyntaxError", "", false},
		{"pending", "await new Promise(() => {})", "", "a top-level await never settled", true},
		{"recursion", "(function f() { f() })()", "RangeError", "Maximum call stack size exceeded", false},
		{"no memory", "const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1))", "", "out of memory", false},
		{"nothing registered", "export const x = 1", "", textNoEntry, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := shared.compiler.Snapshot(context.Background(), []Source{{"bundle.js", []byte(tc.source)}}, nil, Identity{})
			fail, ok := err.(*EvalError)
			if !ok {
				t.Fatalf("got %T %v", err, err)
			}
			if tc.wantName != "" && fail.Name != tc.wantName || !strings.Contains(fail.Message, tc.wantMessage) || fail.Pending != tc.pending {
				t.Fatalf("got %+v", fail)
			}
		})
	}
}

func TestEndlessTopLevel(t *testing.T) {
	for _, tc := range []struct{ name, source, stack string }{
		{"in JavaScript", "function spin() { for (;;) ; }\nspin()", "spin (bundle.js:1"},
		{"in a promise job", "const again = () => Promise.resolve().then(again);\nawait again()", ""},
		{"catching all", "for (;;) try { for (;;) ; } catch {}", "(bundle.js:1"},
		{"in the engine", "new Array(4294967295).indexOf(1)", ""},
		{"filling memory", "const b = new Uint8Array(3e8); for (;;) b.fill(1)", ""},
		{"moving memory", "const b = new Uint8Array(3e8); for (;;) b.copyWithin(0, 1)", ""},
		{"in a regular expression", "/^(a|a)*$/.test('a'.repeat(60) + 'b')", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := *shared.compiler
			c.opts.Patience = 100 * time.Millisecond
			_, err := c.Snapshot(context.Background(), []Source{{"bundle.js", []byte(tc.source)}}, nil, Identity{})
			var ended *EvalError
			if !errors.As(err, &ended) || !ended.TimedOut || !strings.Contains(ended.Stack, tc.stack) {
				t.Fatalf("%v %+v", err, ended)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := shared.compiler.Snapshot(ctx, []Source{{"bundle.js", []byte("for (;;) ;")}}, nil, Identity{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestTopLevelAwait(t *testing.T) {
	got, err := run(t, `const x = await Promise.resolve(7).then(async v => { await 0; return v + 1 }); const handler = () => x`, nil)
	if err != nil || got != "8" {
		t.Fatal(got, err)
	}
}

func TestPackageCanReachNothingElse(t *testing.T) {
	module, err := wasmbin.Parse(snapshot(t, `const handler = () => 1`).WASM)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range module.Imports {
		switch imp.Module {
		case kernelModule:
		case userModule:
			if imp.Name != hostFunction {
				t.Errorf("imports %s.%s", imp.Module, imp.Name)
			}
		case wasiModule:
			if imp.Name != "clock_time_get" && imp.Name != "random_get" {
				t.Errorf("imports %s.%s", imp.Module, imp.Name)
			}
		default:
			t.Errorf("imports %s.%s", imp.Module, imp.Name)
		}
	}
	got, err := run(t, `const handler = () => [typeof std, typeof os, typeof bjson, typeof scriptArgs, typeof print, typeof require]`, nil)
	if err != nil || strings.Contains(strings.ReplaceAll(got, `"undefined"`, ""), `"`) {
		t.Error(got, err)
	}
}

// A host that shares cores must find the same one in every package.
func TestSplitGivesTheCoreBack(t *testing.T) {
	for _, source := range []string{`const handler = () => 1`, `const big = 'x'.repeat(3e6); const handler = () => big.length`} {
		core, img, meta, err := image.Split(snapshot(t, source).WASM)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(core, shared.compiler.core) || meta.Core != image.CoreHash(core) {
			t.Error("the core differs")
		}
		if img.Size() == 0 || meta.ID != "test" || meta.Toolchain != "test" {
			t.Errorf("%+v", meta)
		}
		for _, s := range img.Segments {
			if end := s.Offset + uint32(len(s.Bytes)); meta.Stack[0] < end && s.Offset < meta.Stack[1] {
				t.Errorf("segment at %d lies in the stack", s.Offset)
			}
		}
	}
}
