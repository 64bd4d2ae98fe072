package extismjs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

// Program is the name of the compiler.
const Program = "extism-js"

// interfaceFile describes the plug-in in the form the compiler reads: what it exports, and the one
// host function it imports.
const interfaceFile = `declare module 'main' {
  export function handleLifecycle(): I32;
  export function handleRoute(): I32;
  export function handleTool(): I32;
}

declare module 'extism:host' {
  interface user {
    neuralis_host(ptr: I64): I64;
  }
}
`

// The files in the compiler's folder.
const (
	moduleName    = "package.js"
	interfaceName = "package.d.ts"
	outputName    = "package.wasm"
)

// outputLimit is how much of what the compiler writes is kept: the end, where the reason is.
const outputLimit = 8 << 10

// maxOutput is the size of a plug-in that is taken from the compiler, in bytes.
const maxOutput = 256 << 20

// ErrMissing says that the compiler is not installed.
var ErrMissing = errors.New(Program + " is not in the PATH")

// FailedError says that the compiler ran and made no plug-in.
type FailedError struct {
	// Reason is how it ended.
	Reason error
	// Output is the end of what it wrote to standard output and standard error.
	Output string
}

func (e *FailedError) Error() string {
	text := fmt.Sprintf("%s failed: %v", Program, e.Reason)
	if e.Output != "" {
		text += "\n" + e.Output
	}
	return text
}

func (e *FailedError) Unwrap() error { return e.Reason }

// Compile makes a plug-in of a CommonJS module. environ is the environment of the compiler, as
// os.Environ gives it. The error is ErrMissing, a *FailedError, that of ctx, or one of the file system.
func Compile(ctx context.Context, module []byte, environ []string) ([]byte, error) {
	program, err := lookPath(Program, environ)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "neuralis-extism-js-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for %s: %w", Program, err)
	}
	defer os.RemoveAll(dir)
	for name, data := range map[string][]byte{moduleName: module, interfaceName: []byte(interfaceFile)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return nil, fmt.Errorf("writing for %s: %w", Program, err)
		}
	}
	output := tail{limit: outputLimit}
	cmd := exec.CommandContext(ctx, program, moduleName, "-i", interfaceName, "-o", outputName)
	cmd.Dir, cmd.Env = dir, environ
	cmd.Stdout, cmd.Stderr = &output, &output
	// It starts itself and wasm-merge; what is left of them must not hold the build up.
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &FailedError{Reason: err, Output: output.String()}
	}
	plugin, err := regularfile.Read(filepath.Join(dir, outputName), maxOutput)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, &FailedError{Reason: errors.New("it wrote no plug-in"), Output: output.String()}
	case err != nil:
		return nil, fmt.Errorf("reading what %s wrote: %w", Program, err)
	case !bytes.HasPrefix(plugin, []byte("\x00asm\x01\x00\x00\x00")):
		return nil, &FailedError{Reason: errors.New("what it wrote is no WebAssembly module"), Output: output.String()}
	}
	return plugin, nil
}

// lookPath finds a program in the PATH of an environment. Relative entries do not count: a folder
// that happens to be the current one must not decide what runs.
func lookPath(name string, environ []string) (string, error) {
	suffixes := []string{""}
	if runtime.GOOS == "windows" {
		suffixes = []string{".exe", ".cmd", ".bat"}
	}
	for _, dir := range filepath.SplitList(variable(environ, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, suffix := range suffixes {
			file := filepath.Join(dir, name+suffix)
			info, err := os.Stat(file)
			if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0) {
				return file, nil
			}
		}
	}
	return "", ErrMissing
}

// variable is the value of a variable; the last one counts, as in os/exec.
func variable(environ []string, name string) string {
	value := ""
	for _, entry := range environ {
		key, v, ok := strings.Cut(entry, "=")
		if ok && (key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name)) {
			value = v
		}
	}
	return value
}

// tail is a writer that keeps the end of what is written. os/exec writes to it from one goroutine
// when it is both standard output and standard error.
type tail struct {
	limit int
	data  []byte
	cut   bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if over := len(t.data) - t.limit; over > 0 {
		t.data, t.cut = append(t.data[:0], t.data[over:]...), true
	}
	return len(p), nil
}

func (t *tail) String() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.data), ""))
	if t.cut {
		return "… " + text
	}
	return text
}
