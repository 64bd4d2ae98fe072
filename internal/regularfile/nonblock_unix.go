//go:build unix

package regularfile

import "syscall"

// nonblock keeps an open from waiting for the writer of a pipe.
const nonblock = syscall.O_NONBLOCK
