package scaffold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/filelock"
	"github.com/neuralis-dev/neuralis/internal/jsonedit"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Kind is what [Add] can add.
type Kind string

// The kinds of contributions.
const (
	Tool      Kind = "tool"
	Route     Kind = "route"
	Skill     Kind = "skill"
	Lifecycle Kind = "lifecycle"
	Test      Kind = "test"
)

// Addition says what to add to a package.
type Addition struct {
	Kind Kind
	Name string // of the tool, skill, test, or of the route's file; a lifecycle has none

	Title       string // tool: empty for one made of the name
	Description string // tool, skill: empty for a sentence that asks to be replaced
	Category    string // tool: read or write; empty for read
	Feature     string // tool: empty for none; route: empty for <id>.read or <id>.write

	Pattern string   // route: empty for the name
	Methods []string // route: empty for GET
}

// additionData is what the templates of contributions are filled in with.
type additionData struct {
	Addition
	ID            string
	Operation     string
	ReadOnly      bool
	Sandboxed     bool
	Tool          string // test: the tool it is about
	ToolArguments string
	As            string // test: who calls, as a further argument, or ""
}

// addition is an Addition while it is carried out.
type addition struct {
	pkg    *manifest.Package
	data   additionData
	files  []file
	edit   *jsonedit.Document
	result *Result
}

// lockFile is held while something is added to a package.
const lockFile = ".neuralis-add.lock"

// Add adds to the package that dir is in. On an error nothing is left behind.
func Add(ctx context.Context, dir string, a Addition) (*Result, error) {
	root, err := Find(dir)
	if err != nil {
		return nil, err
	}
	// Held from reading the manifest to writing it, or one of two additions at once would be lost.
	folder, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("opening the package: %w", err)
	}
	defer folder.Close()
	lock, err := filelock.Acquire(ctx, folder, lockFile)
	switch {
	case err == nil:
		defer lock.Release()
	case !errors.Is(err, filelock.ErrUnsupported): // such a file system is no reason to add nothing
		return nil, fmt.Errorf("waiting for other additions to the package: %w", err)
	}
	pkg, diags := manifest.Load(root)
	if pkg == nil {
		return nil, diags
	}
	if pkg.ID == "" {
		return nil, refusef("the package in %s has no valid id: give it one in %s", root, pkg.ManifestFile)
	}
	source, err := regularfile.Read(filepath.Join(root, pkg.ManifestFile), maxManifest)
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	edit, err := jsonedit.Parse(source)
	if err != nil {
		return nil, refusef("%s: %v", pkg.ManifestFile, err)
	}
	op := &addition{
		pkg:    pkg,
		data:   additionData{Addition: a, ID: pkg.ID, Sandboxed: pkg.Runtime != manifest.RuntimeNode},
		edit:   edit,
		result: &Result{Dir: root},
	}
	plan, ok := map[Kind]func() error{
		Tool: op.tool, Route: op.route, Skill: op.skill, Lifecycle: op.lifecycle, Test: op.test,
	}[a.Kind]
	if !ok {
		return nil, &NameError{What: "kind of contribution", Name: string(a.Kind), Rule: "tool, route, skill, lifecycle or test"}
	}
	if err := plan(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return op.result, op.write(source)
}

func (op *addition) tool() error {
	d := &op.data
	if err := checkTool(d.Name); err != nil {
		return err
	}
	if err := op.needCode("tool"); err != nil {
		return err
	}
	switch d.Category {
	case "":
		d.Category = "read"
	case "read", "write":
	default:
		return &NameError{What: "category of a tool", Name: d.Category, Rule: "read or write"}
	}
	d.ReadOnly = d.Category == "read"
	if d.Title == "" {
		d.Title = Title(d.Name)
	}
	if d.Description == "" {
		d.Description = "Say here what the tool does and when a model should call it"
	}
	d.Operation = d.ID + "." + strings.ReplaceAll(strings.TrimPrefix(d.Name, toolPrefix(d.ID)+"_"), "_", "-")
	if err := errors.Join(oneLine("title of a tool", d.Title), oneLine("description of a tool", d.Description)); err != nil {
		return err
	}
	if d.Feature != "" {
		if err := op.feature(d.Feature); err != nil {
			return err
		}
	}
	if err := op.add("tool.json", "tools/"+d.Name+".json"); err != nil {
		return err
	}
	if err := op.add("tool.ts", "src/tools/"+d.Name+".ts"); err != nil {
		return err
	}
	if err := op.ship("dist", "tools"); err != nil {
		return err
	}
	op.next("Describe the arguments in tools/"+d.Name+".json, then write src/tools/"+d.Name+".ts.", "neuralis build")
	if op.data.Sandboxed {
		op.next("neuralis call " + d.Name + ` '{"text":"hello"}'`)
	}
	return nil
}

