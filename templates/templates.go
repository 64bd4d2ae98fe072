// Package templates holds the files that `neuralis new` and `neuralis add` write.
//
// Each folder below this one is a template of a whole package, except add/, whose
// files are single contributions. They are data; package scaffold knows how they
// are filled in:
//
//   - A file whose name ends in .tmpl is a text/template with << and >> as
//     delimiters, which occur in none of the languages here, and is written
//     without that ending. Every other file is written as it is.
//   - __id__ and __prefix__ in a path stand for the package's id and the prefix of
//     its tools' names.
//   - gitignore becomes .gitignore; with its dot it would hide the templates from
//     this repository.
//
// The templates are the first code most authors read, so they are held to what an
// author would want to copy: each loads without a diagnostic, each tool has a
// schema with bounds, and each has tests that state what it is for.
package templates

import "embed"

// Files are the template folders.
//
//go:embed all:add all:mcp-go all:mcp-python all:node all:skills all:wasm
var Files embed.FS
