package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/npmci"
)

// World is where benchmarks run: the binary, folders of their own, and caches that no other program
// warms or empties.
type World struct {
	Root   string // the module
	Temp   string // removed at the end
	Binary string // neuralis, built from the working tree
	Cache  string // the warm cache of all benchmarks but build-cold
	Runs   int
	Log    io.Writer // progress, not results
}

// newWorld builds the binary. Close removes everything it made.
func newWorld(ctx context.Context, runs int, log io.Writer) (*World, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return nil, errors.New("run this inside the project: no go.mod found here or above")
	}
	temp, err := os.MkdirTemp("", "neuralis-bench-")
	if err != nil {
		return nil, err
	}
	w := &World{
		Root: filepath.Dir(mod), Temp: temp, Runs: runs, Log: log,
		Binary: filepath.Join(temp, "neuralis"), Cache: filepath.Join(temp, "cache"),
	}
	if runtime.GOOS == "windows" {
		w.Binary += ".exe"
	}
	fmt.Fprintln(log, "building neuralis")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", w.Binary, "./cmd/neuralis")
	cmd.Dir = w.Root
	if text, err := cmd.CombinedOutput(); err != nil {
		w.Close()
		return nil, fmt.Errorf("building ./cmd/neuralis: %w\n%s", err, text)
	}
	return w, nil
}

// Close removes the temporary folder.
func (w *World) Close() { _ = os.RemoveAll(w.Temp) }

// Neuralis is a command line of the binary with the given cache folder.
func (w *World) Neuralis(ctx context.Context, cache, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.Binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), cacheEnv(cache)...)
	return cmd
}

// cacheEnv points every place where the program could keep a cache on any system into one folder.
func cacheEnv(dir string) []string {
	return []string{
		"NEURALIS_CACHE_DIR=" + dir,
		"XDG_CACHE_HOME=" + dir,
		"LocalAppData=" + dir,
		"HOME=" + dir,
		"NO_COLOR=1",
	}
}

// Peers installs the peers and returns their folder.
func (w *World) Peers(ctx context.Context) (string, error) {
	dir := filepath.Join(w.Root, "bench", "peers")
	return dir, npmci.Install(ctx, dir, w.Log)
}

// folder makes an empty folder for a benchmark.
func (w *World) folder(name string) (string, error) {
	return os.MkdirTemp(w.Temp, name+"-")
}
