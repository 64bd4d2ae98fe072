package wasmbin

import (
	"encoding/binary"
	"math"
)

// Assembler writes instructions. Its methods are named after the instructions of the text format
// and may be chained; Body closes the function.
type Assembler struct {
	locals []ValueType
	params int
	code   []byte
}

// NewAssembler starts a function with so many parameters.
func NewAssembler(params int) *Assembler { return &Assembler{params: params} }

// Local declares a local variable and returns its index.
func (a *Assembler) Local(t ValueType) uint32 {
	a.locals = append(a.locals, t)
	return uint32(a.params + len(a.locals) - 1)
}

// Body returns the finished function body: local declarations, code, end.
func (a *Assembler) Body() []byte {
	b := AppendU32(nil, uint32(len(a.locals)))
	for _, t := range a.locals {
		b = append(b, 1, byte(t))
	}
	return append(append(b, a.code...), opEnd)
}

// Code returns the instructions alone, to be put into another function.
func (a *Assembler) Code() []byte { return a.code }

func (a *Assembler) op(bytes ...byte) *Assembler {
	a.code = append(a.code, bytes...)
	return a
}

func (a *Assembler) indexed(op byte, index uint32) *Assembler {
	a.code = AppendU32(append(a.code, op), index)
	return a
}

func (a *Assembler) memory(op byte, align, offset uint32) *Assembler {
	a.code = AppendU32(AppendU32(append(a.code, op), align), offset)
	return a
}

// blockVoid is the block type of a block without results.
const blockVoid = 0x40

// Control flow.

func (a *Assembler) Unreachable() *Assembler       { return a.op(opUnreachable) }
func (a *Assembler) Block() *Assembler             { return a.op(opBlock, blockVoid) }
func (a *Assembler) Loop() *Assembler              { return a.op(opLoop, blockVoid) }
func (a *Assembler) If() *Assembler                { return a.op(opIf, blockVoid) }
func (a *Assembler) Else() *Assembler              { return a.op(opElse) }
func (a *Assembler) End() *Assembler               { return a.op(opEnd) }
func (a *Assembler) Br(label uint32) *Assembler    { return a.indexed(opBr, label) }
func (a *Assembler) BrIf(label uint32) *Assembler  { return a.indexed(opBrIf, label) }
func (a *Assembler) Return() *Assembler            { return a.op(opReturn) }
func (a *Assembler) Call(index uint32) *Assembler  { return a.indexed(opCall, index) }
func (a *Assembler) Drop() *Assembler              { return a.op(0x1a) }
func (a *Assembler) LocalGet(i uint32) *Assembler  { return a.indexed(opLocalGet, i) }
func (a *Assembler) LocalSet(i uint32) *Assembler  { return a.indexed(opLocalSet, i) }
func (a *Assembler) LocalTee(i uint32) *Assembler  { return a.indexed(opLocalTee, i) }
func (a *Assembler) GlobalGet(i uint32) *Assembler { return a.indexed(opGlobalGet, i) }
func (a *Assembler) GlobalSet(i uint32) *Assembler { return a.indexed(opGlobalSet, i) }

// CallIndirect calls the function that the table has at the index on the stack.
func (a *Assembler) CallIndirect(signature uint32) *Assembler {
	a.code = append(AppendU32(append(a.code, opCallIndirect), signature), 0)
	return a
}

// BrTable branches to labels[i] for the i on the stack, to fallback for any other.
func (a *Assembler) BrTable(labels []uint32, fallback uint32) *Assembler {
	a.code = AppendU32(append(a.code, opBrTable), uint32(len(labels)))
	for _, l := range labels {
		a.code = AppendU32(a.code, l)
	}
	a.code = AppendU32(a.code, fallback)
	return a
}

// Memory. Offsets are added to the address on the stack.

