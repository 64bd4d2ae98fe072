package bundle

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/internal/jsonedit"
	"github.com/neuralis-dev/neuralis/internal/nesting"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Of each folder that it comes through, the bundler reads package.json and tsconfig.json, and nobody is asked before. A
// pipe or a device of that name would keep it for ever, with the build, and one that is nested a million levels deep would end
// the program. So those that it can come to are looked at
// first: in the package's folders and the ones above, and what a tsconfig.json extends. For npm packages this is done
// when one is imported.

// configNames are the files that the bundler reads of folders.
var configNames = []string{"package.json", "tsconfig.json"}

// maxFolders is how many folders of a package are looked at. What lies beyond is not sources.
const maxFolders = 1000

// configFaults finds what the bundler must not read of the package in a folder.
func configFaults(dir string) manifest.Diagnostics {
	s := configSearch{dir: dir, seen: map[string]bool{}}
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		s.folder(at)
		if at == filepath.Dir(at) {
			break
		}
	}
	folders := 0
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // the bundler says it better, where it matters
		case !entry.IsDir():
			return nil
		case entry.Name() == "node_modules" || entry.Name() == ".git":
			return fs.SkipDir
		}
		if folders++; folders > maxFolders {
			return fs.SkipAll
		}
		s.folder(path)
		return nil
	})
	return s.found
}

type configSearch struct {
	dir   string
	seen  map[string]bool
	found manifest.Diagnostics
}

func (s *configSearch) folder(dir string) {
	for _, name := range configNames {
		s.file(filepath.Join(dir, name))
	}
}

// file looks at one file, and at those that it extends.
func (s *configSearch) file(path string) {
	if s.seen[path] {
		return
	}
	s.seen[path] = true
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return // neither is read
	}
	err = readable(path, filepath.Base(path))
	if err == nil && nestedConfig(path) {
		err = fmt.Errorf("%s is nested more than %d levels deep", filepath.Base(path), maxNesting)
	}
	if err != nil {
		shown := path
		if rel, err := filepath.Rel(s.dir, path); err == nil {
			shown = rel
		}
		s.found = append(s.found, manifest.Diagnostic{
			Rule: manifest.RuleFileUnreadable, Severity: manifest.SeverityError, File: filepath.ToSlash(shown), Line: 1, Column: 1,
			Message: fmt.Sprintf("%v, and it would be read as the configuration of its folder", err), Hint: "remove it, or put a regular file in its place",
		})
		return
	}
	if filepath.Base(path) == "package.json" {
		return
	}
	for _, base := range extended(path) {
		s.file(base)
	}
}

// nestedConfig reports whether a file is nested so deeply that the bundler's parser would not come back.
func nestedConfig(path string) bool {
	if info, err := os.Stat(path); err != nil || info.Size() < shallow {
		return false
	}
	text, err := readRegular(path)
	if err != nil {
		return false
	}
	at, _ := nesting.Beyond(text, maxNesting, maxChain, false)
	return at >= 0
}

// maxConfig is the size of a tsconfig.json that is looked into, in bytes.
const maxConfig = 1 << 20

// extended are the files that a tsconfig.json extends by a path. Those of npm packages come from where only regular
// files come from.
func extended(path string) []string {
	text, err := regularfile.Read(path, maxConfig)
	if err != nil {
		return nil
	}
	if text, err = jsonedit.Standard(text); err != nil {
		return nil
	}
	var config struct {
		Extends any `json:"extends"`
	}
	if json.Unmarshal(text, &config) != nil {
		return nil
	}
	list, ok := config.Extends.([]any)
	if !ok {
		list = []any{config.Extends}
	}
	var files []string
	for _, one := range list {
		name, _ := one.(string)
		if name == "" || !strings.HasPrefix(name, ".") && !filepath.IsAbs(name) {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		}
		files = append(files, name, name+".json", filepath.Join(name, "tsconfig.json"))
	}
	return files
}

// packageFilter matches imports of npm packages.
const packageFilter = `^(@[^/]+/)?[A-Za-z0-9._~-]+(/|$)`

// installedConfigs remembers which folders of npm packages were looked at.
type installedConfigs struct{ looked sync.Map }

// inspectPackage looks at an npm package before the bundler does. It resolves nothing.
func (c *Context) inspectPackage(args api.OnResolveArgs) (api.OnResolveResult, error) {
	if args.ResolveDir == "" || strings.HasPrefix(args.Path, ".") {
		return api.OnResolveResult{}, nil
	}
	parts := strings.Split(args.Path, "/")
	first := 1
	if strings.HasPrefix(parts[0], "@") {
		first = 2
	}
	for at := args.ResolveDir; ; at = filepath.Dir(at) {
		folder := filepath.Join(at, "node_modules", filepath.Join(parts[:min(first, len(parts))]...))
		for n := first; ; n++ {
			if err := c.inspectFolder(folder); err != nil {
				return api.OnResolveResult{}, err
			}
			if n >= len(parts) {
				break
			}
			folder = filepath.Join(folder, parts[n])
		}
		if at == filepath.Dir(at) {
			return api.OnResolveResult{}, nil
		}
	}
}

// inspectFolder is the error of a package.json that must not be read.
func (c *Context) inspectFolder(folder string) error {
	if known, ok := c.looked.Load(folder); ok {
		err, _ := known.(error)
		return err
	}
	path := filepath.Join(folder, "package.json")
	var err error
	if info, missing := os.Stat(path); missing == nil && !info.IsDir() {
		if err = readable(path, c.shown(path)); err == nil && nestedConfig(path) {
			err = fmt.Errorf("%s is nested more than %d levels deep", c.shown(path), maxNesting)
		}
	}
	c.looked.Store(folder, err)
	return err
}
