package wasm

import (
	"encoding/binary"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// cells lays out the memory that belongs to the glue. It lies where the engine's own stack was.
type cells struct {
	base                  uint32 // address of the first cell
	stackBottom, stackTop uint32
	table                 uint32 // index of the first glue function in the function table
}

// Addresses of single cells.
func (c cells) context() uint32       { return c.base + 0 }  // JSContext*
func (c cells) runtime() uint32       { return c.base + 4 }  // JSRuntime*
func (c cells) enter() uint32         { return c.base + 8 }  // JSValue, registered by the guest
func (c cells) turn() uint32          { return c.base + 16 } // JSValue
func (c cells) rejection() uint32     { return c.base + 24 } // JSValue
func (c cells) fail() uint32          { return c.base + 32 } // JSValue
func (c cells) busy() uint32          { return c.base + 40 } // non-zero while a call runs, and for ever after a trap
func (c cells) awake() uint32         { return c.base + 44 } // zero until the first call of an instance
func (c cells) softInterrupt() uint32 { return c.base + 48 } // set by the host: the engine throws
func (c cells) hardInterrupt() uint32 { return c.base + 52 } // set by the host: the engine traps
func (c cells) length() uint32        { return c.base + 56 } // size_t that engine functions write to
func (c cells) jobContext() uint32    { return c.base + 60 } // JSContext* of a job
func (c cells) clock() uint32         { return c.base + 64 } // u64 nanoseconds
func (c cells) args() uint32          { return c.base + 72 } // JSValue[4] for calls into JavaScript
func (c cells) last() uint32          { return c.base + 104 }

// Strings, zero-terminated.
const (
	textNative      = "__neuralis_native"
	textFailure     = "__neuralis_failure"
	textStack       = "stack"
	textUnavailable = "this needs the host, and there is none while the package is built: move it from the top level of the module into a handler or into init"
	textTooMany     = "at most 65536 random bytes can be had at once"
	textRange       = "the range lies outside of the buffer"
	textNoEntry     = "the package registered no handlers"
	textOutOfMemory = "out of memory"
)

var texts = []string{textNative, textFailure, textStack, textUnavailable, textTooMany, textRange, textNoEntry, textOutOfMemory}

func (c cells) text(s string) int32 {
	at := c.base + 256
	for _, t := range texts {
		if t == s {
			return int32(at)
		}
		at += uint32(len(t)) + 1
	}
	panic("no such text: " + s)
}

// data is what the cells hold when the engine starts.
func (c cells) data() []wasmbin.DataSegment {
	var blob []byte
	for _, t := range texts {
		blob = append(append(blob, t...), 0)
	}
	undefined := make([]byte, 32)
	for i := 0; i < len(undefined); i += 8 {
		binary.LittleEndian.PutUint64(undefined[i:], jsUndefined)
	}
	return []wasmbin.DataSegment{
		{Offset: c.enter(), Bytes: undefined},
		{Offset: c.base + 256, Bytes: blob},
	}
}
