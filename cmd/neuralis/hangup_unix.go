//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangups are the requests to read the config again. done ends that.
func hangups() (requests <-chan os.Signal, done func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}
