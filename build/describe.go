package build

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/neuralis-dev/neuralis/build/bundle"
	"github.com/neuralis-dev/neuralis/internal/sourcemap"
	"github.com/neuralis-dev/neuralis/manifest"
)

// describedRoutes reads the routes that a package told of when it was built. They come out of code that the
// author's and npm's modules share a global scope with, so they are held to what the package's folder has and
// to what the host accepts: a route table that is written can be served.
func describedRoutes(pkg *manifest.Package, describe json.RawMessage, out bundle.Output) ([]manifest.Route, manifest.Diagnostics) {
	var described struct {
		Tools  []string         `json:"tools"`
		Routes []manifest.Route `json:"routes"`
	}
	if err := json.Unmarshal(describe, &described); err != nil {
		return nil, manifest.Diagnostics{problem(RuleCompiler, fmt.Errorf("reading what the package says of itself: %w", err))}
	}
	diags := checkTools(pkg, described.Tools)
	// Only findings need the map, and reading it takes longer than all else here.
	mapped := sync.OnceValue(func() *sourcemap.Map {
		m, err := sourcemap.Parse(out.Map)
		if err != nil {
			return nil
		}
		return m
	})
	at := func(source, export, message, hint string) {
		d := manifest.Diagnostic{Rule: RuleShape, Severity: manifest.SeverityError, Message: message, Hint: hint}
		mapped().AtExport(&d, source, export)
		diags = append(diags, d)
	}
	first := map[string]manifest.Route{} // by the shape of the pattern
	seen := map[string]bool{}            // by source
	for _, r := range described.Routes {
		if !slices.Contains(pkg.RouteSources, r.Source) {
			diags = append(diags, forged("the route %q of %q, which is none of its route files", r.Pattern, r.Source))
			continue
		}
		if seen[r.Source] {
			diags = append(diags, forged("two routes of %s, which can only have one", r.Source))
			continue
		}
		seen[r.Source] = true
		if r.Feature != "" && !manifest.ValidFeature(r.Feature) {
			at(r.Source, "feature", fmt.Sprintf("the export \"feature\" must be the id of a feature, and %q is none", r.Feature),
				"an id is made of words of small letters and digits with dots between them, such as items.read")
		}
		pattern, err := manifest.ParsePattern(r.Pattern)
		if err != nil {
			at(r.Source, "pattern", err.Error(), "")
			continue
		}
		if other, twice := first[pattern.Shape()]; twice {
			at(r.Source, "pattern", fmt.Sprintf("the pattern %q matches the same paths as %q in %s", r.Pattern, other.Pattern, other.Source),
				"put the handlers of both into one file, or change one of the patterns")
			continue
		}
		first[pattern.Shape()] = r
		// What is left are the methods.
		if _, err := manifest.NewRouter([]manifest.Route{r}); err != nil {
			at(r.Source, "pattern", err.Error(), "")
		}
	}
	for _, source := range pkg.RouteSources {
		if !seen[source] {
			diags = append(diags, forged("no route of %s", source))
		}
	}
	diags.Sort()
	return described.Routes, diags
}

// namedExport is how the guest's runtime names an export that is not what it must be.
var namedExport = regexp.MustCompile(`^the export "(\w+)"`)

// exportMeant is the export that the guest's complaint about a module is about.
func exportMeant(file, message string) string {
	if named := namedExport.FindStringSubmatch(message); named != nil {
		return named[1]
	}
	if strings.HasPrefix(file, "src/routes/") {
		return "pattern"
	}
	return "default"
}

// checkTools compares the tools that a package tells of with those that have a handler in its folder.
func checkTools(pkg *manifest.Package, described []string) manifest.Diagnostics {
	want := map[string]bool{}
	for _, t := range pkg.Tools {
		if t.Source != "" {
			want[t.Name] = true
		}
	}
	var diags manifest.Diagnostics
	for _, name := range described {
		if !want[name] {
			diags = append(diags, forged("the tool %q, which its folder does not have", name))
		}
		delete(want, name)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		diags = append(diags, forged("no tool %s", name))
	}
	return diags
}

// forged is about a description that the package's files do not bear out: no mistake in a route file can do
// that, only code that changed the language under the sandbox's runtime.
func forged(format string, args ...any) manifest.Diagnostic {
	return manifest.Diagnostic{
		Rule: RuleShape, Severity: manifest.SeverityError,
		Message: "once its modules were evaluated, the package told of " + fmt.Sprintf(format, args...),
		Hint:    "a module of the package, or of an npm package that it imports, replaces functions of JavaScript itself: remove that import",
	}
}
