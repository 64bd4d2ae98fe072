// Package interrupt ends what runs in an engine of ours when a context ends.
//
// The core of a package (see internal/image) has two cells in its memory that it looks at while it
// runs: the first makes JavaScript end with an error that cannot be caught but has a stack, the
// second makes the next loop of the engine itself trap. Writing to memory that WebAssembly is
// reading is how the two sides meet: each is one aligned 32-bit word, written atomically.
package interrupt

import (
	"context"
	"sync/atomic"
	"time"
	"unsafe"
)

// Grace is how long JavaScript that was asked to stop may take until the engine is stopped.
const Grace = 250 * time.Millisecond

// again is how often the second cell is set once the grace is over.
const again = time.Millisecond

// Cells are the cells of one instance. Its memory must not move while they are used.
type Cells struct{ soft, hard *uint32 }

// At finds the cells at an address of an instance's memory; ok is false when there is no room for
// them there.
func At(memory []byte, address uint32) (c Cells, ok bool) {
	if address == 0 || address%4 != 0 || uint64(address)+8 > uint64(len(memory)) {
		return Cells{}, false
	}
	return Cells{
		soft: (*uint32)(unsafe.Pointer(&memory[address])),
		hard: (*uint32)(unsafe.Pointer(&memory[address+4])),
	}, true
}

// When sets the cells once ctx has ended, until stop is called. stop clears them, and must be called
// before the memory is gone.
func (c Cells) When(ctx context.Context) (stop func()) {
	returned, gone := make(chan struct{}), make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(gone)
		atomic.StoreUint32(c.soft, 1)
		timer := time.NewTimer(Grace)
		defer timer.Stop()
		for {
			select {
			case <-returned:
				return
			case <-timer.C:
				// Again and again: memory that came with a package may hold code that clears the cell.
				atomic.StoreUint32(c.hard, 1)
				timer.Reset(again)
			}
		}
	})
	return func() {
		close(returned)
		if !cancel() {
			<-gone
		}
		atomic.StoreUint32(c.soft, 0)
		atomic.StoreUint32(c.hard, 0)
	}
}
