package wasm

import (
	"errors"
	"fmt"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// The engine's JS_CallInternal is its interpreter, and what every call of a function goes through, of those too that
// are written in C or are async: it finds that out and calls what knows how. Compiled, it has a frame of six
// kilobytes, while the stack that a call of the host's begins with has ten, and grows by being copied to a larger
// one. So the core has a function in front of it that does the same for all that is no plain JavaScript.

const callInternal = "JS_CallInternal"

// callLayout is what the interpreter does first with what it is to call.
type callLayout struct {
	interrupts uint32 // of JSContext: calls until the engine looks whether it is interrupted
	runtime    uint32 // of JSContext
	class      uint32 // of JSObject
	plain      int32  // the class of functions of plain JavaScript
	classes    uint32 // of JSRuntime
	classSize  int32
	call       uint32 // of JSClass: how its objects are called
	signature  uint32 // of that
}

// Opcodes in callLayout's patterns.
const (
	opCallIndirect = 0x11
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opI32Load      = 0x28
	opI32Load16U   = 0x2f
	opI32Store     = 0x36
	opI32Const     = 0x41
	opI32Eq        = 0x46
	opI32Add       = 0x6a
	opI32Mul       = 0x6c
	opI32WrapI64   = 0xa7
	opBrIf         = 0x0d
)

// find returns the place behind the first run of the given opcodes, or -1.
func find(code []wasmbin.Instruction, ops ...byte) int {
next:
	for i := 0; i+len(ops) <= len(code); i++ {
		for j, op := range ops {
			if code[i+j].Op != op {
				continue next
			}
		}
		return i + len(ops)
	}
	return -1
}

// readCallLayout reads the interpreter.
func readCallLayout(code []wasmbin.Instruction) (c callLayout, err error) {
	err = errors.New(callInternal + " does not look as expected")
	// The counter goes down by one; then the runtime is read.
	at := find(code, opLocalGet, opLocalGet, opI32Load, opLocalTee, opI32Const, opI32Add, opI32Store, opLocalGet, opI32Load, opLocalSet)
	if at < 0 {
		return c, err
	}
	in := code[at-10 : at]
	if in[0].A != 0 || in[1].A != 0 || in[4].A != -1 || in[2].B != in[6].B || in[7].A != 0 {
		return c, err
	}
	c.interrupts, c.runtime = uint32(in[2].B), uint32(in[8].B)
	runtime := in[9].A

	// The class of the object, whether it is a plain function, and else what its class has for calls.
	at = find(code, opI32WrapI64, opLocalTee, opI32Load16U, opLocalTee, opI32Const, opI32Eq, opBrIf,
		opLocalGet, opI32Load, opLocalGet, opI32Const, opI32Mul, opI32Add, opI32Load, opLocalTee, opBrIf)
	if at < 0 {
		return c, err
	}
	in = code[at-16 : at]
	if in[7].A != runtime || in[9].A != in[3].A {
		return c, err
	}
	c.class, c.plain = uint32(in[2].B), int32(in[4].A)
	c.classes, c.classSize, c.call = uint32(in[8].B), int32(in[10].A), uint32(in[13].B)
	for _, in := range code[at:] {
		if in.Op == opCallIndirect {
			c.signature = uint32(in.A)
			return c, nil
		}
	}
	return c, err
}

// writeEnter makes enter(ctx, function, this, newTarget, argc, argv, flags), which takes the place of JS_CallInternal.
func writeEnter(e *emitter) {
	const ctx, function, this, newTarget, argc, argv, flags = 0, 1, 2, 3, 4, 5, 6
	l := e.l.calls
	class, call, count := e.Local(wasmbin.I32), e.Local(wasmbin.I32), e.Local(wasmbin.I32)
	e.Block()
	e.I64Const(-1 << 32).LocalGet(function).I64LtU().I32Eqz().BrIf(0) // no object
	e.LocalGet(function).I32WrapI64().I32Load16U(l.class).LocalTee(class).I32Const(l.plain).I32Eq().BrIf(0)
	e.LocalGet(ctx).I32Load(l.runtime).I32Load(l.classes).LocalGet(class).I32Const(l.classSize).I32Mul().I32Add().I32Load(l.call)
	e.LocalTee(call).I32Eqz().BrIf(0)
	// The time to look for interrupts is for the interpreter to see to.
	e.LocalGet(ctx).I32Load(l.interrupts).LocalTee(count).I32Const(2).I32LtS().BrIf(0)
	e.LocalGet(ctx).LocalGet(count).I32Const(1).I32Sub().I32Store(l.interrupts)
	e.LocalGet(ctx).LocalGet(function).LocalGet(this).LocalGet(argc).LocalGet(argv).LocalGet(flags).LocalGet(call)
	e.CallIndirect(l.signature).Return()
	e.End()
	e.LocalGet(ctx).LocalGet(function).LocalGet(this).LocalGet(newTarget).LocalGet(argc).LocalGet(argv).LocalGet(flags)
	e.engine(callInternal)
}

// layoutOfCalls finds the interpreter in the engine.
func (l *linker) layoutOfCalls() error {
	index, ok := l.byName[callInternal]
	if !ok || int(index) < len(l.engine.Imports) {
		return fmt.Errorf("the engine has no function %s", callInternal)
	}
	code, err := wasmbin.Instructions(l.engine.Funcs[int(index)-len(l.engine.Imports)].Body)
	if err != nil {
		return err
	}
	l.calls, err = readCallLayout(code)
	return err
}
