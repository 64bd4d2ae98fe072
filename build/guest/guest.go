package guest

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// files is the whole guest as it lies on disk.
//
//go:embed src declarations
var files embed.FS

// Sources returns the TypeScript that can be bundled. Its root is the folder src, so
// paths read "runtime.ts" or "web/url.ts".
func Sources() fs.FS { return sub("src") }

// Declarations returns the .d.ts files for editors, by the paths under which the
// types command writes them below .neuralis.
func Declarations() fs.FS { return sub("declarations") }

// sub cannot fail: both folders are embedded above.
func sub(dir string) fs.FS {
	tree, err := fs.Sub(files, dir)
	if err != nil {
		panic(fmt.Sprintf("guest: embedded folder %s: %v", dir, err))
	}
	return tree
}

// modules maps the specifiers authors and generated code import to paths in Sources.
var modules = map[string]string{
	"@neuralis/package-system":           "package-system.ts",
	"@neuralis/package-system/pdk-guest": "pdk-guest.ts",
	"@neuralis/package-system/testing":   "testing.ts",
	"node:buffer":                        "web/buffer.ts",
	"buffer":                             "web/buffer.ts",
}

// Resolve says which file of Sources an import means.
//
// The specifier is either one of the virtual names ("@neuralis/package-system/…",
// "neuralis:runtime", "neuralis:web/url", "node:buffer"), or, when importer is itself a path
// in Sources, a path relative to it. The result is a path in Sources; ok is false
// when the specifier is none of ours or names a file that does not exist.
func Resolve(importer, specifier string) (file string, ok bool) {
	switch {
	case modules[specifier] != "":
		file = modules[specifier]
	case strings.HasPrefix(specifier, "neuralis:"):
		file = path.Clean(strings.TrimPrefix(specifier, "neuralis:"))
	case importer != "" && (strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../")):
		file = path.Join(path.Dir(importer), specifier)
	default:
		return "", false
	}
	if path.Ext(file) != ".ts" {
		file += ".ts"
	}
	if info, err := fs.Stat(Sources(), file); err != nil || info.IsDir() {
		return "", false
	}
	return file, true
}

// Global is one name of the sandbox's global scope and the module that provides it.
type Global struct {
	Name   string // as code writes it, e.g. "URL"
	Module string // specifier for Resolve, e.g. "neuralis:web/url"
	Export string // the name the module exports, e.g. "URL"
}

// globalModules lists the Web APIs of the sandbox by the module that provides them.
// The export always has the name of the global.
var globalModules = []struct {
	module string
	names  []string
}{
	{"abort", []string{"AbortController", "AbortSignal"}},
	{"base64", []string{"atob", "btoa"}},
	{"blob", []string{"Blob", "File"}},
	{"buffer", []string{"Buffer"}},
	{"console", []string{"console"}},
	{"crypto", []string{"crypto"}},
	{"domexception", []string{"DOMException"}},
	{"encoding", []string{"TextDecoder", "TextEncoder"}},
	{"event", []string{"CustomEvent", "Event", "EventTarget"}},
	{"fetch", []string{"fetch"}},
	{"formdata", []string{"FormData"}},
	{"headers", []string{"Headers"}},
	{"performance", []string{"performance"}},
	{"report", []string{"reportError"}},
	{"request", []string{"Request"}},
	{"response", []string{"Response"}},
	{"streams", []string{"ReadableStream"}},
	{"structured-clone", []string{"structuredClone"}},
	{"timers", []string{"clearImmediate", "clearInterval", "clearTimeout", "queueMicrotask", "setImmediate", "setInterval", "setTimeout"}},
	{"url", []string{"URL", "URLSearchParams"}},
	{"urlpattern", []string{"URLPattern"}},
}

// Globals returns every Web API the sandbox offers, sorted by module and then by
// name. A bundler that injects each of them only where code mentions its name gives
// authors the whole list at no cost for what they leave unused.
func Globals() []Global {
	var list []Global
	for _, m := range globalModules {
		for _, name := range m.names {
			list = append(list, Global{Name: name, Module: "neuralis:web/" + m.module, Export: name})
		}
	}
	return list
}

// globalObjects are the ways code spells the global object. Only the first is known
// to the engine.
var globalObjects = []string{"globalThis", "self", "global"}

// Defines returns substitutions, in esbuild's sense, that complete Globals: the other
// names of the global object, and member access such as globalThis.URL, which must
// mean the injected URL. Names computed while the code runs are out of its reach.
func Defines() map[string]string {
	defines := map[string]string{}
	for _, object := range globalObjects {
		if object != "globalThis" {
			defines[object] = "globalThis"
		}
		for _, g := range Globals() {
			defines[object+"."+g.Name] = g.Name
		}
	}
	return defines
}

// ModuleNames returns the specifiers that authors may import from the sandbox's own
// library, sorted.
func ModuleNames() []string {
	names := make([]string, 0, len(modules))
	for name := range modules {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
