//go:build unix

package linearmemory

import (
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// mapping is reserved address space. Pages of it take no memory until they are touched.
type mapping struct{ all []byte }

func reserve(size uint64) experimental.LinearMemory {
	all, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		// A limit on address space, say. Slower memory is better than none.
		return &whole{max: size}
	}
	return &mapping{all: all}
}

func (m *mapping) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size]
}

func (m *mapping) Free() {
	if m.all != nil {
		_ = unix.Munmap(m.all)
		m.all = nil
	}
}
