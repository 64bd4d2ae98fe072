package guest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/neuralis-dev/neuralis/build/wasm"
)

// TestInEngine runs the test files of webtests/b in the engine that packages run in, built like a
// package and called like one.
func TestInEngine(t *testing.T) {
	ctx := t.Context()
	compiler, err := wasm.New(ctx, wasm.Options{Toolchain: "test"})
	if err != nil {
		t.Fatal(err)
	}
	// The subtests run when this function has returned.
	t.Cleanup(func() { _ = compiler.Close(context.Background()) })
	cache := wazero.NewCompilationCache()
	t.Cleanup(func() { _ = cache.Close(context.Background()) })

	for _, entry := range testFiles(t) {
		t.Run(filepath.Base(entry), func(t *testing.T) {
			suite := filepath.Join(t.TempDir(), "suite.ts")
			source := `import { serveSuite } from ` + quote(t, absolute(t, "webtests/b/engine.ts")) + `;
import { run } from ` + quote(t, absolute(t, entry)) + `;
serveSuite(run);`
			if err := os.WriteFile(suite, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			module, err := compiler.Snapshot(t.Context(), []wasm.Source{{Name: "suite.js", Code: bundle(t, suite)}}, nil, wasm.Identity{ID: "suite"})
			if err != nil {
				t.Fatal(err)
			}
			checkSuite(t, call(t, cache, module.WASM))
		})
	}
}

// call runs the suite in a plug-in and returns what it writes.
func call(t *testing.T, cache wazero.CompilationCache, module []byte) []byte {
	t.Helper()
	host := extism.NewHostFunctionWithStack("neuralis_host", func(_ context.Context, p *extism.CurrentPlugin, stack []uint64) {
		var err error
		if stack[0], err = p.WriteString(`{"error":{"code":"unsupported","message":"no host here"}}`); err != nil {
			panic(err)
		}
	}, []extism.ValueType{extism.ValueTypePTR}, []extism.ValueType{extism.ValueTypePTR})
	plugin, err := extism.NewPlugin(t.Context(), extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: module}}}, extism.PluginConfig{
		EnableWasi:    true,
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache),
		ModuleConfig:  wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader),
	}, []extism.HostFunction{host})
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Close(context.Background())
	_, out, err := plugin.Call("handleTool", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func checkSuite(t *testing.T, out []byte) {
	t.Helper()
	var result struct {
		Passed   int
		Failures []string
	}
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if result.Passed == 0 {
		t.Error("no test ran")
	}
	for _, failure := range result.Failures {
		t.Error(failure)
	}
}

func quote(t *testing.T, text string) string {
	t.Helper()
	quoted, err := json.Marshal(filepath.ToSlash(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(quoted)
}
