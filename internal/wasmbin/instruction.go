package wasmbin

import "fmt"

// The opcodes that rewriting code has to know by name.
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opSelectT      = 0x1c
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableGet     = 0x25
	opTableSet     = 0x26
	opI32Load      = 0x28
	opI64Load      = 0x29
	opI32Store     = 0x36
	opI64Store32   = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1
	opRefFunc      = 0xd2
	opPrefix       = 0xfc
)

// Instruction is one decoded instruction. A and B are its immediates where it has integers:
// the index of a call or variable, a constant, or alignment and offset of a memory access.
type Instruction struct {
	Op   byte
	Sub  uint32 // after the 0xfc prefix
	A, B int64
	Raw  []byte // the instruction as it stands in the input
}

// instruction reads one instruction.
func (r *reader) instruction() Instruction {
	start := r.pos
	in := Instruction{Op: r.byte()}
	switch op := in.Op; {
	case r.err != nil:
	case op == opBlock || op == opLoop || op == opIf:
		in.A = r.s64(33)
	case op <= 0x01, op == opElse, op == opEnd, op == opReturn, op == 0x1a, op == 0x1b,
		op >= 0x45 && op <= 0xc4, op == opRefIsNull:
	case op == opBr, op == opBrIf, op == opCall, op >= opLocalGet && op <= opTableSet, op == opRefFunc:
		in.A = int64(r.u32())
	case op == opBrTable:
		for range r.count("branch targets") {
			r.u32()
		}
		r.u32()
	case op == opCallIndirect:
		in.A, in.B = int64(r.u32()), int64(r.u32())
	case op == opSelectT:
		r.bytes(r.u32())
	case op >= opI32Load && op <= opI64Store32:
		in.A, in.B = int64(r.u32()), int64(r.u32())
	case op == opMemorySize, op == opMemoryGrow:
		if r.byte() != 0 {
			r.fail("second memory")
		}
	case op == opI32Const:
		in.A = r.s64(32)
	case op == opI64Const:
		in.A = r.s64(64)
	case op == opF32Const:
		r.bytes(4)
	case op == opF64Const:
		r.bytes(8)
	case op == opRefNull:
		r.byte()
	case op == opPrefix:
		r.prefixed(&in)
	default:
		r.pos = start
		r.fail(fmt.Sprintf("unsupported instruction %#x", op))
	}
	if r.err != nil {
		return Instruction{}
	}
	in.Raw = r.buf[start:r.pos]
	return in
}

// prefixed reads what follows the 0xfc prefix: saturating conversions, bulk memory, tables.
func (r *reader) prefixed(in *Instruction) {
	in.Sub = r.u32()
	switch s := in.Sub; {
	case s <= 7:
	case s == 8, s == 10, s == 12, s == 14: // memory.init, memory.copy, table.init, table.copy
		r.u32()
		r.u32()
	case s == 9, s == 11, s == 13, s >= 15 && s <= 17: // data.drop, memory.fill, elem.drop, table.*
		r.u32()
	default:
		r.fail(fmt.Sprintf("unsupported instruction 0xfc %d", s))
	}
}

// walk calls visit for the local declarations (once, raw) and then for each instruction of a
// function body.
func walk(body []byte, locals func(raw []byte), visit func(Instruction)) error {
	r := &reader{buf: body}
	for range r.count("local declarations") {
		r.u32()
		if t := ValueType(r.byte()); r.err == nil && !t.valid() {
			r.fail(fmt.Sprintf("unsupported value type %#x", byte(t)))
		}
	}
	if r.err != nil {
		return r.err
	}
	locals(body[:r.pos])
	depth := 1
	for depth > 0 {
		in := r.instruction()
		if r.err != nil {
			return r.err
		}
		switch in.Op {
		case opBlock, opLoop, opIf:
			depth++
		case opEnd:
			depth--
		}
		visit(in)
	}
	if r.pos != len(body) {
		r.fail("bytes after the end of a function")
	}
	return r.err
}

// Calls appends to into the functions that a body names, by call or ref.func.
func Calls(body []byte, into []uint32) ([]uint32, error) {
	err := walk(body, func([]byte) {}, func(in Instruction) {
		if in.Op == opCall || in.Op == opRefFunc {
			into = append(into, uint32(in.A))
		}
	})
	return into, err
}

// Instructions decodes a whole function body.
func Instructions(body []byte) ([]Instruction, error) {
	var out []Instruction
	err := walk(body, func([]byte) {}, func(in Instruction) { out = append(out, in) })
	return out, err
}

// Rewrite says how RewriteBody changes a function.
type Rewrite struct {
	// Func gives the new index of a function.
	Func func(old uint32) uint32
	// AfterLoop is code put at the start of each loop's body; it must leave the stack as it was.
	AfterLoop []byte
	// Copy and Fill, when not nil, are functions to call in place of memory.copy and memory.fill,
	// with the same operands.
	Copy, Fill *uint32
	// AfterStackSet gives code to put behind a store to the stack-pointer global whose new value
	// is also in the given local; nil leaves such stores alone.
	AfterStackSet func(local uint32) []byte
	// StackGlobal is the index of the stack pointer.
	StackGlobal uint32
}

// RewriteBody copies a function body with new function indices, and with integers in their
// shortest form (a linker pads them to five bytes).
func RewriteBody(body []byte, rw Rewrite) ([]byte, error) {
	out := make([]byte, 0, len(body)+len(body)/8)
	var previous Instruction
	err := walk(body, func(raw []byte) { out = append(out, raw...) }, func(in Instruction) {
		switch in.Op {
		case opCall, opRefFunc:
			out = AppendU32(append(out, in.Op), rw.Func(uint32(in.A)))
		case opGlobalGet, opGlobalSet, opLocalGet, opLocalSet, opLocalTee:
			out = AppendU32(append(out, in.Op), uint32(in.A))
			if rw.AfterStackSet != nil && in.Op == opGlobalSet && uint32(in.A) == rw.StackGlobal &&
				(previous.Op == opLocalTee || previous.Op == opLocalGet) {
				out = append(out, rw.AfterStackSet(uint32(previous.A))...)
			}
		case opCallIndirect:
			out = AppendU32(AppendU32(append(out, in.Op), uint32(in.A)), uint32(in.B))
		case opI32Const, opI64Const:
			out = AppendS64(append(out, in.Op), in.A)
		case opLoop:
			out = append(append(out, in.Raw...), rw.AfterLoop...)
		case opPrefix:
			switch {
			case in.Sub == 10 && rw.Copy != nil:
				out = AppendU32(append(out, opCall), *rw.Copy)
			case in.Sub == 11 && rw.Fill != nil:
				out = AppendU32(append(out, opCall), *rw.Fill)
			default:
				out = append(out, in.Raw...)
			}
		default:
			if in.Op >= opI32Load && in.Op <= opI64Store32 {
				out = AppendU32(AppendU32(append(out, in.Op), uint32(in.A)), uint32(in.B))
				break
			}
			out = append(out, in.Raw...)
		}
		previous = in
	})
	return out, err
}
