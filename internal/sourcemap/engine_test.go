package sourcemap

import (
	"context"
	"encoding/binary"
	"testing"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// engine is the real QuickJS, driven through its C API, for tests that must know how it
// writes stacks and counts columns.
type engine struct {
	t      *testing.T
	mod    api.Module
	js     uint64 // JSContext*
	memory api.Memory
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = runtime.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	mod, err := runtime.InstantiateWithConfig(ctx, quickjs.QuickJSWASM, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatalf("instantiate the engine: %v", err)
	}
	e := &engine{t: t, mod: mod, memory: mod.Memory()}
	e.js = e.call("JS_NewContext", e.call("JS_NewRuntime"))
	return e
}

func (e *engine) call(name string, args ...uint64) uint64 {
	e.t.Helper()
	result, err := e.mod.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		e.t.Fatalf("%s: %v", name, err)
	}
	if len(result) == 0 {
		return 0
	}
	return result[0]
}

func (e *engine) cString(s string) uint64 {
	at := e.call("malloc", uint64(len(s)+1))
	e.memory.Write(uint32(at), append([]byte(s), 0))
	return at
}

// eval runs a script and returns its completion value as text.
func (e *engine) eval(file, code string) string {
	e.t.Helper()
	value := e.call("JS_Eval", e.js, e.cString(code), uint64(len(code)), e.cString(file), 0)
	return e.text(value)
}

func (e *engine) text(value uint64) string {
	size := e.call("malloc", 4)
	at := e.call("JS_ToCStringLen2", e.js, size, value, 0)
	if at == 0 {
		return ""
	}
	raw, _ := e.memory.Read(uint32(size), 4)
	text, _ := e.memory.Read(uint32(at), binary.LittleEndian.Uint32(raw))
	return string(text)
}
