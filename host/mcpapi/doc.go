// Package mcpapi is the Model Context Protocol endpoint of a host.
//
// # What it is for
//
// A client of the protocol is offered what packages contribute: tools, prompts from skills, resources from docs, and what a
// tool file says it is besides a tool. [Server] serves any number of clients over Streamable HTTP ([Server.Handler]) and
// stdio ([Server.ServeStdio]), by the official SDK. Each client has a session, sees what that session sees, and calls go
// through the host's dispatch, as everything else does.
//
// # What it guarantees
//
// The gates are the ones of HTTP: a client is offered no tool, prompt or resource whose features its session lacks, and
// none of a package whose code does not run here. To call one all the same is answered by dispatch.
//
// What packages say goes out as they said it: the schema of a tool as its author wrote it, without x-neuralis; content
// blocks byte for byte, but for _meta in them, which no model is to see; structured content and the _meta of the result
// as they are. The SDK neither checks nor completes any of it.
//
// A call that fails is a result with isError, and a code in its structured content. Only what the protocol itself has an
// error for is one: there is no such tool, prompt or resource; the parameters make no sense.
//
// A client is told that a list has changed when the one that it sees has, and not otherwise ([Server.Changed]).
//
// A session of the protocol belongs to the user who began it. Requests of others find no such session. What a user can
// keep open is bounded, and what nobody uses is closed.
//
// # Tools that are prompts and resources
//
// The member mcp of a tool file's x-neuralis says that the tool is offered as something else:
//
//	"mcp": { "prompt": "review" }
//	"mcp": { "resource": "orders://{id}/invoice", "mimeType": "application/pdf" }
//
// Arguments of a prompt are the properties of the schema, and those of a resource the variables of its template. What
// the handler returns becomes messages or contents. Everything else is as with tools: schema, features, limits.
//
// # What it refuses
//
// It authenticates nobody: who a request is from is told by whoever serves it. It speaks the versions of the protocol in
// which a server can ask its client something in the middle of a call, which are those before 2026-07-28: a tool in
// the sandbox waits for the answer, and cannot be called again with it.
package mcpapi
