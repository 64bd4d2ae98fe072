package wasmbin

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
)

//go:embed instruction.go
var instructionSource string

//go:embed assembler.go
var assemblerSource string

//go:embed module.go
var moduleSource string

// Fingerprint changes with the code of this package that decides which bytes a rewritten module
// has. A cache of such modules takes it into its key.
func Fingerprint() string {
	sum := sha256.Sum256([]byte(instructionSource + assemblerSource + moduleSource))
	return hex.EncodeToString(sum[:])
}
