package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// What someone made in the folder looks the same after a build: folders keep their modes, and empty ones stay.
func TestPublishKeepsFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are of another kind here")
	}
	for name, exchange := range systems() {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "dist")
			publish := func(files ...string) {
				t.Helper()
				var all []File
				for _, path := range files {
					all = append(all, File{Path: path, Data: []byte(path)})
				}
				if err := newTestPublisher(t, dir, exchange).publish(t.Context(), all); err != nil {
					t.Fatal(err)
				}
			}
			publish("src/a.js", "src/gone/b.js", "src/gone/deep/c.js")
			put(t, filepath.Join(dir, "mine", "inner", "f"), "mine")
			for _, path := range []string{"empty/of/mine", "src/gone/here", "taken"} {
				if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			modes := map[string]fs.FileMode{
				"mine/inner": 0o500, "mine": 0o701, "empty/of/mine": 0o550, "empty/of": 0o710, "empty": 0o755 | fs.ModeSticky,
				"src": 0o700, "src/gone/here": 0o711, "src/gone": 0o755,
			}
			for _, path := range []string{"mine/inner", "mine", "empty/of/mine", "empty/of", "empty", "src/gone/here", "src/gone", "src"} {
				if err := os.Chmod(filepath.Join(dir, path), modes[path]); err != nil {
					t.Fatal(err)
				}
			}
			t.Cleanup(func() { unprotect(dir) }) // or the test's folder could not be removed
			for range 2 {
				publish("src/a.js", "taken")
				for path, want := range modes {
					info, err := os.Stat(filepath.Join(dir, path))
					if err != nil {
						t.Error(err)
					} else if got := info.Mode() & folderBits; got != want {
						t.Errorf("%s has %v, want %v", path, got, want)
					}
				}
				if get(t, filepath.Join(dir, "mine", "inner", "f")) != "mine" || get(t, filepath.Join(dir, "taken")) != "taken" {
					t.Error("a file is missing")
				}
				if exists(filepath.Join(dir, "src", "gone", "deep")) {
					t.Error("a folder of an earlier run is there")
				}
				if got := names(t, filepath.Dir(dir)); len(got) != 1 {
					t.Errorf("left behind: %q", got)
				}
			}
		})
	}
}
