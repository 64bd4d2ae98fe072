package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/lint/source"
	"github.com/neuralis-dev/neuralis/manifest"
)

func routeRules() []Rule {
	rule := func(id string, severity manifest.Severity, summary, todo, bad string, check func(*pass)) Rule {
		return Rule{ID: id, Severity: severity, Family: FamilyRoutes, Summary: summary, Todo: todo, Bad: served + "-- src/routes/items.ts --\n" + bad, Good: served + route, check: check}
	}
	const feature = "export const feature = 'demo.read';\n"
	const pattern = "export const pattern = 'items';\n"
	const get = "export const GET = () => ({ body: [] });\n"
	equal := rule("route-equal", manifest.SeverityError, "two routes have the same pattern but for the names of parameters", "put their methods into one file",
		"export const pattern = 'items/:id';\n"+feature+get+"-- src/routes/one.ts --\nexport const pattern = «'items/:name'»;\n"+feature+"export const PUT = () => ({ status: 204 });\n", equalRoutes)
	featureless := rule("route-feature", manifest.SeverityWarning, "a route asks for no feature: everybody who sees the package can call it", "add `export const feature = '…';`", "", routesWithoutFeature)
	featureless.Bad = coded + "-- src/routes/items.ts --\n«" + pattern + get
	return []Rule{
		rule("route-pattern", manifest.SeverityError, "a route has no pattern, or one that is none", "add `export const pattern = 'items/:id';`",
			"export const pattern = «'/items/'»;\n"+feature+get, routePatterns),
		rule("route-literal", manifest.SeverityWarning, "a route's pattern or feature is worked out, so neither the builder of node packages nor a reader sees it", "write a string literal",
			"export const pattern = ['items', ':id'].«join»('/');\n"+feature+get, routeLiterals),
		featureless,
		equal,
		rule("route-no-handler", manifest.SeverityError, "a route has a handler for no method", "export a function named `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD` or `OPTIONS`",
			"«"+pattern+feature, routesWithoutHandler),
		rule("route-handler", manifest.SeverityError, "the handler of a method is no function", "export a function",
			pattern+feature+"export const «GET» = { body: [] };\n", routeHandlers),
		rule("route-export", manifest.SeverityWarning, "a route exports a name that means nothing", "correct or remove it; move what others import to a module of its own",
			pattern+feature+"export const «get» = () => ({ body: [] });\nexport const POST = () => ({ status: 204 });\n", routeExports),
	}
}

// routes calls visit for each route that could be read.
func (p *pass) routes(visit func(f *source.File)) {
	if !p.code() {
		return
	}
	for _, file := range p.pkg.RouteSources {
		if f := p.sources[file]; f != nil {
			visit(f)
		}
	}
}

func routePatterns(p *pass) {
	p.routes(func(f *source.File) {
		e, ok := export(f, "pattern")
		if !ok {
			if !open(f) {
				p.inFile(f.Name, "the route has no pattern", "add a line such as: export const pattern = 'items/:id';")
			}
			return
		}
		if text, ok := e.Value.Constant(); ok {
			if _, err := manifest.ParsePattern(text); err != nil {
				p.inSource(f, e.Value.Value().Offset, err.Error(), "write segments with slashes between them, such as 'items/:id'")
			}
		}
	})
}

func routeLiterals(p *pass) {
	p.routes(func(f *source.File) {
		for _, name := range []string{"pattern", "feature"} {
			e, ok := export(f, name)
			if _, literal := e.Value.Constant(); !ok || literal {
				continue
			}
			at := e.Offset
			if value := e.Value.Value(); value != nil {
				at = value.Offset
			}
			p.inSource(f, at, fmt.Sprintf("the %s of the route is no string literal", name), fmt.Sprintf("write export const %s = '…';", name))
		}
	})
}

func routesWithoutFeature(p *pass) {
	p.routes(func(f *source.File) {
		e, ok := export(f, "feature")
		name, literal := e.Value.Constant()
		_, hasPattern := export(f, "pattern")
		switch {
		case !ok && !open(f) && hasPattern:
			if access, _ := text(p.manifest.Get("requires"), "accessFeature"); access == "" {
				p.inFile(f.Name, "the route asks for no feature, so everybody who sees the package can call it", "add a line such as: export const feature = 'items.read';")
			}
		case literal && !manifest.ValidFeature(name):
			p.inSource(f, e.Value.Value().Offset, fmt.Sprintf("%q cannot be a feature", name), "words of letters, digits, _ and - with dots between them")
		}
	})
}

func equalRoutes(p *pass) {
	first := map[string]string{}
	p.routes(func(f *source.File) {
		e, _ := export(f, "pattern")
		pattern, ok := e.Value.Constant()
		if _, err := manifest.ParsePattern(pattern); !ok || err != nil {
			return
		}
		segments := strings.Split(pattern, "/")
		for i, s := range segments {
			if s[0] == ':' || s[0] == '*' {
				segments[i] = s[:1]
			}
		}
		shape := strings.Join(segments, "/")
		if other, ok := first[shape]; ok {
			p.inSource(f, e.Value.Value().Offset, fmt.Sprintf("%s has the same pattern", other), "put the methods of both into one file")
			return
		}
		first[shape] = f.Name
	})
}

func routesWithoutHandler(p *pass) {
	p.routes(func(f *source.File) {
		if open(f) {
			return
		}
		for _, name := range methods() {
			if _, ok := export(f, name); ok {
				return
			}
		}
		p.inFile(f.Name, "the route answers no method", "export a function named "+strings.Join(methods(), ", "))
	})
}

func routeHandlers(p *pass) {
	p.routes(func(f *source.File) {
		for _, name := range methods() {
			if e, ok := export(f, name); ok {
				if is := never(e.Value); is != "" {
					p.inSource(f, e.Offset, fmt.Sprintf("%s must be a function (req, ctx) => response, and is %s", name, is), "")
				}
			}
		}
	})
}

func routeExports(p *pass) {
	known := append(methods(), "pattern", "feature")
	names := map[string]bool{}
	for _, name := range known {
		names[name] = true
	}
	p.routes(func(f *source.File) {
		for _, e := range f.Exports {
			if e.Name == "*" || slices.Contains(known, e.Name) {
				continue
			}
			hint := near(e.Name, names, "remove it; what other files import belongs into a module of its own")
			p.inSource(f, e.Offset, fmt.Sprintf("a route has no export %q: nobody reads it", e.Name), hint)
		}
	})
}
