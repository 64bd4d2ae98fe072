//go:build !linux && !darwin

package watch

import (
	"hash/fnv"
	"path/filepath"
	"strings"
)

// namesStay says that notifications carry the name of a file even when it is gone by the time they are read.
const namesStay = false

// deviceOf identifies the volume that a folder is on, as far as its path says.
func deviceOf(dir string) (uint64, bool) {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(strings.ToLower(filepath.VolumeName(dir)))) // it never fails
	return hash.Sum64(), true
}

// remote reports whether files may be changed by somebody whom this system does not see: those of another machine's share are.
func remote(dir string) bool {
	return strings.HasPrefix(filepath.VolumeName(dir), `\\`)
}
