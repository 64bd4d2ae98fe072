//go:build !unix && !windows

package linearmemory

import "github.com/tetratelabs/wazero/experimental"

func reserve(size uint64) experimental.LinearMemory { return &whole{max: size} }

// whole is memory made by Go at its full size, where address space cannot be reserved.
type whole struct {
	all []byte
	max uint64
}

func (s *whole) Reallocate(size uint64) []byte {
	if size > s.max {
		return nil
	}
	if s.all == nil {
		s.all = make([]byte, s.max)
	}
	return s.all[:size]
}

func (s *whole) Free() { s.all, s.max = nil, 0 }
