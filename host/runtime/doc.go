// Package runtime runs the code of packages.
//
// # What it is for
//
// Packages come with one of three kinds of code: a sandboxed module, JavaScript for Node, a program that speaks MCP.
// To whoever makes calls they are one thing: a [Runtime] loads a package, and a [Package] answers calls. [WASM] is the
// runtime of sandboxed modules; the others implement the same two interfaces.
//
// A [Slot] holds the package of one id over all its versions. It loads the package when it is first called, and
// lets a new version take its place between calls: what runs goes on with the version it began with, and the old one
// is closed when the last of its calls has ended.
//
// # What it guarantees
//
// Each error of a call is a [*Failure], which says in one word what kind of end the call came to. What a package's
// code threw is told with places in its author's files.
//
// A sandboxed package has a bounded number of instances, which are made when calls want them and dropped when none
// does. An instance that trapped, ran out of time or out of memory is never used for another call. A call that
// ended, however it ended, holds nothing: the locks it took are released by the [Ports] it was given.
//
// # What it refuses
//
// It decides nothing about who may call what, how often and for how long. The context of a call ends it; the
// dispatcher sets the deadline.
package runtime
