// Package dispatcher writes the entry module of a package's bundle: the file that imports
// every handler the author wrote and hands them, as namespaces, to the sandbox's serve.
//
// The text is meant to be read. It is written to .neuralis/dispatcher.ts so that an author
// who wonders how a tool is reached finds one page of imports and one call, and it is the
// same text for the same package on every machine, whatever the order in which a file
// system lists a folder.
//
// # What it guarantees
//
// The text depends on the package alone: no date, no absolute path, no version of this
// toolchain. Names of tools and files may hold any character a file name can hold; they are
// written as escaped string literals, never pasted into code.
//
// # What it refuses
//
// Nothing: whether a module exports what it must is for serve to say, which sees the real
// exports, and whether a file may be there at all is for the manifest package.
package dispatcher
