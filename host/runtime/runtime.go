package runtime

import (
	"context"
	"encoding/json"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Runtime loads packages of one kind. It is safe for concurrent use.
type Runtime interface {
	// Load makes a package ready to be called. The error is a *Failure.
	Load(ctx context.Context, src Source) (Package, error)
}

// Package is the code of one version of a package. It is safe for concurrent use. Errors of calls are *Failure.
type Package interface {
	// CallTool calls a tool. The result is what its handler returned, as JSON.
	CallTool(ctx context.Context, call ToolCall) (json.RawMessage, error)
	// CallRoute answers a request.
	CallRoute(ctx context.Context, call RouteCall) (*RouteAnswer, error)
	// CallLifecycle calls an export of src/lifecycle.ts, and answers null where the package has none of the name.
	CallLifecycle(ctx context.Context, call LifecycleCall) (json.RawMessage, error)
	// Health says how the package is.
	Health() Health
	// Close frees everything. No call may be running; see [Slot].
	Close(ctx context.Context) error
}

// Source is a package to load.
type Source struct {
	// ID and Version are the package's.
	ID, Version string
	// Package is what the package declares, by which failures are placed; it may be nil.
	Package *manifest.Package
	// Dir is the folder of the package, absolute.
	Dir string
	// Module is the path of the module, relative to Dir, and Hash the SHA-256 that its bytes have to have, in
	// hexadecimal; empty for any.
	Module, Hash string
	// Limits are those of the package's tier.
	Limits trust.Limits
	// AllowedHosts are the hosts that the manifest declares. Limits say whether they count.
	AllowedHosts []string
	// Ports makes what one call reaches of the host; nil is a host without anything.
	Ports func(Caller) Ports
}

// Caller is on whose behalf a call is made.
type Caller struct {
	Session session.Session
	// Client is the MCP client that called the tool; nil for other calls.
	Client Client
	// Tool or Route is what was called, and Request an id that everything which one request leads to has; for logs.
	// Each may be empty.
	Tool, Route, Request string
}

// Ports is what a package's code reaches of the host during one call.
type Ports interface {
	sandbox.Ports
	// Close ends the call. It releases what the call still holds.
	Close()
}

// Client is an MCP client that waits for the result of a tool. Its methods are called on the goroutine of the call.
type Client interface {
	// Offers says whether the client answers Sample and Elicit.
	Offers() Offers
	// Progress tells the client how far the call is. total is nil when nobody knows.
	Progress(ctx context.Context, progress float64, total *float64, message string) error
	// Log sends the client a log message.
	Log(ctx context.Context, level string, data json.RawMessage, logger string) error
	// Sample asks the client's model, Elicit its user. Parameters and results are those of the protocol.
	Sample(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	Elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
}

// Offers is what an MCP client can do.
type Offers struct {
	Sample bool `json:"sample,omitempty"`
	Elicit bool `json:"elicit,omitempty"`
}

// ToolCall is a call of a tool.
type ToolCall struct {
	Caller
	Name string
	// Arguments are valid JSON.
	Arguments json.RawMessage
}

// RouteCall is a request to a route.
type RouteCall struct {
	Caller
	Method string
	// Path is the path below the package, percent-encoded and without a slash in front; RawQuery is what follows
	// its question mark.
	Path, RawQuery string
	// Query has the first value of each name in the query.
	Query map[string]string
	// Header has names in lower case.
	Header map[string]string
	Body   []byte
	// Pattern is the route that matched, and Params are the values of its parameters.
	Pattern string
	Params  map[string]string
}

// RouteAnswer is what a route answered.
type RouteAnswer struct {
	Status int
	// Header has names in lower case, and more than one value only where values cannot be joined.
	Header map[string][]string
	Body   []byte
}

// LifecycleCall is a call of an export of src/lifecycle.ts.
type LifecycleCall struct {
	Caller
	// Hook is the name of the export.
	Hook string
	// Method is the method of the API, where the hook is api.
	Method string
	// Args are the arguments, a JSON array; empty is none.
	Args json.RawMessage
}

// Health is how a package is.
type Health struct {
	// Ready says that the package can be called; Reason says why it cannot.
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"`
	// Instances are the copies of the package there are, Idle those of them that nobody uses.
	Instances int `json:"instances"`
	Idle      int `json:"idle"`
	// Waiting are the calls that wait for an instance.
	Waiting int `json:"waiting"`
	// Started and Discarded are how many instances were made, and how many were of no use after a call.
	Started   uint64 `json:"started"`
	Discarded uint64 `json:"discarded"`
}
