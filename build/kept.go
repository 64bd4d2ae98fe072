package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/neuralis-dev/neuralis/build/bundle"
	"github.com/neuralis-dev/neuralis/build/split"
	"github.com/neuralis-dev/neuralis/build/wasm"
	"github.com/neuralis-dev/neuralis/internal/atomicfile"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/manifest"
)

// kept is what a build leaves for the next one of the same package: what was found out about the
// pieces of its bundle, and their bytecode. It lies in a folder for each package, whose files each build
// replaces, so that the cache does not grow with the number of builds. Bytecode and memory are trusted by
// the engine, which is why they lie where the machine code does, in a folder that is the user's alone.
//
// What a build replaces each time is small: all that belongs to pieces before the checkpoint (see wasm.Earlier)
// has files of its own, which stay as long as the checkpoint does.
type kept struct {
	Core  string // what is kept is of use to this core only
	Names split.Known
	Keys  []wasm.Key
	Code  wasm.Bytecode // of the pieces behind the checkpoint
}

// The files in a package's folder.
const (
	keptPieces = "pieces.gob" // kept
	keptBefore = "before.gob" // wasm.Bytecode of the pieces before the checkpoint
	keptMemory = "memory"     // the checkpoint
)

// keptFolder is where a package's build is kept; empty when nothing is.
func (b *Builder) keptFolder(pkg *manifest.Package) string {
	if b.opts.CacheDir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(pkg.Dir))
	return filepath.Join(b.opts.CacheDir, "packages", hex.EncodeToString(sum[:16]))
}

// maxKept is the size of such a file that is read.
const maxKept = 256 << 20

// recall reads what the last build left. What cannot be read is as if it were not there.
func recall(folder string) kept {
	var k kept
	if readKept(folder, keptPieces, &k) != nil {
		return kept{}
	}
	return k
}

// earlier is what the compiler gets of what was recalled.
func (k kept) earlier(folder, core string) *wasm.Earlier {
	if folder == "" || k.Core != core {
		return nil
	}
	return &wasm.Earlier{
		Keys: k.Keys,
		Bytecode: func(keys []wasm.Key) wasm.Bytecode {
			for _, key := range keys {
				if k.Code[key] == nil && slices.Contains(k.Keys, key) {
					return k.allCode(folder)
				}
			}
			return k.Code
		},
		Checkpoint: func() (io.ReadCloser, error) { return regularfile.Open(filepath.Join(folder, keptMemory), maxKept) },
	}
}

// allCode is the bytecode on both sides of the checkpoint.
func (k kept) allCode(folder string) wasm.Bytecode {
	all := wasm.Bytecode{}
	_ = readKept(folder, keptBefore, &all)
	maps.Copy(all, k.Code)
	return all
}

// remember writes what the next build can use. That it cannot be written costs time only.
func (k kept) remember(folder, core string, names split.Known, m *wasm.Module) {
	next := kept{Core: core, Names: names, Keys: m.Keys, Code: m.Bytecode}
	if c := m.Checkpoint; c != nil {
		all := k.allCode(folder)
		maps.Copy(all, m.Bytecode)
		before := wasm.Bytecode{}
		next.Code = wasm.Bytecode{}
		for i, key := range m.Keys {
			if side := next.Code; all[key] != nil {
				if i < c.Sources {
					side = before
				}
				side[key] = all[key]
			}
		}
		writeKept(folder, keptBefore, before)
		writeVolatile(folder, keptMemory, c.Memory)
	}
	writeKept(folder, keptPieces, next)
}

var errDamaged = errors.New("the file is damaged")

// checked is the polynomial of the checksums behind kept files: against accidents, not against people.
var checked = crc32.MakeTable(crc32.Castagnoli)

func readKept(folder, name string, value any) error {
	data, err := regularfile.Read(filepath.Join(folder, name), maxKept)
	if err != nil {
		return err
	}
	body := len(data) - crc32.Size
	if body < 0 || binary.LittleEndian.Uint32(data[body:]) != crc32.Checksum(data[:body], checked) {
		return errDamaged
	}
	return gob.NewDecoder(bytes.NewReader(data[:body])).Decode(value)
}

func writeKept(folder, name string, value any) {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(value) == nil {
		writeVolatile(folder, name, binary.LittleEndian.AppendUint32(b.Bytes(), crc32.Checksum(b.Bytes(), checked)))
	}
}

// writeVolatile waits for no disk: what a crash of the system damages is not read again.
func writeVolatile(folder, name string, data []byte) {
	if os.MkdirAll(folder, 0o700) != nil {
		return
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return
	}
	defer root.Close()
	_ = atomicfile.WriteInWith(root, name, data, 0o600, atomicfile.Options{Volatile: true})
}

// sources are the modules to compile: the bundle in pieces where that is worth it, else whole.
func (b *Builder) sources(out bundle.Output, known split.Known) ([]wasm.Source, split.Known, map[string][]split.Lines) {
	if !b.opts.Minify {
		if modules, found, ok := split.Bundle(out.Code, BundleName, known); ok {
			sources := make([]wasm.Source, len(modules))
			lines := make(map[string][]split.Lines, len(modules))
			for i, m := range modules {
				sources[i] = wasm.Source{Name: m.Name, Code: m.Code}
				lines[m.Name] = m.Lines
			}
			return sources, found, lines
		}
	}
	return []wasm.Source{{Name: BundleName, Code: out.Code}}, nil, nil
}

// mapMember is the member of a source map that says where the modules of a bundle begin in it: by
// name, pairs of a line of the module and the line of the bundle that it is.
const mapMember = "x_neuralis_modules"

// beginWithLines begins withLines; what it returns waits for its end.
func beginWithLines(sourceMap []byte, lines map[string][]split.Lines) func() ([]byte, error) {
	var placed []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		placed, err = withLines(sourceMap, lines)
	}()
	return func() ([]byte, error) {
		<-done
		return placed, err
	}
}

// withLines adds the lines of modules to a source map, which stays one for everybody else.
func withLines(sourceMap []byte, lines map[string][]split.Lines) ([]byte, error) {
	if len(lines) == 0 {
		return sourceMap, nil
	}
	pairs := make(map[string][][2]int, len(lines))
	for name, runs := range lines {
		for _, r := range runs {
			pairs[name] = append(pairs[name], [2]int{r.At, r.Bundle})
		}
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		return nil, err
	}
	open, ok := bytes.CutSuffix(bytes.TrimSpace(sourceMap), []byte("}"))
	if !ok {
		return nil, fmt.Errorf("the source map is no JSON object")
	}
	return fmt.Appendf(make([]byte, 0, len(open)+len(text)+64), "%s,%q:%s}\n", open, mapMember, text), nil
}
