package watch

import (
	"strings"

	"golang.org/x/sys/unix"
)

// namesStay says that notifications carry the name of a file even when it is gone by the time they are read.
const namesStay = false

// deviceOf identifies the file system that a folder is on.
func deviceOf(dir string) (uint64, bool) {
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		return 0, false
	}
	return uint64(stat.Dev), true
}

// remote reports whether files of a file system may be changed by somebody whom this kernel does not see.
func remote(dir string) bool {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return false
	}
	name := unix.ByteSliceToString(stat.Fstypename[:])
	switch name {
	case "nfs", "smbfs", "afpfs", "webdav", "ftp", "vmhgfs", "prl_fs", "vboxsf", "virtiofs":
		return true
	}
	return strings.Contains(name, "fuse")
}
