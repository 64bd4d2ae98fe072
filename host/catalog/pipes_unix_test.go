//go:build unix

package catalog

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/neuralis-dev/neuralis/host/trust"
)

// Opening a named pipe waits for somebody at its other end, who need not come.
func TestScanWaitsForNoPipe(t *testing.T) {
	for _, test := range []struct {
		name, pipe string
		reason     trust.Reason
	}{
		{"the code of the tools", "dist/src/tools", ""},
		{"the code of the routes", "dist/src/routes", ""},
		{"the code", "dist/src", ""},
		{"the lifecycle", "dist/src/lifecycle.js", ""},
		{"the source map", "dist/package.wasm.map", ""},
		{"what was built", "dist", trust.ReasonInvalidRoutes},
		{"the module", "dist/package.wasm", trust.ReasonInvalidModule},
		{"the routes", "dist/routes.json", trust.ReasonInvalidRoutes},
		{"the manifest", "package.json", trust.ReasonInvalidManifest},
		{"the tools", "tools", trust.ReasonInvalidContribution},
		{"a skill", "skills/x/SKILL.md", trust.ReasonInvalidContribution},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := tree(t, map[string]string{
				"_packages/good/package.json": pkg("good"),
				"_packages/bad/package.json":  pkg("bad", wasm), "_packages/bad/dist/package.wasm": emptyModule,
			})
			pipe := filepath.Join(dir, "_packages/bad", filepath.FromSlash(test.pipe))
			if err := os.RemoveAll(pipe); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(pipe), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(pipe, 0o644); err != nil {
				t.Skip(err)
			}
			all := Scan(context.Background(), Roots{ProjectRoot: dir}).All()
			if len(all) != 2 {
				t.Fatalf("%d packages were found", len(all))
			}
			for _, e := range all {
				if want := map[string]trust.Reason{"bad": test.reason}[e.ID]; e.Reason != want {
					t.Errorf("%s: the reason is %q (%s); want %q", e.ID, e.Reason, e.Message, want)
				}
			}
		})
	}
}
