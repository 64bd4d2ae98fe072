// Package interop holds no code, only tests: built packages run in hosts that are not ours.
//
// dist/package.wasm promises to be an ordinary Extism plug-in. The tests here hold it to that, in the
// Extism SDK for JavaScript on Node (a different kernel, WASI and WebAssembly engine), and in the SDK for
// Go as anybody would use it; both must answer as the host package's sandbox does, where a package is
// a shared core and an image.
package interop
