// Package guest holds the code that runs inside the sandbox beside the author's:
// the dispatcher's runtime, the context a handler is given, the Web APIs, and the
// declarations editors read. All of it is TypeScript, embedded here and bundled
// into each package by build/bundle; nothing is fetched from a registry.
//
// # What is here
//
//	src/native.ts            the one door to the engine's glue; takes it off globalThis
//	src/runtime.ts           serve(): what the generated dispatcher calls
//	src/runtime/…            the parts of serve: router, event loop, results, requests
//	src/ctx/…                ctx.data, ctx.credentials, … over the host port
//	src/web/…                Web APIs, one module for each idea
//	src/package-system.ts    what '@neuralis/package-system' means at run time
//	src/pdk-guest.ts         what '@neuralis/package-system/pdk-guest' means
//	src/testing.ts           what '@neuralis/package-system/testing' means
//	declarations/…           what editors see of the three, and of the sandbox's globals
//	webtests/…               tests of all this that run in Node and in the engine alike
//
// # Rules the sources keep
//
// A module under src/web has no effect when it is evaluated, so that esbuild drops
// whatever the author's code never mentions. Sources import each other by relative
// path with the .ts extension, and name every Web API they need in an import: they
// never rely on a global that the bundler would inject. State that must differ from
// one instance of a snapshot to the next (random numbers, the time origin) is renewed
// when the instance is entered for the first time, because the snapshot is taken after
// the modules were evaluated.
//
// # What it refuses
//
// No module here knows a file system, a process or a socket. Everything from outside
// comes through the host port in src/ctx/host.ts or the HTTP operation of Extism.
package guest
