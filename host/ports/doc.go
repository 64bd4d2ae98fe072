// Package ports is what the code of a package reaches of the host while it answers one call.
//
// # What it is for
//
// A guest asks its host in JSON, one request and one answer at a time: for its data, its credentials and settings, to
// write to its log, to wait, to send a request over the network, and to call another package. [New] takes what a
// package has of all that and returns what makes the ports of each call, for whoever runs the package.
//
// # What it guarantees
//
// A package asks for itself alone. The session, the tier and the id that an answer depends on are those the host made
// the call with; what the guest says of them is checked against these, or not looked at.
//
// A call leaves nothing behind: locks that it took and did not give back are released when it ends, however it ends.
// No request outlasts its call, and each answer tells a call that has ended that it has. What a call logs is bounded.
//
// Calls of other packages are made as the caller on whose behalf the package runs, through every gate that a call from
// outside passes, and only by packages that are trusted.
//
// # What it refuses
//
// Below first-party trust no setting of the host is told, and no credential that the manifest does not declare is to
// anybody. There is no way to the environment, to the file system outside of the package's data, or to a host on
// the network that the manifest does not declare.
package ports
