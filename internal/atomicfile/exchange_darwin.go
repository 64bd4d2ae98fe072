package atomicfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange gives two folders each other's names in one step. It reports false where the file system cannot.
func exchange(a, b string) (bool, error) {
	err := unix.RenamexNp(a, b, unix.RENAME_SWAP)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		return false, nil
	}
	return err == nil, err
}
