//lint:file-ignore SA1019 log messages and sampling are deprecated in a version of the protocol that is not spoken here.

package mcpapi

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/session"
)

// usage is what the server keeps about a client; Server.mu guards it.
type usage struct {
	open       int       // requests of HTTP
	last       time.Time // when one ended
	unanswered int       // what the client has sent and not been answered: requests of HTTP with messages, calls on stdio
}

// count takes note that the client has sent something, or, with -1, that it is answered.
func (s *Server) count(c *client, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.usage.unanswered += n; c.usage.unanswered == 0 {
		s.answered.Broadcast()
	}
}

// wait waits until a client is answered, or until ctx ends.
func (s *Server) wait(ctx context.Context, c *client) {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.answered.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for c.usage.unanswered > 0 && ctx.Err() == nil {
		s.answered.Wait()
	}
}

// admit makes room for a client of HTTP that is about to begin.
func (s *Server) admit(who session.Session) (*client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	var mine []*client
	for _, c := range s.byID {
		if sameUser(c.owner, who) {
			mine = append(mine, c)
		}
	}
	if len(mine) >= s.opts.MaxSessionsPerUser || len(s.byID) >= s.opts.MaxSessions {
		// Only what is the user's own is closed for it: nobody can push others out.
		unused := slices.DeleteFunc(mine, func(c *client) bool { return c.usage.open > 0 })
		if len(unused) == 0 {
			return nil, errFull
		}
		oldest := slices.MinFunc(unused, func(a, b *client) int { return a.usage.last.Compare(b.usage.last) })
		s.opts.Log.Debug("a client of the protocol is closed to make room for another one of its user", "user", who.UserID)
		s.forget(oldest)
		s.closeLater(oldest)
	}
	c := s.newClient(who, rand.Text())
	c.usage = usage{open: 1, last: s.opts.Now()}
	s.clients[c] = struct{}{}
	s.byID[c.id] = c
	return c, nil
}

// enter begins a request of a client that is there, and returns nil where none of the id is that user's.
func (s *Server) enter(id string, who session.Session) *client {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.byID[id]
	if c == nil || !sameUser(c.owner, who) {
		return nil
	}
	c.usage.open++
	return c
}

// leave ends a request.
func (s *Server) leave(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.usage.open--
	c.usage.last = s.opts.Now()
}

// keep watches over a client from the end of its first request on, if that has begun a session.
func (s *Server) keep(c *client) {
	for ss := range c.sdk.Sessions() {
		watch := func() {
			_ = ss.Wait()
			_ = ss.Close() // the handler of the SDK keeps it until then
			s.release(c)
		}
		s.mu.Lock()
		closed := s.closed
		if !closed {
			s.running.Go(watch)
		}
		s.mu.Unlock()
		if closed { // while the request ran
			c.cancel(errGone)
			_ = ss.Close()
			s.release(c)
		}
		return
	}
	s.release(c)
}

// release lets go of a client that is gone.
func (s *Server) release(c *client) {
	c.cancel(errGone)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(c)
}

// forget takes a client out of the lists. Server.mu is held.
func (s *Server) forget(c *client) {
	delete(s.clients, c)
	if c.id != "" {
		delete(s.byID, c.id)
	}
}

// drop closes a client.
func (s *Server) drop(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(c)
	s.closeLater(c)
}

// closeLater ends the calls of a client and closes its connection when they have ended. Server.mu is held.
func (s *Server) closeLater(c *client) {
	if s.closed {
		return // Close does it
	}
	s.running.Go(c.close)
}

// dropIdle closes the clients of HTTP that have been silent for too long.
func (s *Server) dropIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	before := s.opts.Now().Add(-s.opts.IdleAfter)
	for _, c := range s.byID {
		if c.usage.open == 0 && c.usage.last.Before(before) {
			s.forget(c)
			s.closeLater(c)
		}
	}
}

// connected are the clients there are.
func (s *Server) connected() []*client {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*client
	for c := range s.clients {
		all = append(all, c)
	}
	return all
}

// sameUser reports whether two sessions are those of the same user, agent and project, whatever they may do.
func sameUser(a, b session.Session) bool {
	return a.UserID == b.UserID && a.AgentID == b.AgentID && a.ProjectID == b.ProjectID && a.CallerID == b.CallerID
}

// capabilities are what the server can do.
func capabilities() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{
		Logging:     &mcp.LoggingCapabilities{},
		Completions: &mcp.CompletionCapabilities{},
		Tools:       &mcp.ToolCapabilities{ListChanged: true},
		Prompts:     &mcp.PromptCapabilities{ListChanged: true},
		Resources:   &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
	}
}
