package main

import (
	"runtime"
	"runtime/debug"
)

// collectLate puts the first collection of garbage off until the program has a quarter of a gigabyte. A
// command that lives for some tens of milliseconds is done before that, and marking, which has to look at all
// there is, would be a tenth of its work. What needs more memory is collected as usual from then on; undo
// makes it so at once.
func collectLate() (undo func()) {
	const late = 256 << 20
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(-1)
	if percent < 0 || limit < late {
		debug.SetGCPercent(percent) // whoever started the program has decided
		return func() {}
	}
	debug.SetMemoryLimit(late)
	useHugePages()
	undo = func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
	// Nothing but the first collection finds that this is garbage.
	first := new([64]byte)
	runtime.AddCleanup(first, func(undo func()) { undo() }, undo)
	return undo
}
