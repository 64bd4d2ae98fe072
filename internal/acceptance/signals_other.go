//go:build !unix

package acceptance

import "os"

// signals are those that scripts send: this system has none for other processes but their end.
var signals = map[string]os.Signal{"TERM": os.Kill}
