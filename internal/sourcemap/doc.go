// Package sourcemap leads from places in a bundle back to the author's files: single positions,
// whole stacks of the engine, and from what a program threw to a manifest.Diagnostic with a
// code frame.
//
// # Counting
//
// Three counts meet here and differ. QuickJS numbers lines and columns from 1 and counts a
// column in bytes of UTF-8; a source map numbers lines from 1 and columns from 0, in UTF-16
// code units; diagnostics number both from 1, in UTF-16 code units. Everything this package
// takes and gives counts from 1. Generated columns in bytes are UTF-16 columns only because a
// bundle is ASCII: build/bundle has strings and names escaped. Where a comment that the bundler keeps
// is not, what follows it on the same line is reported some columns off.
//
// QuickJS has two habits to know. On the first line of a file its columns count from 0, which is
// put right here. And the place of a call is that of the last thing evaluated before it, so
// f(a) is reported at a: the author sees the right line and the right expression, with the
// caret a few columns off. Names of functions come from the functions themselves; a minified
// bundle keeps them.
//
// # What it refuses
//
// A map that does not parse is an error; a stack never is. Lines of a stack that are not
// understood stay as they are, because a text nobody can read is still better than none.
package sourcemap
