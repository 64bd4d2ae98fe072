//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

// singleKeys has a terminal pass on each key at once and show none. Ctrl-C stays an interrupt, and output is written as
// ever.
func singleKeys(fd int) (restore func(), err error) {
	before, err := unix.IoctlGetTermios(fd, readTermios)
	if err != nil {
		return nil, err
	}
	changed := *before
	changed.Lflag &^= unix.ICANON | unix.ECHO
	changed.Cc[unix.VMIN], changed.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, writeTermios, &changed); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, writeTermios, before) }, nil
}
