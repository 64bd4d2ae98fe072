package scaffold

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestAddTogetherLosesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ad")
	create(t, Options{Dir: dir, Template: "wasm"})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := Add(t.Context(), dir, Addition{Kind: Tool, Name: fmt.Sprintf("dd%d", i), Feature: fmt.Sprintf("ad.dd%d", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	after := tree(t, dir)
	for i := range 8 {
		if !strings.Contains(after["package.json"], fmt.Sprintf(`"ad.dd%d"`, i)) {
			t.Errorf("ad.dd%d is lost", i)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, lockFile)); err == nil {
		t.Error("the lock was left behind")
	}
}

func TestAddLeavesAReadOnlyManifest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ad")
	create(t, Options{Dir: dir, Template: "wasm"})
	if err := os.Chmod(filepath.Join(dir, "package.json"), 0o444); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	var refused *RefusedError
	if _, err := Add(t.Context(), dir, Addition{Kind: Tool, Name: "x", Feature: "ad.x"}); !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
	if after := tree(t, dir); len(after) != len(before) || after["package.json"] != before["package.json"] {
		t.Error("something was left behind")
	}
}
