// Package dispatch takes calls of tools and requests to routes from whoever may make them to the code that answers.
//
// # What it is for
//
// There is one way to a package's code, and everybody takes it: the MCP endpoint, the HTTP server, neuralis call, and
// packages that call each other. A call passes a list of steps, in this order, and each may end it:
//
//	tools   find · feature gate · rate limit · schema · call with deadline · normalise · cap
//	routes  match · audit · feature gate · rate limit · call with deadline · cap
//	APIs    find · access gate · rate limit · arguments · call with deadline · cap
//
// Each step is a few lines that wrap the next one; [New] strings them together. A [Directory] is what there is to be
// found at one moment, made from a catalog; the dispatcher asks for the present one at each call.
//
// # What it guarantees
//
// It never fails in another way than with an answer. What goes wrong is an [Error] with a [Code]; a tool's is a result
// that says isError, a route's is a response with the status that fits. A panic is an answer too.
//
// No code of a package runs for a caller who lacks a feature, or whose arguments do not fit the tool's schema. A schema
// that is declared and cannot be used closes the tool. Nothing of a schema is fetched from anywhere, and checking
// arguments has a bound, whatever the schema and the arguments are.
//
// What a caller is not to see does not exist: no message tells of a package of another user or agent.
//
// A route is reached by the id of its package and the path that the pattern is for, so that packages do not get into each
// other's way. Of two routes that match a path all the same, one of a more trusted package answers, however specific the
// other one is: no package can take the requests of one that is trusted more. The credentials that a request came with are the host's,
// and are not passed on.
//
// # What it refuses
//
// It authenticates nobody, and makes no sessions: the session that a call comes with is believed. It keeps nothing
// between calls but compiled schemas, routers and the counts of the limiter.
package dispatch
