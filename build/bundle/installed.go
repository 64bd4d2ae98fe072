package bundle

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// packageFilter matches imports of npm packages, by their name or by the folder that they lie in.
const packageFilter = `^(@[^/]+/)?[A-Za-z0-9._~-]+(/|$)|[/\\]node_modules[/\\]`

// maxInstalledFolders is how many folders of one npm package are looked at. The largest have a few thousand; a link to the root
// of the file system has more.
const maxInstalledFolders = 10_000

// installedConfigs remembers which npm packages were looked at. A package's exports may lead into any of its folders,
// so all of them are looked at, once, when the package is first imported.
type installedConfigs struct{ looked sync.Map }

// resolver gives the bundler an error in the place of a file that must not be read, and resolves nothing. Names in errors
// are relative to dir.
func (c *installedConfigs) resolver(dir string) func(api.OnResolveArgs) (api.OnResolveResult, error) {
	return func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{}, c.inspect(dir, args)
	}
}

// inspect looks at the npm packages that an import may mean.
func (c *installedConfigs) inspect(dir string, args api.OnResolveArgs) error {
	if args.ResolveDir == "" {
		return nil
	}
	const modules = "node_modules"
	specifier := filepath.FromSlash(args.Path)
	if filepath.IsAbs(specifier) || strings.HasPrefix(args.Path, ".") {
		if !filepath.IsAbs(specifier) {
			specifier = filepath.Join(args.ResolveDir, specifier)
		}
		above, below, ok := cutLast(specifier, string(filepath.Separator)+modules+string(filepath.Separator))
		if !ok {
			return nil
		}
		return c.folder(dir, filepath.Join(above, modules, nameOf(filepath.ToSlash(below))))
	}
	name := nameOf(args.Path)
	for at := args.ResolveDir; ; at = filepath.Dir(at) {
		if err := c.folder(dir, filepath.Join(at, modules, name)); err != nil {
			return err
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// nameOf is the folder of the npm package that a bare import names, below node_modules.
func nameOf(specifier string) string {
	parts := strings.SplitN(specifier, "/", 3)
	if strings.HasPrefix(specifier, "@") && len(parts) > 1 {
		return filepath.Join(parts[0], parts[1])
	}
	return parts[0]
}

// folder looks at one npm package.
func (c *installedConfigs) folder(dir, folder string) error {
	if known, ok := c.looked.Load(folder); ok {
		err, _ := known.(error)
		return err
	}
	err := installedFault(dir, folder)
	c.looked.Store(folder, err)
	return err
}

// installedFault is what is wrong with the configuration of an npm package, or nil. It follows the link that workspaces
// and pnpm have in the package's place, and none within the package.
func installedFault(dir, folder string) error {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil // there is no such package, and the bundler says it
	}
	s := configSearch{seen: map[string]bool{}}
	if real != folder {
		s.above(real)
	}
	folders := 0
	_ = filepath.WalkDir(real, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // the bundler says it better, where it matters
		case entry.IsDir() && entry.Name() == "node_modules":
			return fs.SkipDir
		case entry.IsDir():
			if folders++; folders > maxInstalledFolders {
				return fs.SkipAll
			}
		case slices.Contains(configNames, entry.Name()):
			s.file(path)
		}
		return nil
	})
	if len(s.found) == 0 {
		return nil
	}
	return fmt.Errorf("%s %s", relative(dir, s.found[0].path), s.found[0].what)
}
