package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/build/guest"
	"github.com/neuralis-dev/neuralis/manifest"
)

// File is one file of a node package's output.
type File struct {
	// Path is slash-separated and relative to the package folder: "dist/src/tools/x.js".
	Path string
	// Contents is the whole file.
	Contents []byte
}

// Transpiled is what a node package is compiled to.
type Transpiled struct {
	// Files are sorted by path: for each source its module and its map.
	Files []File
	// Routes is the content of dist/routes.json, read from the route files without running
	// them.
	Routes manifest.RouteTable
}

// Transpile compiles every module below src/ of a node package to dist/src, as ES modules for
// Node.js 20. Modules stay separate: an import of another source names the file that
// source is compiled to, an import of an npm package or of Node stays as it is. JSON and text
// files are built into the module that imports them, and so is what the author uses of
// "@neuralis/package-system", which node_modules does not have. Tests and
// declarations are left out.
func Transpile(ctx context.Context, pkg *manifest.Package) (Transpiled, manifest.Diagnostics) {
	dir, err := filepath.EvalSymlinks(pkg.Dir)
	if err != nil {
		return Transpiled{}, bundlerFailure("cannot open the package folder: %v", err)
	}
	if diags := configFaults(dir); diags.HasErrors() {
		return Transpiled{}, diags
	}
	t := &transpiler{dir: dir}
	t.entries, err = sourceFiles(dir, pkg.TestSources)
	if err != nil {
		return Transpiled{}, bundlerFailure("cannot list the sources: %v", err)
	}
	if len(t.entries) == 0 {
		return Transpiled{Routes: manifest.RouteTable{Version: routeTableVersion, Routes: []manifest.Route{}}}, nil
	}
	build, ctxErr := api.Context(t.options())
	if ctxErr != nil {
		return Transpiled{}, t.diagnostics(ctxErr.Errors, manifest.SeverityError)
	}
	result, err := rebuild(ctx, build)
	if err != nil {
		go build.Dispose() // which waits for what the bundler is at
		return Transpiled{}, cancelled(err)
	}
	defer build.Dispose()

	diags := append(t.diagnostics(result.Errors, manifest.SeverityError), t.diagnostics(result.Warnings, manifest.SeverityWarning)...)
	if diags.HasErrors() {
		diags.Sort()
		return Transpiled{}, diags
	}
	var out Transpiled
	for _, file := range result.OutputFiles {
		rel, err := filepath.Rel(dir, file.Path)
		if err != nil {
			return Transpiled{}, bundlerFailure("cannot place %s: %v", file.Path, err)
		}
		out.Files = append(out.Files, File{Path: filepath.ToSlash(rel), Contents: file.Contents})
	}
	if !declaresModules(dir) {
		out.Files = append(out.Files, File{Path: "dist/src/package.json", Contents: []byte("{ \"type\": \"module\" }\n")})
	}
	sort.Slice(out.Files, func(i, j int) bool { return out.Files[i].Path < out.Files[j].Path })
	routes, routeDiags := readRoutes(sourceReader{dir: dir}, pkg.RouteSources)
	diags = append(diags, routeDiags...)
	diags.Sort()
	if diags.HasErrors() {
		return Transpiled{}, diags
	}
	out.Routes = routes
	return out, diags
}

// declaresModules reports whether Node.js takes .js files of the package for ES modules. Where
// not, the output needs a package.json of its own that says so.
func declaresModules(dir string) bool {
	data, err := readRegular(filepath.Join(dir, "package.json"))
	if err != nil {
		return false
	}
	var file struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(data, &file) == nil && file.Type == "module"
}

// bundlerFailure is a failure that has no place in a source.
func bundlerFailure(format string, args ...any) manifest.Diagnostics {
	return manifest.Diagnostics{{Rule: RuleBundler, Severity: manifest.SeverityError, Message: fmt.Sprintf(format, args...)}}
}

// sourceFiles are the modules below src/, slash-separated and sorted.
func sourceFiles(dir string, tests []string) ([]string, error) {
	isTest := map[string]bool{}
	for _, name := range tests {
		isTest[name] = true
	}
	var list []string
	err := filepath.WalkDir(filepath.Join(dir, "src"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); entry.Type().IsRegular() && isCode(rel) && !isDeclaration(rel) && !isTest[rel] {
			list = append(list, rel)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

func isDeclaration(name string) bool {
	return strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".d.mts") || strings.HasSuffix(name, ".d.cts")
}

type transpiler struct {
	dir     string
	entries []string
}

func (t *transpiler) options() api.BuildOptions {
	entries := make([]api.EntryPoint, len(t.entries))
	for i, entry := range t.entries {
		// The output is named here, because the bundler's own names leave odd characters out.
		entries[i] = api.EntryPoint{
			InputPath:  filepath.Join(t.dir, filepath.FromSlash(entry)),
			OutputPath: strings.TrimSuffix(strings.TrimPrefix(entry, "src/"), path.Ext(entry)),
		}
	}
	return api.BuildOptions{
		AbsWorkingDir:       t.dir,
		EntryPointsAdvanced: entries,
		Outdir:              filepath.Join(t.dir, "dist", "src"),
		// The bundler rewrites imports only where it bundles. With every other module
		// external, each entry is a bundle of one file.
		Bundle:      true,
		TreeShaking: api.TreeShakingFalse,
		Format:      api.FormatESModule,
		Platform:    api.PlatformNode,
		Engines:     []api.Engine{{Name: api.EngineNode, Version: "20"}},
		Charset:     api.CharsetUTF8,
		Sourcemap:   api.SourceMapLinked,
		Loader:      textLoaders(),
		LogLevel:    api.LogLevelSilent,
		Plugins:     []api.Plugin{t.plugin()},
	}
}

func (t *transpiler) plugin() api.Plugin {
	return api.Plugin{Name: "neuralis-node", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: packageFilter, Namespace: "file"}, new(installedConfigs).resolver(t.dir))
		build.OnResolve(api.OnResolveOptions{Filter: `.*`, Namespace: "file"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return t.resolve(build, args)
		})
		build.OnResolve(api.OnResolveOptions{Filter: relativeFilter, Namespace: guestNamespace}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return resolveGuest(args)
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: guestNamespace}, loadGuest)
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			info, err := os.Stat(args.Path)
			if err != nil {
				return api.OnLoadResult{}, nil // the bundler says it better
			}
			return inspected(args.Path, (&Context{dir: t.dir}).shown(args.Path), info)
		})
	}}
}

