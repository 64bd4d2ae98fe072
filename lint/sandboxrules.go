package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/lint/source"
	"github.com/neuralis-dev/neuralis/manifest"
)

func sandboxRules() []Rule {
	rule := func(id string, severity manifest.Severity, summary, todo, bad, good string, check func(*pass)) Rule {
		const file = "-- src/tools/list.ts --\n"
		return Rule{ID: id, Severity: severity, Family: FamilySandbox, Summary: summary, Todo: todo, Bad: coded + schema + file + bad, Good: coded + schema + file + good, check: check}
	}
	return []Rule{
		rule("node-builtin", manifest.SeverityError, "code of a wasm package imports a module that only Node has", "see [guest.md](guest.md#what-is-not-there-and-what-to-use) for what to use",
			"import { readFileSync } from «'node:fs'»;\nexport default () => ({ content: [], text: readFileSync('list.txt', 'utf8') });\n",
			"import { Buffer } from 'node:buffer';\nexport default () => ({ content: [], text: Buffer.from('list').toString('base64') });\n", nodeModules),
		rule("sandbox-frozen", manifest.SeverityWarning, "top-level code of a module asks for the time or for random numbers: it runs at build time, and what it gets is the same for ever", "ask in `init` or in a handler",
			"const started = Date.«now»();\nexport default () => ({ content: [], started });\n",
			"export default () => ({ content: [], now: Date.now() });\n", frozenValues),
		rule("sandbox-api", manifest.SeverityWarning, "code uses a global that the sandbox does not have", "see [guest.md](guest.md#what-is-not-there-and-what-to-use) for what to use",
			"export default () => ({ content: [], price: new «Intl».NumberFormat('en').format(2) });\n",
			"export default () => ({ content: [], price: typeof Intl === 'undefined' ? '2' : new Intl.NumberFormat('en').format(2) });\n", missingGlobals),
	}
}

// nodeNames are the modules of Node, but for buffer, which the sandbox has.
func nodeNames() []string {
	return []string{
		"assert", "async_hooks", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns", "domain", "events",
		"fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl",
		"stream", "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
	}
}

func nodeModules(p *pass) {
	if !p.wasm() {
		return
	}
	files, chains := p.reached()
	for _, f := range files {
		for _, i := range f.Imports {
			name, _, _ := strings.Cut(strings.TrimPrefix(i.Module, "node:"), "/")
			ofNode := strings.HasPrefix(i.Module, "node:") || slices.Contains(nodeNames(), name) && !strings.HasSuffix(i.Module, "/")
			if !ofNode || name == "buffer" || !strings.HasPrefix(i.Module, "node:") && p.exists("node_modules/"+name) {
				continue
			}
			p.inSource(f, i.Offset, fmt.Sprintf("%s is a module of Node.js, and the sandbox has none of these", i.Module), "docs/guest.md says what to use in its place")
			d := &p.found[len(p.found)-1]
			chain := append(slices.Clone(chains[f.Name]), f.Name)
			for n := len(chain) - 1; n > 0; n-- {
				d.Notes = append(d.Notes, manifest.Note{Message: "imported by", File: chain[n-1]})
			}
		}
	}
}

// frozen says what an expression asks for that stands still while a package is built; empty for nothing.
func frozen(n *source.Node) (what string, at int) {
	switch callee := n.Callee(); {
	case callee == nil:
	case n.Kind == source.New && callee.Kind == source.Ident && callee.Name == "Date" && callee.Binding.Global && len(n.Args()) == 0:
		return "the time", n.Offset
	case n.Kind == source.Call && callee.Kind == source.Member:
		path, root := callee.Path()
		if root == nil || !root.Global {
			return "", 0
		}
		switch strings.TrimPrefix(path, "globalThis.") {
		case "Date.now", "performance.now":
			return "the time", callee.Offset
		case "Math.random", "crypto.randomUUID", "crypto.getRandomValues":
			return "a random number", callee.Offset
		}
	}
	return "", 0
}

func frozenValues(p *pass) {
	if !p.wasm() {
		return
	}
	files, _ := p.reached()
	for _, f := range files {
		f.Root.Walk(func(n *source.Node) bool {
			if what, at := frozen(n); what != "" && topLevel(n) {
				p.inSource(f, at, fmt.Sprintf("this runs while the package is built: %s that it gets is the same in every call, for ever", what), "ask in init or in a handler")
			}
			return true
		})
	}
}

// missing are globals that other places have and the sandbox has not, with what to use.
func missing() map[string]string {
	const page = "there are no pages and windows here"
	return map[string]string{
		"Intl": "format with functions of your own, or with an npm package", "WebAssembly": "there is no WebAssembly inside WebAssembly",
		"process": "ctx.config.get for settings; there is no process", "require": "use import", "__dirname": "import files to build them into the package", "__filename": "import files to build them into the package",
		"XMLHttpRequest": "use fetch", "WebSocket": "use fetch", "EventSource": "use fetch", "Worker": "a package is one thread",
		"localStorage": "use ctx.data.fileStore", "sessionStorage": "use ctx.data.fileStore", "indexedDB": "use ctx.data.fileStore",
		"window": page, "document": page, "navigator": page, "Deno": "this is not Deno", "Bun": "this is not Bun",
	}
}

func missingGlobals(p *pass) {
	if !p.wasm() {
		return
	}
	files, _ := p.reached()
	known := missing()
	for _, f := range files {
		checked := checkedNames(f)
		f.Root.Walk(func(n *source.Node) bool {
			if n.Kind != source.Ident || n.Binding == nil || !n.Binding.Global || checked[n.Name] {
				return true
			}
			hint, ok := known[n.Name]
			if !ok || n.Name == "process" && n.Parent != nil && n.Parent.Kind == source.Member && n.Parent.Name == "env" {
				return true
			}
			p.inSource(f, n.Offset, fmt.Sprintf("the sandbox has no %s", n.Name), hint)
			return true
		})
	}
}
