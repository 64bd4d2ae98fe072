package wasm

import (
	"github.com/neuralis-dev/neuralis/internal/direct"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// A plug-in and its host exchange texts through the Extism kernel: blocks in a memory that belongs to neither,
// filled and read eight bytes at a time, each a call. A host that makes its instances by restoring an image has the
// memory of the guest in its hands, and says so when it restores. Then the guest passes addresses through the one host
// function that it has, and the host copies. Everybody else goes on as Extism has it.

// ifDirect begins the code for such a host.
func (e *emitter) ifDirect() { e.GlobalGet(e.l.direct); e.If() }

// ask calls the host with an operation of package direct, and an address and a length in locals of 32 bits.
func (e *emitter) ask(op uint64, address, length uint32) {
	e.I64Const(int64(direct.Request(op, 0, 0)))
	e.LocalGet(address).I64ExtendI32U().I64Or()
	e.LocalGet(length).I64ExtendI32U().I64Const(direct.LengthShift).I64Shl().I64Or()
	e.host(hostFunction)
}

// writeTake makes take(length), which copies what the host has ready, so many bytes, into fresh memory, puts a zero
// behind it and returns the address; 0 when there is no memory.
func writeTake(e *emitter) {
	const length = 0
	ptr := e.Local(wasmbin.I32)
	e.LocalGet(length).I32Const(1).I32Add()
	e.engine("malloc")
	e.LocalTee(ptr).I32Eqz().If().I32Const(0).Return().End()
	e.ask(direct.Take, ptr, length)
	e.Drop()
	e.LocalGet(ptr).LocalGet(length).I32Add().I32Const(0).I32Store8(0)
	e.LocalGet(ptr)
}

// argText leaves the address of an argument's text in a local, and its length in another; freeText gives it back.
func (n *native) argText(i, ptr, length uint32) {
	n.LocalGet(nativeCtx)
	n.addr(n.c.length())
	n.arg(i)
	n.I32Const(0)
	n.engine("JS_ToCStringLen2")
	n.LocalTee(ptr).I32Eqz().If().I64Const(jsException).Return().End()
	n.length()
	n.LocalSet(length)
}

func (n *native) freeText(ptr uint32) {
	n.LocalGet(nativeCtx).LocalGet(ptr)
	n.engine("JS_FreeCString")
}

// string returns the JavaScript string of bytes at the address in p, n.n of them, and frees them; it throws when the address is 0.
func (n *native) string() {
	n.LocalGet(n.p).I32Eqz().If()
	n.LocalGet(nativeCtx)
	n.engine("JS_ThrowOutOfMemory")
	n.Return().End()
	n.LocalGet(nativeCtx).LocalGet(n.p).LocalGet(n.n)
	n.engine("JS_NewStringLen")
	n.LocalSet(n.a)
	n.LocalGet(n.p)
	n.engine("free")
	n.LocalGet(n.a).Return()
}

func directHost(n *native) {
	n.ifDirect()
	n.argText(1, n.p, n.n)
	n.ask(direct.Ask, n.p, n.n)
	n.LocalSet(n.b)
	n.freeText(n.p)
	n.LocalGet(n.b).I32WrapI64().LocalTee(n.n).I32Eqz().If()
	n.undefined()
	n.End()
	n.LocalGet(n.n)
	n.glue("take")
	n.LocalSet(n.p)
	n.string()
	n.End()
}

func directOutput(n *native) {
	n.ifDirect()
	n.argText(1, n.p, n.n)
	n.ask(direct.Output, n.p, n.n)
	n.Drop()
	n.freeText(n.p)
	n.undefined()
	n.End()
}
