// Package linearmemory gives WebAssembly instances their memory.
//
// The runtime's own allocator makes a Go slice of the initial size and copies it each time the
// guest grows. Here address space for the largest size is reserved at once, where the system
// allows it, and pages come into being when they are touched: an instance costs what it uses,
// growing copies nothing, and the garbage collector never clears megabytes of unused stack.
//
// The memory of an instance is gone when the instance is closed. Bytes that outlive it must be
// copied.
package linearmemory

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
)

// Limit is the largest memory that this package hands out, in bytes: 1 GiB.
const Limit = 1 << 30

// WithAllocator returns a context under which instances get their memory from here.
// onAllocate, when not nil, sees each memory as it is made.
func WithAllocator(ctx context.Context, onAllocate func(experimental.LinearMemory)) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		memory := reserve(min(most, Limit))
		if onAllocate != nil {
			onAllocate(memory)
		}
		return memory
	}))
}

// slice is memory made by Go, for systems that do not let address space be reserved.
type slice struct {
	buf []byte
	max uint64
}

func (s *slice) Reallocate(size uint64) []byte {
	if size > s.max {
		return nil
	}
	if size > uint64(cap(s.buf)) {
		grown := make([]byte, size, min(s.max, max(size, uint64(cap(s.buf))*2)))
		copy(grown, s.buf)
		s.buf = grown
	}
	s.buf = s.buf[:size]
	return s.buf
}

func (s *slice) Free() { s.buf = nil }
