package wasmbin

import (
	"errors"
	"math"
	"testing"
)

func TestU32(t *testing.T) {
	for _, tc := range []struct {
		name  string
		in    []byte
		want  uint32
		fails bool
	}{
		{"zero", []byte{0}, 0, false},
		{"one byte", []byte{0x7f}, 127, false},
		{"two bytes", []byte{0x80, 0x01}, 128, false},
		{"largest", []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, math.MaxUint32, false},
		{"padded", []byte{0x83, 0x80, 0x80, 0x80, 0x00}, 3, false},
		{"33 bits", []byte{0xff, 0xff, 0xff, 0xff, 0x1f}, 0, true},
		{"six bytes", []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 0, true},
		{"truncated", []byte{0x80}, 0, true},
		{"empty", nil, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &reader{buf: tc.in}
			got := r.u32()
			if got != tc.want || (r.err != nil) != tc.fails {
				t.Errorf("got %d, %v", got, r.err)
			}
			if !tc.fails && r.pos != len(tc.in) {
				t.Errorf("read %d of %d bytes", r.pos, len(tc.in))
			}
		})
	}
}

func TestS64(t *testing.T) {
	for _, tc := range []struct {
		name  string
		bits  int
		in    []byte
		want  int64
		fails bool
	}{
		{"zero", 32, []byte{0}, 0, false},
		{"minus one", 32, []byte{0x7f}, -1, false},
		{"64 needs two bytes", 32, []byte{0xc0, 0x00}, 64, false},
		{"minus 64", 32, []byte{0x40}, -64, false},
		{"largest of 32", 32, []byte{0xff, 0xff, 0xff, 0xff, 0x07}, math.MaxInt32, false},
		{"smallest of 32", 32, []byte{0x80, 0x80, 0x80, 0x80, 0x78}, math.MinInt32, false},
		{"padded minus one", 32, []byte{0xff, 0xff, 0xff, 0xff, 0x7f}, -1, false},
		{"sign bits that differ", 32, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, 0, true},
		{"a type index of 33 bits", 33, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, math.MaxUint32, false},
		{"more than 33 bits", 33, []byte{0xff, 0xff, 0xff, 0xff, 0x2f}, 0, true},
		{"largest of 64", 64, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00}, math.MaxInt64, false},
		{"smallest of 64", 64, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, math.MinInt64, false},
		{"65 bits", 64, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 0, true},
		{"eleven bytes", 64, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 0, true},
		{"truncated", 64, []byte{0xff, 0xff}, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &reader{buf: tc.in}
			if got := r.s64(tc.bits); got != tc.want || (r.err != nil) != tc.fails {
				t.Errorf("got %d, %v", got, r.err)
			}
		})
	}
}

func TestIntegersRoundTrip(t *testing.T) {
	for _, v := range []uint32{0, 1, 63, 64, 127, 128, 16383, 16384, 1<<21 - 1, 1 << 21, 1 << 28, math.MaxUint32} {
		r := &reader{buf: AppendU32(nil, v)}
		if got := r.u32(); got != v || r.err != nil || !r.done() {
			t.Errorf("%d came back as %d, %v", v, got, r.err)
		}
	}
	for _, v := range []int64{0, 1, -1, 63, 64, -64, -65, 127, 128, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64} {
		r := &reader{buf: AppendS64(nil, v)}
		if got := r.s64(64); got != v || r.err != nil || !r.done() {
			t.Errorf("%d came back as %d, %v", v, got, r.err)
		}
	}
}

func TestFirstErrorSticks(t *testing.T) {
	r := &reader{buf: []byte{0x80}, base: 100}
	r.u32()
	first := r.err
	if !errors.Is(first, ErrTruncated) || first.Error() != "malformed WebAssembly at byte 101: unexpected end of the module" {
		t.Fatalf("got %v", first)
	}
	if r.byte() != 0 || r.bytes(0) != nil || r.s64(64) != 0 || r.name() != "" || r.count("things") != 0 || r.err != first {
		t.Errorf("the reader went on: %v", r.err)
	}
}

func TestCountsThatCannotBe(t *testing.T) {
	r := &reader{buf: append(AppendU32(nil, 1<<31), 1, 2, 3)}
	if n := r.count("types"); n != 0 || r.err == nil {
		t.Errorf("accepted %d, %v", n, r.err)
	}
}
