package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/manifest"
)

// notSources are folders of a package whose content does not count as a source: what a build
// writes, what npm installs (package-lock.json counts instead), what only editors and git read.
var notSources = map[string]bool{DefaultOut: true, ".neuralis": true, "node_modules": true, ".git": true}

// IsOutput reports whether changes to a file or folder of this name, anywhere in a package, are no
// reason to build it again. The temporary files that publishing makes beside dist/ are among them.
func IsOutput(name string) bool {
	return notSources[name] || strings.HasPrefix(name, "."+DefaultOut+".")
}

// Stale reports whether the plug-in in a package's dist/ is missing, older than a file of the
// package, or made by another version of the toolchain.
func Stale(pkg *manifest.Package, toolchain string) (bool, error) {
	module := filepath.Join(pkg.Dir, DefaultOut, ModuleFile)
	info, err := os.Stat(module)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking at the built package: %w", err)
	}
	if !info.Mode().IsRegular() {
		return true, nil // no build made that
	}
	newest, err := newestSource(pkg.Dir)
	if err != nil {
		return false, fmt.Errorf("looking for changed sources: %w", err)
	}
	if newest.After(info.ModTime()) {
		return true, nil
	}
	data, err := regularfile.Read(module, MaxModule)
	if err != nil {
		return false, fmt.Errorf("reading the built package: %w", err)
	}
	meta, err := image.ReadMeta(data)
	// Another toolchain's plug-in is somebody's intention, not a stale build.
	return err == nil && meta.Toolchain != toolchain, nil
}

func newestSource(dir string) (time.Time, error) {
	var newest time.Time
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != dir && IsOutput(d.Name()) {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone since the folder was listed
		}
		if err != nil {
			return err
		}
		// The package folder itself changes when dist/ is replaced.
		if path != dir && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		return nil
	})
	return newest, err
}
