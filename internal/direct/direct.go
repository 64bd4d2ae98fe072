// Package direct is what a guest and a host say to each other when the host reads and writes the guest's memory
// itself, in place of passing texts through the memory of the Extism kernel.
//
// The host offers it when it restores an image, and only then does the guest use it: the argument of the one host
// function is then not the place of a kernel block, which is never negative, but a request. A request has an
// operation, an address in the guest's memory, and a length in bytes. An answer that is a text is fetched in two steps, since
// the guest must make room for it: the first says how long it is, and Take has it copied.
package direct

import "errors"

// Operations.
const (
	// Input makes the call's input ready to be taken, and answers its length.
	Input = iota
	// Ask passes a request to the host's ports, makes the response ready to be taken, and answers its length.
	Ask
	// Take copies what is ready to the address.
	Take
	// Output sets the call's output.
	Output
)

// What a host says when it restores an image, and what a core answers that accepts.
const (
	Offer    = 1
	Accepted = 2
)

// Addresses and lengths have 30 bits: no memory is larger than that (see package linearmemory).
const (
	LengthShift = 30
	opShift     = 60

	sign = 1 << 63
	mask = 1<<LengthShift - 1
)

// Request is a request as one number.
func Request(op uint64, address, length uint32) uint64 {
	return sign | op<<opShift | uint64(length&mask)<<LengthShift | uint64(address&mask)
}

// Is tells a request from the place of a kernel block.
func Is(argument uint64) bool { return argument&sign != 0 }

// ErrMemory: a request names memory that the guest does not have.
var ErrMemory = errors.New("the plug-in passed an address outside of its memory")

// Parse takes a request apart. The part of memory that it names is a view: it is gone when the memory is.
func Parse(request uint64, memory []byte) (op uint64, part []byte, err error) {
	address, length := request&mask, request>>LengthShift&mask
	if address+length > uint64(len(memory)) {
		return 0, nil, ErrMemory
	}
	return request >> opShift & 7, memory[address : address+length : address+length], nil
}
