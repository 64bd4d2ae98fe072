package wasm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// The tests of this package run what the compiler makes as an ordinary Extism plug-in, with the
// SDK's own kernel and nothing of ours on the host side.

var shared struct {
	compiler *Compiler
	cache    wazero.CompilationCache
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "neuralis-wasm-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		ctx := context.Background()
		if shared.compiler, err = New(ctx, Options{CacheDir: dir, Toolchain: "test"}); err != nil {
			panic(err)
		}
		defer shared.compiler.Close(ctx)
		if shared.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			panic(err)
		}
		defer shared.cache.Close(ctx)
		return m.Run()
	}())
}

// prelude is a guest as small as one can be: handler(input) is called for each call, its result is
// the output, and what it throws the error.
const prelude = `
const native = globalThis.__neuralis_native; delete globalThis.__neuralis_native;
let input, kind, settled, rejections = [];
const fail = (e) => native(2, JSON.stringify({ name: e?.name ?? '', message: String(e?.message ?? e), stack: e?.stack ?? '' }));
native(16,
	(k) => { kind = k; settled = undefined; const text = native(0);
		if (k === 2) { settled = { ok: { described: true } }; return; }
		(async () => handler(text === '' ? undefined : JSON.parse(text)))().then(ok => settled = { ok }, error => settled = { error }); },
	() => { if (!settled) { fail(new Error('never settles')); return 1; }
		if ('error' in settled) { fail(settled.error); return 1; }
		native(1, JSON.stringify(settled.ok) ?? 'null'); return 0; },
	(promise, reason, handled) => rejections.push([String(reason), handled]),
	fail);
`

func snapshot(t testing.TB, source string) *Module {
	t.Helper()
	module, err := shared.compiler.Snapshot(context.Background(), []Source{{"bundle.js", []byte(prelude + source)}}, nil, Identity{ID: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func plugin(t testing.TB, module []byte, hosts ...extism.HostFunction) *extism.Plugin {
	t.Helper()
	ctx := context.Background()
	if len(hosts) == 0 {
		hosts = []extism.HostFunction{hostFunctionFor(func(request string) string { return request })}
	}
	p, err := extism.NewPlugin(ctx, extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: module}}}, extism.PluginConfig{
		EnableWasi:    true,
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(shared.cache),
		ModuleConfig:  wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader),
	}, hosts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(ctx) })
	return p
}

func hostFunctionFor(answer func(string) string) extism.HostFunction {
	return extism.NewHostFunctionWithStack(hostFunction, func(_ context.Context, p *extism.CurrentPlugin, stack []uint64) {
		request, err := p.ReadString(stack[0])
		if err != nil {
			panic(err)
		}
		if stack[0], err = p.WriteString(answer(request)); err != nil {
			panic(err)
		}
	}, []extism.ValueType{extism.ValueTypePTR}, []extism.ValueType{extism.ValueTypePTR})
}

// call makes one call and returns the output, or the error's text.
func call(t testing.TB, p *extism.Plugin, input any) (string, error) {
	t.Helper()
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	_, output, err := p.Call(exportTool, text)
	return string(output), err
}

// run is one call of a fresh plug-in.
func run(t testing.TB, source string, input any) (string, error) {
	t.Helper()
	return call(t, plugin(t, snapshot(t, source).WASM), input)
}