func (op *addition) route() error {
	d := &op.data
	if strings.ContainsAny(d.Name, ":*/") {
		return &NameError{What: "name of a route's file", Name: d.Name,
			Rule: fileRule + ", and --pattern for the route", Suggestion: manifest.Slug(d.Name)}
	}
	if err := checkFile("name of a route's file", d.Name); err != nil {
		return err
	}
	if err := op.needCode("route"); err != nil {
		return err
	}
	if d.Pattern == "" {
		d.Pattern = d.Name
	}
	d.Pattern = strings.TrimPrefix(d.Pattern, "/")
	if _, err := manifest.ParsePattern(d.Pattern); err != nil {
		return &NameError{What: "pattern of a route", Name: d.Pattern, Rule: fmt.Sprintf("literals, :param and a final *rest between slashes (%v)", err)}
	}
	if len(d.Methods) == 0 {
		d.Methods = []string{"GET"}
	}
	methods, writes := []string(nil), false
	for _, m := range d.Methods {
		m = strings.ToUpper(m)
		if !slices.Contains(routeMethods(), m) {
			return &NameError{What: "method of a route", Name: m, Rule: "one of " + strings.Join(routeMethods(), ", ")}
		}
		if !slices.Contains(methods, m) {
			methods = append(methods, m)
		}
		writes = writes || !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, m)
	}
	d.Methods = methods
	if d.Feature == "" {
		d.Feature = d.ID + ".read"
		if writes {
			d.Feature = d.ID + ".write"
		}
	}
	if err := op.feature(d.Feature); err != nil {
		return err
	}
	if err := op.add("route.ts", "src/routes/"+d.Name+".ts"); err != nil {
		return err
	}
	if err := op.ship("dist"); err != nil {
		return err
	}
	op.next("Write src/routes/"+d.Name+".ts.", "neuralis build")
	if op.data.Sandboxed && slices.Contains(d.Methods, "GET") {
		op.next("neuralis call 'GET " + examplePath(d.Pattern) + "'")
	}
	return nil
}

// routeMethods are the exports of a route file that answer requests.
func routeMethods() []string {
	return []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
}

// examplePath is a path that a pattern matches.
func examplePath(pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		segments[i] = strings.TrimLeft(s, ":*")
	}
	return strings.Join(segments, "/")
}

func (op *addition) skill() error {
	d := &op.data
	if err := checkSlug("name of a skill", d.Name); err != nil {
		return err
	}
	d.Title = Title(d.Name)
	if d.Description == "" {
		d.Description = "Say here what the skill does and when an agent should use it"
	}
	if err := oneLine("description of a skill", d.Description); err != nil {
		return err
	}
	if err := op.add("skill.md", "skills/"+d.Name+"/SKILL.md"); err != nil {
		return err
	}
	op.next("Write skills/"+d.Name+"/SKILL.md; its description decides when an agent reads it.", "neuralis build")
	return op.ship("skills")
}

func (op *addition) lifecycle() error {
	if err := op.needCode("lifecycle"); err != nil {
		return err
	}
	if err := op.add("lifecycle.ts", "src/lifecycle.ts"); err != nil {
		return err
	}
	op.next("Return from init in src/lifecycle.ts what tools and routes share; they find it at ctx.state.", "neuralis build")
	return op.ship("dist")
}

func (op *addition) test() error {
	d := &op.data
	if err := checkFile("name of a test", d.Name); err != nil {
		return err
	}
	for _, t := range op.pkg.Tools {
		if t.Name == d.Name {
			d.Tool, d.ToolArguments = t.Name, exampleArguments(t.Schema)
			d.As = caller(op.pkg.Manifest.DefaultRoleGrants, t.Extension.Feature)
		}
	}
	if err := op.add("test.ts", "tests/"+d.Name+".test.ts"); err != nil {
		return err
	}
	op.next("Say in tests/" + d.Name + ".test.ts what the package promises.")
	return nil
}

// needCode makes sure that the package can have handlers: a declarative package
// becomes a wasm one.
func (op *addition) needCode(what string) error {
	switch op.pkg.Runtime {
	case manifest.RuntimeMCP:
		return refusef("%s is an mcp package: its tools are those of its server, so a %s cannot be added here", op.pkg.ID, what)
	case manifest.RuntimeNone:
		set, err := op.edit.Set(`{ "type": "wasm" }`, op.inManifest("runtime")...)
		if err != nil {
			return refusef("%s: %v", op.pkg.ManifestFile, err)
		}
		if set {
			op.note("made it a wasm package: it had no code until now")
		}
	}
	return nil
}

