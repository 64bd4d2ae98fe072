//go:build unix

package data

// isDiskFull knows what package syscall has no name for on all systems.
func isDiskFull(error) bool { return false }
