package bundle

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/neuralis-dev/neuralis/internal/sourcemap"
	"github.com/neuralis-dev/neuralis/manifest"
)

// routeTableVersion is the version of dist/routes.json.
const routeTableVersion = 1

// methods are the exports of a route file that handle requests.
var methods = []string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}

// readRoutes reads what route files export without running them: the code of a node
// package must not run where it is built. So pattern and feature must be literals, or names
// of constants that are.
func readRoutes(sources sourceReader, files []string) (manifest.RouteTable, manifest.Diagnostics) {
	table := manifest.RouteTable{Version: routeTableVersion, Routes: []manifest.Route{}}
	var diags manifest.Diagnostics
	for _, file := range files {
		route, found := readRoute(sources, file)
		diags = append(diags, found...)
		if !found.HasErrors() {
			table.Routes = append(table.Routes, route)
		}
	}
	slices.SortFunc(table.Routes, func(a, b manifest.Route) int {
		if byPattern := strings.Compare(a.Pattern, b.Pattern); byPattern != 0 {
			return byPattern
		}
		return strings.Compare(a.Source, b.Source)
	})
	return table, diags
}

// routeModule is a route file on the way through two parsers: esbuild takes the types off,
// and the other gives a tree to read.
type routeModule struct {
	file      string
	source    []byte
	code      []byte
	sourceMap *sourcemap.Map
	constants map[string]js.IExpr
	exports   map[string]js.IExpr // nil for what is no constant
}

func readRoute(sources sourceReader, file string) (manifest.Route, manifest.Diagnostics) {
	m, diags := parseRoute(sources, file)
	if diags != nil {
		return manifest.Route{}, diags
	}
	route := manifest.Route{Source: file, Methods: []string{}}
	pattern, found := m.text("pattern", &diags)
	if !found && diags == nil {
		diags = append(diags, m.fault("", "a route must export its pattern", "add a line such as: export const pattern = 'items/:id';"))
	}
	route.Pattern = pattern
	route.Feature, _ = m.text("feature", &diags)
	for _, method := range methods {
		if _, ok := m.exports[method]; ok {
			route.Methods = append(route.Methods, method)
		}
	}
	if len(route.Methods) == 0 {
		diags = append(diags, m.fault("", "a route must export a handler for at least one method", "export a function named GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS"))
	}
	return route, diags
}

