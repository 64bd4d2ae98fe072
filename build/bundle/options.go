package bundle

import (
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/build/guest"
)

// entryName is the specifier of the entry point; the plugin gives it the dispatcher's path.
const entryName = "neuralis-entry:dispatcher"

// extismEntryName is the entry point for TargetExtismJS; it imports the dispatcher.
const extismEntryName = "neuralis-entry:extism-js"

// outputName is the bundle's name for the bundler. Nothing is written there: the name makes
// the sources in the map relative to the package folder.
const outputName = "package.js"

// conditions are the exports conditions beside "browser", "import" and "require", which the
// bundler adds for this platform. "worker" comes closest to what the sandbox is: Web APIs, no
// DOM, no Node.
var conditions = []string{"neuralis", "worker", "module", "production"}

// options describes the bundle of a sandboxed package.
func (c *Context) options(globals wanted) api.BuildOptions {
	defines := guest.Defines()
	defines["process.env.NODE_ENV"] = `"production"`
	options := api.BuildOptions{
		AbsWorkingDir: c.dir,
		EntryPoints:   []string{entryName},
		Outfile:       filepath.Join(c.dir, outputName),
		Bundle:        true,
		Format:        api.FormatESModule,
		Target:        api.ES2023,
		// The browser platform reads the "browser" field with its replacements of single files,
		// which many npm packages still use to keep Node's modules out.
		Platform:          api.PlatformBrowser,
		MainFields:        []string{"browser", "module", "main"},
		Conditions:        conditions,
		Define:            defines,
		Inject:            globals.specifiers(),
		Loader:            textLoaders(),
		Sourcemap:         api.SourceMapExternal,
		SourcesContent:    api.SourcesContentInclude,
		MinifyWhitespace:  c.in.Minify,
		MinifyIdentifiers: c.in.Minify,
		// A constant that was put in the place of its name has no place of its own in the map.
		MinifySyntax: c.in.Minify,
		// Names in stacks are read from the functions, and a class that mentions itself would be
		// renamed.
		KeepNames: true,
		LogLevel:  api.LogLevelSilent,
		// Polyfills write globalThis.fetch = …, and that is not suspicious.
		LogOverride: map[string]api.LogLevel{"assign-to-define": api.LogLevelSilent},
		Metafile:    true,
		Plugins:     []api.Plugin{c.plugin()},
	}
	if c.in.Target == TargetExtismJS {
		forExtismJS(&options)
	}
	return options
}

// originBanner notes, before anything else runs, what the engine calls the bundle and in which of
// its lines the bundle begins: that compiler puts lines in front. The function keeps the bundle's
// variables out of the global scope, where a script's would replace what the engine has there.
const (
	originBanner = "globalThis.__neuralis_origin = new Error().stack; (() => {"
	originFooter = "})();"
)

// forExtismJS makes of a bundle for our own sandbox one for that of Extism's js-pdk, which
// evaluates a script of ES2020 and runs no promise job before the exported function has returned.
// So async functions become generators, which leaves all waiting to the Promise that
// build/guest/src/extism-js.ts provides.
func forExtismJS(options *api.BuildOptions) {
	options.EntryPoints = []string{extismEntryName}
	options.Format = api.FormatCommonJS
	options.Target = api.ES2020
	options.Supported = map[string]bool{"async-await": false, "async-generator": false, "for-await": false}
	options.Banner, options.Footer = map[string]string{"js": originBanner}, map[string]string{"js": originFooter}
}

// textLoaders are the files beside code that can be imported, and become strings.
func textLoaders() map[string]api.Loader {
	loaders := map[string]api.Loader{".json": api.LoaderJSON}
	for _, extension := range []string{".txt", ".md", ".html", ".sql", ".css"} {
		loaders[extension] = api.LoaderText
	}
	return loaders
}
