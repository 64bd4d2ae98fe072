//go:build !unix

package regularfile

// nonblock is only needed where opening a file can wait.
const nonblock = 0
