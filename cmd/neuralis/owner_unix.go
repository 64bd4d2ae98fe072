//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign reports whether a file belongs to somebody who is neither the user nor the system.
func foreign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}
