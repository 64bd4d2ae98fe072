package bundle

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/neuralis-dev/neuralis/build/guest"
)

// Web APIs are injected, and the bundler parses an injected module before it knows whether
// anything uses it. Parsing all of them takes longer than the rest of a small build. So
// they are narrowed first to those whose names stand somewhere in the author's sources: a
// word in a comment counts, which costs a little time and never the wrong result. npm
// packages are too large to look through, so with those everything is injected: at once where
// the text shows the import, else when the bundler reports files that were not looked through.

// wanted says which globals to inject.
type wanted struct {
	all   bool
	names map[string]bool
}

// equal reports whether two bundlers prepared for either are the same. One that was prepared for more would do, but not
// give the same bytes.
func (w wanted) equal(other wanted) bool {
	return w.all == other.all && (w.all || maps.Equal(w.names, other.names))
}

// specifiers names one injected module for each module that provides a wanted global.
func (w wanted) specifiers() []string {
	var list []string
	for _, g := range guest.Globals() {
		if !w.all && !w.names[g.Name] {
			continue
		}
		if name := globalsPrefix + strings.TrimPrefix(g.Module, "neuralis:"); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// mentioned looks through src/ for names of globals.
func (c *Context) mentioned() wanted {
	var files []string
	root := filepath.Join(c.dir, "src")
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && isCode(name) {
			files = append(files, name)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		return wanted{all: true} // the bundler will say what is wrong with the file
	}
	words := newVocabulary()
	w := wanted{names: map[string]bool{}}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range files {
		group.Go(func() error {
			data, err := readRegular(name)
			// One that cannot be read: if anything imports it, the bundler says what is wrong with it.
			found, usesPackages := words.in(data)
			mu.Lock()
			defer mu.Unlock()
			w.all = w.all || err != nil || usesPackages
			for _, name := range found {
				w.names[name] = true
			}
			return nil
		})
	}
	_ = group.Wait()
	return w
}

func isCode(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs":
		return true
	}
	return false
}

// vocabulary are the words that matter in a source: the names of globals, and those that begin the name of
// a module. Nearly all words are others, which their first letter and their length tell at once.
type vocabulary struct {
	globals map[string]bool
	first   [256]bool
	longest int
}

func newVocabulary() *vocabulary {
	v := &vocabulary{globals: map[string]bool{}}
	add := func(word string) {
		v.first[word[0]] = true
		v.longest = max(v.longest, len(word))
	}
	for _, g := range guest.Globals() {
		v.globals[g.Name] = true
		add(g.Name)
	}
	for _, word := range []string{"from", "import", "require"} {
		add(word)
	}
	return v
}

// in returns the globals that stand as words in text, some more than once, and reports whether text seems to
// import an npm package. Escapes in identifiers are not undone: nobody writes URL as \u0055RL.
func (v *vocabulary) in(text []byte) (found []string, usesPackages bool) {
	for i := 0; i < len(text); {
		if !wordBytes[text[i]] {
			i++
			continue
		}
		start := i
		for i < len(text) && wordBytes[text[i]] {
			i++
		}
		if !v.first[text[start]] || i-start > v.longest {
			continue
		}
		switch word := text[start:i]; string(word) {
		case "from", "import", "require":
			usesPackages = usesPackages || isNPM(specifierAfter(text[i:]))
		default:
			if v.globals[string(word)] {
				found = append(found, string(word))
			}
		}
	}
	return found, usesPackages
}

// specifierAfter is the string that follows the word of an import, or empty.
func specifierAfter(text []byte) string {
	text = bytes.TrimLeft(text, " \t\r\n(")
	if len(text) == 0 || text[0] != '\'' && text[0] != '"' {
		return ""
	}
	end := bytes.IndexByte(text[1:], text[0])
	if end < 0 {
		return ""
	}
	return string(text[1 : 1+end])
}

// isNPM tells a specifier that is not relative and not the guest library's. A wrong guess
// costs time only, see covers.
func isNPM(specifier string) bool {
	if specifier == "" || !isBare(specifier) {
		return false
	}
	_, ours := guest.Resolve("", specifier)
	return !ours
}

// wordBytes are those that names are made of.
var wordBytes = func() (table [256]bool) {
	for b := range table {
		table[b] = wordByte(byte(b))
	}
	return table
}()

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '$' || b >= 0x80
}

// covers reports whether everything that went into a bundle was looked through: the
// dispatcher, sources below src/, and the guest library, which imports what it uses.
func (w wanted) covers(metafile string) bool {
	if w.all {
		return true
	}
	// Inputs are the keys of the report's first object, each on a line of its own.
	inputs, _, _ := strings.Cut(metafile, "\n  \"outputs\"")
	for _, line := range strings.Split(inputs, "\n") {
		key, ok := strings.CutPrefix(line, "    \"")
		if !ok || strings.HasPrefix(key, " ") {
			continue
		}
		if !strings.HasPrefix(key, "src/") && !strings.HasPrefix(key, ".neuralis/") && !strings.HasPrefix(key, guestNamespace+":") {
			return false
		}
	}
	return true
}
