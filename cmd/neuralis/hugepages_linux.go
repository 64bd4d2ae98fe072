package main

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// useHugePages lets the heap grow into pages of two megabytes where the system has them to give. A build fills
// tens of megabytes at once, and to ask for each four kilobytes of them takes up to a fifth of its time.
//
// The runtime does not ask for such pages by itself, and maps memory only when it takes it; so a large object is
// made, of which nothing is touched, the system is told about its place, and the place is given back to the heap.
// There must be no collection between this and its use that would return it to the system.
func useHugePages() {
	const (
		room = 112 << 20 // what a large build needs
		page = 2 << 20
	)
	object := make([]byte, room)
	start := uintptr(unsafe.Pointer(unsafe.SliceData(object)))
	skip := -start & (page - 1)
	// Where it is refused everything works as without it.
	_ = unix.Madvise(object[skip:skip+(room-skip)&^(page-1)], unix.MADV_HUGEPAGE)
	runtime.KeepAlive(object)
	object = nil
	runtime.GC()
}
