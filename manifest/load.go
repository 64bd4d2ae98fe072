package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// Load reads the package in a folder.
//
// The manifest is the neuralis member of package.json, or all of neuralis.package.json in a folder without a
// package.json. The id is the manifest's id; else the name in package.json without its scope, so that
// @acme/catalog is catalog (the name in neuralis.package.json there); else the name of the folder. Whichever
// of these is there counts, and it is an error if it is not a valid id: the next one is not tried.
//
// The diagnostics are sorted. If one of them is an error, the package or the part of it that the diagnostic
// is about must not be used; what else there is in the folder is in the package all the same. The package is
// nil only when there is no readable manifest, and then the diagnostics say so.
//
// Load reads files of at most 1 MiB, follows symbolic links only inside of the folder, and changes nothing.
func Load(dir string) (*Package, Diagnostics) {
	return load(dir, maxFiles)
}

// load is Load with a limit on the number of files.
func load(dir string, maxFiles int) (*Package, Diagnostics) {
	l := &loader{folder: folder{left: maxFiles, told: map[string]bool{}}}
	l.folder.tell = l.report
	l.load(dir)
	l.diagnostics.Sort()
	return l.result, l.diagnostics
}

type loader struct {
	folder      folder
	pkg         Package
	result      *Package
	diagnostics Diagnostics
}

func (l *loader) report(d Diagnostic) { l.diagnostics = append(l.diagnostics, d) }

func (l *loader) load(dir string) {
	unreadable := func(err error) {
		l.report(Diagnostic{Rule: RulePackageFolder, Severity: SeverityError,
			Message: fmt.Sprintf("the package folder %s cannot be read: %s", dir, reason(err)), Hint: "check the path and its permissions"})
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		unreadable(err)
		return
	}
	// A named pipe in place of a folder would let the opening below wait for ever.
	if info, err := os.Stat(absolute); err != nil || !info.IsDir() {
		unreadable(cmp.Or(err, errors.New("it is no folder")))
		return
	}
	root, err := os.OpenRoot(absolute + string(filepath.Separator)) // or nothing, if it is none any more
	if err != nil {
		unreadable(err)
		return
	}
	defer root.Close()

	l.folder.root = root
	l.pkg.Dir = absolute
	file, ok := l.findManifest()
	if !ok {
		return
	}
	if l.readManifest(file) {
		l.result = &l.pkg
	}
	// Without a manifest there is no package to put this in. What is wrong with it is worth saying even so.
	l.readTools()
	l.readSkills()
	l.findSources()
}

// findManifest decides which of the two files counts.
func (l *loader) findManifest() (entry, bool) {
	before := len(l.diagnostics)
	first, hasFirst := l.folder.stat(PackageJSON)
	second, hasSecond := l.folder.stat(NeuralisPackageJSON)
	switch {
	case hasFirst && hasSecond:
		d := aboutFile(RuleManifestTwice, NeuralisPackageJSON, fmt.Sprintf("move what it says to %q in %s, and remove it", ManifestMember, PackageJSON),
			"the file is not read, as there is a %s", PackageJSON)
		d.Severity = SeverityWarning
		l.report(d)
		return first, true
	case hasFirst:
		return first, true
	case hasSecond:
		return second, true
	}
	if len(l.diagnostics) == before { // a link that leads nowhere was reported
		l.report(Diagnostic{Rule: RuleManifestMissing, Severity: SeverityError, Hint: "run neuralis new to make a package, or check the path",
			Message: fmt.Sprintf("the folder has neither a %s nor a %s", PackageJSON, NeuralisPackageJSON)})
	}
	return entry{}, false
}

// readManifest fills the package from its manifest file. It reports whether there is a manifest.
func (l *loader) readManifest(file entry) bool {
	source, ok := l.folder.read(file)
	return ok && l.parseManifest(file.path, source)
}

// parseManifest fills the package from the text of its manifest file. It reports whether there is a manifest.
func (l *loader) parseManifest(file string, source []byte) bool {
	doc, problems := jsondoc.Parse(source, jsondoc.DefaultLimits())
	for _, p := range problems {
		l.report(l.manifestProblem(doc, file, p))
	}
	if doc.Root == nil {
		return false
	}
	l.pkg.ManifestFile, l.pkg.Source = file, source
	value := doc.Root
	where := manifestPath(file)
	if file == PackageJSON && doc.Root.Kind == jsondoc.Object {
		l.decodeNPM(doc)
		if value = doc.Root.Get(ManifestMember); value == nil {
			l.report(aboutFile(RuleManifestMissing, file, fmt.Sprintf("add %q: {} to make it one", ManifestMember),
				"the file has no %q member, so the folder is no package", ManifestMember))
			return false
		}
	} else if value.Kind != jsondoc.Object {
		where = nil
	}
	for _, p := range manifestModel().Decode(doc, value, &l.pkg.Manifest, where...) {
		l.report(l.manifestProblem(doc, file, p))
	}
	l.claims(doc, value)
	l.identity(doc, value)
	return true
}

// decodeNPM reads what package.json says outside of the manifest.
func (l *loader) decodeNPM(doc *jsondoc.Document) {
	for _, p := range npmModel().Decode(doc, doc.Root, &l.pkg.NPM) {
		l.report(FromProblem(doc, PackageJSON, p, RuleManifestInvalid))
	}
}

