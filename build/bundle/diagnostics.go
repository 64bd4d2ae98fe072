package bundle

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/build/dispatcher"
	"github.com/neuralis-dev/neuralis/manifest"
)

// The rules a bundle can break.
const (
	// RuleSyntax is source text that cannot be parsed, or that cannot mean anything.
	RuleSyntax = "syntax-error"
	// RuleMissingImport is an import that leads to no file.
	RuleMissingImport = "missing-import"
	// RuleMissingExport is an import of a name that the module does not export.
	RuleMissingExport = "missing-export"
	// RuleNodeBuiltin is an import of a module that only Node.js has.
	RuleNodeBuiltin = "node-builtin"
	// RuleOutsideImport is an import that leaves the package folder.
	RuleOutsideImport = "import-outside-package"
	// RuleFileKind is an import of a file that is neither code nor text.
	RuleFileKind = "unsupported-file"
	// RuleSuspicious is code that is legal and probably not meant.
	RuleSuspicious = "suspicious-code"
	// RuleRoute is a route file whose exports cannot be read without running it.
	RuleRoute = "route-exports"
	// RuleBundler is a failure of the bundler itself.
	RuleBundler = "bundler"
	// RuleCancelled is a build that was stopped.
	RuleCancelled = "cancelled"
)

// resolveError is how the bundler begins to say that an import leads nowhere.
const resolveError = "Could not resolve "

// diagnostics translates messages that need no further look at the package.
func (c *Context) diagnostics(messages []api.Message, severity manifest.Severity) manifest.Diagnostics {
	var list manifest.Diagnostics
	for _, m := range messages {
		list = append(list, c.sources().diagnostic(m, severity))
	}
	return list
}

func (c *Context) sources() sourceReader {
	return sourceReader{dir: c.dir, dispatcher: *c.dispatcher.Load()}
}

// sourceReader gives the text behind a name the bundler uses in messages.
type sourceReader struct {
	dir        string
	dispatcher []byte
}

// read returns nil when there is no such text; a frame is then left out.
func (r sourceReader) read(name string) []byte {
	if module, ok := strings.CutPrefix(name, guestNamespace+":"); ok {
		text, err := guestSource(module)
		if err != nil {
			return nil
		}
		return []byte(text)
	}
	if name == dispatcher.File && r.dispatcher != nil {
		return r.dispatcher
	}
	data, err := readRegular(r.abs(name))
	if err != nil {
		return nil
	}
	return data
}

func (r sourceReader) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.dir, filepath.FromSlash(name))
}

// diagnostic translates one message of the bundler.
func (r sourceReader) diagnostic(m api.Message, severity manifest.Severity) manifest.Diagnostic {
	d := manifest.Diagnostic{Rule: ruleOf(m, severity), Severity: severity, Message: strings.TrimSuffix(m.Text, ".")}
	r.place(&d, m.Location)
	for _, note := range m.Notes {
		if aboutBundlerFlags(note.Text) {
			continue
		}
		n := manifest.Note{Message: note.Text}
		if at := note.Location; at != nil {
			n.File, n.Line, n.Column = filepath.ToSlash(at.File), at.Line, utf16Column(at.LineText, at.Column)
		}
		if n.Message == "" && n.File == "" {
			continue
		}
		d.Notes = append(d.Notes, n)
	}
	if m.Location != nil && m.Location.Suggestion != "" {
		d.Hint = "did you mean " + m.Location.Suggestion + "?"
	}
	if d.Rule == RuleOutsideImport {
		d.Hint = "move the file into the package, or make it an npm package of your workspace and import it by name"
	}
	if d.Rule == RuleMissingExport && d.Hint == "" {
		d.Hint = "look at what the module exports; a type is imported with `import type`"
	}
	if d.Rule == RuleFileKind {
		d.Hint = "code (.ts, .tsx, .js, .mjs, .cjs, .jsx), .json and text (.txt, .md, .html, .sql, .css) can be imported; keep other data in a .json file, for instance in base64"
	}
	return d
}

// place fills in where a diagnostic is, and its frame.
func (r sourceReader) place(d *manifest.Diagnostic, at *api.Location) {
	if at == nil {
		return
	}
	d.File, d.Line, d.Column = filepath.ToSlash(at.File), at.Line, utf16Column(at.LineText, at.Column)
	if end := at.Column + at.Length; at.Length > 0 && end <= len(at.LineText) {
		d.EndColumn = utf16Column(at.LineText, end)
	}
	source := r.read(d.File)
	if source == nil || !bytes.Contains(source, []byte(at.LineText)) {
		return // the file has changed since the bundler read it
	}
	d.Frame = manifest.Frame(source, d.Line, d.Column, d.EndColumn)
}

// utf16Column turns an offset in bytes into a 1-based column of UTF-16 code units.
func utf16Column(line string, offset int) int {
	column := 1
	for _, r := range line[:min(max(offset, 0), len(line))] {
		column++
		if r > 0xffff {
			column++
		}
	}
	return column
}

func ruleOf(m api.Message, severity manifest.Severity) string {
	switch {
	case severity != manifest.SeverityError:
		return RuleSuspicious
	case strings.HasPrefix(m.Text, leaves):
		return RuleOutsideImport
	case strings.HasPrefix(m.Text, nested):
		return RuleSyntax
	case strings.HasPrefix(m.Text, resolveError), strings.HasPrefix(m.PluginName, pluginName):
		return RuleMissingImport
	case strings.HasPrefix(m.Text, "No matching export in "):
		return RuleMissingExport
	case strings.HasPrefix(m.Text, "No loader is configured for "):
		return RuleFileKind
	case m.Location == nil:
		return RuleBundler
	}
	return RuleSyntax
}

