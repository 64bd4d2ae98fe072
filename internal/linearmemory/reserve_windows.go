package linearmemory

import (
	"unsafe"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/windows"
)

// reservation is reserved address space whose first part is committed.
type reservation struct {
	base uintptr
	size uint64
	all  []byte
}

func reserve(size uint64) experimental.LinearMemory {
	for ; size >= smallest; size /= 2 {
		base, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
		if err == nil {
			// The pointer is the system's, not the garbage collector's.
			return &reservation{base: base, size: size, all: unsafe.Slice(*(**byte)(unsafe.Pointer(&base)), size)}
		}
	}
	return &reservation{}
}

func (r *reservation) Reallocate(size uint64) []byte {
	if r.all == nil || size > r.size {
		return nil
	}
	if size > 0 {
		if _, err := windows.VirtualAlloc(r.base, uintptr(size), windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
			return nil
		}
	}
	return r.all[:size]
}

func (r *reservation) Free() {
	if r.all != nil {
		_ = windows.VirtualFree(r.base, 0, windows.MEM_RELEASE)
		r.all = nil
	}
}
