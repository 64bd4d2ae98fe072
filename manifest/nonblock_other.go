//go:build !unix

package manifest

// openNonblock is only needed where opening a file can wait.
const openNonblock = 0
