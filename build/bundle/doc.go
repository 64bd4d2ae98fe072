// Package bundle turns an author's TypeScript into the JavaScript that runs: for a sandboxed
// package one self-contained ES module with its source map, for a node package one .js file
// beside each source.
//
// # A sandboxed package
//
// The entry is the generated dispatcher (build/dispatcher). esbuild follows its imports
// through the author's sources, the package's own node_modules and the guest library
// (build/guest), which exists only inside this program: "@neuralis/package-system",
// "neuralis:…" and "node:buffer" are virtual modules. Web APIs are injected where code
// mentions their names, so a package carries only those it uses.
//
// npm packages are resolved as for a web worker: the "neuralis", "worker", "browser",
// "module", "production" and "import" conditions of an exports map, then the browser, module and
// main fields. A package written for Node alone fails the build, because nothing in the
// sandbox stands behind node:fs; the diagnostic shows the chain of imports that led there and
// what to use instead. A require of a built-in inside try/catch is left to fail when it
// runs, which is how optional use of Node is written.
//
// # What it guarantees
//
// The same sources give the same bytes on every machine: neither the module nor the map names a
// folder above the package, and sources in the map read "src/tools/x.ts",
// "node_modules/zod/…" or "neuralis:web/url". Nothing is written to disk. Every failure is a
// manifest.Diagnostic at the author's file, line and column.
//
// # What it refuses
//
// A relative or absolute import that leaves the package folder, directly or through a
// symbolic link: what is built must be what the folder holds. A bare import may lead
// anywhere that node_modules leads, because workspaces and pnpm link packages there on purpose.
package bundle
