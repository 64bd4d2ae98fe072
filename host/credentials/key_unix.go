//go:build unix

package credentials

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkKeyFile refuses key files that others can read or change.
func checkKeyFile(info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("others may use it, as its permissions are %#o; run chmod 600 on it, and if somebody may have read it, make a new key and enter the credentials again", mode)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("it belongs to the user %d; give it to the user that the host runs as", stat.Uid)
	}
	return nil
}