// manifestProblem is [FromProblem] with the rules that are about one member only.
func (l *loader) manifestProblem(doc *jsondoc.Document, file string, p jsondoc.Problem) Diagnostic {
	d := FromProblem(doc, file, p, RuleManifestInvalid)
	switch own := p.Path; {
	case p.Code == jsondoc.CodeDuplicateKey && file == PackageJSON && !ours(doc, p.Start):
		d.Severity = SeverityWarning
	case slices.Equal(own, append(manifestPath(file), "id")):
		d.Rule = RuleInvalidID
		if slug := Slug(doc.LookupPath(own...).Value.Text); slug != "" {
			d.Hint = fmt.Sprintf("%q would do", slug)
		}
	case slices.Equal(own, append(manifestPath(file), "runtime", "type")):
		if doc.LookupPath(own...).Found {
			d.Rule = RuleUnknownRuntime
		}
	}
	return d
}

// ours reports whether an offset in package.json is in a part that the toolchain reads. What other tools make
// of the rest is between them and the author.
func ours(doc *jsondoc.Document, offset int) bool {
	if doc.Root == nil {
		return true
	}
	for _, m := range doc.Root.Members {
		switch {
		case offset < m.Start || offset >= m.Value.End:
		case m.Name == ManifestMember:
			return true
		default:
			return offset == m.Start && slices.Contains([]string{"name", "version", "description", "files"}, m.Name)
		}
	}
	return false
}

// claims reports what a manifest says about its own standing.
func (l *loader) claims(doc *jsondoc.Document, value *jsondoc.Value) {
	for _, name := range []string{"trust", "trustTier", "provenance"} {
		if m := value.Member(name); m != nil {
			d := Diagnostic{Rule: RuleTrustClaim, Severity: SeverityWarning,
				Message: fmt.Sprintf("%q has no effect: how far a package is trusted is up to the host", name), Hint: "remove it"}
			l.report(d.at(doc, l.pkg.ManifestFile, m.Start, m.End))
		}
	}
}

// identity settles what the package is called and what kind it is.
func (l *loader) identity(doc *jsondoc.Document, value *jsondoc.Value) {
	pkg := &l.pkg
	m := &pkg.Manifest
	name, holder := m.Name, value
	if pkg.ManifestFile == PackageJSON {
		name, holder = pkg.NPM.Name, doc.Root
	}
	switch named := holder.Get("name"); {
	case value.Get("id") != nil:
		pkg.ID = m.ID // empty, and reported, when it cannot be one
	case named != nil && (named.Kind != jsondoc.String || named.Text != ""):
		id := unscoped(name)
		if ValidID(id) {
			pkg.ID = id
		} else if named.Kind == jsondoc.String {
			l.badID(doc, named, fmt.Sprintf("the name %q", clip(name)), id)
		}
	default:
		id := filepath.Base(pkg.Dir)
		if ValidID(id) {
			pkg.ID = id
		} else {
			l.badID(doc, value, fmt.Sprintf("the name of the folder, %q,", clip(strings.ToValidUTF8(id, "\uFFFD"))), id)
		}
	}
	pkg.Name = cmp.Or(m.Name, pkg.NPM.Name, pkg.ID)
	pkg.Version = cmp.Or(m.Version, pkg.NPM.Version)
	pkg.Description = cmp.Or(m.Description, pkg.NPM.Description)
	if kind := value.Get("runtime").Get("type"); kind != nil && kind.Kind == jsondoc.String {
		pkg.Runtime = Runtime(kind.Text)
	}
}

// badID reports that what would be the id, as there is no other, cannot be one.
func (l *loader) badID(doc *jsondoc.Document, at *jsondoc.Value, what, from string) {
	end := at.End
	if at.Kind == jsondoc.Object {
		end = at.Start + 1
	}
	hint := `add an "id" to the manifest`
	if slug := Slug(from); slug != "" {
		hint = fmt.Sprintf(`add "id": %q to the manifest`, slug)
	}
	d := Diagnostic{Rule: RuleInvalidID, Severity: SeverityError,
		Message: fmt.Sprintf("%s cannot be the id of the package: an id must be %s", what, formats().Is("slug")), Hint: hint}
	l.report(d.at(doc, l.pkg.ManifestFile, at.Start, end))
}

// unscoped is a name of npm without its scope.
func unscoped(name string) string {
	if scope, rest, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(scope, "@") && len(scope) > 1 {
		return rest
	}
	return name
}

// clip shortens text of foreign length for a message.
func clip(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// findSources lists everything that is known by where it is.
func (l *loader) findSources() {
	pkg := &l.pkg
	pkg.RouteSources = l.handlers("src/routes")
	pkg.ChannelSources = l.handlers("src/channels")
	pkg.EventSources = l.handlers("src/events")
	if e, ok := l.folder.stat("src/lifecycle.ts"); ok && e.info.Mode().IsRegular() {
		pkg.Lifecycle = e.path
	}
	for _, dir := range []string{"tests", "src"} {
		for _, file := range l.folder.walk(dir) {
			if strings.HasSuffix(file, ".test.ts") {
				pkg.TestSources = append(pkg.TestSources, file)
			}
		}
	}
	slices.Sort(pkg.TestSources)
	pkg.Docs = l.folder.walk("docs")
	pkg.Rules = l.folder.walk("rules")
	pkg.Instructions = l.folder.walk("instructions")
	pkg.Agents = l.folder.walk("agents")
	pkg.Workflows = l.folder.walk("workflows")
	pkg.Team = l.folder.walk("team")
}

// handlers lists the TypeScript files in a folder that are neither declarations nor tests.
func (l *loader) handlers(dir string) []string {
	var files []string
	for _, e := range l.folder.list(dir) {
		name := e.name()
		if strings.HasSuffix(name, ".ts") && !strings.HasSuffix(name, ".d.ts") && !strings.HasSuffix(name, ".test.ts") && e.info.Mode().IsRegular() {
			files = append(files, e.path)
		}
	}
	return files
}

// stem is the name of a file without its folder and its extension.
func stem(file, extension string) string { return strings.TrimSuffix(path.Base(file), extension) }
