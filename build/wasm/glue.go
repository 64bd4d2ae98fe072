package wasm

import (
	"github.com/neuralis-dev/neuralis/internal/direct"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// This file and native.go hold the code that stands between the Extism kernel and the engine. It
// is written with an assembler, a function at a time, because nothing but a WebAssembly compiler
// could make it otherwise, and this toolchain has none inside.

// JavaScript values are 64 bits: a tag in the high word, a payload in the low one
// (quickjs.h, JS_NAN_BOXING).
const (
	jsInt       = 0 << 32
	jsBool      = 1 << 32
	jsUndefined = 3 << 32
	jsException = 6 << 32

	tagUndefined = 3
	tagException = 6
	tagObject    = -1
)

// What the engine's functions take as flags.
const (
	evalScript       = 0           // JS_EVAL_TYPE_GLOBAL
	evalCompile      = 1 | 1<<5    // JS_EVAL_TYPE_MODULE, JS_EVAL_FLAG_COMPILE_ONLY
	writeBytecode    = 1<<0 | 1<<4 // JS_WRITE_OBJ_BYTECODE, JS_WRITE_OBJ_STRIP_SOURCE
	readBytecode     = 1 << 0      // JS_READ_OBJ_BYTECODE
	promiseFulfilled = 1
	promiseRejected  = 2
)

// The results of neuralis_load and neuralis_eval.
const (
	evalDone    = 0
	evalFailed  = 1
	evalPending = 2
)

// The answers of the guest's turn function.
const turnAgain = 2

// engineFunctions are what the glue calls.
var engineFunctions = []string{
	"_initialize", "malloc", "free",
	"JS_NewRuntime", "JS_NewContext", "JS_SetInterruptHandler", "JS_SetHostPromiseRejectionTracker",
	"JS_GetGlobalObject", "JS_SetPropertyStr", "JS_GetPropertyStr", "JS_NewCFunction2", "JS_Eval", "JS_SetModuleLoaderFunc", "JS_NewCModule", "JS_WriteObject", "JS_ReadObject", "JS_ResolveModule", "JS_EvalFunction", "JS_Call", "JS_DupValue", "JS_FreeValue",
	"JS_ExecutePendingJob", "JS_PromiseState", "JS_PromiseResult", "JS_GetException", "JS_Throw", "JS_RunGC",
	"JS_ThrowTypeError", "JS_ThrowRangeError", "JS_ThrowOutOfMemory",
	"JS_ToCStringLen2", "JS_FreeCString", "JS_NewStringLen", "JS_NewArrayBufferCopy", "JS_GetArrayBuffer", "JS_NewNumber",
}

// tableFunctions are the glue functions that the engine calls through its table, in the order in
// which they are put behind its own.
var tableFunctions = []string{"native", "rejection", "interrupt", "stranger"}

type glueFunction struct {
	name, params, results string
	write                 func(*emitter)
}

// glueFunctions are all functions of the glue, in order.
var glueFunctions = []glueFunction{
	{"guard", "i", "", writeGuard},
	{"copy", "iii", "", func(e *emitter) { bulk(e, e.MemoryCopy) }},
	{"fill", "iii", "", func(e *emitter) { bulk(e, e.MemoryFill) }},
	{"enter", "iIIIiii", "I", writeEnter},
	{"take", "i", "i", writeTake},
	{"readInput", "i", "i", writeReadInput},
	{"readBlock", "II", "i", writeReadBlock},
	{"writeBlock", "ii", "I", writeWriteBlock},
	{"stringToBlock", "iI", "I", writeStringToBlock},
	{"blockToString", "iI", "I", writeBlockToString},
	{"blockToBuffer", "iI", "I", writeBlockToBuffer},
	{"bufferToBlock", "iI", "I", writeBufferToBlock},
	{"pump", "", "i", writePump},
	{"failed", "", "i", writeFailed},
	{"run", "i", "i", writeRun},
	{"native", "iIii", "I", writeNative},
	{"rejection", "iIIii", "", writeRejection},
	{"breathe", "", "", writeBreathe},
	{"interrupt", "ii", "i", writeInterrupt},
	{"stranger", "iii", "i", writeStranger},
	{exportTool, "", "i", func(e *emitter) { e.I32Const(0); e.glue("run") }},
	{exportRoute, "", "i", func(e *emitter) { e.I32Const(1); e.glue("run") }},
	{exportLifecycle, "", "i", func(e *emitter) { e.I32Const(2); e.glue("run") }},
	{exportRestore, "", "i", writeRestore},
	{exportInit, "", "", writeInit},
	{"failure", "", "i", writeFailure},
	{exportCompile, "iii", "i", writeCompile},
	{exportRead, "ii", "i", writeRead},
	{exportLoad, "ii", "i", writeLoad},
	{exportEval, "iii", "i", writeEval},
	{exportText, "", "i", writeText},
	{exportAlloc, "i", "i", func(e *emitter) { e.LocalGet(0); e.engine("malloc") }},
	{exportScrub, "", "", writeScrub},
	{exportFree, "i", "", func(e *emitter) { e.LocalGet(0); e.engine("free") }},
}

// emitter is an assembler that knows the functions and cells of the link.
type emitter struct {
	*wasmbin.Assembler
	l *linker
	c cells
}

func (e *emitter) engine(name string) { e.Call(e.l.newIndex[e.l.byName[name]]) }
func (e *emitter) host(name string)   { e.Call(e.l.imports[name]) }
func (e *emitter) glue(name string)   { e.Call(e.l.glue[name]) }

func (e *emitter) addr(a uint32)      { e.I32Const(int32(a)) }
func (e *emitter) cell32(a uint32)    { e.I32Const(0); e.I32Load(a) }
func (e *emitter) cell64(a uint32)    { e.I32Const(0); e.I64Load(a) }
func (e *emitter) ctx()               { e.cell32(e.c.context()) }
func (e *emitter) text(s string)      { e.I32Const(e.c.text(s)) }
func (e *emitter) length()            { e.cell32(e.c.length()) }
func (e *emitter) tag()               { e.I64Const(32); e.I64ShrU(); e.I32WrapI64() }
func (e *emitter) isTag(tag int32)    { e.tag(); e.I32Const(tag); e.I32Eq() }
func (e *emitter) setCell(a, v int32) { e.I32Const(0); e.I32Const(v); e.I32Store(uint32(a)) }

// slot is the place of a glue function in the function table.
func (e *emitter) slot(name string) int32 {
	for i, f := range tableFunctions {
		if f == name {
			return int32(e.c.table) + int32(i)
		}
	}
	panic("not in the table: " + name)
}

func (l *linker) writeGlue() error {
	for _, g := range glueFunctions {
		e := &emitter{Assembler: wasmbin.NewAssembler(len(g.params)), l: l, c: l.cells}
		g.write(e)
		l.out.Funcs = append(l.out.Funcs, wasmbin.Func{Type: l.signature(g.params, g.results), Body: e.Body()})
	}
	l.out.Exports = []wasmbin.Export{{Name: "memory", Kind: wasmbin.ExternMemory}}
	for _, name := range []string{exportTool, exportRoute, exportLifecycle, exportRestore, exportInit, exportCompile, exportRead, exportLoad, exportEval, exportText, exportAlloc, exportFree, exportScrub} {
		l.out.Exports = append(l.out.Exports, wasmbin.Export{Name: name, Kind: wasmbin.ExternFunc, Index: l.glue[name]})
	}
	return nil
}

// guard(pointer) ends the instance when a stack pointer lies outside the stack, before anything is
// written there. The engine's own check comes first; this is for natives that do not check.
func writeGuard(e *emitter) {
	e.LocalGet(0).I32Const(int32(e.c.stackBottom)).I32Sub().
		I32Const(int32(e.c.stackTop - e.c.stackBottom)).I32GtU().If().Unreachable().End()
}

// words writes a loop over all of n bytes in steps of eight, and then one more step that ends at the
// last byte and overlaps the one before: kernel calls are the cost of copying, and single bytes cost
// the most. Fewer than eight bytes are copied singly. word and single copy at the offset in i.
func words(e *emitter, n, i uint32, word, single func()) {
	e.LocalGet(n).I32Const(8).I32GeU().If()
	e.Loop()
	word()
	e.LocalGet(i).I32Const(8).I32Add().LocalTee(i)
	e.LocalGet(n).I32Const(8).I32Sub().I32LtU().BrIf(0)
	e.End()
	e.LocalGet(n).I32Const(8).I32Sub().LocalSet(i)
	word()
	e.Else()
	e.Block().Loop()
	e.LocalGet(i).LocalGet(n).I32GeU().BrIf(1)
	single()
	e.LocalGet(i).I32Const(1).I32Add().LocalSet(i).Br(0)
	e.End().End()
	e.End()
}

// intoMemory copies as many bytes as the local n says, which the kernel's functions word and single give, into fresh
// memory; from leaves the place of the one at the offset in i. It puts a zero behind them and leaves the address; the
// function returns 0 when there is no memory.
func intoMemory(e *emitter, n, i uint32, from func(), word, single string) {
	ptr := e.Local(wasmbin.I32)
	e.LocalGet(n).I32Const(1).I32Add()
	e.engine("malloc")
	e.LocalTee(ptr).I32Eqz().If().I32Const(0).Return().End()
	at := func() { e.LocalGet(ptr).LocalGet(i).I32Add() }
	words(e, n, i, func() {
		at()
		from()
		e.host(word)
		e.I64Store(0)
	}, func() {
		at()
		from()
		e.host(single)
		e.I32Store8(0)
	})
	e.LocalGet(ptr).LocalGet(n).I32Add().I32Const(0).I32Store8(0)
	e.LocalGet(ptr)
}

// readBlock(offset, length) copies a kernel block into memory; see intoMemory.
func writeReadBlock(e *emitter) {
	const off, length = 0, 1
	n, i := e.Local(wasmbin.I32), e.Local(wasmbin.I32)
	e.LocalGet(length).I32WrapI64().LocalSet(n)
	intoMemory(e, n, i, func() { e.LocalGet(off).LocalGet(i).I64ExtendI32U().I64Add() }, "load_u64", "load_u8")
}

// readInput(length) does the same with the input of the call, whose place the SDKs know by themselves.
func writeReadInput(e *emitter) {
	const n = 0
	i := e.Local(wasmbin.I32)
	intoMemory(e, n, i, func() { e.LocalGet(i).I64ExtendI32U() }, "input_load_u64", "input_load_u8")
}

// writeBlock(address, length) copies memory into a fresh kernel block and returns its offset.
// Without memory for it, or for no bytes, the offset is 0 and nothing is written.
func writeWriteBlock(e *emitter) {
	const ptr, n = 0, 1
	off, i := e.Local(wasmbin.I64), e.Local(wasmbin.I32)
	e.LocalGet(n).I64ExtendI32U()
	e.host("alloc")
	e.LocalTee(off).I64Eqz().If().I64Const(0).Return().End()
	from := func() { e.LocalGet(ptr).LocalGet(i).I32Add() }
	to := func() { e.LocalGet(off).LocalGet(i).I64ExtendI32U().I64Add() }
	words(e, n, i, func() {
		to()
		from()
		e.I64Load(0)
		e.host("store_u64")
	}, func() {
		to()
		from()
		e.I32Load8U(0)
		e.host("store_u8")
	})
	e.LocalGet(off)
}

// noBlock throws when the kernel had no memory for the block in a local: its offset is 0 then, as that of
// an empty block is. What a caller of writeBlock did before that must be undone already.
func noBlock(e *emitter, ctx, off uint32) {
	e.LocalGet(off).I64Eqz()
	e.length()
	e.I32Const(0).I32Ne().I32And().If()
	e.LocalGet(ctx)
	e.engine("JS_ThrowOutOfMemory")
	e.Drop().I64Const(-1).Return().End()
}

// stringToBlock(ctx, value) returns the block, or -1 with an exception pending.
func writeStringToBlock(e *emitter) {
	const ctx, value = 0, 1
	ptr, off := e.Local(wasmbin.I32), e.Local(wasmbin.I64)
	e.LocalGet(ctx)
	e.addr(e.c.length())
	e.LocalGet(value).I32Const(0)
	e.engine("JS_ToCStringLen2")
	e.LocalTee(ptr).I32Eqz().If().I64Const(-1).Return().End()
	e.LocalGet(ptr)
	e.length()
	e.glue("writeBlock")
	e.LocalSet(off)
	e.LocalGet(ctx).LocalGet(ptr)
	e.engine("JS_FreeCString")
	noBlock(e, ctx, off)
	e.LocalGet(off)
}

// fromBlock writes the two functions that make a JavaScript value of a kernel block.
func fromBlock(e *emitter, make string) {
	const ctx, off = 0, 1
	ptr, length, value := e.Local(wasmbin.I32), e.Local(wasmbin.I64), e.Local(wasmbin.I64)
	e.LocalGet(off).LocalGet(off)
	e.host("length")
	e.LocalTee(length)
	e.glue("readBlock")
	e.LocalTee(ptr).I32Eqz().If()
	e.LocalGet(ctx)
	e.engine("JS_ThrowOutOfMemory")
	e.Return().End()
	e.LocalGet(ctx).LocalGet(ptr).LocalGet(length).I32WrapI64()
	e.engine(make)
	e.LocalSet(value)
	e.LocalGet(ptr)
	e.engine("free")
	e.LocalGet(value)
}

func writeBlockToString(e *emitter) { fromBlock(e, "JS_NewStringLen") }
func writeBlockToBuffer(e *emitter) { fromBlock(e, "JS_NewArrayBufferCopy") }

// bufferToBlock(ctx, value) returns 0 for undefined, else the block, or -1 with an exception pending.
func writeBufferToBlock(e *emitter) {
	const ctx, value = 0, 1
	ptr, off := e.Local(wasmbin.I32), e.Local(wasmbin.I64)
	e.LocalGet(value)
	e.isTag(tagUndefined)
	e.If().I64Const(0).Return().End()
	e.LocalGet(ctx)
	e.addr(e.c.length())
	e.LocalGet(value)
	e.engine("JS_GetArrayBuffer")
	e.LocalTee(ptr).I32Eqz().If().I64Const(-1).Return().End()
	e.LocalGet(ptr)
	e.length()
	e.glue("writeBlock")
	e.LocalSet(off)
	noBlock(e, ctx, off)
	e.LocalGet(off)
}

// pump runs promise jobs until there are none and returns 0. A job that throws is the engine's own
// business: reactions turn what they throw into rejections. Only what cannot be caught gets here,
// such as an interrupt. Then it returns 1 at once, with the exception pending, because it is the
// one that knows where the code was.
func writePump(e *emitter) {
	status := e.Local(wasmbin.I32)
	e.Block().Loop()
	// Jobs that make jobs: each is short, and all together may be endless.
	e.cell32(e.c.hardInterrupt())
	e.If().Unreachable().End()
	e.cell32(e.c.runtime())
	e.addr(e.c.jobContext())
	e.engine("JS_ExecutePendingJob")
	e.LocalTee(status).I32Eqz().BrIf(1)
	e.LocalGet(status).I32Const(0).I32LtS().If().I32Const(1).Return().End()
	e.Br(0)
	e.End().End()
	e.I32Const(0)
}

// failed reports the pending exception as the call's error, and returns 1: through the guest's
// fail function where it can still run, else as plain text.
func writeFailed(e *emitter) {
	reason, result := e.Local(wasmbin.I64), e.Local(wasmbin.I64)
	ptr := e.Local(wasmbin.I32)
	e.ctx()
	e.engine("JS_GetException")
	e.LocalSet(reason)
	e.cell64(e.c.fail())
	e.isTag(tagObject)
	e.If()
	e.I32Const(0).LocalGet(reason).I64Store(e.c.args())
	e.ctx()
	e.cell64(e.c.fail())
	e.I64Const(jsUndefined).I32Const(1)
	e.addr(e.c.args())
	e.engine("JS_Call")
	e.LocalTee(result)
	e.isTag(tagException)
	e.I32Eqz().If()
	e.ctx()
	e.LocalGet(result)
	e.engine("JS_FreeValue")
	e.I32Const(1).Return()
	e.End()
	e.ctx()
	e.ctx()
	e.engine("JS_GetException")
	e.engine("JS_FreeValue")
	e.End()
	e.ctx()
	e.addr(e.c.length())
	e.LocalGet(reason).I32Const(0)
	e.engine("JS_ToCStringLen2")
	e.LocalTee(ptr).I32Eqz().If()
	e.text(textOutOfMemory)
	e.I32Const(int32(len(textOutOfMemory)))
	e.glue("writeBlock")
	e.host("error_set")
	e.I32Const(1).Return()
	e.End()
	e.LocalGet(ptr)
	e.length()
	e.glue("writeBlock")
	e.host("error_set")
	e.I32Const(1)
}

// run(kind) is a call from outside: enter, promise jobs, then turns until the guest says done.
func writeRun(e *emitter) {
	const kind = 0
	result, status := e.Local(wasmbin.I64), e.Local(wasmbin.I32)
	// A second call while one runs would use the stack of the first, and after a trap nothing in
	// this memory can be relied on: the cell stays set then, and the instance is of no use to anybody.
	e.cell32(e.c.busy())
	e.If().Unreachable().End()
	e.setCell(int32(e.c.busy()), 1)
	e.addr(e.c.stackTop)
	e.GlobalSet(0)
	// Every instance of a snapshot would draw the same numbers.
	e.cell32(e.c.awake())
	e.I32Eqz().If()
	e.ctx()
	e.I32Const(int32(e.l.randomStateOffset)).I32Add().I32Const(8)
	e.host("random_get")
	e.Drop()
	e.ctx()
	e.ctx()
	e.I64Load(e.l.randomStateOffset).I64Const(1).I64Or().I64Store(e.l.randomStateOffset)
	e.setCell(int32(e.c.awake()), 1)
	e.End()

	finish := func() {
		e.setCell(int32(e.c.busy()), 0)
		e.LocalGet(status).Return()
	}
	e.cell64(e.c.enter())
	e.isTag(tagObject)
	e.I32Eqz().If()
	e.text(textNoEntry)
	e.I32Const(int32(len(textNoEntry)))
	e.glue("writeBlock")
	e.host("error_set")
	e.I32Const(1).LocalSet(status)
	finish()
	e.End()

	e.I32Const(0).LocalGet(kind).I64ExtendI32U().I64Store(e.c.args())
	e.ctx()
	e.cell64(e.c.enter())
	e.I64Const(jsUndefined).I32Const(1)
	e.addr(e.c.args())
	e.engine("JS_Call")
	e.LocalTee(result)
	e.isTag(tagException)
	e.If()
	e.glue("failed")
	e.LocalSet(status)
	finish()
	e.End()
	e.ctx()
	e.LocalGet(result)
	e.engine("JS_FreeValue")

	e.Loop()
	e.glue("pump")
	e.If()
	e.glue("failed")
	e.LocalSet(status)
	finish()
	e.End()
	e.ctx()
	e.cell64(e.c.turn())
	e.I64Const(jsUndefined).I32Const(0).I32Const(0)
	e.engine("JS_Call")
	e.LocalTee(result)
	e.isTag(tagException)
	e.If()
	e.glue("failed")
	e.LocalSet(status)
	finish()
	e.End()
	e.LocalGet(result).I32WrapI64().LocalTee(status).I32Const(turnAgain).I32Eq().BrIf(0)
	e.End()
	e.setCell(int32(e.c.busy()), 0)
	e.LocalGet(status)
}

// rejection is the engine's HostPromiseRejectionTracker: it tells the guest.
func writeRejection(e *emitter) {
	const ctx, promise, reason, handled = 0, 1, 2, 3
	result := e.Local(wasmbin.I64)
	e.cell64(e.c.rejection())
	e.isTag(tagObject)
	e.I32Eqz().If().Return().End()
	e.I32Const(0).LocalGet(promise).I64Store(e.c.args())
	e.I32Const(0).LocalGet(reason).I64Store(e.c.args() + 8)
	e.I32Const(0).LocalGet(handled).I64ExtendI32U().I64Const(jsBool).I64Or().I64Store(e.c.args() + 16)
	e.LocalGet(ctx)
	e.cell64(e.c.rejection())
	e.I64Const(jsUndefined).I32Const(3)
	e.addr(e.c.args())
	e.engine("JS_Call")
	e.LocalTee(result)
	e.isTag(tagException)
	e.If()
	e.LocalGet(ctx).LocalGet(ctx)
	e.engine("JS_GetException")
	e.engine("JS_FreeValue")
	e.Else()
	e.LocalGet(ctx).LocalGet(result)
	e.engine("JS_FreeValue")
	e.End()
}

// interrupt is the engine's interrupt handler, called every few thousand steps of JavaScript:
// non-zero ends it.
func writeInterrupt(e *emitter) {
	e.cell32(e.c.softInterrupt())
}

// bulk writes memory.copy or memory.fill with a price: so many bytes count as a loop.
func bulk(e *emitter, instruction func() *wasmbin.Assembler) {
	e.GlobalGet(e.l.loops).LocalGet(2).I32Const(bulkShift).I32ShrU().I32Sub().GlobalSet(e.l.loops)
	e.GlobalGet(e.l.loops).I32Const(1).I32LtS().If()
	e.glue("breathe")
	e.End()
	e.LocalGet(0).LocalGet(1).LocalGet(2)
	instruction()
}

// bulkShift makes 64 bytes a loop.
const bulkShift = 6

// breaths is after how many of its loops the engine calls the host.
const breaths = 20_000

// breathe calls the host, for no other reason than to be there for a moment: a runtime cannot take
// the processor from WebAssembly that only runs. In Go all goroutines wait for such a one as soon as
// the garbage collector wants the world to stop, the one that would end the call among them. Then
// it looks at the cell that ends the engine.
func writeBreathe(e *emitter) {
	e.I32Const(breaths).GlobalSet(e.l.loops)
	e.I32Const(1).I64Const(1)
	e.addr(e.c.clock())
	e.host("clock_time_get")
	e.Drop()
	e.cell32(e.c.hardInterrupt())
	e.If().Unreachable().End()
}

// stranger(ctx, name, opaque) is the module loader while something is compiled: it makes an empty
// module of that name, which bytecode does not contain.
func writeStranger(e *emitter) {
	const ctx, name = 0, 1
	e.LocalGet(ctx).LocalGet(name).I32Const(0)
	e.engine("JS_NewCModule")
}

// restore grows memory to the number of pages that the input names as a 64-bit integer, so that the host can
// lay an image over it. A host that reads and writes that memory itself (see direct.go) says so with a second integer,
// and knows from the answer that this core understands it. The answer is 1 when there is no memory.
func writeRestore(e *emitter) {
	delta := e.Local(wasmbin.I32)
	e.I64Const(0)
	e.host("input_load_u64")
	e.I32WrapI64().MemorySize().I32Sub().LocalTee(delta).I32Const(0).I32GtS().If()
	e.LocalGet(delta).MemoryGrow().I32Const(-1).I32Eq().If().I32Const(1).Return().End()
	e.End()
	e.host("input_length")
	e.I32WrapI64().I32Const(16).I32GeU().If()
	e.I64Const(8)
	e.host("input_load_u64")
	e.I64Const(direct.Offer).I64Eq().If()
	e.I32Const(1).GlobalSet(e.l.direct)
	e.I32Const(direct.Accepted).Return().End()
	e.End().I32Const(0)
}

// init makes the engine's runtime and context, once, when the core is linked.
func writeInit(e *emitter) {
	global := e.Local(wasmbin.I64)
	e.engine("_initialize")
	e.I32Const(0)
	e.engine("JS_NewRuntime")
	e.I32Store(e.c.runtime())
	// The engine checks its stack against this limit before each JavaScript call, in its parser, in
	// JSON and in regular expressions, but sets it to "none" on this platform.
	e.cell32(e.c.runtime())
	e.I32Const(int32(e.c.stackBottom + stackReserve)).I32Store(e.l.stackLimitOffset)
	e.I32Const(0)
	e.cell32(e.c.runtime())
	e.engine("JS_NewContext")
	e.I32Store(e.c.context())

	e.cell32(e.c.runtime())
	e.I32Const(e.slot("interrupt")).I32Const(0)
	e.engine("JS_SetInterruptHandler")
	e.cell32(e.c.runtime())
	e.I32Const(e.slot("rejection")).I32Const(0)
	e.engine("JS_SetHostPromiseRejectionTracker")

	e.ctx()
	e.engine("JS_GetGlobalObject")
	e.LocalSet(global)
	e.ctx()
	e.LocalGet(global)
	e.text(textNative)
	e.ctx()
	e.I32Const(e.slot("native"))
	e.text(textNative)
	e.I32Const(nativeArity).I32Const(0).I32Const(0)
	e.engine("JS_NewCFunction2")
	e.engine("JS_SetPropertyStr")
	e.Drop()
	e.ctx()
	e.LocalGet(global)
	e.engine("JS_FreeValue")
}

// failure puts the pending exception where a script can look at it, and returns evalFailed.
func writeFailure(e *emitter) {
	global := e.Local(wasmbin.I64)
	e.ctx()
	e.engine("JS_GetGlobalObject")
	e.LocalSet(global)
	e.ctx()
	e.LocalGet(global)
	e.text(textFailure)
	e.ctx()
	e.engine("JS_GetException")
	e.engine("JS_SetPropertyStr")
	e.Drop()
	e.ctx()
	e.LocalGet(global)
	e.engine("JS_FreeValue")
	e.I32Const(evalFailed)
}

// compile(source, length, name) compiles a module and returns the address of its bytecode, whose
// length is in a cell; 0 when the source cannot be compiled. Bytecode has names and places but not
// the text of functions, which is more than half of what a compiled package would take.
func writeCompile(e *emitter) {
	const source, length, name = 0, 1, 2
	value := e.Local(wasmbin.I64)
	// The engine looks for imported modules while it compiles, but not yet at what they export.
	e.cell32(e.c.runtime())
	e.I32Const(0).I32Const(e.slot("stranger")).I32Const(0)
	e.engine("JS_SetModuleLoaderFunc")
	e.ctx()
	e.LocalGet(source).LocalGet(length).LocalGet(name).I32Const(evalCompile)
	e.engine("JS_Eval")
	e.LocalTee(value)
	e.isTag(tagException)
	e.If()
	e.glue("failure")
	e.Drop().I32Const(0).Return()
	e.End()
	e.ctx()
	e.addr(e.c.length())
	e.LocalGet(value).I32Const(writeBytecode)
	e.engine("JS_WriteObject")
}

// read(bytecode, length) makes a compiled module known by its name, so that others can import it.
func writeRead(e *emitter) {
	const code, length = 0, 1
	e.ctx()
	e.LocalGet(code).LocalGet(length).I32Const(readBytecode)
	e.engine("JS_ReadObject")
	e.isTag(tagException)
	e.If()
	e.glue("failure")
	e.Return().End()
	e.I32Const(evalDone)
}

// load(bytecode, length) evaluates a compiled module and runs its promise jobs.
func writeLoad(e *emitter) {
	const code, length = 0, 1
	value := e.Local(wasmbin.I64)
	state := e.Local(wasmbin.I32)
	ifException := func() {
		e.isTag(tagException)
		e.If()
		e.glue("failure")
		e.Return().End()
	}
	e.ctx()
	e.LocalGet(code).LocalGet(length).I32Const(readBytecode)
	e.engine("JS_ReadObject")
	e.LocalTee(value)
	ifException()
	e.ctx()
	e.LocalGet(value)
	e.engine("JS_ResolveModule")
	e.I32Const(0).I32LtS().If()
	e.glue("failure")
	e.Return().End()
	e.ctx()
	e.LocalGet(value)
	e.engine("JS_EvalFunction")
	e.LocalTee(value)
	ifException()
	e.glue("pump")
	e.If()
	e.glue("failure")
	e.Return().End()
	e.ctx()
	e.LocalGet(value)
	e.engine("JS_PromiseState")
	e.LocalTee(state).I32Const(promiseRejected).I32Eq().If()
	e.ctx()
	e.ctx()
	e.LocalGet(value)
	e.engine("JS_PromiseResult")
	e.engine("JS_Throw")
	e.Drop()
	e.glue("failure")
	e.Return().End()
	e.LocalGet(state).I32Const(promiseFulfilled).I32Ne().If().I32Const(evalPending).Return().End()
	e.ctx()
	e.LocalGet(value)
	e.engine("JS_FreeValue")
	e.cell32(e.c.runtime())
	e.engine("JS_RunGC")
	e.I32Const(evalDone)
}

// eval(source, length, name) evaluates a script and keeps what it results in for text.
func writeEval(e *emitter) {
	const source, length, name = 0, 1, 2
	value := e.Local(wasmbin.I64)
	e.ctx()
	e.LocalGet(source).LocalGet(length).LocalGet(name).I32Const(evalScript)
	e.engine("JS_Eval")
	e.LocalTee(value)
	e.isTag(tagException)
	e.If()
	e.glue("failure")
	e.Return().End()
	e.I32Const(0).LocalGet(value).I64Store(e.c.last())
	e.I32Const(evalDone)
}

// text returns the address of the last script's result as a string, its length in a cell.
func writeText(e *emitter) {
	e.ctx()
	e.addr(e.c.length())
	e.cell64(e.c.last())
	e.I32Const(0)
	e.engine("JS_ToCStringLen2")
}

// scrub allocates all free memory, in ever smaller pieces, fills it with zeros, and frees it again.
// The pieces are a list through their first words. It ends because memory does not grow meanwhile.
func writeScrub(e *emitter) {
	list, ptr, size := e.Local(wasmbin.I32), e.Local(wasmbin.I32), e.Local(wasmbin.I32)
	e.I32Const(1 << 24).LocalSet(size)
	e.Loop()
	e.Block().Loop()
	e.LocalGet(size)
	e.engine("malloc")
	e.LocalTee(ptr).I32Eqz().BrIf(1)
	e.LocalGet(ptr).I32Const(0).LocalGet(size).MemoryFill()
	e.LocalGet(ptr).LocalGet(list).I32Store(0)
	e.LocalGet(ptr).LocalSet(list).Br(0)
	e.End().End()
	// Sizes go down by an eighth: what is left over of a piece is smaller still.
	e.LocalGet(size).LocalGet(size).I32Const(3).I32ShrU().I32Sub().I32Const(-8).I32And().LocalTee(size)
	e.I32Const(16).I32GeU().BrIf(0)
	e.End()
	e.Block().Loop()
	e.LocalGet(list).I32Eqz().BrIf(1)
	e.LocalGet(list).I32Load(0).LocalSet(ptr)
	e.LocalGet(list).I32Const(0).I32Store(0)
	e.LocalGet(list)
	e.engine("free")
	e.LocalGet(ptr).LocalSet(list).Br(0)
	e.End().End()
}
