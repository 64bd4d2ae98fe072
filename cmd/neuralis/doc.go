// Command neuralis is the toolchain and the host of Neuralis packages in one
// binary.
//
// This package holds flags, wiring and printing, and no logic: each verb is one
// file with the same three parts in the same order.
//
//	type buildOptions struct { *globals; … }                 // its inputs and its world
//	func newBuildCommand(g *globals) *cobra.Command { … }    // binds flags, nothing else
//	func runBuild(ctx context.Context, o *buildOptions) error // does it; what tests call
//
// A verb is added by listing its constructor in root.go under one of the groups.
// A verb never writes to os.Stdout and never calls os.Exit: it writes to
// globals.IO and returns an error, and exit.go turns the error into a message
// and an exit code (0 ok, 1 findings, 2 wrong usage, 3 internal).
//
// Every build of every package starts this program, so its start-up is counted
// in single milliseconds: no package imported here may do work in an init
// function that a run of GODEBUG=inittrace=1 would show.
package main
