//go:build !unix

package linearmemory

import "github.com/tetratelabs/wazero/experimental"

func reserve(size uint64) experimental.LinearMemory { return &slice{max: size} }