func TestNativeOperations(t *testing.T) {
	cases := []struct{ name, source, want string }{
		{"input and output", `(x) => x`, `{"a":[1,"é😀"]}`},
		{"random", `() => { const a = new Uint8Array(native(11, 65536)); return [a.length, new Set(a).size] }`, `[65536,256]`},
		{"random, too many", `() => { try { native(11, 65537) } catch (e) { return e.name } }`, `"RangeError"`},
		{"random, negative", `() => { try { native(11, -1) } catch (e) { return e.name } }`, `"RangeError"`},
		{"encode", `() => [...new Uint8Array(native(13, 'é😀'))]`, `[195,169,240,159,152,128]`},
		{"encode, empty", `() => native(13, '').byteLength`, `0`},
		{"decode", `() => native(14, new Uint8Array([65,195,169,66]).buffer, 1, 2)`, `"é"`},
		{"decode, empty", `() => native(14, new ArrayBuffer(0), 0, 0)`, `""`},
		{"decode, outside", `() => { try { native(14, new ArrayBuffer(4), 3, 2) } catch (e) { return e.name } }`, `"RangeError"`},
		{"decode, wrapping around", `() => { try { native(14, new ArrayBuffer(4), -1, 3) } catch (e) { return e.name } }`, `"RangeError"`},
		{"decode, no buffer", `() => { try { native(14, 'x', 0, 1) } catch (e) { return e.name } }`, `"TypeError"`},
		{"variables", `() => { native(7, 'k', new Uint8Array([1,2,3,4,5,6,7,8,9]).buffer); const v = [...new Uint8Array(native(6, 'k'))]; native(7, 'k'); return [v, native(6, 'k') === undefined] }`, `[[1,2,3,4,5,6,7,8,9],true]`},
		{"no configuration", `() => native(5, 'x') === undefined`, `true`},
		{"host", `() => native(3, '{"op":"é"}')`, `"{\"op\":\"é\"}"`},
		{"log", `() => { for (let i = -1; i < 7; i++) native(4, i, 'x'); return 1 }`, `1`},
		{"unknown operation", `() => [native(99), native(), native('x'), native(-1)].length`, `4`},
		{"monotonic clock", `() => { const a = native(12); let b; do b = native(12); while (b === a); return b > a }`, `true`},
		{"captured native is gone", `() => typeof globalThis.__neuralis_native`, `"undefined"`},
		{"promises", `async () => { let s = 0; for (let i = 0; i < 1000; i++) s += await i; return s }`, `499500`},
		{"unhandled rejection is told", `async () => { Promise.reject(new Error('lost')); await 0; return rejections }`, `[["Error: lost",false]]`},
	}
	var source strings.Builder
	for i, tc := range cases {
		fmt.Fprintf(&source, "const case%d = %s;\n", i, tc.source)
	}
	p := plugin(t, snapshot(t, source.String()+`const handler = ([name, input]) => eval(name)(input)`).WASM)
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			input := any(nil)
			if strings.HasPrefix(tc.want, "{") {
				input = json.RawMessage(tc.want)
			}
			got, err := call(t, p, []any{fmt.Sprint("case", i), input})
			if err != nil || got != tc.want {
				t.Fatalf("got %s, %v; want %s", got, err, tc.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	cases := []struct{ name, source, want string }{
		{"thrown", `() => { throw new RangeError('no') }`, `"name":"RangeError","message":"no"`},
		{"rejected", `async () => { await 0; throw new Error('later') }`, `"message":"later"`},
		{"undefined", `() => { throw undefined }`, `"message":"undefined"`},
		{"never settles", `() => new Promise(() => {})`, `"message":"never settles"`},
		{"cycle", `() => { const a = {}; a.a = a; return a }`, `circular reference`},
		{"stack names the bundle", `() => { throw new Error('x') }`, `(bundle.js:`},
	}
	var source strings.Builder
	for i, tc := range cases {
		fmt.Fprintf(&source, "const case%d = %s;\n", i, tc.source)
	}
	p := plugin(t, snapshot(t, source.String()+`const handler = (name) => eval(name)()`).WASM)
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			for range 2 { // an error does not harm the instance
				if _, err := call(t, p, fmt.Sprint("case", i)); err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Fatalf("got %v; want %s", err, tc.want)
				}
			}
		})
	}
}

func TestLargeStrings(t *testing.T) {
	p := plugin(t, snapshot(t, `const handler = (s) => s + s`).WASM)
	for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 65, 1 << 20} {
		in := strings.Repeat("ä", n)
		got, err := call(t, p, in)
		if err != nil || got != `"`+in+in+`"` {
			t.Fatalf("%d characters: %v, %d bytes back", n, err, len(got))
		}
	}
}
