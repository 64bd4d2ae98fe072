package extismjs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// install writes a shell script in the place of the compiler.
func install(t *testing.T, script string) (environ []string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, Program), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}
}

const magic = `printf '\000asm\001\000\000\000'`

func TestCompile(t *testing.T) {
	plugin, err := Compile(t.Context(), []byte("module.exports = {}"), install(t, `test "$1 $2 $3 $4 $5" = "package.js -i package.d.ts -o package.wasm" || exit 9
{ `+magic+`; cat "$1"; } > "$5"`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(plugin), "\x00asm\x01\x00\x00\x00module.exports = {}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFailures(t *testing.T) {
	for _, tc := range []struct{ name, script, want string }{
		{"exit code", "echo to stdout; echo to stderr >&2; exit 2", "extism-js failed: exit status 2\nto stdout\nto stderr"},
		{"no output", "exit 0", "extism-js failed: it wrote no plug-in"},
		{"no module", `echo hello > "$5"`, "extism-js failed: what it wrote is no WebAssembly module"},
		{"much output", `i=0; while [ $i -lt 2000 ]; do echo "line $i of many"; i=$((i+1)); done; echo last; exit 1`, "\nlast"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Compile(t.Context(), nil, install(t, tc.script))
			var failed *FailedError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if len(failed.Output) > outputLimit+len("… ") {
				t.Errorf("%d bytes of output were kept", len(failed.Output))
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	cancel(reason)
	if _, err := Compile(ctx, nil, install(t, "sleep 60")); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}

func TestLookPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions mean something else")
	}
	dir := t.TempDir()
	plain, folder, good := filepath.Join(dir, "plain"), filepath.Join(dir, "folder"), filepath.Join(dir, "good")
	for _, d := range []string{plain, filepath.Join(folder, Program), good} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, mode := range map[string]os.FileMode{filepath.Join(plain, Program): 0o644, filepath.Join(good, Program): 0o755} {
		if err := os.WriteFile(file, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(good)
	for _, tc := range []struct {
		name    string
		environ []string
		found   bool
	}{
		{"none", nil, false},
		{"the current folder", []string{"PATH=.:"}, false},
		{"not executable, a folder", []string{"PATH=" + plain + ":" + folder}, false},
		{"behind others", []string{"PATH=" + plain + ":" + folder + "::" + good}, true},
		{"the last one counts", []string{"PATH=" + good, "PATH=" + plain}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file, err := lookPath(Program, tc.environ)
			if tc.found != (err == nil) || tc.found && file != filepath.Join(good, Program) || !tc.found && !errors.Is(err, ErrMissing) {
				t.Errorf("got %q, %v", file, err)
			}
		})
	}
}
