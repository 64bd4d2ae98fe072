package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// maxFolders bounds how many folders of one root are looked at.
const maxFolders = 10_000

// candidate is a folder that may be a package.
type candidate struct {
	dir      string // absolute, symbolic links resolved
	name     string // the folder's own name where it was found
	info     fs.FileInfo
	location string

	provenance trust.Provenance
	scope      Scope
	source     string
	root       string // the folder that it was found in, symbolic links resolved

	// reported says that the folder is in the catalog even when it turns out to be no package.
	reported bool
	// failure says why the folder is not looked into; empty when it is.
	failure trust.Reason
	message string
}

// Problem is a root that could not be read. Roots are the operator's, so problems are for the operator alone.
type Problem struct {
	// Root is the path of the folder.
	Root string
	// Message says what is wrong with it.
	Message string
}

// finder collects candidates in the order of their standing.
type finder struct {
	exclude    []fs.FileInfo
	owned      []string // the folders of sources of users and agents
	candidates []candidate
	problems   []Problem
}

func (f *finder) problem(root, format string, arguments ...any) {
	f.problems = append(f.problems, Problem{root, fmt.Sprintf(format, arguments...)})
}

// find collects the candidates of all roots, each folder once for everybody who would see it.
func find(r Roots) *finder {
	f := &finder{}
	for _, dir := range r.Exclude {
		if info, err := os.Stat(dir); err == nil {
			f.exclude = append(f.exclude, info)
		}
	}
	for _, s := range r.Sources {
		if real, _, err := resolve(s.Path); err == nil && s.Scope.Kind != ScopeProject {
			f.owned = append(f.owned, real)
		}
	}
	project := Scope{Kind: ScopeProject}
	for _, dir := range r.Builtins {
		f.root(dir, candidate{provenance: trust.ProvenanceBuiltin, scope: project, location: "builtin:" + filepath.Base(dir)})
	}
	if r.ProjectRoot != "" {
		f.dropZone(filepath.Join(r.ProjectRoot, config.DropZone), candidate{
			provenance: trust.ProvenanceDropZone, scope: project, location: config.DropZone, reported: true})
	}
	for _, dir := range r.Packages {
		f.single(dir, candidate{provenance: trust.ProvenanceDropZone, scope: project, reported: true})
	}
	for _, kind := range []string{ScopeProject, ScopeUser, ScopeAgent} {
		for _, s := range r.Sources {
			if s.RecognizesPackages && s.Scope.Kind == kind {
				f.root(s.Path, candidate{provenance: trust.ProvenanceSource, scope: s.Scope, source: s.ID, location: s.ID + ":"})
			}
		}
	}
	return f
}

// root looks at a folder that is a package or holds some.
func (f *finder) root(dir string, like candidate) {
	real, info, err := resolve(dir)
	if err != nil {
		f.problem(dir, "the folder cannot be read: %v", reason(err))
		return
	}
	before := len(f.candidates)
	like.root = real
	is, broken := manifestIn(real)
	if is {
		c := like
		c.dir, c.info, c.name = real, info, filepath.Base(real)
		c.location = strings.TrimSuffix(c.location, ":")
		f.add(c)
	}
	// A manifest that cannot be read may also be that of a workspace, whose packages are not to suffer for it.
	if !is || broken {
		f.folders(real, real, like)
	}
	if len(f.candidates) == before && like.provenance == trust.ProvenanceBuiltin {
		f.problem(dir, "there is no package in the folder that is not there already")
	}
}

// single looks at a folder that is a package.
func (f *finder) single(dir string, like candidate) {
	real, info, err := resolve(dir)
	if err != nil {
		f.problem(dir, "the folder cannot be read: %v", reason(err))
		return
	}
	like.dir, like.info, like.root = real, info, real
	like.name = filepath.Base(real)
	like.location = like.name
	f.add(like)
}

// manifestIn reports whether a folder has a manifest, and whether it is broken, in which case it may be none.
// A package.json alone makes no package: workspaces have one too.
func manifestIn(dir string) (is, broken bool) {
	root, err := regularfile.Root(dir)
	if err != nil {
		return false, false
	}
	defer root.Close()
	source, err := readFile(root, manifest.PackageJSON, int64(jsondoc.DefaultLimits().MaxBytes))
	if errors.Is(err, fs.ErrNotExist) {
		_, err := root.Stat(manifest.NeuralisPackageJSON)
		return err == nil, false
	} else if err != nil {
		return true, true
	}
	doc, _ := jsondoc.Parse(source, jsondoc.DefaultLimits())
	if doc.Root == nil {
		return true, true
	}
	return doc.Root.Get(manifest.ManifestMember) != nil, false
}

