// Package devserver is the loop of an author's day: a save is built, and live.
//
// # What it is for
//
// A [Project] is a host whose packages are built when their sources change. Run watches the folders, builds what has
// changed and lets the host take it up between two calls; [Server] puts the HTTP API, MCP and a stream of events
// around it. `neuralis dev` is a thin layer above.
//
//	save ──► watch ──► build ──► dist/ ──► host.Rescan ──► the next call
//	                     │ fails: the last good version goes on, the problem is told
//
// # What it guarantees
//
// What answers is the host that runs in production, with its gates and limits; nothing is built that a release would
// not build. A save that is broken takes nothing away: the package goes on as it last was good, until a save is
// good again. Whatever happens in a folder comes to one right state, since every change means to look at what is
// there now.
//
// # What it refuses
//
// It is for one author on one machine: it listens on loopback unless told otherwise, and answers only requests that
// name it by the address it is at.
package devserver
