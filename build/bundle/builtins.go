package bundle

import (
	"slices"
	"strings"
)

// builtins are the modules of Node.js 20 to 24 that can be required without a prefix,
// but for buffer, which the guest library provides.
var builtins = []string{
	"assert", "async_hooks", "child_process", "cluster", "console", "constants", "crypto", "dgram",
	"diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net",
	"os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream",
	"string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi",
	"worker_threads", "zlib",
}

// builtinHints say what to use in the sandbox instead.
var builtinHints = map[string]string{
	"fs":             "keep files with ctx.data (fileStore, jsonlAppender); to build a file into the package, import it (.json, .txt, .md)",
	"crypto":         "use globalThis.crypto: getRandomValues, randomUUID, subtle.digest",
	"http":           "use fetch, and list the host in network.allowedHosts of the manifest; to answer requests, write a route in src/routes",
	"net":            "a sandboxed package has no sockets: use fetch, and list the host in network.allowedHosts of the manifest",
	"path":           "use URL for addresses, or a pure JavaScript package such as pathe for paths",
	"os":             "the sandbox has no operating system to ask; read what you need with ctx.config.get",
	"process":        "use ctx.config.get for settings and ctx.credentials.resolveCredential for secrets in place of process.env",
	"child_process":  "a sandboxed package starts no processes; a package with the node or mcp runtime can",
	"worker_threads": "a sandboxed package is one thread; the host runs many instances of it side by side",
	"util":           "use structuredClone, TextEncoder, TextDecoder, async functions; console.log formats values",
	"url":            "use the global URL and URLSearchParams",
	"querystring":    "use the global URLSearchParams",
	"events":         "use EventTarget and Event, or install the npm package events",
	"stream":         "use ReadableStream, or pass whole values: a tool's arguments and results are in memory anyway",
	"timers":         "use the global setTimeout and setInterval, and await new Promise(…) around them",
	"perf_hooks":     "use the global performance",
	"assert":         "throw an Error, or use expect from @neuralis/package-system/testing in tests",
	"console":        "use the global console, or ctx.logger",
	"zlib":           "use a pure JavaScript package such as fflate",
	"string_decoder": "use the global TextDecoder with { stream: true }",
	"punycode":       "use the global URL, or install the npm package punycode and import it as punycode/",
	"async_hooks":    "pass ctx along: each call has its own",
	"module":         "use import: everything is bundled, nothing is loaded while the package runs",
	"vm":             "the sandbox is the virtual machine; there is none inside it",
	"test":           "use test and expect from @neuralis/package-system/testing",
}

// builtinAliases are modules whose advice is another's.
var builtinAliases = map[string]string{
	"https": "http", "http2": "http", "dgram": "net", "dns": "net", "tls": "net", "cluster": "worker_threads",
	"readline": "process", "tty": "process", "repl": "vm", "sys": "util", "diagnostics_channel": "events",
	"inspector": "vm", "v8": "vm", "wasi": "vm",
}

// isBuiltin tells a specifier that names a module of Node.js.
func isBuiltin(specifier string) bool {
	if strings.HasPrefix(specifier, "node:") {
		return true
	}
	return slices.Contains(builtins, builtinName(specifier))
}

// builtinName is the module without prefix and sub-path: "node:fs/promises" is "fs".
func builtinName(specifier string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(specifier, "node:"), "/")
	return name
}

func builtinHint(name string) string {
	if other, ok := builtinAliases[name]; ok {
		name = other
	}
	if hint, ok := builtinHints[name]; ok {
		return hint
	}
	return "find a package made for browsers or workers, or give this package the node runtime (first-party only)"
}
