package data

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isDiskFull knows what package syscall has no name for on all systems.
func isDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}
