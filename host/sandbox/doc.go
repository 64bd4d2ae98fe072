// Package sandbox runs plug-ins: the dist/package.wasm of a package, or any other Extism plug-in.
//
// Packages built by one version of the toolchain share their core, the engine with its glue (see
// internal/image). This package compiles each core once and makes an instance of a package by
// laying the package's image over the memory of a fresh core, which takes a few milliseconds and
// costs no machine code. A plug-in that was made elsewhere is compiled as it is.
//
// What it guarantees: an instance that trapped, ran out of memory or was interrupted is never used
// again (Instance.Usable says so, and the core itself refuses). A call ends when its context does:
// first the JavaScript is asked to stop, so that its stack can be told; if the engine itself is
// stuck, it traps. A guest reaches nothing but the Ports it is given and the hosts it is allowed.
//
// What it leaves to its callers: who may call what, how often and for how long.
package sandbox