func parseRoute(sources sourceReader, file string) (*routeModule, manifest.Diagnostics) {
	m := &routeModule{file: file, source: sources.read(file), constants: map[string]js.IExpr{}, exports: map[string]js.IExpr{}}
	if m.source == nil {
		return nil, manifest.Diagnostics{m.fault("", "cannot read the route file", "")}
	}
	loader := api.LoaderTS
	if strings.HasSuffix(file, "x") { // .tsx, .jsx
		loader = api.LoaderTSX
	}
	result := api.Transform(string(m.source), api.TransformOptions{
		Loader: loader, Sourcefile: file, Sourcemap: api.SourceMapExternal, Target: api.ES2022, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return nil, manifest.Diagnostics{sources.diagnostic(result.Errors[0], manifest.SeverityError)}
	}
	m.code = result.Code
	// Without the map diagnostics have no place, which is no reason to fail.
	m.sourceMap, _ = sourcemap.Parse(result.Map)
	tree, err := js.Parse(parse.NewInputBytes(bytes.Clone(result.Code)), js.Options{})
	if err != nil {
		return nil, manifest.Diagnostics{m.fault("", fmt.Sprintf("cannot read the exports of the route: %v", err), "keep the file simple: move code to a module that it imports")}
	}
	for _, statement := range tree.List {
		m.statement(statement)
	}
	return m, nil
}

// statement notes what a top-level statement declares and exports.
func (m *routeModule) statement(statement js.IStmt) {
	switch s := statement.(type) {
	case *js.VarDecl:
		m.declare(s, false)
	case *js.ExportStmt:
		switch decl := s.Decl.(type) {
		case *js.VarDecl:
			m.declare(decl, true)
		case *js.FuncDecl:
			if !s.Default && decl.Name != nil {
				m.exports[string(decl.Name.Name())] = nil
			}
		}
		for _, alias := range s.List {
			m.alias(alias, s.Module != nil)
		}
	}
}

func (m *routeModule) declare(decl *js.VarDecl, export bool) {
	for _, element := range decl.List {
		name, ok := element.Binding.(*js.Var)
		if !ok {
			continue
		}
		if decl.TokenType == js.ConstToken && element.Default != nil {
			m.constants[string(name.Name())] = element.Default
		}
		if export {
			m.exports[string(name.Name())] = element.Default
		}
	}
}

// alias is one name of export { a, b as c }, or of the same from another module.
func (m *routeModule) alias(alias js.Alias, elsewhere bool) {
	local, exported := alias.Name, alias.Binding
	if local == nil {
		local = exported
	}
	name := unquoteName(exported)
	if elsewhere {
		m.exports[name] = nil
		return
	}
	m.exports[name] = m.constants[string(local)]
}

func unquoteName(name []byte) string {
	if text, err := strconv.Unquote(string(name)); err == nil {
		return text
	}
	return string(name)
}

// text is the string that a name is exported with. What is exported and is no string is a
// fault.
func (m *routeModule) text(name string, diags *manifest.Diagnostics) (string, bool) {
	expr, ok := m.exports[name]
	if !ok {
		return "", false
	}
	if text, ok := m.literal(expr, 0); ok {
		return text, true
	}
	*diags = append(*diags, m.fault(name, "the "+name+" of a route must be a string literal",
		"the table of routes is written without running the package: write export const "+name+" = '…';"))
	return "", false
}

// maxConstants bounds how many names lead from an export to its literal.
const maxConstants = 16

func (m *routeModule) literal(expr js.IExpr, depth int) (string, bool) {
	switch e := expr.(type) {
	case *js.LiteralExpr:
		if e.TokenType == js.StringToken {
			return unquoteJS(string(e.Data))
		}
	case *js.TemplateExpr:
		if e.Tag == nil && len(e.List) == 0 {
			return unquoteJS(string(e.Tail))
		}
	case *js.GroupExpr:
		return m.literal(e.X, depth)
	case *js.Var:
		if constant, ok := m.constants[string(e.Name())]; ok && depth < maxConstants {
			return m.literal(constant, depth+1)
		}
	}
	return "", false
}

// unquoteJS reads a string literal or a template without substitutions. The escapes are those
// esbuild prints; a rarer one is reported as no literal.
func unquoteJS(literal string) (string, bool) {
	if len(literal) < 2 {
		return "", false
	}
	body := literal[1 : len(literal)-1]
	// Go's strings have the same escapes but for \', \` and \$, and none need escaping twice.
	body = jsEscapes.ReplaceAllStringFunc(body, func(escape string) string {
		switch escape {
		case `\'`, "\\`", `\$`:
			return escape[1:]
		case `"`:
			return `\"`
		case "\n":
			return `\n`
		}
		return escape
	})
	text, err := strconv.Unquote(`"` + body + `"`)
	return text, err == nil
}

var jsEscapes = regexp.MustCompile(`\\.|"|\n`)

// fault is a finding about an export, or about the file when name is empty.
func (m *routeModule) fault(name, message, hint string) manifest.Diagnostic {
	d := manifest.Diagnostic{Rule: RuleRoute, Severity: manifest.SeverityError, File: m.file, Message: message, Hint: hint}
	if name == "" || m.sourceMap == nil {
		return d
	}
	// The tree has no places. The declaration stands at the start of a line of what esbuild
	// printed, and the map knows where that came from.
	declaration := regexp.MustCompile(`(?m)^(?:export )?(?:const|let|var|function) ` + name + `\b(?: = )?`)
	at := declaration.FindIndex(m.code)
	if at == nil {
		return d
	}
	start := bytes.LastIndexByte(m.code[:at[1]], '\n') + 1
	place, ok := m.sourceMap.Source(bytes.Count(m.code[:at[1]], []byte{'\n'})+1, at[1]-start+1)
	if !ok {
		return d
	}
	d.Line, d.Column = place.Line, place.Column
	d.Frame = manifest.Frame(m.source, d.Line, d.Column, 0)
	return d
}
