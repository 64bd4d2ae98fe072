// Package data keeps what packages store: files of JSON lines, and stores of records with one JSON file each.
//
// # Where
//
// A [Store] is the folder of one package, such as [PackageDir] names it. Nothing is made before something is
// written. All work in it goes through [os.Root], so that neither a path nor a symbolic link that someone put
// there leads out. Paths are slash-separated and relative. [Store.DataPath] says which are refused, on every
// system the same ones, so that a package that works on one system works on all.
//
// # Records
//
// The record "a" of the store "items" is the file items/a.json. Ids are any text; [EncodeID] makes file names
// of them that differ even where the file system does not tell upper case from lower, and [DecodeID] makes ids
// of those again. Each record is replaced as a whole, so at any moment, also after a kill in the middle, it is
// the old one or the new one. What Put, Commit and Delete did is on the disk when they return: it also lasts
// through a loss of power, and costs about two flushes. Writers of one record take turns, whether they are goroutines or processes;
// readers never wait. A file that is not JSON is an error for who reads it and for who would overwrite it, since
// it may be all that is left of something; deleting it is possible.
//
// # Lines
//
// An append is one line more at the end of a file, in the order of the calls. What a kill left of a line is
// recognised and skipped, and the next line begins on its own. Lines are not flushed one by one, but when a
// file is full: a kill of the process loses none that was reported as written, a loss of power may lose the
// latest. A file that is full becomes .1, the one before that .2, and so on; a kill between these
// steps loses nothing. [Store.ReadNewest] reads from the end and no more than it needs.
//
// # Locks
//
// Beside a file x that is being written there is .x.neuralis-lock, which the kernel lets go of with its process.
// Nobody waits longer than [Options].LockWait. Locks are not reentrant: who holds the lock of a record and
// writes to it by another way waits for itself, and gets an error of [CodeLocked] in the end.
//
// # Errors
//
// All errors are of type [*Error], with a code for programs. After any of them, what was stored before is still
// there.
//
// # What it refuses
//
// It does not make changes to several records one. It bounds the size of a value and of an answer, but not how
// much a package stores in all.
package data
