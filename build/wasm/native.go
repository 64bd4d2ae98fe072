package wasm

import (
	"github.com/neuralis-dev/neuralis/internal/direct"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// nativeArity is the length of the native function: the operation and up to four arguments. The
// engine fills missing ones with undefined.
const nativeArity = 5

// nativeOperations says of each operation of the native function whether it needs the host, which
// is not there while a package is built (a log is: the compiler keeps the lines). The numbers are an agreement with the guest's native.ts.
var nativeOperations = []struct {
	name      string
	needsHost bool
	write     func(*native)
}{
	0:  {"input", true, nativeInput},
	1:  {"output", true, nativeOutput},
	2:  {"error", true, nativeError},
	3:  {"host", true, nativeHost},
	4:  {"log", false, nativeLog},
	5:  {"configGet", true, func(n *native) { n.lookup("config_get", "blockToString") }},
	6:  {"varGet", true, func(n *native) { n.lookup("var_get", "blockToBuffer") }},
	7:  {"varSet", true, nativeVarSet},
	8:  {"httpRequest", true, nativeHTTPRequest},
	9:  {"httpStatus", true, func(n *native) { n.host("http_status_code"); n.I64ExtendI32U().Return() }},
	10: {"httpHeaders", true, func(n *native) { n.undefined() }}, // no Extism function that every SDK has
	11: {"random", false, nativeRandom},
	12: {"monotonic", false, func(n *native) { n.time(clockMonotonic) }},
	13: {"utf8Encode", false, nativeEncode},
	14: {"utf8Decode", false, nativeDecode},
	15: {"logLevel", false, func(n *native) { n.I64Const(jsInt).Return() }},
	16: {"register", false, nativeRegister},
	17: {"wallclock", false, func(n *native) { n.time(clockRealtime) }},
}

// WASI clocks.
const (
	clockRealtime  = 0
	clockMonotonic = 1
)

// maxRandom is what crypto.getRandomValues may ask for at once (Web Cryptography, section 10.1.1).
const maxRandom = 65536

// native is an emitter inside the native function; a, b, p and n are scratch locals.
type native struct {
	*emitter
	a, b uint32 // i64
	p, n uint32 // i32
}

const (
	nativeCtx  = 0
	nativeArgv = 3
)

func (n *native) arg(i uint32)    { n.LocalGet(nativeArgv).I64Load(8 * i) }
func (n *native) argInt(i uint32) { n.arg(i); n.I32WrapI64() }
func (n *native) undefined()      { n.I64Const(jsUndefined).Return() }

// pending returns the exception that was thrown when the block in local is -1.
func (n *native) pending(local uint32) {
	n.LocalGet(local).I64Const(-1).I64Eq().If().I64Const(jsException).Return().End()
}

func (n *native) argBlock(i, local uint32) {
	n.LocalGet(nativeCtx)
	n.arg(i)
	n.glue("stringToBlock")
	n.LocalSet(local)
	n.pending(local)
}

func (n *native) throw(function, text string) {
	n.LocalGet(nativeCtx)
	n.text(text)
	n.I32Const(0)
	n.engine(function)
	n.Return()
}

// release frees the block in a local, keeps the value on the stack, and returns it.
func (n *native) release(local uint32) {
	n.LocalGet(local)
	n.host("free")
	n.Return()
}

// native(ctx, this, argc, argv) is the one function that JavaScript gets; its first argument says
// which operation. It is captured by the guest's first module and not reachable from user code.
func writeNative(e *emitter) {
	n := &native{emitter: e}
	n.a, n.b = e.Local(wasmbin.I64), e.Local(wasmbin.I64)
	n.p, n.n = e.Local(wasmbin.I32), e.Local(wasmbin.I32)

	count := uint32(len(nativeOperations))
	var needsHost int32
	labels := make([]uint32, count)
	for i, op := range nativeOperations {
		labels[i] = uint32(i)
		if op.needsHost {
			needsHost |= 1 << i
		}
	}
	// while !awake: operations that need the host are refused
	n.cell32(n.c.awake())
	n.I32Eqz().If()
	n.argInt(0)
	n.I32Const(int32(count)).I32LtU().If()
	n.I32Const(1)
	n.argInt(0)
	n.I32Shl()
	n.I32Const(needsHost).I32And().If()
	n.throw("JS_ThrowTypeError", textUnavailable)
	n.End().End().End()

	for range count {
		n.Block()
	}
	n.Block()
	n.argInt(0)
	n.BrTable(labels, count)
	n.End()
	for _, op := range nativeOperations {
		op.write(n)
		n.End()
	}
	n.I64Const(jsUndefined)
}

func nativeInput(n *native) {
	n.ifDirect()
	n.ask(direct.Input, n.p, n.n)
	n.I32WrapI64().LocalTee(n.n)
	n.glue("take")
	n.LocalSet(n.p)
	n.Else()
	n.host("input_length")
	n.I32WrapI64().LocalTee(n.n)
	n.glue("readInput")
	n.LocalSet(n.p)
	n.End()
	n.string()
}

func nativeOutput(n *native) {
	directOutput(n)
	n.argBlock(1, n.a)
	n.LocalGet(n.a)
	n.length() // of the string that the block was made of
	n.I64ExtendI32U()
	n.host("output_set")
	n.undefined()
}

func nativeError(n *native) {
	n.argBlock(1, n.a)
	n.LocalGet(n.a)
	n.host("error_set")
	n.undefined()
}

func nativeHost(n *native) {
	directHost(n)
	n.argBlock(1, n.a)
	n.LocalGet(n.a)
	n.host(hostFunction)
	n.LocalSet(n.b)
	n.LocalGet(n.a)
	n.host("free")
	n.LocalGet(n.b).I64Eqz().If()
	n.undefined()
	n.End()
	n.LocalGet(nativeCtx).LocalGet(n.b)
	n.glue("blockToString")
	n.release(n.b)
}

// log has levels 0 to 4; there is no function for the lowest that every SDK has.
func nativeLog(n *native) {
	n.argBlock(2, n.a)
	functions := []string{"log_debug", "log_debug", "log_info", "log_warn", "log_error"}
	for range functions {
		n.Block()
	}
	n.argInt(1)
	n.BrTable([]uint32{0, 1, 2, 3}, 4)
	for _, f := range functions {
		n.End()
		n.LocalGet(n.a)
		n.host(f)
		n.undefined()
	}
}

func (n *native) lookup(hostName, convert string) {
	n.argBlock(1, n.a)
	n.LocalGet(n.a)
	n.host(hostName)
	n.LocalTee(n.b).I64Eqz().If()
	n.undefined()
	n.End()
	n.LocalGet(nativeCtx).LocalGet(n.b)
	n.glue(convert)
	n.release(n.b)
}

func (n *native) argBuffer(i, local uint32) {
	n.LocalGet(nativeCtx)
	n.arg(i)
	n.glue("bufferToBlock")
	n.LocalSet(local)
	n.pending(local)
}

func nativeVarSet(n *native) {
	n.argBuffer(2, n.b)
	n.argBlock(1, n.a)
	n.LocalGet(n.a).LocalGet(n.b)
	n.host("var_set")
	n.undefined()
}

func nativeHTTPRequest(n *native) {
	n.argBuffer(2, n.b)
	n.argBlock(1, n.a)
	n.LocalGet(n.a).LocalGet(n.b)
	n.host("http_request")
	n.LocalSet(n.b)
	n.LocalGet(n.b).I64Eqz().If()
	n.LocalGet(nativeCtx)
	n.addr(n.c.base)
	n.I32Const(0)
	n.engine("JS_NewArrayBufferCopy")
	n.Return().End()
	n.LocalGet(nativeCtx).LocalGet(n.b)
	n.glue("blockToBuffer")
	n.release(n.b)
}

func nativeRandom(n *native) {
	n.argInt(1)
	n.I32Const(maxRandom).I32GtU().If()
	n.throw("JS_ThrowRangeError", textTooMany)
	n.End()
	n.argInt(1)
	n.I32Const(1).I32Add()
	n.engine("malloc")
	n.LocalTee(n.p).I32Eqz().If()
	n.LocalGet(nativeCtx)
	n.engine("JS_ThrowOutOfMemory")
	n.Return().End()
	n.LocalGet(n.p)
	n.argInt(1)
	n.host("random_get")
	n.Drop()
	n.LocalGet(nativeCtx).LocalGet(n.p)
	n.argInt(1)
	n.engine("JS_NewArrayBufferCopy")
	n.LocalSet(n.a)
	n.LocalGet(n.p)
	n.engine("free")
	n.LocalGet(n.a).Return()
}

// time returns a clock in milliseconds.
func (n *native) time(clock int32) {
	n.I32Const(clock).I64Const(1)
	n.addr(n.c.clock())
	n.host("clock_time_get")
	n.Drop()
	n.LocalGet(nativeCtx)
	n.cell64(n.c.clock())
	n.F64ConvertI64U()
	n.F64Const(1e6)
	n.F64Div()
	n.engine("JS_NewNumber")
	n.Return()
}

func nativeEncode(n *native) {
	n.LocalGet(nativeCtx)
	n.addr(n.c.length())
	n.arg(1)
	n.I32Const(0)
	n.engine("JS_ToCStringLen2")
	n.LocalTee(n.p).I32Eqz().If().I64Const(jsException).Return().End()
	n.LocalGet(nativeCtx).LocalGet(n.p)
	n.length()
	n.engine("JS_NewArrayBufferCopy")
	n.LocalSet(n.a)
	n.LocalGet(nativeCtx).LocalGet(n.p)
	n.engine("JS_FreeCString")
	n.LocalGet(n.a).Return()
}

// utf8Decode(buffer, offset, length). Nothing is read beyond the buffer, whatever the numbers.
func nativeDecode(n *native) {
	n.argInt(3)
	n.I32Eqz().If()
	n.LocalGet(nativeCtx)
	n.addr(n.c.base)
	n.I32Const(0)
	n.engine("JS_NewStringLen")
	n.Return().End()
	n.LocalGet(nativeCtx)
	n.addr(n.c.length())
	n.arg(1)
	n.engine("JS_GetArrayBuffer")
	n.LocalTee(n.p).I32Eqz().If().I64Const(jsException).Return().End()
	n.length()
	n.I64ExtendI32U()
	n.argInt(2)
	n.I64ExtendI32U()
	n.argInt(3)
	n.I64ExtendI32U().I64Add().I64LtU().If()
	n.throw("JS_ThrowRangeError", textRange)
	n.End()
	n.LocalGet(nativeCtx).LocalGet(n.p)
	n.argInt(2)
	n.I32Add()
	n.argInt(3)
	n.engine("JS_NewStringLen")
	n.Return()
}

// register(enter, turn, rejection, fail) keeps the guest's functions.
func nativeRegister(n *native) {
	for i, cell := range []uint32{n.c.enter(), n.c.turn(), n.c.rejection(), n.c.fail()} {
		n.I32Const(0).LocalGet(nativeCtx)
		n.arg(uint32(i + 1))
		n.engine("JS_DupValue")
		n.I64Store(cell)
	}
	n.undefined()
}
