package build

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/neuralis-dev/neuralis/manifest"
)

// sourceFolders are the folders of a package that hold what somebody wrote or installed. None of them
// can be the output folder, which is replaced as a whole.
var sourceFolders = map[string]bool{
	"src": true, "tools": true, "skills": true, "rules": true, "instructions": true, "agents": true, "workflows": true,
	"docs": true, "team": true, "tests": true, "server": true, "node_modules": true, ".neuralis": true, ".git": true,
}

// checkOut refuses an output folder that is more than one: publishing exchanges the folder.
func (o Options) checkOut(pkg *manifest.Package) error {
	home, err := filepath.EvalSymlinks(pkg.Dir)
	if err != nil {
		return fmt.Errorf("looking at the package folder: %w", err)
	}
	shown := o.outDir(pkg)
	out, err := resolve(shown)
	if err != nil {
		return fmt.Errorf("looking at the output folder %s: %w", shown, err)
	}
	refuse := func(why string) error {
		return fmt.Errorf("%s cannot be the output folder: %s; name a folder that holds nothing but output", shown, why)
	}
	if contains(out, home) {
		return refuse("the package lies in it")
	}
	rel, err := filepath.Rel(home, out)
	inside := err == nil && filepath.IsLocal(rel)
	if inside {
		if first, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); sourceFolders[strings.ToLower(first)] {
			return refuse("it belongs to the package's sources")
		}
	} else if o.Out == "" {
		return refuse("it is a link that leads out of the package")
	}
	for _, name := range []string{".git", manifest.PackageJSON, manifest.NeuralisPackageJSON, "go.mod"} {
		if _, err := os.Lstat(filepath.Join(out, name)); err == nil {
			return refuse("there is " + name + " in it")
		}
	}
	return nil
}

// resolve follows the links of what exists of a path.
func resolve(path string) (string, error) {
	missing := ""
	for at := path; ; {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, missing), nil
		}
		if !os.IsNotExist(err) {
			return "", err
		}
		if _, err := os.Lstat(at); err == nil {
			return "", fmt.Errorf("%s is a link that leads nowhere", at)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return path, nil
		}
		missing = filepath.Join(filepath.Base(at), missing)
		at = parent
	}
}

// contains reports whether inner is outer or lies in it.
func contains(outer, inner string) bool {
	rel, err := filepath.Rel(outer, inner)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// replaces says which files that no build listed may be replaced: all in dist/, which is output by its
// name, and elsewhere those that only builds write.
func (o Options) replaces(pkg *manifest.Package) func(path string) bool {
	isDist := filepath.Clean(o.outDir(pkg)) == filepath.Join(pkg.Dir, DefaultOut)
	return func(path string) bool {
		return isDist || path == ModuleFile || path == MapFile || path == RoutesFile
	}
}
