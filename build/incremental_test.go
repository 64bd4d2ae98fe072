package build

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

// What is built again is, byte for byte, what would be built for the first time.
func TestIncremental(t *testing.T) {
	builder := New(Options{CacheDir: cacheDir})
	t.Cleanup(func() { builder.Close(context.Background()) })
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	load := func() *manifest.Package {
		t.Helper()
		pkg, diags := manifest.Load(dir)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return pkg
	}
	put("package.json", `{"name":"again","version":"1.0.0","neuralis":{"runtime":{"type":"wasm"}}}`)
	put("src/tools/a.ts", "import { n } from '../n';\nexport default () => n;")
	put("src/n.ts", "export const n = 1;")
	session := builder.Incremental()
	defer session.Close()
	for _, step := range []struct {
		name   string
		change func()
		fails  bool
	}{
		{"first", func() {}, false},
		{"nothing", func() {}, false},
		{"a module", func() { put("src/n.ts", "export const n = 2;") }, false},
		{"a fault", func() { put("src/n.ts", "export const n = ;") }, true},
		{"mended", func() { put("src/n.ts", "export const n = 3;") }, false},
		{"a Web API", func() { put("src/n.ts", "export const n = new URL('x:/y').pathname;") }, false},
		{"no Web API", func() { put("src/n.ts", "export const n = 4;") }, false},
		{"another tool", func() { put("src/tools/b.ts", "export default () => 'b';") }, false},
		{"a tool less", func() { os.Remove(filepath.Join(dir, "src/tools/a.ts")) }, false},
		{"another version", func() {
			put("package.json", `{"name":"again","version":"2.0.0","neuralis":{"runtime":{"type":"wasm"}}}`)
		}, false},
	} {
		step.change()
		pkg := load()
		result, diags := session.Build(t.Context(), pkg)
		if step.fails != (result == nil) {
			t.Fatalf("%s: %v", step.name, diags)
		}
		if result == nil {
			continue
		}
		again, err := os.ReadFile(filepath.Join(result.Dir, ModuleFile))
		if err != nil {
			t.Fatal(err)
		}
		if result, diags = builder.Build(t.Context(), pkg); result == nil {
			t.Fatalf("%s: %v", step.name, diags)
		}
		if afresh, err := os.ReadFile(filepath.Join(result.Dir, ModuleFile)); err != nil || !bytes.Equal(again, afresh) {
			t.Errorf("%s: the module is another one than that of a first build (%v)", step.name, err)
		}
	}
}
