//go:build unix

package linearmemory

import (
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// mapping is reserved address space whose first part can be used. What cannot be used yet counts
// for nothing, not even where the system refuses to promise more memory than it has.
type mapping struct {
	all  []byte
	used int
}

func reserve(size uint64) experimental.LinearMemory {
	// A limit on address space, say, leaves room for less: an instance that may not grow as far as it
	// wanted is better than none.
	for ; size >= smallest; size /= 2 {
		all, err := unix.Mmap(-1, 0, int(size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err == nil {
			return &mapping{all: all}
		}
	}
	return &mapping{}
}

func (m *mapping) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	if int(size) > m.used {
		if err := unix.Mprotect(m.all[m.used:size], unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return nil
		}
		m.used = int(size)
	}
	return m.all[:size]
}

func (m *mapping) Free() {
	if m.all != nil {
		_ = unix.Munmap(m.all)
		m.all, m.used = nil, 0
	}
}
