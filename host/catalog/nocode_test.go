package catalog

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/session"
)

// trapping is a WebAssembly module whose start function traps: whoever instantiates it notices.
const trapping = emptyModule +
	"\x01\x04\x01\x60\x00\x00" + // one type, of no parameters and no results
	"\x03\x02\x01\x00" + // one function
	"\x08\x01\x00" + // which starts
	"\x0a\x05\x01\x03\x00\x00\x0b" // and is unreachable

// TestNothingIsExecuted has packages of every runtime, in both modes, whose code would leave a mark if anybody
// imported it.
func TestNothingIsExecuted(t *testing.T) {
	dir := tree(t, nil)
	mark := filepath.Join(dir, "mark")
	script := "require('fs').writeFileSync(" + `"` + filepath.ToSlash(mark) + `"` + ", 'here');\n"
	shell := "#!/bin/sh\ntouch '" + mark + "'\n"
	for _, at := range []string{"core", "_packages", "kb"} {
		for _, runtime := range []string{"node", "mcp", "wasm"} {
			id := strings.Trim(at, "_") + "-" + runtime
			write(t, filepath.Join(dir, at, runtime), map[string]string{
				"package.json":          pkg(id, `"runtime": { "type": "`+runtime+`", "entry": { "command": "./server" } }`),
				"server":                shell,
				"dist/src/tools/a_b.js": script, "dist/src/routes/r.js": script, "dist/src/lifecycle.js": script,
				"src/tools/a_b.ts": script, "src/lifecycle.ts": script, "index.js": script,
				"dist/package.wasm": trapping,
			})
			if err := os.Chmod(filepath.Join(dir, at, runtime, "server"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := Scan(context.Background(), in(dir, Roots{Builtins: []string{"core"}, ProjectRoot: ".", Sources: []Source{
		{ID: "kb", Path: "kb", RecognizesPackages: true, Scope: project}}}))
	if n := len(c.Visible(session.Session{})); n != 10 {
		t.Fatalf("%d entries: %v", n, lines(c.All()))
	}
	for _, e := range c.All() {
		if e.Kind == KindPackage && (len(e.Code.Tools) != 1 || len(e.Code.Routes) != 1 || e.Code.Lifecycle == "") {
			t.Errorf("the code of %s is not listed: %+v", e.ID, e.Code)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("code of a package was run")
	}
}

// TestNothingCouldBeExecuted looks at what is linked into this package: nothing that runs code.
func TestNothingCouldBeExecuted(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	output, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(output))
	if !slices.Contains(packages, "github.com/neuralis-dev/neuralis/manifest") {
		t.Fatal("the list is not one of dependencies")
	}
	for _, p := range packages {
		if p == "os/exec" || p == "plugin" || strings.Contains(p, "wazero") || strings.Contains(p, "extism") || strings.Contains(p, "quickjs") || strings.HasSuffix(p, "/host/sandbox") {
			t.Errorf("%s is linked into the catalog", p)
		}
	}
}
