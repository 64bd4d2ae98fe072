//go:build unix

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the exclusive lock of an open file, if nobody has it.
func tryLock(file *os.File) (bool, error) {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP):
			return false, &os.PathError{Op: "lock", Path: file.Name(), Err: errors.Join(ErrUnsupported, err)}
		default:
			return false, &os.PathError{Op: "lock", Path: file.Name(), Err: err}
		}
	}
}

// transient is for errors that come of others having a file open, which matters on Windows only.
func transient(error) bool { return false }
