//go:build unix

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// noFollow keeps an open from following a symbolic link.
const noFollow = unix.O_NOFOLLOW

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
		default:
			return false, &os.PathError{Op: "lock", Path: file.Name(), Err: err}
		}
	}
}

// removeLocked removes a file whose lock is held, and lets go of it after that: whoever locks it then sees
// that it is gone.
func removeLocked(file *os.File, remove func() error) error {
	return errors.Join(remove(), file.Close())
}

// transient is for errors that come of other processes having a file open, which matters on Windows only.
func transient(error) bool { return false }

func retry(do func() error) error { return do() }
