//go:build unix

package acceptance

import (
	"os"
	"syscall"
)

// signals are those that scripts send.
var signals = map[string]os.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "TERM": syscall.SIGTERM}
