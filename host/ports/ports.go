package ports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/neuralis-dev/neuralis/host/credentials"
	"github.com/neuralis-dev/neuralis/host/data"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/outbound"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Logger takes what a package logs; a *logs.Logger is one.
type Logger interface {
	Log(ctx context.Context, level logs.Level, message string, fields json.RawMessage, call logs.Call)
}

// Resolver gives a package its credentials; a *credentials.Resolver is one.
type Resolver interface {
	Resolve(who session.Session, id string) (credentials.Secret, bool)
}

// Caller calls other packages; a *dispatch.Dispatcher is one.
type Caller interface {
	CallRoute(ctx context.Context, who session.Session, request dispatch.Request) dispatch.Response
	CallAPI(ctx context.Context, who session.Session, id, method string, args json.RawMessage) (json.RawMessage, *dispatch.Error)
}

// Package is what a package has of its host. What is nil is not there, and asking for it is an error that the package's
// code can catch.
type Package struct {
	// ID and Tier are the package's.
	ID   string
	Tier trust.Tier
	// Limits say whether the package may call others.
	Limits trust.Limits
	// Data is the folder of the package.
	Data *data.Store
	// Log is the log of the package.
	Log Logger
	// Credentials are those of the package.
	Credentials Resolver
	// Settings are what the manifest declares, Value returns what the operator says of one, and Getenv the environment
	// variable that a setting falls back to.
	Settings []manifest.ConfigSetting
	Value    func(key string) (json.RawMessage, bool)
	Getenv   func(name string) string
	// Others calls other packages.
	Others Caller
	// HTTP sends requests.
	HTTP *outbound.Client
	// Report is told of panics, with what was thrown and the stack; nil for nobody.
	Report func(ctx context.Context, thrown any, stack []byte)
}

// New returns what makes the ports of each call of a package.
func New(p Package) func(runtime.Caller) runtime.Ports {
	return func(caller runtime.Caller) runtime.Ports { return &ports{Package: &p, caller: caller} }
}

// ports are those of one call. They are used by one goroutine.
type ports struct {
	*Package
	caller runtime.Caller
	locks  map[int]*data.Lock
	taken  int // locks, ever
	lines  int // logged
}

// portError is an error with a code that the guest sees.
type portError struct{ code, message string }

func (e *portError) Error() string { return e.message }

func refuse(code, format string, args ...any) error {
	return &portError{code, fmt.Sprintf(format, args...)}
}

// The codes of errors that are not those of what was asked.
const (
	codeHost        = "host-error"
	codeUnsupported = "unsupported"
	codeDenied      = "denied"
	codeInvalid     = "invalid-request"
)

// operations are what can be asked for, by name. Each reads the members of the request that it knows.
var operations = map[string]func(*ports, context.Context, json.RawMessage) (any, error){
	"data.path":       (*ports).dataPath,
	"data.append":     (*ports).dataAppend,
	"data.readNewest": (*ports).dataReadNewest,

	"store.get":    (*ports).storeGet,
	"store.put":    (*ports).storePut,
	"store.delete": (*ports).storeDelete,
	"store.exists": (*ports).storeExists,
	"store.list":   (*ports).storeList,
	"store.begin":  (*ports).storeBegin,
	"store.commit": (*ports).storeCommit,
	"store.abort":  (*ports).storeAbort,

	"credentials.resolve": (*ports).resolveCredential,
	"config.get":          (*ports).getConfig,
	"log":                 (*ports).log,
	"timer.sleep":         (*ports).sleep,
	"http.request":        (*ports).sendRequest,

	"route.call": (*ports).callRoute,
	"api.call":   (*ports).callAPI,

	"mcp.progress": (*ports).mcpProgress,
	"mcp.log":      (*ports).mcpLog,
	"mcp.sample":   (*ports).mcpSample,
	"mcp.elicit":   (*ports).mcpElicit,
}

// Answer implements sandbox.Ports.
func (p *ports) Answer(ctx context.Context, request []byte) []byte {
	result, err := p.ask(ctx, request)
	answer := struct {
		OK        any            `json:"ok"`
		Error     *answeredError `json:"error,omitempty"`
		Cancelled string         `json:"cancelled,omitempty"`
	}{OK: result}
	if err != nil {
		answer.OK, answer.Error = nil, toldError(err)
	}
	if values, ok := result.(list); ok && err == nil && ctx.Err() == nil {
		return values.answer()
	}
	if ctx.Err() != nil {
		answer.Cancelled = context.Cause(ctx).Error()
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return []byte(`{"error":{"code":"` + codeHost + `","message":"the host's answer is not JSON"}}`)
	}
	return text
}

// ask carries out a request.
func (p *ports) ask(ctx context.Context, request json.RawMessage) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			if p.Report != nil {
				p.Report(ctx, r, debug.Stack())
			}
			result, err = nil, refuse(codeHost, "the host failed; its log says more")
		}
	}()
	var head struct {
		Op string `json:"op"`
	}
	if err := read(request, &head); err != nil {
		return nil, err
	}
	operation := operations[head.Op]
	if operation == nil {
		return nil, refuse(codeUnsupported, "this host has no operation %q", head.Op)
	}
	return operation(p, ctx, request)
}

// read reads members of a request.
func read(request json.RawMessage, into any) error {
	if err := json.Unmarshal(request, into); err != nil {
		return refuse(codeInvalid, "the request to the host cannot be read: %v", err)
	}
	return nil
}

type answeredError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// toldError is an error as the guest sees it.
func toldError(err error) *answeredError {
	var own *portError
	var stored *data.Error
	var sent *outbound.Error
	var called *dispatch.Error
	switch {
	case errors.As(err, &own):
		return &answeredError{own.code, own.message}
	case errors.As(err, &stored):
		return &answeredError{string(stored.Code), stored.Error()}
	case errors.As(err, &sent):
		return &answeredError{sent.Code, sent.Message}
	case errors.As(err, &called):
		return &answeredError{string(called.Code), called.Message}
	}
	return &answeredError{codeHost, err.Error()}
}

// Close implements runtime.Ports.
func (p *ports) Close() {
	p.releaseLocks()
	p.endLog()
}

// sleep waits, and no longer than the call may take.
func (p *ports) sleep(ctx context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Ms float64 `json:"ms"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	// More than a day is as long as the call may take.
	timer := time.NewTimer(time.Duration(min(max(r.Ms, 0), 864e5) * float64(time.Millisecond)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, nil
}

func (p *ports) sendRequest(ctx context.Context, request json.RawMessage) (any, error) {
	var r outbound.Request
	if err := read(request, &r); err != nil {
		return nil, err
	}
	if p.HTTP == nil || !p.Limits.Network {
		return nil, refuse(outbound.CodeNotAllowed, "the package %s is %s, and may not use the network", p.ID, p.Tier)
	}
	return p.HTTP.Do(ctx, r)
}

// resolveCredential answers null where there is none.
func (p *ports) resolveCredential(_ context.Context, request json.RawMessage) (any, error) {
	var r struct {
		ID string `json:"id"`
	}
	if err := read(request, &r); err != nil || p.Credentials == nil {
		return nil, err
	}
	secret, ok := p.Credentials.Resolve(p.caller.Session, r.ID)
	if !ok {
		return nil, nil
	}
	return secret.Reveal(), nil
}
