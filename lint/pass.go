package lint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/lint/source"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

const (
	// maxSourceBytes and maxSources bound what is analysed of one package.
	maxSourceBytes = 2 << 20
	maxSources     = 5_000
)

// pass is one package under inspection.
type pass struct {
	dir      string
	pkg      *manifest.Package // nil where there is no manifest
	settings settings
	standing Standing

	// doc is the manifest's file, and manifest the manifest in it; nil where it is no object.
	doc      *jsondoc.Document
	manifest *jsondoc.Value
	// sources are the files below src/ that could be read, by path, and order their paths, sorted. Tests are not among them.
	sources map[string]*source.File
	order   []string
	// unread says that there is a source which could not be read, so that what is not found may be in there.
	unread bool

	// rule is the one that is looking.
	rule  *Rule
	found manifest.Diagnostics
	// fixes are the changes that are offered, by finding.
	fixes map[place][]Fix
}

func newPass(dir string, pkg *manifest.Package, o Options) *pass {
	p := &pass{dir: dir, pkg: pkg, sources: map[string]*source.File{}, fixes: map[place][]Fix{}, standing: o.Standing}
	p.readSettings()
	if p.settings.Standing != StandingAuto {
		p.standing = p.settings.Standing
	}
	if p.standing == StandingAuto && inProject(dir) {
		p.standing = StandingProject
	}
	if pkg != nil {
		p.doc = pkg.Document()
		if place := p.doc.Lookup(pkg.Pointer()); place.Found && place.Value.Kind == jsondoc.Object {
			p.manifest = place.Value
		}
	}
	return p
}

// inProject reports whether a folder is where projects keep their packages.
func inProject(dir string) bool {
	absolute, err := filepath.Abs(dir)
	return err == nil && filepath.Base(filepath.Dir(absolute)) == "_packages"
}

// readSources reads what is below src/.
func (p *pass) readSources(ctx context.Context) {
	root, err := os.OpenRoot(p.pkg.Dir)
	if err != nil {
		return // the loader said so
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), "src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || len(p.order) >= maxSources {
			p.unread = p.unread || path != "src" // a package without sources has all of them read
			return fs.SkipAll
		}
		if d.IsDir() {
			if d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if isSource(path) && d.Type().IsRegular() {
			p.readSource(root, path)
		}
		return nil
	})
	slices.Sort(p.order)
}

func isSource(path string) bool {
	for _, end := range []string{".d.ts", ".test.ts"} {
		if strings.HasSuffix(path, end) {
			return false
		}
	}
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs"}, filepath.Ext(path))
}

func (p *pass) readSource(root *os.Root, path string) {
	file, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		p.unread = true
		return
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSourceBytes+1))
	if err != nil || len(text) > maxSourceBytes {
		p.unread = true
		return
	}
	read, err := source.Parse(path, text)
	var fault *source.Fault
	p.unread = p.unread || err != nil
	if errors.As(err, &fault) {
		d := manifest.Diagnostic{Rule: syntaxRule, Severity: manifest.SeverityError, File: path, Line: fault.Line, Column: fault.Column, Message: fault.Message}
		if fault.Length > 0 {
			d.EndColumn = fault.Column + fault.Length
		}
		d.Frame = manifest.Frame(text, d.Line, d.Column, d.EndColumn)
		p.found = append(p.found, d)
		return
	}
	if err != nil {
		return
	}
	p.sources[path] = read
	p.order = append(p.order, path)
}

// code reports whether the package has code that is TypeScript.
func (p *pass) code() bool {
	return p.pkg.Runtime == manifest.RuntimeWASM || p.pkg.Runtime == manifest.RuntimeNode
}

func (p *pass) wasm() bool { return p.pkg.Runtime == manifest.RuntimeWASM }

// add reports a finding of the rule that is looking.
func (p *pass) add(d manifest.Diagnostic) {
	d.Rule, d.Severity = p.rule.ID, p.rule.Severity
	p.found = append(p.found, d)
}

// span reports a piece of a document.
func (p *pass) span(doc *jsondoc.Document, file string, start, end int, message, hint string) {
	at := doc.Span(start, end)
	p.add(manifest.Diagnostic{File: file, Line: at.Line, Column: at.Column, EndColumn: at.EndColumn, Message: message, Hint: hint,
		Frame: manifest.Frame(doc.Source, at.Line, at.Column, at.EndColumn)})
}

// value reports a value of a document; of an object or an array, its beginning.
func (p *pass) value(doc *jsondoc.Document, file string, v *jsondoc.Value, message, hint string) {
	end := v.End
	if v.Kind == jsondoc.Object || v.Kind == jsondoc.Array {
		end = v.Start + 1
	}
	p.span(doc, file, v.Start, end, message, hint)
}

// inManifest reports a value of the manifest's file.
func (p *pass) inManifest(v *jsondoc.Value, message, hint string) {
	p.value(p.doc, p.pkg.ManifestFile, v, message, hint)
}

// keyInManifest reports the name of a member of the manifest's file.
func (p *pass) keyInManifest(m *jsondoc.Member, message, hint string) {
	p.span(p.doc, p.pkg.ManifestFile, m.Start, m.End, message, hint)
}

// inFile reports a file as a whole.
func (p *pass) inFile(file, message, hint string) {
	p.add(manifest.Diagnostic{File: file, Line: 1, Column: 1, Message: message, Hint: hint})
}

// inSource reports a place in a source; where the author wrote nothing that stands there, the file.
func (p *pass) inSource(f *source.File, offset int, message, hint string) {
	line, column, end, ok := f.Place(offset)
	if !ok {
		line, column, end = 1, 1, 0
	}
	p.add(manifest.Diagnostic{File: f.Name, Line: line, Column: column, EndColumn: end, Message: message, Hint: hint,
		Frame: manifest.Frame(f.Source, line, column, end)})
}

// items are the elements of an array that are objects.
func objects(v *jsondoc.Value) []*jsondoc.Value {
	if v == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.Items), func(item *jsondoc.Value) bool { return item.Kind != jsondoc.Object })
}

// text is a member that is a string, with its value.
func text(v *jsondoc.Value, name string) (string, *jsondoc.Value) {
	if at := v.Get(name); at != nil && at.Kind == jsondoc.String {
		return at.Text, at
	}
	return "", nil
}

// texts are the elements of an array that are strings.
func texts(v *jsondoc.Value) []*jsondoc.Value {
	if v == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.Items), func(item *jsondoc.Value) bool { return item.Kind != jsondoc.String })
}

// exists reports whether a file or folder is in the package.
func (p *pass) exists(path string) bool {
	_, err := os.Stat(filepath.Join(p.pkg.Dir, filepath.FromSlash(path)))
	return err == nil
}

// quoted is a list of words for a message.
func quoted(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(list, ", ")
}
