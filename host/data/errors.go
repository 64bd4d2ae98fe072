package data

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/neuralis-dev/neuralis/internal/filelock"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

// Code says what went wrong, for programs.
type Code string

// The codes.
const (
	// CodeInvalidPath: the path is none of a file in the package's folder, or a symbolic link on it leads out.
	CodeInvalidPath Code = "invalid-path"
	// CodeInvalidID: the id cannot be one of a record.
	CodeInvalidID Code = "invalid-id"
	// CodeInvalidValue: the value is not JSON.
	CodeInvalidValue Code = "invalid-value"
	// CodeTooLarge: the value, or the answer, is larger than is allowed.
	CodeTooLarge Code = "too-large"
	// CodeCorrupt: what is stored is not JSON. It is left as it is.
	CodeCorrupt Code = "corrupt-record"
	// CodeLocked: somebody else holds the lock, and held it for all the time that one may wait.
	CodeLocked Code = "locked"
	// CodeNoLock: the update has ended before.
	CodeNoLock Code = "no-lock"
	// CodeDiskFull: there is no space, or no more that this user may have.
	CodeDiskFull Code = "disk-full"
	// CodeReadOnly: the file system is read-only, or permissions are missing.
	CodeReadOnly Code = "read-only"
	// CodeInTheWay: there is a folder where a file should be, or a file where a folder should be.
	CodeInTheWay Code = "in-the-way"
	// CodeCancelled: the caller did not want to wait any longer.
	CodeCancelled Code = "cancelled"
	// CodeFailed: the disk or the operating system failed in another way.
	CodeFailed Code = "data-failed"
)

// Error is what all functions of this package return when they fail.
type Error struct {
	// Code says what went wrong.
	Code Code
	// Op is what was being done, such as "append to".
	Op string
	// Path is the file, slash-separated and relative to the package's folder, or the path or id that was given.
	Path string
	// Message says what happened and what to do.
	Message string
	// Err is the cause; it may be nil.
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Op, e.Path, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// fail makes an error of a failure of the operating system. A nil error stays nil, and an *Error is returned as
// it is.
func fail(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if known := (*Error)(nil); errors.As(err, &known) {
		return known
	}
	code, message := explain(err)
	return &Error{Code: code, Op: op, Path: path, Message: message, Err: err}
}

// explain finds the code of a failure, and words that do not tell where on the machine the folder is.
func explain(err error) (Code, string) {
	reason := err
	for _, inner := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, inner) {
			return CodeDiskFull, fmt.Sprintf("there is no space left (%v), and what was there before is kept; free some", inner)
		}
	}
	if isDiskFull(err) {
		return CodeDiskFull, "there is no space left, and what was there before is kept; free some"
	}
	for inPath := (*fs.PathError)(nil); errors.As(reason, &inPath); {
		reason = inPath.Err
	}
	switch {
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return CodeReadOnly, fmt.Sprintf("%v; let the user that the host runs as write there", reason)
	case errors.Is(err, syscall.EISDIR):
		return CodeInTheWay, "there is a folder where the file should be; move it away"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist), errors.Is(err, regularfile.ErrNotFolder), reason.Error() == noFolder:
		return CodeInTheWay, "there is a file where a folder should be; move it away"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return CodeInvalidPath, "the path is too long for the file system"
	case errors.Is(err, syscall.ELOOP) || reason.Error() == escapes:
		return CodeInvalidPath, "a symbolic link on the way leads out of the package's folder"
	case errors.Is(err, filelock.ErrUnsupported):
		return CodeFailed, "the file system has no locks, and without them writers would overwrite each other; keep the data elsewhere"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return CodeCancelled, err.Error()
	}
	return CodeFailed, reason.Error()
}

// These are the texts of unexported errors of package os: for links that lead out of a root, and for a root that
// is a file. Tests notice if they change.
const (
	escapes  = "path escapes from parent"
	noFolder = "not a directory"
)
