//go:build unix

package wasm

import (
	"context"
	"os"
	"syscall"
	"testing"
)

// Nobody ever writes to the pipes: whoever reads them hangs.
func TestPipesInTheCache(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	for _, pattern := range []string{"", "core-*.wasm", "wazero-*/*"} {
		if pattern != "" {
			for _, file := range cachedFiles(t, dir, pattern) {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
				if err := syscall.Mkfifo(file, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		c, err := New(ctx, Options{CacheDir: dir})
		if err != nil {
			t.Fatalf("pipes as %s: %v", pattern, err)
		}
		c.Close(ctx)
	}
}
