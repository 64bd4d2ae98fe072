// Package docs carries the manual into the binary, for commands that quote it.
// Its tests keep the pages true.
package docs

import "embed"

// Pages are the pages of the manual.
//
//go:embed *.md
var Pages embed.FS