// feature declares a feature that the manifest does not have.
func (op *addition) feature(id string) error {
	if err := checkFeature(id); err != nil {
		return err
	}
	entry, err := json.Marshal(id)
	if err != nil {
		return err
	}
	_, last, _ := strings.Cut(id, ".")
	if last == "" {
		last = id
	}
	title, err := json.Marshal(Title(last))
	if err != nil {
		return err
	}
	same := func(element []byte) bool {
		var feature manifest.Feature
		return json.Unmarshal(element, &feature) == nil && feature.ID == id
	}
	added, err := op.edit.Append(fmt.Sprintf(`{ "id": %s, "title": %s }`, entry, title), same, op.inManifest("features")...)
	if err != nil {
		return refusef("%s: %v", op.pkg.ManifestFile, err)
	}
	if added {
		op.note("declared the feature " + id)
		op.next("Grant " + id + " to a role under defaultRoleGrants in " + op.pkg.ManifestFile + ".")
	}
	return nil
}

// ship lists folders among the files that are published.
func (op *addition) ship(folders ...string) error {
	if op.pkg.ManifestFile != manifestFile {
		return nil // only package.json has a list
	}
	for _, folder := range folders {
		listed := slices.ContainsFunc(op.edit.Strings("files"), func(entry string) bool {
			return strings.TrimRight(strings.TrimPrefix(entry, "./"), "/*") == folder
		})
		if listed {
			continue
		}
		if _, err := op.edit.AppendString(folder, "files"); err != nil {
			return refusef("%s: %v", op.pkg.ManifestFile, err)
		}
		op.note("listed " + folder + " under files, so that it is shipped")
	}
	return nil
}

func (op *addition) inManifest(key string) []string {
	if op.pkg.ManifestFile == manifestFile {
		return []string{"neuralis", key}
	}
	return []string{key}
}

func (op *addition) add(template, target string) error {
	data, err := render("add/"+template+".tmpl", op.data)
	if err != nil {
		return err
	}
	op.files = append(op.files, file{name: target, data: data})
	return nil
}

// sameButCase is the file beside one to be made whose name differs from its only in the case of letters.
func sameButCase(dir, name string) (other string, ok bool) {
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(path.Dir(name))))
	if err != nil {
		return "", false // there is no such folder yet, or making the file will say what is wrong
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), path.Base(name)) {
			return path.Join(path.Dir(name), e.Name()), true
		}
	}
	return "", false
}

func (op *addition) note(text string)    { op.result.Notes = append(op.result.Notes, text) }
func (op *addition) next(text ...string) { op.result.Next = append(op.result.Next, text...) }

// write carries the plan out: the files first, then the manifest; when anything
// fails, what was written is removed again.
func (op *addition) write(manifestBefore []byte) (err error) {
	dir := op.result.Dir
	existing := &ExistsError{Dir: dir}
	for _, f := range op.files {
		switch _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.name))); {
		case err == nil:
			existing.Files = append(existing.Files, f.name)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("looking at %s: %w", f.name, err)
		}
	}
	if existing.Files != nil {
		return existing
	}
	for _, f := range op.files {
		if other, ok := sameButCase(dir, f.name); ok {
			return refusef("%s and %s would differ in the case of letters only, and be the same file on some machines: choose another name", f.name, other)
		}
	}
	if op.data.Kind != Skill {
		if err := op.editorSetUp(); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening the package: %w", err)
	}
	defer root.Close()
	var undo []string
	defer func() {
		if err != nil {
			for _, name := range slices.Backward(undo) {
				_ = root.Remove(name)
			}
		}
	}()
	if err := writeNew(root, op.files, &undo); err != nil {
		return err
	}
	after := op.edit.Bytes()
	if string(after) != string(manifestBefore) {
		if err := replace(root, op.pkg.ManifestFile, after); err != nil {
			return fmt.Errorf("writing %s: %w", op.pkg.ManifestFile, err)
		}
		op.result.Changed = append(op.result.Changed, op.pkg.ManifestFile)
	}
	for _, f := range op.files {
		op.result.Created = append(op.result.Created, f.name)
	}
	return nil
}

// editorSetUp adds the tsconfig.json that makes editors find the generated
// types, to a package that gets its first TypeScript.
func (op *addition) editorSetUp() error {
	const name = "tsconfig.json"
	if _, err := os.Lstat(filepath.Join(op.result.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	data, err := render("add/"+name, nil)
	if err != nil {
		return err
	}
	op.files = append(op.files, file{name: name, data: data})
	return nil
}

// replace puts new content in the place of a file at once, with its permissions.
func replace(root *os.Root, name string, data []byte) error {
	info, err := root.Stat(name)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return refusef("%s is read-only: make it writable to add to the package", name)
	}
	temp := ".neuralis-new-" + name
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}
