package build

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindModule(t *testing.T) {
	pkg := errorPackage(t, "export default () => 1", nil)
	mustBuild(t, builderFor(t, Options{}), pkg)
	dist := filepath.Join(pkg.Dir, DefaultOut)
	module := filepath.Join(dist, ModuleFile)
	for _, path := range []string{pkg.Dir, dist, module} {
		if got, err := FindModule(path); got != module || err != nil {
			t.Errorf("%s: %s, %v", path, got, err)
		}
		if found, err := Inspect(t.Context(), path); err != nil || found.File != module || found.Format != "neuralis" {
			t.Errorf("%s: %+v, %v", path, found, err)
		}
	}
	empty := t.TempDir()
	if got, err := FindModule(empty); got != filepath.Join(empty, DefaultOut, ModuleFile) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %s, %v", got, err)
	}
	if got, err := FindModule(filepath.Join(empty, "none")); got != "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %s, %v", got, err)
	}
}

// What is no plug-in by the look of it is not read.
func TestInspectReadsFilesOnly(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.wasm")
	file, err := os.Create(large)
	if err == nil {
		err = errors.Join(file.Truncate(MaxModule+1), file.Close()) // a hole: it takes no space
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		os.DevNull:                       "is not a file",
		large:                            "at most",
		dir:                              "build the package first",
		filepath.Join(dir, "none.wasm"):  "none.wasm",
		filepath.Join(dir, "none", "at"): "none",
	} {
		if found, err := Inspect(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", path, found, err)
		}
	}
}
