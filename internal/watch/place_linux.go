package watch

import "golang.org/x/sys/unix"

// namesStay says that notifications carry the name of a file even when it is gone by the time they are read.
const namesStay = true

// deviceOf identifies the file system that a folder is on.
func deviceOf(dir string) (uint64, bool) {
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		return 0, false
	}
	return stat.Dev, true
}

// remote reports whether files of a file system may be changed by somebody whom this kernel does not see. The numbers
// are those of statfs(2) and of the kernel's linux/magic.h, and of the guests' drivers.
func remote(dir string) bool {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return false
	}
	switch uint32(stat.Type) {
	case 0x6969, // NFS
		0x517B, 0xFE534D42, 0xFF534D42, // SMB and CIFS
		0x01021997,             // 9P: WSL 2, QEMU, gVisor
		0x65735546,             // FUSE: virtiofs, sshfs, Docker Desktop
		0x786F4256, 0xBACBACBC, // VirtualBox, VMware
		0x7C7C6673,             // Parallels
		0x5346414F, 0x6B414653, // AFS
		0x00C36400, 0x0BD00BD0, // Ceph, Lustre
		0x01161970, 0x7461636F, // GFS2, OCFS2
		0x73757245, 0x564C: // Coda, NCP
		return true
	}
	return false
}
