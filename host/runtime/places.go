package runtime

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/internal/sourcemap"
)

// bundleName is what the engine calls the bundle in its stacks, in modules of this toolchain.
const bundleName = "package.js"

// mapSuffix is what the name of a module's source map adds to the module's.
const mapSuffix = ".map"

// maxMap is the largest source map that is read, in bytes.
const maxMap = 64 << 20

// maxText is how long a message or a stack of a package may be, in bytes.
const maxText = 16 << 10

// places leads positions in a bundle back to the author's files, by a map that is nil where there is none.
type places func() *sourcemap.Map

// mapOf reads the source map of a module when it is first asked for: errors are rare, and maps large.
func mapOf(dir, module string) places {
	return sync.OnceValue(func() *sourcemap.Map {
		root, err := regularfile.Root(dir)
		if err != nil {
			return nil
		}
		defer root.Close()
		text, err := regularfile.ReadIn(root, filepath.FromSlash(module+mapSuffix), maxMap)
		if err != nil {
			return nil
		}
		m, err := sourcemap.Parse(text)
		if err != nil {
			return nil
		}
		return m
	})
}

// clip shortens a text that a package wrote, at the end of a character.
func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
