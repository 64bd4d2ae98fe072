// Command bench measures what the project promises about its speed and size, and says whether each
// promise holds on this machine:
//
//	go run ./bench                 # everything
//	go run ./bench build-vs-peer   # by name; -list shows the names
//	go run ./bench -json           # for a script
//
// How it measures. A promise about speed is a ratio between two commands, A and B. Each is started once
// to warm up and then in turn (A B A B ...), so that a machine whose speed drifts slows both. The ratio
// is taken pair by pair; the table has its median, minimum and maximum. Wall time and processor time (user + system,
// of the process and the children it waited for) are both shown; targets are about wall time. Absolute times appear only where
// the target itself is absolute. Before the ratios stands the machine's noise: the ratio of a command to itself.
//
// Every run builds something it has not built before (the source has a number in it that changes), so
// neither side can answer from what it built last time.
//
// The program builds the neuralis binary from the working tree, makes its packages in a temporary folder
// and installs peers with `npm ci` in bench/peers when a chosen benchmark needs one; those need Node.js
// 20. Missing a target is reported, and is an error only with -check.
package main
