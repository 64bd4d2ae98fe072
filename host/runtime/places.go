package runtime

import (
	"io"
	"os"
	"strings"
	"sync"

	"github.com/neuralis-dev/neuralis/host/sandbox"
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

// places leads positions in a bundle back to the author's files. A nil function knows none.
type places func() *sourcemap.Map

// mapOf reads the source map of a module when it is first asked for: errors are rare, and maps large.
func mapOf(dir, module string) places {
	return sync.OnceValue(func() *sourcemap.Map {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil
		}
		defer root.Close()
		file, err := root.Open(module + mapSuffix)
		if err != nil {
			return nil
		}
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(file, maxMap))
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

// fill writes down where in the author's files an error happened.
func (at places) fill(f *Failure, guest *sandbox.GuestError) {
	f.Message = clip(f.Message)
	var m *sourcemap.Map
	if at != nil && guest.Stack != "" {
		m = at()
	}
	d := m.Diagnostic(bundleName, sourcemap.Thrown{Name: guest.Name, Message: guest.Message, Stack: guest.Stack})
	if !sourcemap.Internal(d.File) {
		f.File, f.Line, f.Column = d.File, d.Line, d.Column
	}
	f.Stack = clip(strings.TrimRight(m.Rewrite(bundleName, guest.Stack), "\n"))
}

// clip shortens a text that a package wrote, at the end of a character.
func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
