package mcpapi

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/session"
)

// Host is what the endpoint serves.
type Host interface {
	dispatch.Caller
	// Catalog is what there is now.
	Catalog() *catalog.Catalog
}

// Options are what an endpoint works with. Host is needed.
type Options struct {
	Host Host
	// Name, Title and Version are what the server says that it is. Without a name it is neuralis.
	Name, Title, Version string
	// Instructions are what models are told about the server as a whole; empty for nothing.
	Instructions string
	// Log is the operator's; nil discards. Clients that misbehave are mentioned at the level of debugging.
	Log *slog.Logger

	// Regrant returns the session that somebody has now, after the catalog has changed, for one from before. An error
	// says that there is nobody of the kind any more; their connections are closed. Nil leaves sessions as they are.
	Regrant func(session.Session) (session.Session, error)
	// Answers reports whether code of a package could be called; tools of others are not offered. Nil goes by the
	// catalog: a module that is built, or code that may run outside of the sandbox.
	Answers func(*catalog.Entry) bool

	// MaxSessions and MaxSessionsPerUser are how many HTTP clients may be connected, and those of one user; 0 is 1,000
	// and 100. A user who is at the limit loses the connection that was unused the longest.
	MaxSessions, MaxSessionsPerUser int
	// IdleAfter is how long a client may be silent that has no request open; 0 is half an hour.
	IdleAfter time.Duration
	// MaxBodyBytes is how long a message of a client may be; 0 is 8 MiB.
	MaxBodyBytes int64
	// PageSize is how many elements of a list are told at a time; 0 is 250.
	PageSize int

	// AnyHost lets requests in that come to a loopback address under another name. It is for servers that look at Host
	// themselves.
	AnyHost bool
	// Origins decides about requests that pages of other origins make; nil refuses them.
	Origins *http.CrossOriginProtection

	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// What counts where Options say nothing.
const (
	DefaultMaxSessions        = 1000
	DefaultMaxSessionsPerUser = 100
	DefaultIdleAfter          = 30 * time.Minute
	DefaultMaxBodyBytes       = 8 << 20
	DefaultPageSize           = 250
)

// idleTick is how often the server looks for clients that have gone silent.
const idleTick = 30 * time.Second

// Server is an endpoint. It is safe for concurrent use. [Server.Close] ends it.
type Server struct {
	opts   Options
	replay *replay

	mu      sync.Mutex
	clients map[*client]struct{}
	byID    map[string]*client // those of HTTP
	closed  bool

	answered *sync.Cond // on mu: some client is

	views struct {
		sync.Mutex
		of    *catalog.Catalog
		all   map[string]*view
		tools descriptions
	}

	stop    context.CancelFunc
	running sync.WaitGroup
}

// New makes an endpoint.
func New(opts Options) *Server {
	opts.Name = cmp.Or(opts.Name, "neuralis")
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Regrant == nil {
		opts.Regrant = func(who session.Session) (session.Session, error) { return who, nil }
	}
	if opts.Answers == nil {
		opts.Answers = hasCode
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Origins == nil {
		opts.Origins = http.NewCrossOriginProtection()
	}
	opts.MaxSessions = cmp.Or(opts.MaxSessions, DefaultMaxSessions)
	opts.MaxSessionsPerUser = cmp.Or(opts.MaxSessionsPerUser, DefaultMaxSessionsPerUser)
	opts.IdleAfter = cmp.Or(opts.IdleAfter, DefaultIdleAfter)
	opts.MaxBodyBytes = cmp.Or(opts.MaxBodyBytes, DefaultMaxBodyBytes)
	opts.PageSize = cmp.Or(opts.PageSize, DefaultPageSize)
	s := &Server{opts: opts, replay: newReplay(), clients: map[*client]struct{}{}, byID: map[string]*client{}}
	s.answered = sync.NewCond(&s.mu)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() {
		ticker := time.NewTicker(idleTick)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				s.dropIdle()
			}
		}
	})
	return s
}

// Changed is to be called when the catalog of the host has changed, or who may do what. Clients are told which of the
// lists that they see are others now, and which documents they watch.
func (s *Server) Changed() {
	for _, c := range s.connected() {
		who, err := s.opts.Regrant(c.who())
		if err != nil {
			s.opts.Log.Debug("a client of the protocol has no session any more", "user", c.who().UserID, "error", err)
			s.drop(c)
			continue
		}
		c.become(who)
		c.tell()
	}
}

// Sessions is how many clients are connected.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clients)
}

// Close lets no further clients and requests in, and waits for calls that are running; their answers go out. When ctx ends
// before they have, it ends them and returns the cause.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	clients := s.connected()
	done := make(chan struct{})
	go func() {
		defer close(done)
		var closing sync.WaitGroup
		for _, c := range clients {
			closing.Go(func() {
				s.wait(ctx, c)
				c.close()
			})
		}
		closing.Wait()
		s.running.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	for _, c := range clients {
		c.cancel(errGone)
	}
	return context.Cause(ctx)
}

// view is what a session sees now. Sessions that see the same share it.
func (s *Server) view(who session.Session) *view {
	now := s.opts.Host.Catalog()
	key := strings.Join(append([]string{who.UserID, who.AgentID}, who.Features...), "\x00")
	s.views.Lock()
	defer s.views.Unlock()
	if s.views.all == nil || s.views.of != now || len(s.views.all) > s.opts.MaxSessions {
		s.views.of, s.views.all = now, map[string]*view{}
		s.views.tools.age()
	}
	v := s.views.all[key]
	if v == nil {
		v = newView(now, who, s.opts.Answers, s.views.tools.of)
		s.views.all[key] = v
	}
	return v
}

// Errors of letting somebody in.
var (
	errClosed = errors.New("the server is stopping")
	errFull   = errors.New("too many clients are connected")
)

// quiet makes a log of the SDK's, in which much is news, one of details.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, _ slog.Level) bool {
	return q.Handler.Enabled(ctx, slog.LevelDebug)
}

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return q.Handler.Handle(ctx, r)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }
func (q quiet) WithGroup(name string) slog.Handler       { return quiet{q.Handler.WithGroup(name)} }