// theImport begins the messages about imports that leave what is compiled.
const theImport = "the import of "

// ownLookup tells the plugin's own look-ups from those of the bundler.
type ownLookup struct{}

func (t *transpiler) resolve(build api.PluginBuild, args api.OnResolveArgs) (api.OnResolveResult, error) {
	if _, own := args.PluginData.(ownLookup); own || args.Kind == api.ResolveEntryPoint {
		return api.OnResolveResult{}, nil
	}
	if packageName(args.Path) == "@neuralis/package-system" {
		return resolveGuest(args)
	}
	if isBare(args.Path) && (isBuiltin(args.Path) || strings.HasPrefix(args.Path, "buffer")) {
		return api.OnResolveResult{Path: args.Path, External: true}, nil
	}
	found := build.Resolve(args.Path, api.ResolveOptions{
		Importer: args.Importer, Namespace: args.Namespace, ResolveDir: args.ResolveDir, Kind: args.Kind, PluginData: ownLookup{},
	})
	if len(found.Errors) > 0 || found.External {
		return api.OnResolveResult{}, nil // the bundler says it with the place
	}
	rel, err := filepath.Rel(t.dir, found.Path)
	if err != nil {
		rel = found.Path
	}
	rel = filepath.ToSlash(rel)
	switch {
	case npmPackageOf(rel) != "" || isBare(args.Path) && outside(rel):
		return api.OnResolveResult{Path: args.Path, External: true}, nil
	case outside(rel):
		return api.OnResolveResult{}, fmt.Errorf(theImport+"%s leaves the package folder: it leads to %s", args.Path, rel)
	case !isCode(rel):
		return api.OnResolveResult{}, nil // built in
	case !strings.HasPrefix(rel, "src/"):
		return api.OnResolveResult{}, fmt.Errorf(theImport+"%s leaves src/: a node package is compiled from src/ alone", args.Path)
	}
	return api.OnResolveResult{Path: t.compiledName(args.Importer, rel), External: true}, nil
}

// compiledName is how one compiled module imports another.
func (t *transpiler) compiledName(importer, target string) string {
	from, err := filepath.Rel(t.dir, filepath.Dir(importer))
	if err != nil {
		from = "src"
	}
	name, err := filepath.Rel(from, filepath.FromSlash(strings.TrimSuffix(target, path.Ext(target))+".js"))
	if err != nil {
		return target
	}
	if name = filepath.ToSlash(name); !strings.HasPrefix(name, ".") {
		name = "./" + name
	}
	// Node reads a relative specifier as part of an address.
	return specifierEscapes.Replace(name)
}

var specifierEscapes = strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23", `\`, "%5C")

// resolveGuest finds a module of the guest library from a node package or from itself.
func resolveGuest(args api.OnResolveArgs) (api.OnResolveResult, error) {
	importer := ""
	if args.Namespace == guestNamespace {
		importer = args.Importer + ".ts"
	}
	file, ok := guest.Resolve(importer, args.Path)
	if !ok {
		return api.OnResolveResult{}, nil
	}
	return api.OnResolveResult{Path: strings.TrimSuffix(file, ".ts"), Namespace: guestNamespace}, nil
}

func (t *transpiler) diagnostics(messages []api.Message, severity manifest.Severity) manifest.Diagnostics {
	// The same explanations as for a bundle, but with one file there is no chain.
	c := &Context{dir: t.dir}
	c.dispatcher.Store(new([]byte))
	var list manifest.Diagnostics
	for _, m := range messages {
		specifier, missing := unresolved(m)
		switch {
		case severity == manifest.SeverityError && missing:
			list = append(list, c.explainImport(m, specifier, &importGraph{}))
		case strings.HasPrefix(m.Text, theImport):
			d := c.sources().diagnostic(m, severity)
			d.Rule = RuleOutsideImport
			d.Hint = "move the file below src/, or make it an npm package of your workspace and import it by name"
			list = append(list, d)
		default:
			list = append(list, c.sources().diagnostic(m, severity))
		}
	}
	return list
}
