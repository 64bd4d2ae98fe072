//go:build unix

package manifest

import "syscall"

// openNonblock keeps an open from waiting for ever where a file was exchanged for a named pipe after it was
// looked at.
const openNonblock = syscall.O_NONBLOCK
