package bundle

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

// maxSource is the size of a source that is read, in bytes.
const maxSource = 50 << 20

// leaves begins the message about a source outside of the package; the diagnostic gets its rule by it.
const leaves = "the import leaves the package folder"

// admit looks at each file before the bundler reads it: what is built is what the package's folder
// holds and what is installed for it, and a pipe or device would never end.
func (c *Context) admit(args api.OnLoadArgs) (api.OnLoadResult, error) {
	if args.Path == c.dispatcherPath() {
		return api.OnLoadResult{}, nil
	}
	info, err := os.Stat(args.Path)
	if err != nil {
		return api.OnLoadResult{}, nil // the bundler says it better
	}
	if !c.admitted(args.Path) {
		return api.OnLoadResult{}, fmt.Errorf("%s: it leads to %s", leaves, c.shown(args.Path))
	}
	return inspected(args.Path, c.shown(args.Path), info)
}

// inspected leaves a file to the bundler, or says why it must not have it.
func inspected(name, shown string, info fs.FileInfo) (api.OnLoadResult, error) {
	if what := oddity(info); what != "" {
		return api.OnLoadResult{}, fmt.Errorf("%s %s", shown, what)
	}
	if message := deep(name, shown, info); message != nil {
		return api.OnLoadResult{Errors: []api.Message{*message}}, nil
	}
	return api.OnLoadResult{}, nil
}

// oddity says why the bundler must not read a file, in words that follow its name; it is empty where it may.
func oddity(info fs.FileInfo) string {
	switch {
	case !info.Mode().IsRegular():
		return "is no regular file"
	case info.Size() > maxSource:
		return fmt.Sprintf("is larger than %d MiB", maxSource>>20)
	}
	return ""
}

// readRegular reads a file that this package looks at itself, beside the bundler: nothing that the bundler would be
// refused.
func readRegular(name string) ([]byte, error) { return regularfile.Read(name, maxSource) }

// shown is a file as the author would write it, relative to the package.
func (c *Context) shown(file string) string { return relative(c.dir, file) }

// relative is the slash-separated path of a file from a folder, or the whole one where there is none.
func relative(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil {
		file = rel
	}
	return filepath.ToSlash(file)
}

// admitted reports whether a file lies in the package, or in what its node_modules, or those of a
// folder above it, hold or link to.
func (c *Context) admitted(file string) bool {
	real, err := c.folders.real(file)
	if err != nil {
		return false
	}
	if within(c.dir, real) {
		return true
	}
	for _, root := range c.installedFolders() {
		if within(root, real) {
			return true
		}
	}
	return false
}

// folders remembers where folders really are, for one run of the bundler: most files share theirs with others.
type folders struct{ known sync.Map }

// real is filepath.EvalSymlinks of a file.
func (f *folders) real(file string) (string, error) {
	info, err := os.Lstat(file)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return filepath.EvalSymlinks(file)
	}
	folder := filepath.Dir(file)
	real, ok := f.known.Load(folder)
	if !ok {
		path, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return "", err
		}
		real, _ = f.known.LoadOrStore(folder, path)
	}
	return filepath.Join(real.(string), filepath.Base(file)), nil
}

func within(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// installedFolders are the folders that node_modules stand for: themselves, and where their links lead, as
// workspaces and pnpm have them.
func (c *Context) installedFolders() []string {
	c.installedOnce.Do(func() {
		seen := map[string]bool{}
		var visit func(modules string)
		visit = func(modules string) {
			real, err := filepath.EvalSymlinks(modules)
			if err != nil || seen[real] {
				return
			}
			seen[real] = true
			c.installedRoots = append(c.installedRoots, real)
			entries, err := os.ReadDir(real)
			if err != nil {
				return
			}
			for _, e := range entries {
				path := filepath.Join(real, e.Name())
				if strings.HasPrefix(e.Name(), "@") && e.IsDir() {
					scoped, _ := os.ReadDir(path)
					for _, s := range scoped {
						c.link(filepath.Join(path, s.Name()), s, seen, visit)
					}
					continue
				}
				c.link(path, e, seen, visit)
			}
		}
		for dir := c.dir; ; dir = filepath.Dir(dir) {
			visit(filepath.Join(dir, "node_modules"))
			if dir == filepath.Dir(dir) {
				return
			}
		}
	})
	return c.installedRoots
}

// link follows one entry of a node_modules. Only a folder that is a package counts: a link to the root of
// the file system would let everything in.
func (c *Context) link(path string, e os.DirEntry, seen map[string]bool, visit func(string)) {
	if e.Type()&os.ModeSymlink == 0 {
		return
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || seen[real] || within(real, c.dir) {
		return
	}
	if _, err := os.Stat(filepath.Join(real, "package.json")); err != nil {
		return
	}
	seen[real] = true
	c.installedRoots = append(c.installedRoots, real)
	visit(filepath.Join(real, "node_modules"))
	// pnpm keeps what a package needs beside it.
	if parent := filepath.Dir(real); filepath.Base(parent) == "node_modules" {
		visit(parent)
	}
}

// installation is what installedFolders found out, once a context.
type installation struct {
	installedOnce  sync.Once
	installedRoots []string
}
