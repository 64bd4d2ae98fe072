package wasmbin

import (
	"bytes"
	"fmt"
)

// ValueType is the encoding byte of a value type.
type ValueType byte

// The value types.
const (
	I32       ValueType = 0x7f
	I64       ValueType = 0x7e
	F32       ValueType = 0x7d
	F64       ValueType = 0x7c
	FuncRef   ValueType = 0x70
	ExternRef ValueType = 0x6f
)

func (t ValueType) valid() bool {
	switch t {
	case I32, I64, F32, F64, FuncRef, ExternRef:
		return true
	}
	return false
}

// FuncType is a function signature.
type FuncType struct{ Params, Results []ValueType }

// Equal reports whether two signatures are the same.
func (t FuncType) Equal(o FuncType) bool {
	return bytes.Equal(asBytes(t.Params), asBytes(o.Params)) && bytes.Equal(asBytes(t.Results), asBytes(o.Results))
}

func asBytes(ts []ValueType) []byte {
	b := make([]byte, len(ts))
	for i, t := range ts {
		b[i] = byte(t)
	}
	return b
}

// ExternKind is what an import or export names.
type ExternKind byte

// The kinds of imports and exports.
const (
	ExternFunc ExternKind = iota
	ExternTable
	ExternMemory
	ExternGlobal
)

// Import is an imported function. Other imports are refused: a linked engine has none.
type Import struct {
	Module, Name string
	Type         uint32
}

// Table is a table of references.
type Table struct {
	Type   ValueType
	Limits Limits
}

// Global is a global variable; Init is its constant expression with the final end.
type Global struct {
	Type    ValueType
	Mutable bool
	Init    []byte
}

// Export is an export of the module.
type Export struct {
	Name  string
	Kind  ExternKind
	Index uint32
}

// Element is an active segment of function indices for table 0 at a constant position.
type Element struct {
	Offset uint32
	Funcs  []uint32
}

// Func is a function defined in the module. Body holds the local declarations and instructions,
// without the size that precedes them in the binary.
type Func struct {
	Type uint32
	Body []byte
}

// Module is a module taken apart. Custom sections other than "name" are dropped when it is read.
type Module struct {
	Types    []FuncType
	Imports  []Import
	Funcs    []Func
	Tables   []Table
	Memories []Limits
	Globals  []Global
	Exports  []Export
	Start    *uint32
	Elements []Element
	Data     []DataSegment

	// DataCount says that the module announces its data segments before its code, as it must when
	// an instruction (memory.init, data.drop) names one.
	DataCount bool

	// FuncNames are the names of the "name" section by function index; empty where it has none.
	FuncNames map[uint32]string
}

// Parse takes a module apart. Bodies and data share memory with the input.
func Parse(module []byte) (*Module, error) {
	sections, err := Sections(module)
	if err != nil {
		return nil, err
	}
	m := &Module{FuncNames: map[uint32]string{}}
	var types []uint32
	last := SectionID(0)
	for _, s := range sections {
		if s.ID != SectionCustom && s.ID != SectionDataCount {
			if s.ID <= last {
				return nil, &FormatError{Offset: s.Offset, What: "sections out of order, or one of them twice"}
			}
			last = s.ID
		}
		r := &reader{buf: s.Body, base: s.Offset}
		switch s.ID {
		case SectionCustom:
			if s.Name == "name" {
				m.readNames(r)
				r.err = nil // names are a convenience: a broken name section is no broken module
			}
			continue
		case SectionType:
			m.readTypes(r)
		case SectionImport:
			m.readImports(r)
		case SectionFunction:
			for range r.count("functions") {
				types = append(types, r.u32())
			}
		case SectionTable:
			for range r.count("tables") {
				t := Table{Type: ValueType(r.byte())}
				if r.err == nil && t.Type != FuncRef && t.Type != ExternRef {
					r.fail(fmt.Sprintf("a table of type %#x is not supported", byte(t.Type)))
				}
				t.Limits = r.limits()
				m.Tables = append(m.Tables, t)
			}
		case SectionMemory:
			m.Memories = r.memories()
		case SectionGlobal:
			m.readGlobals(r)
		case SectionExport:
			for range r.count("exports") {
				e := Export{Name: r.name(), Kind: ExternKind(r.byte())}
				if r.err == nil && e.Kind > ExternGlobal {
					r.fail(fmt.Sprintf("export %q of kind %d is not supported", e.Name, e.Kind))
				}
				e.Index = r.u32()
				m.Exports = append(m.Exports, e)
			}
		case SectionStart:
			start := r.u32()
			m.Start = &start
		case SectionElement:
			m.readElements(r)
		case SectionCode:
			n := r.count("function bodies")
			if r.err == nil && n != len(types) {
				r.fail(fmt.Sprintf("%d function bodies for %d functions", n, len(types)))
			}
			for i := 0; i < n && r.err == nil; i++ {
				m.Funcs = append(m.Funcs, Func{Type: types[i], Body: r.bytes(r.u32())})
			}
		case SectionData:
			m.Data = r.dataSegments()
		case SectionDataCount:
			r.u32()
			m.DataCount = true
		}
		if r.err != nil {
			return nil, r.err
		}
		if r.pos != len(s.Body) {
			return nil, &FormatError{Offset: s.Offset + r.pos, What: fmt.Sprintf("section %d is longer than its content", s.ID)}
		}
	}
	if len(m.Funcs) != len(types) {
		return nil, &FormatError{Offset: len(module), What: fmt.Sprintf("%d functions without a body", len(types)-len(m.Funcs))}
	}
	return m, m.check()
}

