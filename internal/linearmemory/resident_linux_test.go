package linearmemory

import (
	"bytes"
	"os"
	"strconv"
	"testing"
)

// resident is the memory of this process that is in RAM, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.Atoi(string(bytes.Fields(statm)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// Memory that nobody touches takes none. The margins are wide: what else the process does counts too.
func TestUntouchedMemoryIsNotResident(t *testing.T) {
	const size, count = 64 << 20, 16
	before := resident(t)
	for range count {
		m := reserve(Limit)
		defer m.Free()
		b := m.Reallocate(size)
		if b == nil {
			t.Skip("no address space")
		}
		b[0], b[size-1] = 1, 1
	}
	if grown := resident(t) - before; grown > count*size/8 {
		t.Errorf("%d memories of %d MiB, two pages touched in each, take %d MiB", count, size>>20, grown>>20)
	}
}
