//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package terminal

import "errors"

// singleKeys is not there on this system.
func singleKeys(int) (restore func(), err error) { return nil, errors.ErrUnsupported }
