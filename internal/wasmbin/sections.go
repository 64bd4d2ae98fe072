package wasmbin

import "fmt"

// SectionID is the kind of a section of a module.
type SectionID byte

// The sections of a module.
const (
	SectionCustom SectionID = iota
	SectionType
	SectionImport
	SectionFunction
	SectionTable
	SectionMemory
	SectionGlobal
	SectionExport
	SectionStart
	SectionElement
	SectionCode
	SectionData
	SectionDataCount
)

// PageSize is the size of a page of linear memory, in bytes.
const PageSize = 65536

// magic is the preamble of a core module: "\0asm" and version 1.
const magic = "\x00asm\x01\x00\x00\x00"

// Section is one section as it stands in a module. Body is the content after id and size; Name is
// set for custom sections, whose Body then is what follows the name.
type Section struct {
	ID     SectionID
	Name   string
	Body   []byte
	Offset int // of Body in the module, in bytes
}

// Sections splits a module into its sections without looking into them. The bodies share memory
// with module.
func Sections(module []byte) ([]Section, error) {
	if len(module) < len(magic) || string(module[:4]) != magic[:4] {
		return nil, &FormatError{Offset: 0, What: `not a WebAssembly module (it does not begin with "\0asm")`}
	}
	if string(module[:8]) != magic {
		return nil, &FormatError{Offset: 4, What: "not a core module of version 1 (a component, or a newer format)"}
	}
	r := &reader{buf: module, pos: len(magic)}
	var sections []Section
	for !r.done() {
		id := SectionID(r.byte())
		size := r.u32()
		start := r.pos
		body := r.bytes(size)
		if r.err != nil {
			return nil, r.err
		}
		if id > SectionDataCount {
			return nil, &FormatError{Offset: start, What: fmt.Sprintf("unknown section id %d", id)}
		}
		s := Section{ID: id, Body: body, Offset: start}
		if id == SectionCustom {
			c := &reader{buf: body, base: start}
			s.Name = c.name()
			if c.err != nil {
				return nil, c.err
			}
			s.Body = body[c.pos:]
			s.Offset += c.pos
		}
		sections = append(sections, s)
	}
	return sections, r.err
}

// AppendPreamble starts a module.
func AppendPreamble(b []byte) []byte { return append(b, magic...) }

// AppendSection appends a section with its size; Name counts for custom sections only.
func AppendSection(b []byte, s Section) []byte {
	b = append(b, byte(s.ID))
	if s.ID != SectionCustom {
		return appendBlob(b, s.Body)
	}
	named := appendName(make([]byte, 0, len(s.Name)+len(s.Body)+5), s.Name)
	return appendBlob(b, append(named, s.Body...))
}

// DataSegment is an active data segment of memory 0 at a constant address.
type DataSegment struct {
	Offset uint32
	Bytes  []byte
}

// ParseData reads a data section of active segments with constant addresses, which is what
// compilers emit for memory that is initialised at instantiation. Passive segments and computed
// addresses are refused.
func ParseData(body []byte) ([]DataSegment, error) {
	r := &reader{buf: body}
	segments := r.dataSegments()
	if r.err == nil && r.pos != len(body) {
		r.fail("bytes after the last data segment")
	}
	if r.err != nil {
		return nil, r.err
	}
	return segments, nil
}

func (r *reader) dataSegments() []DataSegment {
	n := r.count("data segments")
	segments := make([]DataSegment, 0, n)
	for range n {
		switch flag := r.u32(); {
		case r.err != nil:
		case flag == 0:
		case flag == 2:
			if r.u32() != 0 && r.err == nil {
				r.fail("data segment for a second memory")
			}
		default:
			r.fail("passive data segment")
		}
		if r.byte() != 0x41 && r.err == nil {
			r.fail("data segment at an address that is no constant")
		}
		offset := uint32(r.s64(32))
		if r.byte() != 0x0b && r.err == nil {
			r.fail("data segment at a computed address")
		}
		data := r.bytes(r.u32())
		if r.err != nil {
			return nil
		}
		segments = append(segments, DataSegment{Offset: offset, Bytes: data})
	}
	return segments
}

// EncodeData is the inverse of ParseData.
func EncodeData(segments []DataSegment) []byte {
	return appendSegments(make([]byte, 0, DataSize(segments)), segments)
}

// AppendData adds a data section of these segments to a module, as AppendSection does with what EncodeData
// returns, but copies them only once.
func AppendData(b []byte, segments []DataSegment) []byte {
	b = append(b, byte(SectionData))
	b = AppendU32(b, uint32(DataSize(segments)))
	return appendSegments(b, segments)
}

// DataSize is the length of what EncodeData returns.
func DataSize(segments []DataSegment) int {
	var number [10]byte
	size := len(AppendU32(number[:0], uint32(len(segments))))
	for _, s := range segments {
		size += 3 + len(AppendS64(number[:0], int64(int32(s.Offset)))) + len(AppendU32(number[:0], uint32(len(s.Bytes)))) + len(s.Bytes)
	}
	return size
}

func appendSegments(b []byte, segments []DataSegment) []byte {
	b = AppendU32(b, uint32(len(segments)))
	for _, s := range segments {
		b = append(b, 0x00, 0x41)
		b = AppendS64(b, int64(int32(s.Offset)))
		b = append(b, 0x0b)
		b = appendBlob(b, s.Bytes)
	}
	return b
}

// Limits bound a memory (in pages of PageSize) or a table (in elements).
type Limits struct {
	Min    uint32
	Max    uint32
	HasMax bool
}

func (r *reader) limits() Limits {
	var l Limits
	switch flag := r.byte(); flag {
	case 0:
		l.Min = r.u32()
	case 1:
		l.Min, l.HasMax = r.u32(), true
		l.Max = r.u32()
	default:
		r.fail(fmt.Sprintf("limits of kind %d (shared or 64-bit) are not supported", flag))
	}
	return l
}

func appendLimits(b []byte, l Limits) []byte {
	if !l.HasMax {
		return AppendU32(append(b, 0), l.Min)
	}
	return AppendU32(AppendU32(append(b, 1), l.Min), l.Max)
}

// ParseMemories reads a memory section.
func ParseMemories(body []byte) ([]Limits, error) {
	r := &reader{buf: body}
	memories := r.memories()
	if r.err == nil && r.pos != len(body) {
		r.fail("bytes after the last memory")
	}
	if r.err != nil {
		return nil, r.err
	}
	return memories, nil
}

func (r *reader) memories() []Limits {
	n := r.count("memories")
	memories := make([]Limits, 0, n)
	for range n {
		memories = append(memories, r.limits())
		if r.err != nil {
			return nil
		}
	}
	return memories
}

// EncodeMemories is the inverse of ParseMemories.
func EncodeMemories(memories []Limits) []byte {
	b := AppendU32(nil, uint32(len(memories)))
	for _, m := range memories {
		b = appendLimits(b, m)
	}
	return b
}
