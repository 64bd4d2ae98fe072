//go:build unix

package cachedir

import (
	"os"
	"syscall"
)

// unsafe says why a folder is not the user's own.
func unsafe(info os.FileInfo) string {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Getuid() {
		return "it belongs to somebody else"
	}
	if info.Mode().Perm()&0o022 != 0 {
		return "others can write to it (chmod go-w)"
	}
	return ""
}
