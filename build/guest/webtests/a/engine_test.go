package webtests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// engine is the bare JavaScript engine, without the glue of packages: enough to
// run a suite that prints its result.
type engine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = runtime.Close(ctx) })
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		t.Fatal(err)
	}
	module, err := runtime.CompileModule(ctx, quickjs.QuickJSWASM)
	if err != nil {
		t.Fatal(err)
	}
	return &engine{runtime: runtime, module: module}
}

// jsException is the tag, in the high word, of the value that says that an exception is pending.
const jsException = 6

// evalModule is JS_EVAL_TYPE_MODULE.
const evalModule = 1

// run evaluates source as a module in a fresh instance, runs its jobs and returns what it printed.
func (e *engine) run(ctx context.Context, source []byte) ([]byte, error) {
	var out bytes.Buffer
	config := wazero.NewModuleConfig().WithName("").WithStdout(&out).WithStderr(&out).
		WithSysWalltime().WithSysNanotime().WithStartFunctions("_initialize")
	instance, err := e.runtime.InstantiateModule(ctx, e.module, config)
	if err != nil {
		return nil, err
	}
	defer instance.Close(ctx)

	var failed error
	call := func(name string, args ...uint64) uint64 {
		if failed != nil {
			return 0
		}
		results, err := instance.ExportedFunction(name).Call(ctx, args...)
		if err != nil {
			failed = fmt.Errorf("%s: %w\n%s", name, err, out.String())
		}
		if len(results) == 0 {
			return 0
		}
		return results[0]
	}
	text := func(content []byte) uint64 {
		at := call("malloc", uint64(len(content)+1))
		if !instance.Memory().Write(uint32(at), append(bytes.Clone(content), 0)) {
			failed = errors.New("out of memory")
		}
		return at
	}

	runtime := call("JS_NewRuntime")
	js := call("JS_NewContext", runtime)
	call("js_std_init_handlers", runtime)
	call("js_std_add_helpers", js, 0, 0)
	value := call("JS_Eval", js, text(source), uint64(len(source)), text([]byte("suite.js")), evalModule)
	if value>>32 == jsException {
		call("js_std_dump_error", js)
		return nil, fmt.Errorf("the suite threw: %s", out.String())
	}
	for failed == nil && int32(call("js_std_loop_once", js)) == 0 {
	}
	return out.Bytes(), failed
}
