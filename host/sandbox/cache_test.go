package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// Damaged machine code is made again, and the next engine finds it whole.
func TestDamagedMachineCode(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	load := func(core []byte) error {
		e := NewEngine(Options{CacheDir: dir})
		defer e.Close(ctx)
		p, err := e.Load(ctx, core, Limits{MemoryPages: 64})
		if err != nil {
			return err
		}
		return p.Close(ctx)
	}
	module := packed(t, strangeCore(0), "x", "")
	files := func() []string {
		found, _ := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
		return found
	}
	if err := load(module); err != nil || len(files()) == 0 {
		t.Fatalf("%v; %d files", err, len(files()))
	}
	for name, change := range map[string]func([]byte) []byte{
		"empty":         func([]byte) []byte { return nil },
		"half":          func(data []byte) []byte { return data[:len(data)/2] },
		"a flipped bit": func(data []byte) []byte { data[0] ^= 1; return data },
	} {
		for _, file := range files() {
			data, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, change(data), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := load(module); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := load(module); err != nil || len(files()) == 0 {
			t.Errorf("%s, the run after: %v; %d files", name, err, len(files()))
		}
	}
	// A module that is no good says nothing about the cache.
	before := len(files())
	if load([]byte("\x00asm\x01\x00\x00\x00\x0bx")) == nil {
		t.Error("a broken module loads")
	}
	if len(files()) != before {
		t.Error("a broken module emptied the cache")
	}
}
