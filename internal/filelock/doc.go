// Package filelock holds one process, and one holder in it, off another with the help of a file.
//
// A lock is a file below an [os.Root] that is locked with flock, or LockFileEx on Windows. The kernel lets go of
// it when the process ends, however it ends: a kill leaves at most an empty file, which is as free as no file.
// The file is made for the lock and removed after it. Within one process the locks hold each other off too, as
// each has the file open for itself.
//
// # Fairness
//
// The kernel has no queue that a waiting call could leave when its context is done, so those who wait look
// again and again. A process that takes a lock as soon as it has let go of it would keep them waiting for
// ever. Whoever finds a lock taken therefore holds a second file, the queue, until it has the lock, and whoever
// comes while there is a queue goes through it as well. Without contention the queue costs one look.
//
// # What it refuses
//
// Locks are advice: they hold off those who ask. They are not reentrant: asking twice is waiting for oneself. On a
// file system without locks the error is [ErrUnsupported]. Within a process, callers that come in large numbers should queue up before
// they come here, so that one of them looks and not all.
package filelock
