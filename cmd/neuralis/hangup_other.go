//go:build !unix

package main

import "os"

// hangups are the requests to read the config again, which there are none of without such a signal.
func hangups() (requests <-chan os.Signal, done func()) { return nil, func() {} }
