package wasm

import (
	"crypto/sha256"
	"io"
)

// Earlier is what is left of an earlier Snapshot of the same package. All of it may be missing, and none of it changes
// what a Snapshot results in. It must come from this toolchain: the engine trusts it.
type Earlier struct {
	// Keys are those of the earlier sources, in order. They tell where this time's differ.
	Keys []Key
	// Bytecode is asked for compiled sources, those that no checkpoint makes superfluous. It gives what it has.
	Bytecode func([]Key) Bytecode
	// Checkpoint opens what Module.Checkpoint was.
	Checkpoint func() (io.ReadCloser, error)
}

// Key is the address of a source: the SHA-256 of its name and its code.
type Key [sha256.Size]byte

func (s Source) key() Key {
	h := sha256.New()
	h.Write([]byte(s.Name))
	h.Write([]byte{0})
	h.Write(s.Code)
	return Key(h.Sum(nil))
}

func keysOf(sources []Source) []Key {
	keys := make([]Key, len(sources))
	for i, s := range sources {
		keys[i] = s.key()
	}
	return keys
}

// firstChange is the index of the first source that is not as it was; 0 without anything to compare with.
func (e *Earlier) firstChange(keys []Key) int {
	for i, key := range keys {
		if i >= len(e.Keys) || e.Keys[i] != key {
			return i
		}
	}
	return len(keys)
}
