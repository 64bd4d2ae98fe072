// Package metrics counts what a host does, for Prometheus.
//
// # What it is for
//
// An operator wants to see who is called how often, how long answers take, what is refused and why, and whether the pools
// of instances are large enough. [Metrics] is told of each call by package dispatch ([Metrics.Observe]) and of each HTTP
// request by package httpapi ([Metrics.Request]), asks a host for the state of its packages whenever somebody wants
// to read, and shows all of it, with what the process and the Go runtime use, in the format of Prometheus
// ([Metrics.Handler]). docs/http.md has the table of all metrics.
//
// # What it guarantees
//
// Every Metrics has a registry of its own, so that two hosts in one process do not get into each other's way.
//
// The number of series has a bound: labels have values that the host defines, or ids of packages of the project that are
// there now. Nothing that a caller writes, such as the name of a tool or a path, becomes a label, and the
// series of a package end when the package is gone.
//
// Packages of users and agents exist for their owners alone. They are counted like others, with an empty label in
// place of their ids, all of them together.
//
// Counters only grow, also when a package is loaded again and its pool begins anew.
//
// # What it refuses
//
// It sends nothing anywhere, and guards nothing: whoever mounts the handler decides who may read.
package metrics