// check makes sure that the indices which rewriting follows stay in range.
func (m *Module) check() error {
	total := uint64(len(m.Imports)) + uint64(len(m.Funcs))
	types := uint64(len(m.Types))
	bad := func(what string, index uint32) error {
		return &FormatError{What: fmt.Sprintf("%s refers to %d, which does not exist", what, index)}
	}
	for _, i := range m.Imports {
		if uint64(i.Type) >= types {
			return bad("an import's type", i.Type)
		}
	}
	for _, f := range m.Funcs {
		if uint64(f.Type) >= types {
			return bad("a function's type", f.Type)
		}
	}
	for _, e := range m.Exports {
		if e.Kind == ExternFunc && uint64(e.Index) >= total {
			return bad("export "+e.Name, e.Index)
		}
	}
	for _, e := range m.Elements {
		for _, f := range e.Funcs {
			if uint64(f) >= total {
				return bad("an element segment", f)
			}
		}
	}
	if m.Start != nil && uint64(*m.Start) >= total {
		return bad("the start section", *m.Start)
	}
	return nil
}

func (m *Module) readTypes(r *reader) {
	valueTypes := func() []ValueType {
		n := r.count("value types")
		ts := make([]ValueType, 0, n)
		for range n {
			t := ValueType(r.byte())
			if r.err == nil && !t.valid() {
				r.fail(fmt.Sprintf("unsupported value type %#x", byte(t)))
			}
			ts = append(ts, t)
		}
		return ts
	}
	for range r.count("types") {
		if form := r.byte(); form != 0x60 {
			r.fail(fmt.Sprintf("unsupported type form %#x", form))
			return
		}
		m.Types = append(m.Types, FuncType{Params: valueTypes(), Results: valueTypes()})
	}
}

func (m *Module) readImports(r *reader) {
	for range r.count("imports") {
		i := Import{Module: r.name(), Name: r.name()}
		if kind := ExternKind(r.byte()); kind != ExternFunc {
			r.fail(fmt.Sprintf("import %q.%q is no function", i.Module, i.Name))
			return
		}
		i.Type = r.u32()
		m.Imports = append(m.Imports, i)
	}
}

func (m *Module) readGlobals(r *reader) {
	for range r.count("globals") {
		g := Global{Type: ValueType(r.byte())}
		if r.err == nil && !g.Type.valid() {
			r.fail(fmt.Sprintf("unsupported value type %#x", byte(g.Type)))
		}
		mutable := r.byte()
		if r.err == nil && mutable > 1 {
			r.fail(fmt.Sprintf("global of mutability %d", mutable))
		}
		g.Mutable = mutable == 1
		start := r.pos
		for r.err == nil {
			in := r.instruction()
			if in.Op == opEnd {
				break
			}
			if in.Op == opRefFunc && r.err == nil {
				// Nobody would renumber it.
				r.fail("a global that starts as a function is not supported")
			}
		}
		if r.err != nil {
			return
		}
		g.Init = r.buf[start:r.pos]
		m.Globals = append(m.Globals, g)
	}
}

