package wasmbin

import (
	"errors"
	"fmt"
)

// ErrTruncated says that the input ended inside a construct.
var ErrTruncated = errors.New("unexpected end of the module")

// FormatError is a malformed or unsupported construct at a byte offset of the input.
type FormatError struct {
	Offset int
	What   string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("malformed WebAssembly at byte %d: %s", e.Offset, e.What)
}

// reader is a cursor over bytes. Its first error sticks: later reads return zero values, so that
// parsing code can read a whole construct and look at the error once.
type reader struct {
	buf  []byte
	pos  int
	base int // offset of buf in the whole module, for messages
	err  error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = &FormatError{Offset: r.base + r.pos, What: what}
	}
}

func (r *reader) truncated() {
	if r.err == nil {
		r.err = fmt.Errorf("malformed WebAssembly at byte %d: %w", r.base+r.pos, ErrTruncated)
	}
}

func (r *reader) done() bool { return r.err != nil || r.pos >= len(r.buf) }

func (r *reader) byte() byte {
	if r.err != nil {
		return 0
	}
	if r.pos >= len(r.buf) {
		r.truncated()
		return 0
	}
	b := r.buf[r.pos]
	r.pos++
	return b
}

func (r *reader) bytes(n uint32) []byte {
	if r.err != nil {
		return nil
	}
	if uint64(n) > uint64(len(r.buf)-r.pos) {
		r.truncated()
		return nil
	}
	b := r.buf[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// u32 reads an unsigned LEB128 of at most 32 bits, padded forms included.
func (r *reader) u32() uint32 {
	var v uint64
	for shift := 0; ; shift += 7 {
		b := r.byte()
		if r.err != nil {
			return 0
		}
		if shift == 28 && b&^0x0f != 0 {
			r.fail("integer is longer than 32 bits")
			return 0
		}
		v |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			return uint32(v)
		}
	}
}

// s64 reads a signed LEB128 of at most the given number of bits (32, 33 or 64 in this format),
// padded forms included. Bits of the last byte beyond that number must repeat the sign.
func (r *reader) s64(bits int) int64 {
	var v int64
	maxBytes := (bits + 6) / 7
	for i, shift := 0, 0; ; i, shift = i+1, shift+7 {
		b := r.byte()
		if r.err != nil {
			return 0
		}
		if i >= maxBytes {
			r.fail(fmt.Sprintf("integer is longer than %d bits", bits))
			return 0
		}
		if i == maxBytes-1 {
			if sign := int8(b<<1) >> (bits - shift); sign != 0 && sign != -1 {
				r.fail(fmt.Sprintf("integer is longer than %d bits", bits))
				return 0
			}
		}
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if shift+7 < 64 && b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

func (r *reader) name() string { return string(r.bytes(r.u32())) }

// count reads a vector length and refuses one that could not fit into what is left, so that a
// corrupt module cannot make the reader allocate without bound.
func (r *reader) count(what string) int {
	n := r.u32()
	if r.err == nil && uint64(n) > uint64(len(r.buf)-r.pos) {
		r.fail(fmt.Sprintf("%d %s cannot fit into the %d bytes that follow", n, what, len(r.buf)-r.pos))
		return 0
	}
	return int(n)
}

// AppendU32 appends v as a minimal unsigned LEB128.
func AppendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// AppendS64 appends v as a minimal signed LEB128, the encoding of i32.const and i64.const too.
func AppendS64(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && c&0x40 == 0) || (v == -1 && c&0x40 != 0) {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func appendName(b []byte, s string) []byte {
	b = AppendU32(b, uint32(len(s)))
	return append(b, s...)
}

func appendBlob(b, blob []byte) []byte {
	b = AppendU32(b, uint32(len(blob)))
	return append(b, blob...)
}
