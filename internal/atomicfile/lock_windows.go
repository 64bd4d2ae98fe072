package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// noFollow would keep an open from following a symbolic link; here the look before it must do.
const noFollow = 0

// tryLock takes the exclusive lock of an open file, if nobody has it.
func tryLock(file *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	default:
		return false, &os.PathError{Op: "lock", Path: file.Name(), Err: err}
	}
}

// removeLocked removes a file whose lock is held. An open file cannot be removed here, so it is closed first;
// if someone else opens it in between, it stays, and is theirs.
func removeLocked(file *os.File, remove func() error) error {
	err := file.Close()
	if removed := remove(); removed != nil && !transient(removed) {
		err = errors.Join(err, removed)
	}
	return err
}

// transient reports whether an error may come of another process having the file open just now, such as a
// virus scanner or a reader.
func transient(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// retry repeats what fails because of another process, for about two seconds.
func retry(do func() error) error {
	const longest = 100 * time.Millisecond
	waited := time.Duration(0)
	for delay := time.Millisecond; ; delay = min(2*delay, longest) {
		err := do()
		if err == nil || !transient(err) || waited > 2*time.Second {
			return err
		}
		time.Sleep(delay)
		waited += delay
	}
}
