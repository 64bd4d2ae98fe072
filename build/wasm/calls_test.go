package wasm

import (
	"testing"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// What the linker knows of the interpreter is read from it, and an engine whose interpreter looks different is refused.
func TestCallLayout(t *testing.T) {
	engine, err := wasmbin.Parse(quickjs.QuickJSWASM)
	if err != nil {
		t.Fatal(err)
	}
	var code []wasmbin.Instruction
	for index, name := range engine.FuncNames {
		if name == callInternal {
			if code, err = wasmbin.Instructions(engine.Funcs[int(index)-len(engine.Imports)].Body); err != nil {
				t.Fatal(err)
			}
		}
	}
	layout, err := readCallLayout(code)
	if err != nil {
		t.Fatal(err)
	}
	// quickjs.c: JS_CLASS_BYTECODE_FUNCTION, sizeof(JSClass) with 32-bit pointers.
	if layout.plain != 13 || layout.classSize != 24 {
		t.Errorf("got %+v", layout)
	}
	for _, c := range []struct {
		name   string
		change func(code []wasmbin.Instruction)
	}{
		{"no class is read", func(code []wasmbin.Instruction) {
			replace(code, opI32Load16U, func(in *wasmbin.Instruction) { in.Op = opI32Load })
		}},
		{"the counter is another", func(code []wasmbin.Instruction) { replace(code, opI32Store, func(in *wasmbin.Instruction) { in.B++ }) }},
		{"nothing is called through the table", func(code []wasmbin.Instruction) {
			replace(code, opCallIndirect, func(in *wasmbin.Instruction) { in.Op = opI32Add })
		}},
	} {
		changed := append([]wasmbin.Instruction(nil), code...)
		c.change(changed)
		if _, err := readCallLayout(changed); err == nil {
			t.Errorf("%s: it was taken for the interpreter", c.name)
		}
	}
	if _, err := readCallLayout(nil); err == nil {
		t.Error("nothing was taken for the interpreter")
	}
}

func replace(code []wasmbin.Instruction, op byte, change func(*wasmbin.Instruction)) {
	for i := range code {
		if code[i].Op == op {
			change(&code[i])
		}
	}
}

// Functions in C, async ones, bound ones and proxies are called past the interpreter; what is no function still throws.
func TestCallsOfAllKinds(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"C", `() => [Math.max(1, 2), [3, 1, 2].sort((a, b) => a - b), 'abc'.replace('b', (x) => x + x)]`, `[2,[1,2,3],"abbc"]`},
		{"async", `async () => { const f = async (x) => { await null; return x }; return [await f(1), await Promise.all([f(2), f(3)])] }`, `[1,[2,3]]`},
		{"bound", `() => { const f = function (a, b) { return [this.x, a, b] }.bind({ x: 1 }, 2); return [f(3), new (function (a) { this.a = a }.bind(null, 4))().a] }`, `[[1,2,3],4]`},
		{"proxy", `() => new Proxy((a) => a + 1, { apply: (f, _, args) => f(...args) * 10 })(1)`, `20`},
		{"generator", `() => { const g = (function* () { const x = yield 1; return x + 1 })(); return [g.next().value, g.next(5).value] }`, `[1,6]`},
		{"constructor without new", `() => { try { (class {})() } catch (e) { return e.name } }`, `"TypeError"`},
		{"no function", `() => [1, null, {}, 'x', undefined, Symbol.iterator, new Date, new Proxy({}, {})].map((x) => { try { x() } catch (e) { return e.message } })`,
			`["not a function","not a function","not a function","not a function","not a function","not a function","not a function","not a function"]`},
		{"recursion through C", `() => { const f = (n) => n ? [1].map(() => f(n - 1))[0] : 'deep'; return f(200) }`, `"deep"`},
		{"endless recursion through C", `() => { const f = () => [1].map(f); try { f() } catch (e) { return e.name } }`, `"RangeError"`},
		{"endless recursion of a bound function", `() => { let f = () => g(); const g = f.bind(null); try { f() } catch (e) { return e.name } }`, `"RangeError"`},
		{"endless recursion of async functions", `async () => { const f = async () => { await f() }; try { await f() } catch (e) { return e.name } }`, `"RangeError"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := run(t, "const handler = "+c.source, 1); err != nil || got != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}
