package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// start watches dir and returns a channel with a value for each call of changed.
func start(t *testing.T, dirs ...string) <-chan []string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	calls, done := make(chan []string, 100), make(chan error, 1)
	ready := make(chan struct{})
	// The first change is ours: once it is seen, the watcher is at work.
	go func() {
		done <- Run(ctx, dirs, func(path string) bool { return strings.Contains(path, "ignored") }, func(roots []string) {
			select {
			case <-ready:
			default:
				close(ready)
				return
			}
			calls <- roots
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	for i := 0; ; i++ {
		write(t, filepath.Join(dirs[0], "probe"), strings.Repeat("x", i))
		select {
		case <-ready:
			return calls
		default:
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// await waits for a call that names root; calls for earlier changes may come first.
func await(t *testing.T, calls <-chan []string, root string) {
	t.Helper()
	for roots := range calls {
		for _, r := range roots {
			if r == root {
				return
			}
		}
	}
}

func TestChangesAreTold(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	write(t, filepath.Join(b, "src/tools/x.ts"), "1")
	calls := start(t, a, b)

	steps := []struct {
		name string
		do   func()
	}{
		{"write", func() { write(t, filepath.Join(b, "src/tools/x.ts"), "2") }},
		{"rename over", func() {
			write(t, filepath.Join(b, "src/tools/.x.ts.swp"), "3")
			if err := os.Rename(filepath.Join(b, "src/tools/.x.ts.swp"), filepath.Join(b, "src/tools/x.ts")); err != nil {
				t.Fatal(err)
			}
		}},
		{"new folder with a file", func() { write(t, filepath.Join(b, "skills/find/SKILL.md"), "x") }},
		{"remove", func() { os.RemoveAll(filepath.Join(b, "src")) }},
		{"make again", func() { write(t, filepath.Join(b, "src/tools/x.ts"), "4") }},
	}
	for _, step := range steps {
		step.do()
		await(t, calls, b)
	}
	// A file in a folder that was made while watching.
	for range 2 {
		write(t, filepath.Join(b, "skills/find/SKILL.md"), "y")
		await(t, calls, b)
	}
}

func TestIgnoredChangesAreNot(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	calls := start(t, a, b)
	write(t, filepath.Join(b, "ignored/file"), "x")
	write(t, filepath.Join(b, "ignored/deep/file"), "x")
	write(t, filepath.Join(a, "seen"), "x")
	if slices.Contains(<-calls, b) {
		t.Fatal("told of an ignored change")
	}
}

func TestMissingRoot(t *testing.T) {
	err := Run(context.Background(), []string{filepath.Join(t.TempDir(), "missing")}, func(string) bool { return false }, func([]string) {})
	if err == nil || !strings.Contains(err.Error(), "missing") {
		t.Fatal(err)
	}
}
