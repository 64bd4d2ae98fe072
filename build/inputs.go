package build

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/neuralis-dev/neuralis/build/dispatcher"
	"github.com/neuralis-dev/neuralis/build/typegen"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Inputs stands for what the code of a build depends on: while it is the same, so is the plug-in.
type Inputs [sha256.Size]byte

// noCode are the folders at the top of a package that are read by hosts as they are.
var noCode = map[string]bool{
	"tools": true, "skills": true, "docs": true, "rules": true, "instructions": true, "agents": true, "workflows": true, "team": true, "tests": true,
}

// aboutPackage are the members of package.json that decide nothing about the code; what of the manifest is in it comes with
// the dispatcher.
var aboutPackage = []string{manifest.ManifestMember, "name", "version", "description", "files", "keywords", "author", "license", "scripts",
	"repository", "bugs", "homepage", "devDependencies", "private"}

// InputsOf looks at what the code of a package depends on. Of files it is their places, sizes and times: contents are for
// the build to read. Packages in node_modules count by what package.json and its lock file say of them.
func InputsOf(pkg *manifest.Package) (Inputs, error) {
	sum := sha256.New()
	if pkg.Runtime == manifest.RuntimeWASM {
		sum.Write(dispatcher.Generate(pkg))
	}
	err := filepath.WalkDir(pkg.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone since its folder was listed
			}
			return err
		}
		rel, err := filepath.Rel(pkg.Dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if IsOutput(d.Name()) && path != pkg.Dir || noCode[rel] {
				return filepath.SkipDir
			}
			return nil
		}
		if rel == pkg.ManifestFile || strings.HasSuffix(rel, ".md") && !strings.Contains(rel, string(filepath.Separator)) {
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q", rel)
		_ = binary.Write(sum, binary.LittleEndian, []int64{info.Size(), info.ModTime().UnixNano()})
		return nil
	})
	if err != nil {
		return Inputs{}, fmt.Errorf("looking at the sources: %w", err)
	}
	var members map[string]json.RawMessage
	if pkg.ManifestFile == manifest.PackageJSON && json.Unmarshal(pkg.Source, &members) == nil {
		for _, name := range aboutPackage {
			delete(members, name)
		}
		rest, err := json.Marshal(members)
		if err != nil {
			return Inputs{}, err
		}
		sum.Write(rest)
	}
	return Inputs(sum.Sum(nil)), nil
}

// Check does for a package what a build does besides making code: it writes the types in .neuralis/ and looks at the
// schemas of tools.
func Check(pkg *manifest.Package) manifest.Diagnostics {
	return append(writeTypes(pkg), checkSchemas(pkg)...)
}

// writeTypes writes .neuralis/, which is for the editor: that it cannot be written fails no build.
func writeTypes(pkg *manifest.Package) manifest.Diagnostics {
	if _, err := typegen.Generate(pkg); err != nil {
		d := problem(RuleOutput, fmt.Errorf("writing types: %w", err))
		d.Severity = manifest.SeverityWarning
		return manifest.Diagnostics{d}
	}
	return nil
}
