package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

const (
	// maxMarkdown bounds how many files and folders of one source are looked at, and maxDepth how deep they go.
	maxMarkdown = 50_000
	maxDepth    = 32
)

var errTooMany = errors.New("it has more files than are looked at")

// sourceEntry makes the entry of a source as a whole. The folders in closed, by their true paths, are left out:
// packages, whose files are theirs, and folders of others.
func sourceEntry(s Source, closed map[string]bool) *Entry {
	e := &Entry{
		ID: SourcePrefix + s.ID, Kind: KindSource, Dir: s.Path, Location: s.ID,
		Provenance: trust.ProvenanceMarkdown, Tier: trust.Untrusted, Mode: trust.ModeMetadataOnly, Status: StatusReady,
		Scope: s.Scope, Source: s.ID,
	}
	real, _, err := resolve(s.Path)
	if err != nil {
		e.fail(trust.ReasonUnreadable, fmt.Sprintf("the folder of the source cannot be read: %v", reason(err)))
		return e
	}
	e.Dir = real
	files, err := markdown(real, closed)
	if err != nil {
		e.demote(trust.ReasonUnreadable, fmt.Sprintf("not all of the source could be read: %v", reason(err)))
	}
	e.Markdown = files
	e.Package = &manifest.Package{Dir: real, ID: e.ID, Name: s.ID, Docs: slices.Clone(files)}
	return e
}

// markdown lists the markdown files below a folder, with slashes, relative and sorted. Symbolic links are not
// followed, and folders whose names begin with a dot or an underscore are left out. An error says that the list is
// not whole.
func markdown(dir string, closed map[string]bool) (files []string, err error) {
	seen := 0
	var first error
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if first == nil {
				first = err
			}
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if seen++; seen > maxMarkdown {
			return errTooMany
		}
		name := d.Name()
		if d.IsDir() && path != dir {
			rel, err := filepath.Rel(dir, path)
			if err != nil || closed[path] || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "node_modules" ||
				strings.Count(rel, string(os.PathSeparator)) >= maxDepth {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || strings.HasPrefix(name, ".") {
			return nil
		}
		switch strings.ToLower(filepath.Ext(name)) {
		case ".md", ".markdown":
			if rel, err := filepath.Rel(dir, path); err == nil {
				files = append(files, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	slices.Sort(files)
	if err == nil {
		err = first
	}
	return files, err
}
