package wasm

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/neuralis-dev/neuralis/internal/cachedir"
)

// cachedFiles are the files of a cache that match a pattern.
func cachedFiles(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in the cache (%v)", pattern, err)
	}
	return files
}

// rewrite replaces a file by what change makes of it.
func rewrite(t *testing.T, file string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, change(data), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is damaged in the cache is made again, and the run after that finds it whole.
func TestDamagedCache(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	// start reports whether the core had to be linked.
	start := func(t *testing.T) (cold bool) {
		t.Helper()
		c, err := New(ctx, Options{CacheDir: dir, OnColdStart: func() { cold = true }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Snapshot(ctx, []Source{{"bundle.js", []byte(prelude + "const handler = (x) => x")}}, nil, Identity{}); err != nil {
			t.Error(err)
		}
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
		return cold
	}
	start(t)
	flip := func(at func(int) int) func([]byte) []byte {
		return func(data []byte) []byte { data[at(len(data))] ^= 1; return data }
	}
	empty := func([]byte) []byte { return nil }
	half := func(data []byte) []byte { return data[:len(data)/2] }
	for _, tc := range []struct {
		name, pattern string
		change        func([]byte) []byte
		cold          bool
	}{
		{"machine code, empty", "wazero-*/*", empty, false},
		{"machine code, its first half", "wazero-*/*", half, false},
		{"machine code, another magic number", "wazero-*/*", flip(func(int) int { return 0 }), false},
		{"machine code, a flipped bit", "wazero-*/*", flip(func(n int) int { return n / 2 }), false},
		{"core, empty", "core-*.wasm", empty, true},
		{"core, its first half", "core-*.wasm", half, true},
		{"core, a flipped bit of the image", "core-*.wasm", flip(func(n int) int { return n - sumLength - 100 }), true},
		{"core, a flipped bit of the checksum", "core-*.wasm", flip(func(n int) int { return n - 1 }), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, file := range cachedFiles(t, dir, tc.pattern) {
				rewrite(t, file, tc.change)
			}
			if cold := start(t); cold != tc.cold {
				t.Errorf("linked again: %v", cold)
			}
			if start(t) {
				t.Error("the core was not kept")
			}
			cachedFiles(t, dir, "wazero-*/*")
		})
	}
}

// A cache that cannot take anything costs time only.
func TestCacheThatCannotBeWritten(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	c, err := New(ctx, Options{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	c.Close(ctx)
	// Without its folder the runtime has nowhere to write, as on a full disk, whoever runs the test.
	cachedir.DiscardMachineCode(dir)
	c = &Compiler{opts: Options{CacheDir: dir}, core: c.core}
	c.cache, c.onDisk = cachedir.OpenMachineCode(dir)
	for _, folder := range cachedFiles(t, dir, "wazero-*") {
		if err := os.Remove(folder); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.compile(ctx); err != nil {
		t.Error(err)
	}
	if c.onDisk {
		t.Error("the cache is still the one on the disk")
	}
	c.Close(ctx)
}
