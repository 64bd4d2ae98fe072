package dispatch

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/host/audit"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Request is a request to a route.
type Request struct {
	// Method is in upper case.
	Method string
	// Package is the id of the package whose route is meant. Without it, the path begins with that id; a path that leads
	// to no route so is matched with the routes of all packages.
	Package string
	// Path is the path, percent-encoded; a slash in front makes no difference. RawQuery is what follows its question
	// mark.
	Path, RawQuery string
	Header         http.Header
	Body           []byte
}

// Response is what a route answered.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Tier is how far the package is trusted whose answer this is; empty where Err is not nil.
	Tier trust.Tier
	// Err is why the package has not answered; it is also in the body. Nil for answers of the package's.
	Err *Error
}

// refusedRoute is the response to a request that failed.
func refusedRoute(e *Error) Response {
	r := Response{Status: e.Code.Status(), Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, Err: e}
	r.Body, _ = encode(map[string]*Error{"error": e})
	if e.RetryAfter > 0 {
		r.Header.Set("Retry-After", itoa(e.RetryAfter))
	}
	if len(e.allow) > 0 {
		r.Header.Set("Allow", strings.Join(e.allow, ", "))
	}
	return r
}

// routeCall is a request on its way through the steps.
type routeCall struct {
	target
	request Request
	match   manifest.Match
	path    string // below the package
}

// matchRoute finds the route as the caller sees it.
func matchRoute(opts Options) step[*routeCall, Response] {
	return func(next handler[*routeCall, Response]) handler[*routeCall, Response] {
		return func(ctx context.Context, call *routeCall) Response {
			request := &call.request
			request.Path = strings.TrimPrefix(request.Path, "/")
			var at found
			release, ok := opts.hold(ctx, &call.target, func(directory *Directory) bool {
				at = directory.match(call.who, request)
				call.entry = at.entry
				return at.result != manifest.NotFound
			})
			defer release()
			if !ok {
				return refusedRoute(errorf(CodeNotFound, "no route matches %s", clip(request.Path, 200)))
			}
			call.match, call.path = at.match, at.path
			call.limits = opts.Limits(at.entry.Tier)
			call.features = needs(at.entry, at.match.Route.Feature)
			call.what, call.label = "the route "+at.match.Route.Pattern, request.Method+" "+at.match.Route.Pattern
			if at.result == manifest.MethodNotAllowed {
				e := errorf(CodeMethodNotAllowed, "%s does not answer %s, only %s", clip(request.Path, 200), clip(request.Method, 20), strings.Join(at.match.Allowed, ", "))
				e.allow = at.match.Allowed
				return refusedRoute(e)
			}
			return next(ctx, call)
		}
	}
}

// audited tells the audit of each access to a package that is not first-party. Those that a later step refuses are
// accesses too.
func audited(opts Options) step[*routeCall, Response] {
	return func(next handler[*routeCall, Response]) handler[*routeCall, Response] {
		if opts.Audit == nil {
			return next
		}
		return func(ctx context.Context, call *routeCall) (response Response) {
			if call.entry.Tier == trust.FirstParty {
				return next(ctx, call)
			}
			start := opts.Now()
			response.Status = http.StatusInternalServerError // where a panic comes in between
			defer func() {
				a := audit.Access{
					Package: call.entry.Key(), Tier: call.entry.Tier, Method: call.request.Method, Path: call.request.Path,
					Pattern: call.match.Route.Pattern, Status: response.Status, Took: opts.Now().Sub(start),
					Caller: call.who, Request: requestOf(ctx),
				}
				if response.Err != nil {
					a.Code = string(response.Err.Code)
				}
				opts.Audit(context.WithoutCancel(ctx), a)
			}()
			return next(ctx, call)
		}
	}
}

// runRoute calls the handler.
func runRoute() handler[*routeCall, Response] {
	return func(ctx context.Context, call *routeCall) Response {
		pkg, unavailable := call.running()
		if unavailable != nil {
			return refusedRoute(unavailable)
		}
		request := call.request
		answer, err := pkg.CallRoute(ctx, runtime.RouteCall{
			Caller: runtime.Caller{Session: call.who, Route: request.Method + " " + call.match.Route.Pattern, Request: requestOf(ctx)},
			Method: request.Method, Path: call.path, RawQuery: request.RawQuery, Query: firstValues(request.RawQuery),
			Header: passedOn(request.Header), Body: request.Body, Pattern: call.match.Route.Pattern, Params: call.match.Params,
		})
		if err != nil {
			return refusedRoute(fromFailure(call.entry.ID, err))
		}
		if most := call.limits.MaxResultBytes; most > 0 && len(answer.Body) > most {
			return refusedRoute(tooLarge(len(answer.Body), most))
		}
		if size := headerSize(answer.Header); size > maxHeaderBytes {
			return refusedRoute(errorf(CodeResultTooLarge, "the headers of the answer are %d bytes long; at most %d are allowed", size, maxHeaderBytes))
		}
		return Response{Status: answer.Status, Header: taken(answer.Header), Body: answer.Body, Tier: call.entry.Tier}
	}
}

// maxHeaderBytes is how long the headers of an answer may be, as those of a request: clients and proxies take no more.
const maxHeaderBytes = 64 << 10

// headerSize is how long headers are on the wire.
func headerSize(header map[string][]string) (size int) {
	for name, values := range header {
		for _, value := range values {
			size += len(name) + len(value) + len(": \r\n")
		}
	}
	return size
}

// firstValues are the first values of the names in a query; what cannot be decoded is left out.
func firstValues(rawQuery string) map[string]string {
	values, _ := url.ParseQuery(rawQuery)
	first := make(map[string]string, len(values))
	for name, all := range values {
		first[name] = all[0]
	}
	return first
}

// Headers that belong to a connection (RFC 9110, 7.6.1), or tell how long a body is.
var ofConnection = []string{"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "content-length"}

// Headers of requests with the credentials by which the host knows the caller.
var secret = []string{"authorization", "cookie", "proxy-authorization"}

// passedOn are the headers of a request as a package gets them.
func passedOn(header http.Header) map[string]string {
	out := make(map[string]string, len(header))
	for name, values := range header {
		name = strings.ToLower(name)
		if !slices.Contains(ofConnection, name) && !slices.Contains(secret, name) {
			out[name] = strings.Join(values, ", ")
		}
	}
	return out
}

// taken are the headers of a package's answer as a client gets them.
func taken(header map[string][]string) http.Header {
	out := make(http.Header, len(header))
	for name, values := range header {
		if slices.Contains(ofConnection, strings.ToLower(name)) {
			continue
		}
		for _, value := range values {
			out.Add(name, value)
		}
	}
	return out
}
