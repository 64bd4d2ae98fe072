// Package interop holds no code, only tests: built packages run in hosts that are not ours.
//
// dist/package.wasm promises to be an ordinary Extism plug-in. The tests here hold it to that, in the
// Extism SDK for JavaScript on Node (a different kernel, WASI and WebAssembly engine), and in the SDK for
// Go as anybody would use it; both must answer as the host package's sandbox does, where a package is
// a shared core and an image.
//
// One thing differs by nature. The guest's stack carries thousands of nested JavaScript calls and then ends in a
// RangeError that code can catch. Node runs WebAssembly on V8's own stack, which with its default size is
// at its end somewhere between 400 and 1000 calls: then the call fails, and the instance, which was cut
// off in the middle, refuses every other. Node's --stack-size makes room for more.
package interop
