package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/neuralis-dev/neuralis/host/audit"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/limit"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// Caller is the way to the code of packages. Its methods never panic, and return when ctx ends at the latest a
// moment later.
type Caller interface {
	// CallTool calls a tool. The arguments are JSON; empty is no arguments.
	CallTool(ctx context.Context, who session.Session, name string, args json.RawMessage) Result
	// CallRoute answers a request.
	CallRoute(ctx context.Context, who session.Session, request Request) Response
	// CallAPI calls a method of the API that a package exports to others. args is a JSON array; the result is JSON.
	// Whether the package that calls may do so is for whoever asks on its behalf.
	CallAPI(ctx context.Context, who session.Session, id, method string, args json.RawMessage) (json.RawMessage, *Error)
}

// Options are what a dispatcher works with. Directory, Hold and Limits are needed.
type Options struct {
	// Directory returns what there is now.
	Directory func() *Directory
	// Hold returns what runs the code of a package, in the version that was found, and keeps it until release is called;
	// or nil and the reason why nothing does. It is asked as soon as the package is found, so that a call ends in the
	// version whose gates it passed. Where that is gone by then, the error is [ErrReplaced]: the Directory has the next one.
	// A call that a package makes within another one is [Nested].
	Hold func(ctx context.Context, e *catalog.Entry) (p runtime.Package, release func(), err error)
	// Limits returns the limits of a tier that hold now.
	Limits func(trust.Tier) trust.Limits
	// Limiter counts calls; nil makes one.
	Limiter *limit.Limiter
	// Audit is told of each access to a route of a package that is not first-party; nil for nobody.
	Audit func(context.Context, audit.Access)
	// Observe is told of each call; nil for nobody.
	Observe func(Observation)
	// Report is told of panics, with what was thrown and the stack; nil for nobody.
	Report func(ctx context.Context, thrown any, stack []byte)
	// Now is the clock for what is observed; nil is time.Now.
	Now func() time.Time
	// MaxArgumentBytes is how long arguments may be; 0 is 8 MiB.
	MaxArgumentBytes int
	// MaxDepth is how often packages may call each other within one call; 0 is 8.
	MaxDepth int
}

// What counts where Options say nothing.
const (
	DefaultMaxArgumentBytes = 8 << 20
	DefaultMaxDepth         = 8
)

// Dispatcher is the Caller. It is safe for concurrent use.
type Dispatcher struct {
	tools  handler[*toolCall, Result]
	routes handler[*routeCall, Response]
	apis   handler[*apiCall, apiAnswer]
}

var _ Caller = (*Dispatcher)(nil)

// New makes a dispatcher.
func New(opts Options) *Dispatcher {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Limiter == nil {
		opts.Limiter = limit.New(opts.Now)
	}
	if opts.MaxArgumentBytes <= 0 {
		opts.MaxArgumentBytes = DefaultMaxArgumentBytes
	}
	if opts.MaxDepth <= 0 {
		opts.MaxDepth = DefaultMaxDepth
	}
	toolsPerMinute := func(l trust.Limits) int { return l.ToolsPerMinute }
	routesPerMinute := func(l trust.Limits) int { return l.RoutesPerMinute }
	return &Dispatcher{
		tools: chain(runTool(),
			observed[*toolCall](string(limit.Tools), opts.Now, opts.Observe, func(r Result) *Error { return r.Err }),
			recovered[*toolCall](opts.Report, refused),
			bounded[*toolCall](opts.MaxDepth, refused),
			findTool(opts),
			gated[*toolCall](refused),
			rated[*toolCall](opts.Limiter, limit.Tools, toolsPerMinute, refused),
			checked(opts),
			timed[*toolCall, Result](),
		),
		routes: chain(runRoute(),
			observed[*routeCall](string(limit.Routes), opts.Now, opts.Observe, func(r Response) *Error { return r.Err }),
			recovered[*routeCall](opts.Report, refusedRoute),
			bounded[*routeCall](opts.MaxDepth, refusedRoute),
			matchRoute(opts),
			audited(opts),
			gated[*routeCall](refusedRoute),
			rated[*routeCall](opts.Limiter, limit.Routes, routesPerMinute, refusedRoute),
			timed[*routeCall, Response](),
		),
		apis: chain(runAPI(),
			observed[*apiCall]("apis", opts.Now, opts.Observe, func(a apiAnswer) *Error { return a.err }),
			recovered[*apiCall](opts.Report, refusedAPI),
			bounded[*apiCall](opts.MaxDepth, refusedAPI),
			findAPI(opts),
			gated[*apiCall](refusedAPI),
			rated[*apiCall](opts.Limiter, limit.Tools, toolsPerMinute, refusedAPI),
			readAPI(opts),
			timed[*apiCall, apiAnswer](),
		),
	}
}

