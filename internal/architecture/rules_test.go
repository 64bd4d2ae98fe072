package architecture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// layer is what the packages below a folder may import of this module.
type layer struct {
	// imports are the layers that may be imported, besides the layer itself.
	imports []string
	// anything says that all of them may.
	anything bool
}

// layers returns the place of each folder. A package belongs to the longest folder that it is below.
func layers() map[string]layer {
	only := func(imports ...string) layer { return layer{imports: imports} }
	return map[string]layer{
		"manifest": only(),
		"internal": only("manifest"),

		"build":    only("manifest", "internal"),
		"host":     only("manifest", "internal"),
		"lint":     only("manifest", "internal"),
		"scaffold": only("manifest", "internal", "templates"),
		"publish":  only("manifest", "internal"),

		"devserver": only("host", "build", "manifest", "internal"),

		// Files to embed or to read.
		"docs":      only(),
		"examples":  only(),
		"templates": only(),

		// Nothing imports these.
		"cmd":   {anything: true},
		"bench": {anything: true},
	}
}

// unreachable returns what a layer must not come to by any path: layers of this module, and modules of others.
func unreachable() map[string][]string {
	return map[string][]string{
		"host": {
			"build", "lint", "scaffold", "devserver", "publish", "templates", "cmd",
			"github.com/evanw/esbuild",
			"github.com/aperturerobotics/go-quickjs-wasi-reactor",
		},
	}
}

// layerOf is the layer of a package by its path in the module, or empty.
func layerOf(pkg string, layers map[string]layer) string {
	for at := pkg; at != ""; {
		if _, ok := layers[at]; ok {
			return at
		}
		slash := strings.LastIndexByte(at, '/')
		if slash < 0 {
			return ""
		}
		at = at[:slash]
	}
	return ""
}

// graph is the imports of each package, all by their import paths.
type graph map[string][]string

// inside is a package's path in the module, with ok false for packages of others.
func inside(module, pkg string) (path string, ok bool) {
	if pkg == module {
		return ".", true
	}
	return strings.CutPrefix(pkg, module+"/")
}

// forbiddenImports finds the imports that the table does not allow, and the packages that have no place in it.
func forbiddenImports(module string, imports graph, layers map[string]layer) []string {
	var found []string
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		path, ok := inside(module, pkg)
		if !ok {
			continue
		}
		from := layerOf(path, layers)
		if from == "" {
			found = append(found, fmt.Sprintf("%s has no layer; give its folder a place in the table", path))
			continue
		}
		for _, imported := range slices.Sorted(slices.Values(imports[pkg])) {
			target, ok := inside(module, imported)
			if !ok {
				continue
			}
			to := layerOf(target, layers)
			if to != from && !layers[from].anything && !slices.Contains(layers[from].imports, to) {
				found = append(found, fmt.Sprintf("%s imports %s: %s may import %s", path, target, from, list(layers[from].imports)))
			}
		}
	}
	return found
}

func list(layers []string) string {
	if len(layers) == 0 {
		return "no other layer"
	}
	return strings.Join(layers, ", ")
}

// forbiddenPaths finds the ways from a layer to what it must not reach, the shortest one to each package there.
func forbiddenPaths(module string, imports graph, layers map[string]layer, unreachable map[string][]string) []string {
	var found []string
	for _, from := range slices.Sorted(maps.Keys(unreachable)) {
		cameFrom := map[string]string{}
		var queue []string
		for _, pkg := range slices.Sorted(maps.Keys(imports)) {
			if path, ok := inside(module, pkg); ok && layerOf(path, layers) == from {
				queue = append(queue, pkg)
				cameFrom[pkg] = ""
			}
		}
		for len(queue) > 0 {
			pkg := queue[0]
			queue = queue[1:]
			for _, next := range slices.Sorted(slices.Values(imports[pkg])) {
				if _, seen := cameFrom[next]; seen {
					continue
				}
				cameFrom[next] = pkg
				if bad(module, next, layers, unreachable[from]) {
					found = append(found, fmt.Sprintf("%s reaches %s", from, chain(module, cameFrom, next)))
					continue
				}
				queue = append(queue, next)
			}
		}
	}
	return found
}

// bad reports whether a package is in one of the layers or modules.
func bad(module, pkg string, layers map[string]layer, unreachable []string) bool {
	path, ours := inside(module, pkg)
	return slices.ContainsFunc(unreachable, func(target string) bool {
		if ours {
			return layerOf(path, layers) == target
		}
		return pkg == target || strings.HasPrefix(pkg, target+"/")
	})
}

// chain is the way to a package.
func chain(module string, cameFrom map[string]string, pkg string) string {
	var steps []string
	for at := pkg; at != ""; at = cameFrom[at] {
		name, ok := inside(module, at)
		if !ok {
			name = at
		}
		steps = append(steps, name)
	}
	slices.Reverse(steps)
	return strings.Join(steps, " -> ")
}