func (m *Module) readElements(r *reader) {
	for range r.count("element segments") {
		if flag := r.u32(); flag != 0 {
			r.fail(fmt.Sprintf("element segment of kind %d is not supported", flag))
			return
		}
		if r.byte() != 0x41 {
			r.fail("element segment at a position that is no constant")
			return
		}
		e := Element{Offset: uint32(r.s64(32))}
		if r.byte() != opEnd {
			r.fail("element segment at a computed position")
			return
		}
		n := r.count("elements")
		e.Funcs = make([]uint32, 0, n)
		for range n {
			e.Funcs = append(e.Funcs, r.u32())
		}
		m.Elements = append(m.Elements, e)
	}
}

func (m *Module) readNames(r *reader) {
	for !r.done() {
		id := r.byte()
		sub := &reader{buf: r.bytes(r.u32())}
		if id != 1 || r.err != nil {
			continue
		}
		for range sub.count("names") {
			index := sub.u32()
			name := sub.name()
			if sub.err != nil {
				return
			}
			m.FuncNames[index] = name
		}
	}
}

// Encode writes the module in the order the specification asks for, without names.
func (m *Module) Encode() []byte {
	b := AppendPreamble(nil)
	section := func(id SectionID, count int, body func(b []byte) []byte) {
		if count > 0 {
			b = AppendSection(b, Section{ID: id, Body: body(AppendU32(nil, uint32(count)))})
		}
	}
	section(SectionType, len(m.Types), func(b []byte) []byte {
		for _, t := range m.Types {
			b = append(b, 0x60)
			b = appendBlob(b, asBytes(t.Params))
			b = appendBlob(b, asBytes(t.Results))
		}
		return b
	})
	section(SectionImport, len(m.Imports), func(b []byte) []byte {
		for _, i := range m.Imports {
			b = AppendU32(append(appendName(appendName(b, i.Module), i.Name), byte(ExternFunc)), i.Type)
		}
		return b
	})
	section(SectionFunction, len(m.Funcs), func(b []byte) []byte {
		for _, f := range m.Funcs {
			b = AppendU32(b, f.Type)
		}
		return b
	})
	section(SectionTable, len(m.Tables), func(b []byte) []byte {
		for _, t := range m.Tables {
			b = appendLimits(append(b, byte(t.Type)), t.Limits)
		}
		return b
	})
	if len(m.Memories) > 0 {
		b = AppendSection(b, Section{ID: SectionMemory, Body: EncodeMemories(m.Memories)})
	}
	section(SectionGlobal, len(m.Globals), func(b []byte) []byte {
		for _, g := range m.Globals {
			mutable := byte(0)
			if g.Mutable {
				mutable = 1
			}
			b = append(append(b, byte(g.Type), mutable), g.Init...)
		}
		return b
	})
	section(SectionExport, len(m.Exports), func(b []byte) []byte {
		for _, e := range m.Exports {
			b = AppendU32(append(appendName(b, e.Name), byte(e.Kind)), e.Index)
		}
		return b
	})
	if m.Start != nil {
		b = AppendSection(b, Section{ID: SectionStart, Body: AppendU32(nil, *m.Start)})
	}
	section(SectionElement, len(m.Elements), func(b []byte) []byte {
		for _, e := range m.Elements {
			b = append(AppendS64(append(b, 0, 0x41), int64(int32(e.Offset))), opEnd)
			b = AppendU32(b, uint32(len(e.Funcs)))
			for _, f := range e.Funcs {
				b = AppendU32(b, f)
			}
		}
		return b
	})
	if m.DataCount {
		b = AppendSection(b, Section{ID: SectionDataCount, Body: AppendU32(nil, uint32(len(m.Data)))})
	}
	section(SectionCode, len(m.Funcs), func(b []byte) []byte {
		for _, f := range m.Funcs {
			b = appendBlob(b, f.Body)
		}
		return b
	})
	if len(m.Data) > 0 {
		b = AppendSection(b, Section{ID: SectionData, Body: EncodeData(m.Data)})
	}
	return b
}
