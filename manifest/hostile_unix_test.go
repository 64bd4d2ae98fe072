//go:build unix

package manifest

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestLoadWithPipes would not end if a named pipe were opened for reading.
func TestLoadWithPipes(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "package.json"), []byte(plainManifest))
	write(t, filepath.Join(dir, "tools", "good.json"), []byte(`{"type": "object", "x-neuralis": {"annotations": {"category": "read"}}}`))
	write(t, filepath.Join(dir, "docs", "x.md"), nil)
	for _, name := range []string{"tools/pipe.json", "docs/pipe.md", "folder"} {
		if err := syscall.Mkfifo(filepath.Join(dir, filepath.FromSlash(name)), 0o644); err != nil {
			t.Skipf("no named pipes here: %v", err)
		}
	}
	pkg, diagnostics := Load(dir)
	equal(t, "diagnostics", summary(diagnostics), []string{"tools/pipe.json:1:1: file-unreadable"})
	equal(t, "docs", pkg.Docs, []string{"docs/x.md"})
	if len(pkg.Tools) != 2 {
		t.Errorf("tools: %+v", pkg.Tools)
	}
	_, diagnostics = Load(filepath.Join(dir, "folder"))
	equal(t, "diagnostics of a pipe", summary(diagnostics), []string{": package-folder"})
}
