package bundle

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/build/dispatcher"
	"github.com/neuralis-dev/neuralis/build/guest"
	"github.com/neuralis-dev/neuralis/internal/jsliteral"
)

const (
	// pluginName is what the bundler calls this package in messages.
	pluginName = "neuralis"
	// guestNamespace holds the guest library; "neuralis" in front of a path is also how the
	// module is named in the map.
	guestNamespace = "neuralis"
	// globalsFolder, in that namespace, holds the generated modules that inject Web APIs.
	globalsFolder = "globals/"
	globalsPrefix = guestNamespace + ":" + globalsFolder
	// extismEntry is the generated entry module for TargetExtismJS, in that namespace.
	extismEntry = "entry/extism-js"
	// nativeModule is the guest module that takes the engine's function.
	nativeModule = "native"
)

// The filters are tight because every match is a call out of the bundler's own code.
const (
	virtualFilter    = `^(neuralis:|neuralis-entry:|@neuralis/package-system(/|$)|(node:)?buffer/?$)`
	relativeFilter   = `^\.\.?/`
	sourceFilter     = `^\.\./src/`
	addressFilter    = `^(https?:)?//`
	dispatcherFilter = `[/\\]\.neuralis[/\\]dispatcher\.ts$`
)

// plugin serves the modules that exist only in this program.
func (c *Context) plugin() api.Plugin {
	load := loadGuest
	if c.in.Target == TargetExtismJS {
		load = loadGuestForExtismJS
	}
	return api.Plugin{Name: pluginName, Setup: func(build api.PluginBuild) {
		build.OnStart(func() (api.OnStartResult, error) {
			c.folders.known.Clear()
			return api.OnStartResult{}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: virtualFilter}, c.resolveVirtual)
		build.OnResolve(api.OnResolveOptions{Filter: packageFilter, Namespace: "file"}, c.resolver(c.dir))
		build.OnResolve(api.OnResolveOptions{Filter: relativeFilter, Namespace: guestNamespace}, c.resolveVirtual)
		build.OnResolve(api.OnResolveOptions{Filter: addressFilter}, refuseAddress)
		build.OnResolve(api.OnResolveOptions{Filter: sourceFilter, Namespace: "file"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return c.resolveSource(build, args)
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: guestNamespace}, load)
		build.OnLoad(api.OnLoadOptions{Filter: dispatcherFilter, Namespace: "file"}, c.loadDispatcher)
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, c.admit)
	}}
}

func (c *Context) dispatcherPath() string {
	return filepath.Join(c.dir, filepath.FromSlash(dispatcher.File))
}

func (c *Context) resolveVirtual(args api.OnResolveArgs) (api.OnResolveResult, error) {
	if args.Path == entryName {
		return api.OnResolveResult{Path: c.dispatcherPath(), Namespace: "file"}, nil
	}
	if args.Path == extismEntryName {
		return api.OnResolveResult{Path: extismEntry, Namespace: guestNamespace}, nil
	}
	if module, ok := strings.CutPrefix(args.Path, globalsPrefix); ok {
		return api.OnResolveResult{Path: globalsFolder + module, Namespace: guestNamespace, SideEffects: api.SideEffectsFalse}, nil
	}
	if strings.HasPrefix(args.Path, guestNamespace+":") && args.Namespace != guestNamespace && args.Importer != c.dispatcherPath() {
		return api.OnResolveResult{}, fmt.Errorf("cannot import %q: it is the sandbox's own; Web APIs are globals, and the rest is in @neuralis/package-system/pdk-guest", args.Path)
	}
	importer := ""
	if args.Namespace == guestNamespace {
		importer = args.Importer + ".ts"
	}
	file, ok := guest.Resolve(importer, strings.TrimSuffix(args.Path, "/"))
	if !ok {
		// The bundler's own resolution fails next, and its message carries the place.
		return api.OnResolveResult{}, nil
	}
	result := api.OnResolveResult{Path: strings.TrimSuffix(file, ".ts"), Namespace: guestNamespace}
	// Modules of Web APIs do nothing when they are evaluated, which lets the bundler drop
	// those that were injected and never mentioned.
	if strings.HasPrefix(file, "web/") {
		result.SideEffects = api.SideEffectsFalse
	}
	return result, nil
}

// resolveSource finds what the dispatcher imports from the package folder, because the
// folder .neuralis, to which those imports are relative, need not exist.
func (c *Context) resolveSource(build api.PluginBuild, args api.OnResolveArgs) (api.OnResolveResult, error) {
	if args.Importer != c.dispatcherPath() {
		return api.OnResolveResult{}, nil
	}
	found := build.Resolve(strings.TrimPrefix(args.Path, "."), api.ResolveOptions{
		Importer: args.Importer, Namespace: args.Namespace, ResolveDir: c.dir, Kind: args.Kind, PluginData: args.PluginData,
	})
	if len(found.Errors) > 0 {
		return api.OnResolveResult{}, nil
	}
	return api.OnResolveResult{Path: found.Path, Namespace: found.Namespace}, nil
}

// refuseAddress stops imports from the network, which the bundler would leave in the bundle
// for the engine to fail on.
func refuseAddress(args api.OnResolveArgs) (api.OnResolveResult, error) {
	return api.OnResolveResult{}, fmt.Errorf("cannot import %q: nothing is loaded from the network; install the npm package instead", args.Path)
}

func loadGuest(args api.OnLoadArgs) (api.OnLoadResult, error) {
	if module, ok := strings.CutPrefix(args.Path, globalsFolder); ok {
		text := globalsModule("neuralis:" + module)
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
	}
	text, err := guestSource(args.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	return api.OnLoadResult{Contents: &text, Loader: api.LoaderTS}, nil
}

// loadGuestForExtismJS is loadGuest with the engine function of TargetExtismJS.
func loadGuestForExtismJS(args api.OnLoadArgs) (api.OnLoadResult, error) {
	if args.Path == extismEntry {
		text := "export { handleTool, handleRoute, handleLifecycle } from 'neuralis:extism-js';\nimport " + jsliteral.String(entryName) + ";\n"
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
	}
	result, err := loadGuest(args)
	if err == nil && args.Path == nativeModule {
		// Whichever module the bundler puts first, the engine function must be there before
		// native.ts takes it.
		text := "import './extism-js.ts'; " + *result.Contents
		result.Contents = &text
	}
	return result, err
}

// guestSource reads a module of the guest library by its name in the map.
func guestSource(module string) (string, error) {
	data, err := fs.ReadFile(guest.Sources(), module+".ts")
	if err != nil {
		return "", fmt.Errorf("read the guest module %s: %w", module, err)
	}
	return string(data), nil
}

func (c *Context) loadDispatcher(args api.OnLoadArgs) (api.OnLoadResult, error) {
	if args.Path != c.dispatcherPath() {
		return api.OnLoadResult{}, nil
	}
	text := string(*c.dispatcher.Load())
	return api.OnLoadResult{Contents: &text, Loader: api.LoaderTS, ResolveDir: filepath.Dir(args.Path)}, nil
}

// globalsModule is the module whose exports the bundler puts in place of free names.
func globalsModule(module string) string {
	var names []string
	for _, g := range guest.Globals() {
		switch {
		case g.Module != module:
		case g.Name == g.Export:
			names = append(names, g.Name)
		default:
			names = append(names, g.Export+" as "+g.Name)
		}
	}
	return "export { " + strings.Join(names, ", ") + " } from " + jsliteral.String(module) + ";\n"
}
