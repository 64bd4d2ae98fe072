// Package regularfile reads files that somebody else may have put there: regular ones of a bounded size and nothing
// else. A named pipe in the place of a file would keep its reader for ever, and a device need not end.
package regularfile
