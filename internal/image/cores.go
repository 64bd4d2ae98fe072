package image

import (
	_ "embed"
	"fmt"
	"strings"
)

// Core is a core whose code is known.
type Core struct {
	Hash string
	// Interrupt is where its cells are; see Meta.Interrupt, which is only what a module says.
	Interrupt uint32
}

//go:embed cores.txt
var cores string

// Cores are the cores that versions of this toolchain have made, the newest last. Their code is ours: it
// looks at the cells that end it, and keeps to its stack. A core that somebody else made can do
// everything that WebAssembly can, for ever, and a host must not count on its cells.
func Cores() []Core {
	var all []Core
	for line := range strings.Lines(cores) {
		var c Core
		if n, _ := fmt.Sscan(line, &c.Hash, &c.Interrupt); n == 2 && len(c.Hash) == 64 {
			all = append(all, c)
		}
	}
	return all
}
