//go:build unix

package runtime_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/neuralis-dev/neuralis/host/runtime"
)

// replaceByPipe puts a named pipe in the place of whatever is there.
func replaceByPipe(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip(err)
	}
}

// A package may change between the scan that found it and the first call.
func TestLoadWaitsForNoPipe(t *testing.T) {
	for _, test := range []struct{ name, pipe string }{
		{"the module", "dist/package.wasm"},
		{"the folder of the module", "dist"},
		{"the folder of the package", "."},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := runtime.Source{ID: "p", Dir: filepath.Join(t.TempDir(), "p"), Module: "dist/package.wasm"}
			if err := os.MkdirAll(filepath.Join(src.Dir, "dist"), 0o755); err != nil {
				t.Fatal(err)
			}
			replaceByPipe(t, filepath.Join(src.Dir, test.pipe))
			_, err := runtime.NewWASM(shared.engine(), runtime.WASMOptions{}).Load(context.Background(), src)
			if f := failure(t, err); f.Kind != runtime.Unavailable {
				t.Errorf("got %v", f)
			}
		})
	}
}

func TestStackWaitsForNoPipe(t *testing.T) {
	src := source(t, misbehave, nil)
	replaceByPipe(t, filepath.Join(src.Dir, "dist/package.wasm.map"))
	_, err := call(context.Background(), load(t, runtime.WASMOptions{}, src), `{"how":"throw","n":1}`)
	if f := failure(t, err); f.Message != "TypeError: no 1" {
		t.Errorf("got %v", f)
	}
}
