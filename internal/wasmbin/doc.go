// Package wasmbin reads, rewrites and writes WebAssembly binaries.
//
// It exists for the compiler in build/wasm, which links the JavaScript engine with glue code and
// therefore has to move every function index, and for package image, which takes the data of a
// module apart from its code. It knows the binary format of the WebAssembly core specification,
// version 1, with the extensions that LLVM emits by default for wasm32-wasi: sign extension,
// saturating conversions, bulk memory, reference types and multi-value block types.
//
// What it guarantees: reading never panics, whatever the bytes; what it accepts it keeps, so that
// parsing and encoding again gives a module with the same meaning. What it refuses: anything
// beyond the features above (SIMD, threads, exceptions, 64-bit memories), with the byte offset at
// which it stood. It does not validate function bodies beyond their instruction encoding; the
// runtime that loads the result does.
//
// Source: https://webassembly.github.io/spec/core/binary/index.html
package wasmbin
