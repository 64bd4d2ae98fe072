package lint

import (
	"path"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/lint/source"
)

// methods are the exports of a route that answer requests.
func methods() []string {
	return []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
}

// never says what an expression is that is certainly no function; empty for what may be one.
func never(n *source.Node) string {
	n = n.Value()
	if n == nil {
		return ""
	}
	switch n.Kind {
	case source.String, source.Template:
		return "a string"
	case source.Object:
		return "an object"
	case source.Array:
		return "an array"
	case source.Class:
		return "a class"
	case source.Literal:
		return "a literal"
	}
	return ""
}

// callable is the function that an expression is, as far as that is known.
func callable(n *source.Node) *source.Node {
	if n = n.Value(); n != nil && n.Kind == source.Func {
		return n
	}
	return nil
}

// export is what a file exports under a name.
func export(f *source.File, name string) (source.Export, bool) {
	i := slices.IndexFunc(f.Exports, func(e source.Export) bool { return e.Name == name })
	if i < 0 {
		return source.Export{}, false
	}
	return f.Exports[i], true
}

// open reports whether a file exports what another module does, under names that it does not say.
func open(f *source.File) bool {
	_, ok := export(f, "*")
	return ok
}

// handlers are the functions that a host calls for a tool or a request.
func (p *pass) handlers() []*source.Node {
	var found []*source.Node
	add := func(file string, names ...string) {
		f := p.sources[file]
		if f == nil {
			return
		}
		for _, name := range names {
			if e, ok := export(f, name); ok {
				if fn := callable(e.Value); fn != nil {
					found = append(found, fn)
				}
			}
		}
	}
	for _, file := range slices.Concat(p.pkg.ToolSources, p.pkg.ChannelSources, p.pkg.EventSources) {
		add(file, "default")
	}
	for _, file := range p.pkg.RouteSources {
		add(file, methods()...)
	}
	return found
}

// init is the function that makes the package's state.
func (p *pass) init() *source.Node {
	f := p.sources[p.pkg.Lifecycle]
	if f == nil {
		return nil
	}
	e, ok := export(f, "init")
	if !ok {
		return nil
	}
	return callable(e.Value)
}

// within reports whether n is in fn, and in no function inside of it.
func directlyIn(n, fn *source.Node) bool {
	return fn != nil && n.Function() == fn
}

// topLevel reports whether n runs when the module does: in no function, or in one that is called where it stands.
func topLevel(n *source.Node) bool {
	for fn := n.Function(); fn != nil; fn = fn.Function() {
		at := fn.Parent
		for at != nil && at.Kind == source.Group {
			at = at.Parent
		}
		if at == nil || at.Kind != source.Call || at.Callee() != fn {
			return false
		}
	}
	return true
}

// reached are the sources that are part of what is built, in order, with the chain of files that leads to each.
func (p *pass) reached() (files []*source.File, chains map[string][]string) {
	chains = map[string][]string{}
	entries := slices.Concat(p.pkg.ToolSources, p.pkg.RouteSources, p.pkg.ChannelSources, p.pkg.EventSources)
	if p.pkg.Lifecycle != "" {
		entries = append(entries, p.pkg.Lifecycle)
	}
	queue := slices.Clone(entries)
	for _, e := range entries {
		chains[e] = nil
	}
	for len(queue) > 0 {
		file := queue[0]
		queue = queue[1:]
		f := p.sources[file]
		if f == nil {
			continue
		}
		for _, i := range f.Imports {
			to := p.resolve(file, i.Module)
			if _, seen := chains[to]; to == "" || seen {
				continue
			}
			chains[to] = append(slices.Clone(chains[file]), file)
			queue = append(queue, to)
		}
	}
	for _, file := range p.order {
		if _, ok := chains[file]; ok {
			files = append(files, p.sources[file])
		}
	}
	return files, chains
}

// resolve is the source that a relative import leads to, or empty.
func (p *pass) resolve(from, module string) string {
	if !strings.HasPrefix(module, ".") {
		return ""
	}
	at := path.Join(path.Dir(from), module)
	stem := strings.TrimSuffix(strings.TrimSuffix(at, ".js"), ".mjs")
	for _, name := range []string{at, at + ".ts", at + ".tsx", at + ".js", at + ".mjs", stem + ".ts", stem + ".tsx", stem + ".mts", at + "/index.ts", at + "/index.js"} {
		if p.sources[name] != nil {
			return name
		}
	}
	return ""
}
