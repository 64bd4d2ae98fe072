// Package interop holds no code, only tests: clients that are not ours talk to the endpoint.
//
// They are the TypeScript SDK of the Model Context Protocol, its inspector on the command line, and its conformance
// suite, whose scenarios name the tools, prompts and resources that they expect: examples/everything has them, in the
// sandbox. All run on the Node.js that npm brings along, since the suite needs a newer one than a machine may have.
package interop