// CallTool implements Caller.
func (d *Dispatcher) CallTool(ctx context.Context, who session.Session, name string, args json.RawMessage) Result {
	return d.tools(ctx, &toolCall{target: target{who: who}, name: name, args: args})
}

// CallRoute implements Caller.
func (d *Dispatcher) CallRoute(ctx context.Context, who session.Session, request Request) Response {
	return d.routes(ctx, &routeCall{target: target{who: who}, request: request})
}

// CallAPI implements Caller.
func (d *Dispatcher) CallAPI(ctx context.Context, who session.Session, id, method string, args json.RawMessage) (json.RawMessage, *Error) {
	answer := d.apis(ctx, &apiCall{target: target{who: who}, id: id, method: method, args: args})
	return answer.result, answer.err
}

// ErrReplaced says that there is another version of a package than the one that was found.
var ErrReplaced = errors.New("the package has just changed: call again")

// hold looks for what a call is for with find, which fills in the entry of t, and holds that. Where find returns false
// there is nothing to hold; release is never nil.
func (o Options) hold(ctx context.Context, t *target, find func(*Directory) bool) (release func(), found bool) {
	for {
		directory := o.Directory()
		if !find(directory) {
			t.entry = nil
			return func() {}, false
		}
		p, release, err := o.Hold(ctx, t.entry)
		if errors.Is(err, ErrReplaced) && o.Directory() != directory {
			continue
		}
		t.pkg, t.unheld = p, err
		if release == nil {
			release = func() {}
		}
		return release, true
	}
}

// running returns what runs the code of the package that is held.
func (t *target) running() (runtime.Package, *Error) {
	if t.unheld == nil && t.pkg != nil {
		return t.pkg, nil
	}
	e := errorf(CodeRuntimeUnavailable, "nothing runs the code of the package %s", t.entry.ID)
	e.Package, e.Reason = t.entry.ID, string(t.entry.Reason)
	switch {
	case t.entry.Message != "":
		e.Message += ": " + t.entry.Message
	case t.unheld != nil:
		e.Message += ": " + t.unheld.Error()
	}
	return nil, e
}

// needs are the features that a caller needs for something in a package.
func needs(entry *catalog.Entry, feature string) []string {
	var features []string
	for _, f := range []string{entry.Package.Manifest.Requires.AccessFeature, feature} {
		if f != "" {
			features = append(features, f)
		}
	}
	return features
}

// requestKey is the key, in a context, of the id of a request.
type requestKey struct{}

// WithRequest returns a context whose calls are parts of the request with an id, which logs and the audit name.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

func requestOf(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// clientKey is the key, in a context, of the MCP client that calls.
type clientKey struct{}

// WithClient returns a context in which tools are called by an MCP client, which they may then turn to.
func WithClient(ctx context.Context, client runtime.Client) context.Context {
	return context.WithValue(ctx, clientKey{}, client)
}

func clientOf(ctx context.Context) runtime.Client {
	client, _ := ctx.Value(clientKey{}).(runtime.Client)
	return client
}
