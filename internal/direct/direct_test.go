package direct

import (
	"errors"
	"testing"
)

func TestRequests(t *testing.T) {
	memory := make([]byte, 100)
	for i := range memory {
		memory[i] = byte(i)
	}
	for _, c := range []struct {
		name            string
		op              uint64
		address, length uint32
		fits            bool
	}{
		{"nothing at the start", Input, 0, 0, true},
		{"nothing at the end", Take, 100, 0, true},
		{"all", Ask, 0, 100, true},
		{"a part", Output, 10, 20, true},
		{"one byte too many", Ask, 1, 100, false},
		{"beyond", Take, 101, 0, false},
		{"the largest", Output, 1<<30 - 1, 1<<30 - 1, false},
	} {
		request := Request(c.op, c.address, c.length)
		if !Is(request) {
			t.Errorf("%s: %#x is not known for a request", c.name, request)
		}
		op, part, err := Parse(request, memory)
		if !c.fits {
			if !errors.Is(err, ErrMemory) {
				t.Errorf("%s: got %v", c.name, err)
			}
			continue
		}
		if err != nil || op != c.op || len(part) != int(c.length) || cap(part) != len(part) || len(part) > 0 && part[0] != byte(c.address) {
			t.Errorf("%s: got %d, %v, %v", c.name, op, part, err)
		}
	}
	if Is(0) || Is(1<<48) {
		t.Error("the place of a kernel block is taken for a request")
	}
}
