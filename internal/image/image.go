// Package image knows the file format of dist/package.wasm: an ordinary WebAssembly module made of
// a core and an image.
//
// The core is the JavaScript engine linked with its glue code. It is the same for every package
// built by one version of the toolchain, so its machine code is compiled once and shared. The
// image is what a package adds: the content of linear memory after the package's code was
// evaluated. Join writes both as one module, the image as data segments; Split takes them apart
// again, so that a host can instantiate the shared core and lay the image over its memory.
//
// The stack is not part of an image: between calls nothing on it is alive. Global variables are
// not either: the mutable ones are the stack pointer, which every export of the core sets, and a counter
// whose value does not matter.
//
// A custom section named "neuralis" holds Meta as JSON. Nothing in it is trusted: the core is
// addressed by the hash of its bytes, not by what the section says.
package image

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// SectionName is the name of the custom section that holds Meta.
const SectionName = "neuralis"

// Format is the version of the layout this package reads and writes.
const Format = 1

// maxPages bounds what Split accepts: the largest 32-bit memory.
const maxPages = 65536

// ErrForeign says that a module was not made by Join. It may still be a good plug-in.
var ErrForeign = errors.New("the module has no " + SectionName + " section: it was made by another toolchain")

// Meta describes a module in its custom section.
type Meta struct {
	Format    int    `json:"format"`
	Toolchain string `json:"toolchain,omitempty"` // version of neuralis that built it
	Engine    string `json:"engine"`              // the engine and its version
	Core      string `json:"core"`                // SHA-256 of the core, hexadecimal
	CorePages uint32 `json:"corePages"`           // memory of the core, in pages of 64 KiB

	// Interrupt is the address of two 32-bit cells. A host that sets the first to non-zero makes
	// the running JavaScript end with an uncatchable error; the second makes the next loop of the
	// engine itself trap.
	Interrupt uint32 `json:"interrupt"`

	// Stack are the addresses between which the stack lies; it is not part of the image.
	Stack [2]uint32 `json:"stack"`

	// Package is what the guest says of itself: tools, routes, lifecycle.
	Package json.RawMessage `json:"package,omitempty"`
	// ID and Version are the package's own.
	ID      string `json:"id,omitempty"`
	Version string `json:"version,omitempty"`
}

// Image is the content of a linear memory: Pages long, zero but for the segments, which are in
// the order of their addresses and do not overlap.
type Image struct {
	Pages    uint32
	Segments []wasmbin.DataSegment
}

// Size is the number of bytes that the segments hold.
func (i Image) Size() int {
	n := 0
	for _, s := range i.Segments {
		n += len(s.Bytes)
	}
	return n
}

// Restore writes the image into memory, which must be zero and at least Pages long.
func (i Image) Restore(memory []byte) error {
	for _, s := range i.Segments {
		if uint64(s.Offset)+uint64(len(s.Bytes)) > uint64(len(memory)) {
			return fmt.Errorf("image does not fit: segment at %d of %d bytes, memory of %d", s.Offset, len(s.Bytes), len(memory))
		}
		copy(memory[s.Offset:], s.Bytes)
	}
	return nil
}

// Clone copies the image, so that it keeps no more alive than itself: the segments of an image from
// Split share memory with the whole module.
func (i Image) Clone() Image {
	all := make([]byte, 0, i.Size())
	out := Image{Pages: i.Pages, Segments: make([]wasmbin.DataSegment, len(i.Segments))}
	for n, s := range i.Segments {
		from := len(all)
		all = append(all, s.Bytes...)
		out.Segments[n] = wasmbin.DataSegment{Offset: s.Offset, Bytes: all[from:len(all):len(all)]}
	}
	return out
}

// CoreHash is the address of a core: the SHA-256 of its bytes, hexadecimal.
func CoreHash(core []byte) string {
	sum := sha256.Sum256(core)
	return hex.EncodeToString(sum[:])
}

// Join writes a module whose code is core and whose initial memory is img. core must have no data
// section and one memory; meta.Format and CorePages are filled in, and Core where it is empty.
func Join(core []byte, img Image, meta Meta) ([]byte, error) {
	j, err := Begin(core, img)
	if err != nil {
		return nil, err
	}
	return j.Finish(meta)
}

// Joined is a module that lacks its description still.
type Joined struct {
	core      []byte
	corePages uint32
	module    []byte
}

// Begin writes all of a module but what Finish is told. It copies the image.
func Begin(core []byte, img Image) (*Joined, error) {
	sections, err := wasmbin.Sections(core)
	if err != nil {
		return nil, err
	}
	j := &Joined{core: core}
	out := wasmbin.AppendPreamble(make([]byte, 0, len(core)+wasmbin.DataSize(img.Segments)+4096))
	found := false
	for _, s := range sections {
		switch s.ID {
		case wasmbin.SectionMemory:
			memories, err := wasmbin.ParseMemories(s.Body)
			if err != nil {
				return nil, err
			}
			if len(memories) != 1 || img.Pages < memories[0].Min {
				return nil, fmt.Errorf("the core's memory does not fit the image: %v, %d pages", memories, img.Pages)
			}
			found = true
			j.corePages = memories[0].Min
			memories[0].Min = img.Pages
			s.Body = wasmbin.EncodeMemories(memories)
		case wasmbin.SectionData, wasmbin.SectionDataCount, wasmbin.SectionCustom:
			return nil, fmt.Errorf("a core has no section of kind %d", s.ID)
		}
		out = wasmbin.AppendSection(out, s)
	}
	if !found {
		return nil, errors.New("a core needs a memory")
	}
	j.module = wasmbin.AppendData(out, img.Segments)
	return j, nil
}

