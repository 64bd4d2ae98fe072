package httpapi

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/session"
)

// Host is what answers.
type Host interface {
	dispatch.Caller
	// Authenticate returns the session of the user with a token.
	Authenticate(token string) (session.Session, bool)
	// Admin reports whether a session may administer the host.
	Admin(who session.Session) bool
	// Catalog is what there is now. It does not change; another one is there after a change.
	Catalog() *catalog.Catalog
	// Rescan looks for packages again.
	Rescan(ctx context.Context) error
	// Ready says why no calls are answered; nil is that they are. Anybody may read the reason.
	Ready() error
}

// Options are what the API works with. Host is needed.
type Options struct {
	Host Host
	// Log has a line for each request; nil discards.
	Log *slog.Logger
	// MaxBodyBytes is the longest body of a request; 0 is DefaultMaxBodyBytes.
	MaxBodyBytes int64
	// Patience is how long a client may take to send a body, besides what it takes at 64 KiB a second; 0 is
	// [DefaultPatience], which is also what clients are given to receive an answer.
	Patience time.Duration
	// Metrics answers /metrics to admins; nil is that there are none.
	Metrics http.Handler
	// Identify says who a request is from, in place of Authenticate: where there are no tokens. Its error refuses the
	// request, and its text goes out. Nil is that tokens do.
	Identify func(*http.Request) (session.Session, error)
	// Mounts answer at paths of their own, such as /mcp, and at all below them, for those who are known; [Caller] tells
	// them who it is. They see to their bodies by themselves; a client is given time for what they write as for any other answer.
	Mounts map[string]http.Handler
	// Track is told of each request when it begins; done is called with the status when it has ended. Nil is nobody.
	Track func() (done func(status int))
	// NewRequestID makes ids of requests that come without one; nil makes random ones.
	NewRequestID func() string
	// Now is the clock of the log and of what clients are given time for; nil is time.Now.
	Now func() time.Time
}

// What counts where Options say nothing.
const (
	DefaultMaxBodyBytes = 8 << 20
	DefaultPatience     = 30 * time.Second
)

// minRate is how fast a client has to be at least, in bytes a second.
const minRate = 64 << 10

// api is the handler.
type api struct {
	Options
}

// New makes the API of a host.
func New(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = DefaultMaxBodyBytes
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.NewRequestID == nil {
		o.NewRequestID = rand.Text
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Track == nil {
		o.Track = func() func(int) { return func(int) {} }
	}
	a := &api{o}
	return http.HandlerFunc(a.serve)
}

// The paths of the API. Those that end in a slash are of everything below them.
const (
	pathAPI      = "/api/"
	pathPackages = "/api/packages/"
	pathTools    = "/api/tools/"
	pathCalls    = "/api/calls"
	pathCatalog  = "/api/catalog"
	pathRescan   = "/api/rescan"
	pathMetrics  = "/metrics"
	pathHealth   = "/healthz"
	pathReady    = "/readyz"
)

// route finds what answers a request. Paths are compared as they were sent; [http.ServeMux] would clean and redirect.
func (a *api) route(x *exchange) {
	switch path := x.path; {
	case path == pathHealth:
		x.allow(a.health, http.MethodGet, http.MethodHead)
	case path == pathReady:
		x.allow(a.ready, http.MethodGet, http.MethodHead)
	case path == pathMetrics && a.Metrics != nil:
		a.authenticated(x, a.metrics)
	case a.isMounted(path):
		a.authenticated(x, (*exchange).pass)
	case path+"/" == pathAPI, strings.HasPrefix(path, pathAPI):
		a.authenticated(x, a.routeAPI)
	default:
		x.fail(http.StatusNotFound, dispatch.CodeNotFound, "there is nothing here")
	}
}

// routeAPI finds what answers a request of somebody who is known.
func (a *api) routeAPI(x *exchange) {
	var answer func(*exchange)
	methods := []string{http.MethodPost}
	name, isTool := strings.CutPrefix(x.path, pathTools)
	switch {
	case strings.HasPrefix(x.path, pathPackages):
		answer, methods = a.packages, nil
	case isTool && name != "" && !strings.Contains(name, "/"):
		answer = a.tool
	case x.path == pathCalls:
		answer = a.calls
	case x.path == pathCatalog:
		answer, methods = a.catalog, []string{http.MethodGet, http.MethodHead}
	case x.path == pathRescan:
		answer = a.rescan
	default:
		x.fail(http.StatusNotFound, dispatch.CodeNotFound, "there is nothing here")
		return
	}
	if !a.answers(x) {
		return
	}
	if methods == nil {
		answer(x)
		return
	}
	x.allow(answer, methods...)
}

// answers reports whether the host answers calls. If not, the request is answered.
func (a *api) answers(x *exchange) bool {
	err := a.Host.Ready()
	if err != nil {
		x.fail(http.StatusServiceUnavailable, CodeUnavailable, err.Error())
	}
	return err == nil
}
