package mcpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/session"
)

// sessionHeader carries the id of the protocol's session.
const sessionHeader = "Mcp-Session-Id"

// requestHeader carries the id of a request, which a server around this one may have put into the answer.
const requestHeader = "X-Request-Id"

// clientKey is the key, in a context, of the client that a request is from.
type clientKey struct{}

// Handler serves Streamable HTTP, at whatever path it is mounted. identify says who a request is from; it must not read the
// body. Its error refuses the request, and its text goes out.
//
// What is left to the server around it: TLS, limits of headers and of slow clients, and answers to OPTIONS. Logs of calls name
// the request by the header X-Request-Id that it has put into the answer, if it has.
func (s *Server) Handler(identify func(*http.Request) (session.Session, error)) http.Handler {
	inner := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if c, ok := r.Context().Value(clientKey{}).(*client); ok {
			return c.sdk
		}
		return nil
	}, &mcp.StreamableHTTPOptions{
		Logger:                     slog.New(quiet{s.opts.Log.Handler()}),
		EventStore:                 s.replay,
		MaxRequestBodyBytes:        s.opts.MaxBodyBytes,
		DisableLocalhostProtection: s.opts.AnyHost,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.opts.Origins.Check(r); err != nil {
			http.Error(w, "Forbidden: the request comes from a page of another origin", http.StatusForbidden)
			return
		}
		who, err := identify(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "Unauthorized: "+err.Error(), http.StatusUnauthorized)
			return
		}
		s.serve(inner, w, r, who)
	})
}

// serve serves a request of somebody.
func (s *Server) serve(inner http.Handler, w http.ResponseWriter, r *http.Request, who session.Session) {
	// All that the SDK hands on of a request are its headers.
	r = r.WithContext(r.Context())
	r.Header = r.Header.Clone()
	r.Header.Del(requestHeader)
	if id := w.Header().Get(requestHeader); id != "" {
		r.Header.Set(requestHeader, id)
	}
	id := r.Header.Get(sessionHeader)
	if id == "" {
		if r.Method != http.MethodPost {
			inner.ServeHTTP(w, r) // which says what is missing
			return
		}
		c, err := s.admit(who)
		if err != nil {
			if errors.Is(err, errFull) {
				w.Header().Set("Retry-After", "60")
			}
			http.Error(w, "Service Unavailable: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		s.count(c, 1)
		defer s.keep(c)
		defer s.leave(c)
		defer s.count(c, -1)
		inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
		return
	}
	c := s.enter(id, who)
	if c == nil {
		http.Error(w, "session not found", http.StatusNotFound) // a client begins another one then
		return
	}
	defer s.leave(c)
	if c.become(who) {
		c.tell()
	}
	switch r.Method {
	case http.MethodDelete:
		c.cancel(errGone) // or it would wait for the calls
	case http.MethodPost:
		s.count(c, 1)
		defer s.count(c, -1)
	}
	inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
}