// aboutBundlerFlags tells notes that advise options the author does not have.
func aboutBundlerFlags(text string) bool {
	for _, phrase := range []string{"mark the path", "Are you trying to bundle for node", "main fields", "Platform: api."} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// explain translates the errors of a failed build. Imports that lead nowhere are looked
// into: what they name, and through which files the bundler came there.
func (c *Context) explain(messages []api.Message) manifest.Diagnostics {
	var list manifest.Diagnostics
	var graph *importGraph
	for _, m := range messages {
		specifier, ok := unresolved(m)
		if !ok {
			list = append(list, c.sources().diagnostic(m, manifest.SeverityError))
			continue
		}
		if graph == nil {
			graph = c.trace()
		}
		list = append(list, c.explainImport(m, specifier, graph))
	}
	return list
}

// unresolved is the specifier of an import that led nowhere.
func unresolved(m api.Message) (string, bool) {
	quoted, ok := strings.CutPrefix(m.Text, resolveError)
	if !ok {
		return "", false
	}
	// Text may follow the specifier.
	if prefix, err := strconv.QuotedPrefix(quoted); err == nil {
		quoted = prefix
	}
	specifier, err := strconv.Unquote(quoted)
	return specifier, err == nil
}

func (c *Context) explainImport(m api.Message, specifier string, graph *importGraph) manifest.Diagnostic {
	d := manifest.Diagnostic{Rule: RuleMissingImport, Severity: manifest.SeverityError}
	sources := c.sources()
	sources.place(&d, m.Location)
	if m.Location != nil {
		// The bundler's place may be the file alone; the specifier is what to look at.
		d.Notes = graph.chain(sources, d.File, specifier)
	}
	switch {
	case isBuiltin(specifier):
		name := builtinName(specifier)
		d.Rule = RuleNodeBuiltin
		d.Message = "the Node.js module " + strconv.Quote(specifier) + " does not exist in the sandbox"
		d.Hint = builtinHint(name)
		if owner := npmPackageOf(d.File); owner != "" {
			d.Hint = "the npm package " + owner + " is written for Node.js: look for a version of it for browsers or workers. In code of your own, " + d.Hint
		}
	case isGuestName(specifier):
		d.Message = "there is no module " + strconv.Quote(specifier)
		d.Hint = "the sandbox's own modules are @neuralis/package-system, @neuralis/package-system/pdk-guest and @neuralis/package-system/testing"
	case isBare(specifier):
		c.explainPackage(&d, specifier)
	default:
		d.Message = "cannot find " + strconv.Quote(specifier) + " from " + d.File
		d.Hint = "the path is relative to the file that imports it; check its spelling, its case and its extension"
	}
	return d
}

// explainPackage is about an npm package that is not there, or not all there.
func (c *Context) explainPackage(d *manifest.Diagnostic, specifier string) {
	name := packageName(specifier)
	d.Message = "cannot find the npm package " + strconv.Quote(name)
	switch {
	case strings.HasPrefix(specifier, "#"):
		d.Message = "cannot find " + strconv.Quote(specifier)
		d.Hint = "names with # are looked up in the imports field of package.json"
	case c.installed(name, d.File):
		d.Message = "the npm package " + strconv.Quote(name) + " has no " + strconv.Quote(specifier) + " that the sandbox can use"
		d.Hint = "look at the exports field in its package.json, or at its documentation for browsers and workers"
	case c.declares(name):
		d.Hint = "package.json lists it, but node_modules does not have it: run `npm install` in the package folder"
	default:
		d.Hint = "did you forget `npm install " + name + "`?"
	}
}

// installed reports whether a node_modules folder at or above the importer has the package.
func (c *Context) installed(name, importer string) bool {
	for dir := filepath.Dir(c.sources().abs(importer)); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", filepath.FromSlash(name), "package.json")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// declares reports whether package.json lists the package as a dependency of any kind.
func (c *Context) declares(name string) bool {
	data, err := readRegular(filepath.Join(c.dir, "package.json"))
	if err != nil {
		return false
	}
	var file struct {
		Dependencies, DevDependencies, PeerDependencies, OptionalDependencies map[string]any
	}
	if json.Unmarshal(data, &file) != nil {
		return false
	}
	for _, list := range []map[string]any{file.Dependencies, file.DevDependencies, file.PeerDependencies, file.OptionalDependencies} {
		if _, ok := list[name]; ok {
			return true
		}
	}
	return false
}

func isGuestName(specifier string) bool {
	return strings.HasPrefix(specifier, "neuralis:") || packageName(specifier) == "@neuralis/package-system"
}

// isBare tells a specifier that is looked up in node_modules.
func isBare(specifier string) bool {
	return !strings.HasPrefix(specifier, ".") && !strings.HasPrefix(specifier, "/") && !filepath.IsAbs(specifier) && !strings.Contains(specifier, "://")
}

// packageName is the npm package a bare specifier means.
func packageName(specifier string) string {
	parts := strings.SplitN(specifier, "/", 3)
	if strings.HasPrefix(specifier, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// npmPackageOf is the npm package a file belongs to, or empty for the author's own.
func npmPackageOf(file string) string {
	_, rest, ok := cutLast(file, "node_modules/")
	if !ok {
		return ""
	}
	return packageName(path.Clean(rest))
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
