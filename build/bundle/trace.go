package bundle

import (
	"bytes"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/build/dispatcher"
	"github.com/neuralis-dev/neuralis/manifest"
)

// importGraph is who imports whom. It is made only when a build has failed, because
// watching every import slows a build down.
type importGraph struct {
	edges map[string][]importEdge // by importer
}

type importEdge struct {
	importer, specifier string
	target              string // empty when the import led nowhere
}

// traceMark tells the tracer's own look-ups from those of the bundler.
type traceMark struct{}

// trace bundles again and writes down every import.
func (c *Context) trace() *importGraph {
	graph := &importGraph{edges: map[string][]importEdge{}}
	var mu sync.Mutex // the bundler resolves imports on many goroutines
	tracer := api.Plugin{Name: "neuralis-trace", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if _, own := args.PluginData.(traceMark); own || args.Kind == api.ResolveEntryPoint {
				return api.OnResolveResult{}, nil
			}
			found := build.Resolve(args.Path, api.ResolveOptions{
				Importer: args.Importer, Namespace: args.Namespace, ResolveDir: args.ResolveDir, Kind: args.Kind, PluginData: traceMark{},
			})
			edge := importEdge{importer: c.name(args.Namespace, args.Importer), specifier: args.Path}
			if len(found.Errors) == 0 && !found.External {
				edge.target = c.name(found.Namespace, found.Path)
			}
			mu.Lock()
			defer mu.Unlock()
			graph.edges[edge.importer] = append(graph.edges[edge.importer], edge)
			return api.OnResolveResult{}, nil
		})
	}}
	options := c.options(c.globals)
	options.Plugins = append([]api.Plugin{tracer}, options.Plugins...)
	options.Sourcemap = api.SourceMapNone
	api.Build(options)
	for _, list := range graph.edges {
		slices.SortFunc(list, func(a, b importEdge) int {
			if byName := strings.Compare(a.specifier, b.specifier); byName != 0 {
				return byName
			}
			return strings.Compare(a.target, b.target)
		})
	}
	return graph
}

// name is how messages and maps call a module: relative to the package folder.
func (c *Context) name(namespace, file string) string {
	if namespace != "file" && namespace != "" {
		return namespace + ":" + file
	}
	if rel, err := filepath.Rel(c.dir, file); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(file)
}

// chain is the shortest way from the package's handlers to the import of specifier in
// file, one note for each import on it. It is empty when file is itself a handler: then the
// diagnostic's own place says everything.
func (g *importGraph) chain(sources sourceReader, file, specifier string) []manifest.Note {
	way := g.shortest(dispatcher.File, file)
	var notes []manifest.Note
	for _, edge := range way {
		if edge.importer == dispatcher.File {
			continue // nobody wrote it
		}
		notes = append(notes, edge.note(sources))
	}
	if len(notes) > 0 {
		notes = append(notes, importEdge{importer: file, specifier: specifier}.note(sources))
	}
	return notes
}

func (g *importGraph) shortest(from, to string) []importEdge {
	came := map[string]importEdge{from: {}}
	queue := []string{from}
	for len(queue) > 0 && queue[0] != to {
		at := queue[0]
		queue = queue[1:]
		for _, edge := range g.edges[at] {
			if _, seen := came[edge.target]; edge.target != "" && !seen {
				came[edge.target] = edge
				queue = append(queue, edge.target)
			}
		}
	}
	if _, reached := came[to]; !reached {
		return nil
	}
	var way []importEdge
	for at := to; at != from; at = came[at].importer {
		way = append(way, came[at])
	}
	slices.Reverse(way)
	return way
}

func (e importEdge) note(sources sourceReader) manifest.Note {
	n := manifest.Note{Message: "imports " + e.specifier, File: e.importer}
	n.Line, n.Column = importPlace(sources.read(e.importer), e.specifier)
	return n
}

// importPlace finds where a module imports a specifier, as line and column of the string.
// The bundler does not tell; looking for the text is right but for an import in a comment.
func importPlace(source []byte, specifier string) (line, column int) {
	pattern := `(?:\bfrom|\bimport|\brequire|\()\s*\(?\s*(["'])` + regexp.QuoteMeta(specifier) + `["']`
	at := regexp.MustCompile(pattern).FindSubmatchIndex(source)
	if at == nil {
		return 0, 0
	}
	offset := at[2]
	start := bytes.LastIndexByte(source[:offset], '\n') + 1
	return bytes.Count(source[:offset], []byte{'\n'}) + 1, utf16Column(string(source[start:]), offset-start)
}

// escapes finds imports that leave the package folder. The report names every file the
// bundle was made of; only when one lies outside does it matter how it came in.
func (c *Context) escapes(metafile string) manifest.Diagnostics {
	if !mentionsOutside(metafile) {
		return nil
	}
	var list manifest.Diagnostics
	sources := c.sources()
	graph := c.trace()
	for _, importer := range graph.importers() {
		if outside(importer) || npmPackageOf(importer) != "" {
			continue
		}
		for _, edge := range graph.edges[importer] {
			if !outside(edge.target) || isBare(edge.specifier) {
				continue
			}
			d := manifest.Diagnostic{
				Rule: RuleOutsideImport, Severity: manifest.SeverityError, File: importer,
				Message: "the import of " + edge.specifier + " leaves the package folder: it leads to " + edge.target,
				Hint:    "move the file into the package, or make it an npm package of your workspace and import it by name",
			}
			source := sources.read(importer)
			d.Line, d.Column = importPlace(source, edge.specifier)
			if d.Line > 0 {
				d.EndColumn = d.Column + len(edge.specifier) + 2
				d.Frame = manifest.Frame(source, d.Line, d.Column, d.EndColumn)
			}
			list = append(list, d)
		}
	}
	list.Sort()
	return list
}

func (g *importGraph) importers() []string {
	var list []string
	for importer := range g.edges {
		list = append(list, importer)
	}
	slices.Sort(list)
	return list
}

// outside tells a file that is not below the package folder. Files in another drive of Windows
// have absolute names.
func outside(name string) bool {
	return strings.HasPrefix(name, "../") || path.IsAbs(name) || filepath.IsAbs(name)
}
