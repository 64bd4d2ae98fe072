package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/build/bundle"
	"github.com/neuralis-dev/neuralis/build/split"
	"github.com/neuralis-dev/neuralis/build/wasm"
	"github.com/neuralis-dev/neuralis/internal/atomicfile"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/manifest"
)

// kept is what a build leaves for the next one of the same package: what was found out about the
// pieces of its bundle, and their bytecode. One file a package, replaced by each build, so that the
// cache does not grow with the number of builds. Bytecode is trusted by the engine, which is why it
// lies where the machine code does, in a folder that is the user's alone.
type kept struct {
	Core  string // bytecode is of use to this core only
	Names split.Known
	Code  wasm.Bytecode
}

// keptFile is where a package's build is kept; empty when nothing is.
func (b *Builder) keptFile(pkg *manifest.Package) string {
	if b.opts.CacheDir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(pkg.Dir))
	return filepath.Join(b.opts.CacheDir, "packages", hex.EncodeToString(sum[:16])+".gob")
}

// maxKept is the size of such a file that is read.
const maxKept = 256 << 20

// recall reads what the last build left. What cannot be read is as if it were not there.
func recall(file, core string) kept {
	var k kept
	data, err := regularfile.Read(file, maxKept)
	if err != nil || gob.NewDecoder(bytes.NewReader(data)).Decode(&k) != nil || k.Core != core {
		return kept{}
	}
	return k
}

// remember writes what the next build can use. That it cannot be written costs time only.
func remember(file string, k kept) {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(k) != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	_ = atomicfile.WriteFile(file, b.Bytes(), 0o600)
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
	return fmt.Appendf(bytes.Clone(open), ",%q:%s}\n", mapMember, text), nil
}
