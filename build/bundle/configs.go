package bundle

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/jsonedit"
	"github.com/neuralis-dev/neuralis/internal/nesting"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Of each folder that it comes through, the bundler reads package.json, tsconfig.json and a few others, and nobody is
// asked before. A pipe or a device of that name would keep it for ever, with the build, and one that is nested a million
// levels deep would end the program. So those that it can come to are looked at first: in the package's folders and the
// ones above, and what a tsconfig.json extends. For npm packages this is done when one is imported, see installed.go.

// configNames are the files that the bundler reads of folders.
var configNames = []string{"package.json", "tsconfig.json", "jsconfig.json", ".pnp.data.json", ".pnp.cjs", ".pnp.js"}

// maxFolders is how many folders of a package are looked at. What lies beyond is not sources.
const maxFolders = 1000

// configFaults finds what the bundler must not read of the package in a folder.
func configFaults(dir string) manifest.Diagnostics {
	s := configSearch{seen: map[string]bool{}}
	s.above(dir)
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
	var diags manifest.Diagnostics
	for _, fault := range s.found {
		diags = append(diags, manifest.Diagnostic{
			Rule: manifest.RuleFileUnreadable, Severity: manifest.SeverityError, File: relative(dir, fault.path), Line: 1, Column: 1,
			Message: fmt.Sprintf("%s %s, and it would be read as the configuration of its folder", filepath.Base(fault.path), fault.what),
			Hint:    "remove it, or put a regular file in its place",
		})
	}
	return diags
}

// configFault is a file that the bundler must not read, and what it is, to follow its name.
type configFault struct{ path, what string }

type configSearch struct {
	seen  map[string]bool
	found []configFault
}

// above looks at the folders above a folder.
func (s *configSearch) above(dir string) {
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		s.folder(at)
		if at == filepath.Dir(at) {
			return
		}
	}
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
	what := oddity(info)
	if what == "" && nestedConfig(path, info) {
		what = fmt.Sprintf("is nested more than %d levels deep", maxNesting)
	}
	if what != "" {
		s.found = append(s.found, configFault{path, what})
		return
	}
	if name := filepath.Base(path); name == "package.json" || strings.HasPrefix(name, ".pnp.") {
		return
	}
	for _, base := range extended(path) {
		s.file(base)
	}
}

// nestedConfig reports whether a file is nested so deeply that the bundler's parser would not come back.
func nestedConfig(path string, info fs.FileInfo) bool {
	if info.Size() < shallow {
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
