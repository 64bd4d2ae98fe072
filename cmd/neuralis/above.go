package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/jsonedit"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/scaffold"
)

// packageAbove is the folder of the package that the current folder is in, for verbs that nobody told which package
// is meant. Which one that is is said when it is not the current folder itself. Where there is none it is the current
// folder, and what is wrong with that is for the verb to say.
func (g *globals) packageAbove() string {
	found := g.findAbove()
	if found != g.Dir {
		g.IO.Printf("Using the package in %s.\n", terminal.Printable(found))
	}
	return found
}

func (g *globals) findAbove() string {
	// A project is no package, but its packages are what is meant in its folder.
	if info, err := os.Stat(filepath.Join(g.Dir, projectPackages)); err == nil && info.IsDir() && !hasManifest(g.Dir) {
		return g.Dir
	}
	// What cannot be read may well be the manifest that is meant, and another package is not.
	if hasManifest(g.Dir) {
		return g.Dir
	}
	found, err := scaffold.Find(g.Dir)
	if err != nil {
		return g.Dir
	}
	return found
}

// hasManifest reports whether a folder is a package. A package.json without a "neuralis" member belongs to something
// else; one that cannot be read is a manifest until somebody mends it.
func hasManifest(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, manifest.NeuralisPackageJSON)); err == nil {
		return true
	}
	text, err := regularfile.Read(filepath.Join(dir, manifest.PackageJSON), maxManifest)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	document, err := jsonedit.Parse(text)
	return err != nil || document.Has(manifest.ManifestMember)
}

// maxManifest is the size of manifests that are read, in bytes.
const maxManifest = 1 << 20

// projectPackages is the folder of a project that has its packages.
const projectPackages = "_packages"

// packagesOf are the packages in a folder _packages, where a host looks for them: right in it, and in folders of it that
// only group others, which are npm scopes and _installed.
func packagesOf(zone string) ([]string, error) {
	entries, err := os.ReadDir(zone)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		dir := filepath.Join(zone, e.Name())
		if !strings.HasPrefix(e.Name(), "@") && e.Name() != "_installed" {
			if named(e.Name()) && isPackage(dir) {
				dirs = append(dirs, dir)
			}
			continue
		}
		members, err := os.ReadDir(dir)
		if err != nil {
			continue // a file, say; nothing in it could be a package
		}
		for _, m := range members {
			if named(m.Name()) && isPackage(filepath.Join(dir, m.Name())) {
				dirs = append(dirs, filepath.Join(dir, m.Name()))
			}
		}
	}
	return dirs, nil
}

// named reports whether a folder of this name may be a package's: others are of no interest to a host.
func named(name string) bool {
	return name != "node_modules" && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}