// dropZone looks at the folder _packages of a project, which need not be there.
func (f *finder) dropZone(dir string, like candidate) {
	real, _, err := resolve(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		f.problem(dir, "the folder cannot be read: %v", reason(err))
	default:
		like.root = real
		f.folders(real, real, like)
	}
}

// folders adds the folders in dir, which is root or below it. Folders that only group others are looked into.
func (f *finder) folders(root, dir string, like candidate) {
	names, err := folderNames(dir)
	if err != nil {
		f.problem(dir, "the folder cannot be read: %v", reason(err))
		return
	}
	if len(names) > maxFolders {
		f.problem(dir, "the folder has more than the %d folders that are looked at", maxFolders)
		names = names[:maxFolders]
	}
	for _, name := range names {
		at := filepath.Join(dir, name)
		if grouping(name) && dir == root {
			if info, err := os.Lstat(at); err == nil && info.IsDir() {
				group := like
				group.location = join(like.location, name)
				f.folders(root, at, group)
			}
			continue
		}
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "node_modules" {
			continue
		}
		c := like
		c.name, c.location = name, join(like.location, name)
		var err error
		if c.dir, c.info, err = resolve(at); err != nil {
			if info, lstatErr := os.Lstat(at); lstatErr != nil || info.Mode().IsRegular() || !like.reported {
				continue // no folder, and nothing that should be one
			}
			c.dir, c.failure, c.message = at, trust.ReasonUnreadable, fmt.Sprintf("the folder cannot be read: %v", reason(err))
		} else if c.scope.Kind != ScopeProject && !below(c.dir, root) {
			// The owner of a source may put links in it, and the host reads more than the owner may.
			c.dir, c.info = at, nil
			c.failure, c.message = trust.ReasonLinkEscapes, "the folder is a symbolic link that leads out of the source: copy what it points at into the source"
			c.reported = true
		} else if f.private(c) {
			// The message does not say whose it is.
			c.dir, c.info = at, nil
			c.failure, c.message = trust.ReasonLinkEscapes, "the folder is not the project's to have"
		}
		f.add(c)
	}
}

// private reports whether a folder that was found for the whole project is in the source of a user or an agent,
// to which a link or a folder around it led.
func (f *finder) private(c candidate) bool {
	return c.scope.Kind == ScopeProject && c.provenance != trust.ProvenanceBuiltin && slices.ContainsFunc(f.owned, func(owned string) bool {
		return (c.dir == owned || below(c.dir, owned)) && c.root != owned && !below(c.root, owned)
	})
}

// join puts a name behind a location.
func join(location, name string) string {
	if strings.HasSuffix(location, ":") {
		return location + name
	}
	return path.Join(location, name)
}

// grouping reports whether a folder of this name holds packages and is none: the scope of npm names, what was
// installed, and a drop zone inside of a source.
func grouping(name string) bool {
	return strings.HasPrefix(name, "@") || name == "_installed" || name == config.DropZone
}

// add adds a candidate unless its folder is there already for all who would see it, or is excluded.
func (f *finder) add(c candidate) {
	if c.info == nil && !c.reported {
		return
	}
	same := func(info fs.FileInfo) bool { return os.SameFile(info, c.info) }
	seen := func(other candidate) bool {
		return other.info != nil && (other.scope.Kind == ScopeProject || other.scope == c.scope) && same(other.info)
	}
	if c.info == nil || !slices.ContainsFunc(f.exclude, same) && !slices.ContainsFunc(f.candidates, seen) {
		f.candidates = append(f.candidates, c)
	}
}

// resolve returns the true path of a folder.
func resolve(dir string) (string, fs.FileInfo, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	real, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", nil, err
	}
	if !info.IsDir() {
		return "", nil, errors.New("it is no folder")
	}
	return real, info, nil
}

// folderNames are the sorted names in a folder, at most one more than are looked at.
func folderNames(dir string) ([]string, error) {
	handle, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	names, err := handle.Readdirnames(maxFolders + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

// below reports whether a resolved path is below a resolved folder.
func below(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// reason is what went wrong, without the path, which the message says in its own way.
func reason(err error) error {
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		return inPath.Err
	}
	return err
}
