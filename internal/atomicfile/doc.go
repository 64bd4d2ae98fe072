// Package atomicfile writes files and whole folders so that a reader sees the old content or the new one, and
// nothing in between, even if the writer is killed at any moment.
//
// # One file
//
// [WriteFile] and [WriteIn] write a temporary file beside the target, flush it to the disk and rename it over
// the target. [Sweep] removes the temporary files of writers that were killed.
//
// # A folder of files that belong together
//
// A build's output is only of use as a whole: a module of one build beside the routes of another is a wrong
// package. Renaming file by file cannot prevent that mixture, so [Publish] makes the complete new folder beside
// the old one and exchanges the two:
//
//	.dist.lock      held by the one publisher at work, and gone when it is done
//	.dist.building  the new folder while it is incomplete; of no use to anyone after a kill
//	.dist.next      the new folder, complete; after the exchange, the old one, until it is removed
//	.dist.previous  the old folder where the system cannot exchange two folders in one step
//
// On Linux and macOS the exchange is one system call, and dist is never absent. Where there is no such call
// (Windows, some network file systems), the old folder is renamed away and the new one into its place; a kill
// between the two leaves no dist, and the next [Publish], [Recover] or [View] puts the old one back. The next
// run also removes whatever a killed one left.
//
// A reader that opens one file by its path gets a whole file. A reader of several files uses [View], which
// makes sure that all it read was of one folder.
//
// # Files of others
//
// The folder is output, and files in it that some publisher wrote are replaced: a file of an earlier run
// that the new one does not have is removed. Which files these are is written in a list that each run leaves
// in the folder, [ListName]. Every other file was put there by someone else, and is carried over to the new folder,
// as are folders that nothing was published in, empty ones too; folders keep their modes. Where the new folder has a
// file of the same path, [Options].Replaces decides: the new one wins, or nothing is published and the error names
// the file. It names it too where the two cannot both be (a file where a folder is needed).
//
// The list may have come with the folder from somebody who wants files elsewhere to be removed. Only clean paths
// within the folder count, and none that leads through a symbolic link.
//
// # What it refuses
//
// It does not lock readers out, and does not make changes to several folders one. Symbolic links are not
// followed but for the folder itself: a link in the place of a file is replaced, and one in the place of the lock is
// an error. The root of a file system is not replaced. Whether a folder should be replaced at all is for the caller
// to know.
package atomicfile