func (a *Assembler) I32Load(offset uint32) *Assembler    { return a.memory(opI32Load, 2, offset) }
func (a *Assembler) I64Load(offset uint32) *Assembler    { return a.memory(opI64Load, 0, offset) }
func (a *Assembler) F64Load(offset uint32) *Assembler    { return a.memory(0x2b, 3, offset) }
func (a *Assembler) I32Load16U(offset uint32) *Assembler { return a.memory(0x2f, 0, offset) }
func (a *Assembler) I32Load8U(offset uint32) *Assembler  { return a.memory(0x2d, 0, offset) }
func (a *Assembler) I32Store(offset uint32) *Assembler   { return a.memory(opI32Store, 2, offset) }
func (a *Assembler) I64Store(offset uint32) *Assembler   { return a.memory(0x37, 0, offset) }
func (a *Assembler) I32Store8(offset uint32) *Assembler  { return a.memory(0x3a, 0, offset) }
func (a *Assembler) MemorySize() *Assembler              { return a.op(opMemorySize, 0) }
func (a *Assembler) MemoryCopy() *Assembler              { return a.op(opPrefix, 10, 0, 0) }
func (a *Assembler) MemoryFill() *Assembler              { return a.op(opPrefix, 11, 0) }
func (a *Assembler) MemoryGrow() *Assembler              { return a.op(opMemoryGrow, 0) }

// Constants.

func (a *Assembler) I32Const(v int32) *Assembler {
	a.code = AppendS64(append(a.code, opI32Const), int64(v))
	return a
}

func (a *Assembler) I64Const(v int64) *Assembler {
	a.code = AppendS64(append(a.code, opI64Const), v)
	return a
}

// F64Const pushes a double.
func (a *Assembler) F64Const(v float64) *Assembler {
	a.code = binary.LittleEndian.AppendUint64(append(a.code, opF64Const), math.Float64bits(v))
	return a
}

// Arithmetic and comparison.

func (a *Assembler) I32Eqz() *Assembler         { return a.op(0x45) }
func (a *Assembler) I32Eq() *Assembler          { return a.op(0x46) }
func (a *Assembler) I32Ne() *Assembler          { return a.op(0x47) }
func (a *Assembler) I32LtS() *Assembler         { return a.op(0x48) }
func (a *Assembler) I32LtU() *Assembler         { return a.op(0x49) }
func (a *Assembler) I32GtS() *Assembler         { return a.op(0x4a) }
func (a *Assembler) I32GtU() *Assembler         { return a.op(0x4b) }
func (a *Assembler) I32GeU() *Assembler         { return a.op(0x4f) }
func (a *Assembler) I64Eqz() *Assembler         { return a.op(0x50) }
func (a *Assembler) I64Eq() *Assembler          { return a.op(0x51) }
func (a *Assembler) I64LtU() *Assembler         { return a.op(0x54) }
func (a *Assembler) I32Add() *Assembler         { return a.op(0x6a) }
func (a *Assembler) I32Sub() *Assembler         { return a.op(0x6b) }
func (a *Assembler) I32Mul() *Assembler         { return a.op(0x6c) }
func (a *Assembler) I32And() *Assembler         { return a.op(0x71) }
func (a *Assembler) I32Or() *Assembler          { return a.op(0x72) }
func (a *Assembler) I32Shl() *Assembler         { return a.op(0x74) }
func (a *Assembler) I32ShrU() *Assembler        { return a.op(0x76) }
func (a *Assembler) I64Add() *Assembler         { return a.op(0x7c) }
func (a *Assembler) I64Or() *Assembler          { return a.op(0x84) }
func (a *Assembler) I64Shl() *Assembler         { return a.op(0x86) }
func (a *Assembler) I64ShrU() *Assembler        { return a.op(0x88) }
func (a *Assembler) F64Div() *Assembler         { return a.op(0xa3) }
func (a *Assembler) I32WrapI64() *Assembler     { return a.op(0xa7) }
func (a *Assembler) I64ExtendI32U() *Assembler  { return a.op(0xad) }
func (a *Assembler) F64ConvertI64U() *Assembler { return a.op(0xba) }
