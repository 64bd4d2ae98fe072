// Package jsondoc reads JSON and remembers where everything stood.
//
// # What it is for
//
// A fault in a manifest, a tool schema or a config file is only worth reporting with its line and column.
// [Parse] turns bytes into a [Document], a tree in which each value and each member name knows its place;
// [Document.Lookup] finds a value by its JSON Pointer (RFC 6901), which is how schema validators name what
// they complain about, and [Document.Span] turns a place into a line and columns as editors count them.
//
// # What it guarantees
//
// The grammar is that of RFC 8259, and no more. Input of any kind and size ends in a tree or in problems,
// never in a panic, and within limits on size, depth and number of values, so memory stays in proportion.
// Faults that leave the structure in no doubt (a comment, a trailing comma, a duplicate key, text that is
// not Unicode) are reported without stopping, so that one run shows all of them.
//
// # What it refuses
//
// It knows nothing about what a document means; package jsonmodel does that. It does not write JSON.
package jsondoc
