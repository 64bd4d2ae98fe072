package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// RouteTableVersion is the version of the format that [RouteTable] is.
const RouteTableVersion = 1

// RouteTable is the list of routes that a build leaves in dist/routes.json.
type RouteTable struct {
	// Version is the version of the format, [RouteTableVersion].
	Version int `json:"version" model:"required,min=1,max=1"`
	// Routes are the routes of the package.
	Routes []Route `json:"routes" model:"required"`
}

// Route is one route file of a package.
type Route struct {
	// Pattern is the path below the package, such as catalog/:id; see [ParsePattern].
	Pattern string `json:"pattern" model:"required"`
	// Methods are the HTTP methods the file handles, in upper case; see [Methods].
	Methods []string `json:"methods" model:"required,nonempty,unique,enum=GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS"`
	// Feature is the permission a caller needs; empty for none.
	Feature string `json:"feature,omitempty" model:"format=word"`
	// Source is the file that exports the handlers, such as src/routes/catalog.ts.
	Source string `json:"source" model:"required,format=path"`
}

// Bytes is the table as a file's content. It depends on the routes alone and not on their order: routes are
// sorted by pattern, and their methods as [Methods] are.
func (t RouteTable) Bytes() []byte {
	sorted := RouteTable{Version: RouteTableVersion, Routes: make([]Route, len(t.Routes))}
	for i, r := range t.Routes {
		r.Methods = append([]string{}, r.Methods...)
		sortMethods(r.Methods)
		sorted.Routes[i] = r
	}
	slices.SortFunc(sorted.Routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Feature, b.Feature), slices.Compare(a.Methods, b.Methods))
	})
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(sorted); err != nil {
		panic(fmt.Sprintf("manifest: a table of strings cannot be written: %v", err))
	}
	return out.Bytes()
}

// ParseRouteTable reads the content of a routes.json. The diagnostics call the file by the name given. If one
// of them is an error, the table must not be used; otherwise [NewRouter] accepts its routes.
func ParseRouteTable(file string, source []byte) (RouteTable, Diagnostics) {
	doc, problems := jsondoc.Parse(source, jsondoc.DefaultLimits())
	var table RouteTable
	if doc.Root != nil {
		problems = append(problems, routesModel().Decode(doc, doc.Root, &table)...)
	}
	var diagnostics Diagnostics
	for _, p := range problems {
		diagnostics = append(diagnostics, FromProblem(doc, file, p, RuleRoutesInvalid))
	}
	if !diagnostics.HasErrors() {
		diagnostics = append(diagnostics, checkPatterns(doc, file, table)...)
	}
	diagnostics.Sort()
	return table, diagnostics
}

// checkPatterns finds the patterns that are malformed or there twice. The table is known to be whole, so its
// routes are at their places in the document.
func checkPatterns(doc *jsondoc.Document, file string, table RouteTable) Diagnostics {
	var diagnostics Diagnostics
	first := map[string]int{}
	for i, route := range table.Routes {
		at := doc.LookupPath("routes", strconv.Itoa(i), "pattern").Value
		pattern, err := ParsePattern(route.Pattern)
		if err != nil {
			d := Diagnostic{Rule: RuleRoutesInvalid, Severity: SeverityError, Message: err.Error(), Hint: "build the package again"}
			diagnostics = append(diagnostics, d.at(doc, file, at.Start, at.End))
			continue
		}
		if other, twice := first[pattern.Shape()]; twice {
			d := Diagnostic{Rule: RuleRoutesInvalid, Severity: SeverityError, Hint: "build the package again",
				Message: fmt.Sprintf("pattern %q matches the same paths as %q in %s", route.Pattern, table.Routes[other].Pattern, table.Routes[other].Source)}
			diagnostics = append(diagnostics, d.at(doc, file, at.Start, at.End))
			continue
		}
		first[pattern.Shape()] = i
	}
	return diagnostics
}