// Finish adds the description and returns the module. It can be called once.
func (j *Joined) Finish(meta Meta) ([]byte, error) {
	meta.Format, meta.CorePages = Format, j.corePages
	if meta.Core == "" {
		meta.Core = CoreHash(j.core)
	}
	text, err := json.Marshal(meta)
	if err != nil {
		return nil, err
	}
	return wasmbin.AppendSection(j.module, wasmbin.Section{ID: wasmbin.SectionCustom, Name: SectionName, Body: text}), nil
}

// ReadMeta reads the description of a module; ErrForeign when it has none.
func ReadMeta(module []byte) (Meta, error) {
	sections, err := wasmbin.Sections(module)
	if err != nil {
		return Meta{}, err
	}
	return readMeta(sections)
}

func readMeta(sections []wasmbin.Section) (Meta, error) {
	for _, s := range sections {
		if s.ID != wasmbin.SectionCustom || s.Name != SectionName {
			continue
		}
		var meta Meta
		if err := json.Unmarshal(s.Body, &meta); err != nil {
			return Meta{}, fmt.Errorf("the %s section is unreadable: %w", SectionName, err)
		}
		if meta.Format != Format {
			return Meta{}, fmt.Errorf("the module has format %d; this version reads format %d", meta.Format, Format)
		}
		return meta, nil
	}
	return Meta{}, ErrForeign
}

// Split takes a module made by Join apart. The segments share memory with module.
func Split(module []byte) (core []byte, img Image, meta Meta, err error) {
	sections, err := wasmbin.Sections(module)
	if err != nil {
		return nil, Image{}, Meta{}, err
	}
	if meta, err = readMeta(sections); err != nil {
		return nil, Image{}, Meta{}, err
	}
	core = wasmbin.AppendPreamble(make([]byte, 0, len(module)))
	found := false
	for _, s := range sections {
		switch s.ID {
		case wasmbin.SectionMemory:
			memories, err := wasmbin.ParseMemories(s.Body)
			if err != nil {
				return nil, Image{}, Meta{}, err
			}
			if len(memories) != 1 || memories[0].Min > maxPages || meta.CorePages > memories[0].Min {
				return nil, Image{}, Meta{}, errors.New("the module's memory does not fit its description")
			}
			found, img.Pages = true, memories[0].Min
			memories[0].Min = meta.CorePages
			s.Body = wasmbin.EncodeMemories(memories)
		case wasmbin.SectionData:
			if img.Segments, err = wasmbin.ParseData(s.Body); err != nil {
				return nil, Image{}, Meta{}, err
			}
			continue
		case wasmbin.SectionCustom, wasmbin.SectionDataCount:
			continue
		}
		core = wasmbin.AppendSection(core, s)
	}
	if !found {
		return nil, Image{}, Meta{}, errors.New("the module has no memory of its own")
	}
	for _, s := range img.Segments {
		if uint64(s.Offset)+uint64(len(s.Bytes)) > uint64(img.Pages)*wasmbin.PageSize {
			return nil, Image{}, Meta{}, fmt.Errorf("data segment at %d lies outside the memory", s.Offset)
		}
	}
	return core, img, meta, nil
}

// gap is the number of zero bytes that end a segment. A shorter run of zeros costs less inside a
// segment than the header of another one.
const gap = 9

// bytesPerSegment is how much memory of a package comes to a segment, about: a guess that saves copying.
const bytesPerSegment = 80

// Capture reads the image of a memory, leaving out the bytes from skipFrom to skipTo. The segments share
// memory with it.
func Capture(memory []byte, skipFrom, skipTo uint32) Image {
	img := Image{Pages: uint32(len(memory) / wasmbin.PageSize)}
	img.Segments = make([]wasmbin.DataSegment, 0, (len(memory)-int(skipTo-skipFrom))/bytesPerSegment)
	img.capture(memory, 0, skipFrom)
	img.capture(memory, skipTo, uint32(len(memory)))
	return img
}

// capture looks at eight bytes at a time: only their ends matter, since no gap fits between two bytes of one word.
func (i *Image) capture(memory []byte, from, to uint32) {
	start, end := from, from // of the segment at hand, empty at first
	segment := func() {
		if start < end {
			i.Segments = append(i.Segments, wasmbin.DataSegment{Offset: start, Bytes: memory[start:end:end]})
		}
	}
	for at := from &^ 7; at < to; at += 8 {
		word := binary.LittleEndian.Uint64(memory[at:])
		if at < from {
			word &^= 1<<(8*(from-at)) - 1
		}
		if to-at < 8 {
			word &= 1<<(8*(to-at)) - 1
		}
		if word == 0 {
			continue
		}
		first := at + uint32(bits.TrailingZeros64(word)/8)
		if start == end || first-end >= gap {
			segment()
			start = first
		}
		end = at + 8 - uint32(bits.LeadingZeros64(word)/8)
	}
	segment()
}
