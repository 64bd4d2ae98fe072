// Package linearmemory gives WebAssembly instances their memory.
//
// The runtime's own allocator makes a Go slice of the initial size and copies it each time the
// guest grows. Here address space for the largest size is reserved at once, where the system
// allows it, and pages come into being when they are touched: an instance costs what it uses,
// growing copies nothing, and the garbage collector never clears megabytes of unused stack.
//
// Memory does not move. It is gone when its instance is closed, or, under a Watch that holds it, when
// that is released: bytes that outlive it must be copied.
package linearmemory

import (
	"context"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
)

// Limit is the largest memory that this package hands out, in bytes: 1 GiB.
const Limit = 1 << 30

// smallest is the least address space worth reserving, in bytes: a page of linear memory.
const smallest = 65536

// Watch follows the memories that are made under one context.
type Watch struct {
	frozen atomic.Bool
	last   *watched
	hold   bool
	held   []*watched
	next   *watched // what the next instance takes over
}

// Hold keeps all memory that is made from now on until Release, whatever becomes of its instance. A
// runtime that closes a module because its time is over frees the memory at once, but does not
// keep later calls from running on it.
func (w *Watch) Hold() { w.hold = true }

// PassOn gives the memory that was made last, with what is in it, to the instance that is made next. The one that
// has it now must be closed first, and does not free it.
func (w *Watch) PassOn() {
	w.last.hold = true
	w.next = w.last
}

// Release frees what was held, and what was passed on to nobody. No instance may be called any more.
func (w *Watch) Release() {
	if w.next != nil {
		w.next.free()
		w.next = nil
	}
	for _, m := range w.held {
		m.free()
	}
	w.held = nil
}

// Freeze makes memory refuse to grow, or grow again.
func (w *Watch) Freeze(frozen bool) { w.frozen.Store(frozen) }

// Last is the memory that was made last, as long as it is now; nil when there is none.
func (w *Watch) Last() []byte {
	if w.last == nil {
		return nil
	}
	return w.last.now
}

// WithAllocator returns a context under which an instance gets its memory from here. A Watch is
// for the instances that one goroutine makes.
func WithAllocator(ctx context.Context, w *Watch) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		memory, next := experimental.LinearMemory(nil), w.next
		if w.next = nil; next != nil {
			memory = next.LinearMemory
		} else {
			memory = reserve(min(most, Limit))
		}
		w.last = &watched{LinearMemory: memory, watch: w, hold: w.hold}
		if w.hold {
			w.held = append(w.held, w.last)
		}
		return w.last
	}))
}

type watched struct {
	experimental.LinearMemory
	watch *Watch
	hold  bool
	now   []byte
}

func (m *watched) Reallocate(size uint64) []byte {
	if m.watch.frozen.Load() && size > uint64(len(m.now)) {
		return nil
	}
	grown := m.LinearMemory.Reallocate(size)
	if grown != nil {
		m.now = grown
	}
	return grown
}

func (m *watched) Free() {
	if !m.hold {
		m.free()
	}
}

func (m *watched) free() {
	m.now = nil
	m.LinearMemory.Free()
}
