package mcpapi

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/session"
)

// ServeStdio serves one client that writes to in and reads from out, one message a line. It returns nil when in has
// ended and what was asked is answered, and the cause when ctx ends before. A reader that can be closed is closed then; one
// that cannot is left waiting.
func (s *Server) ServeStdio(ctx context.Context, who session.Session, in io.Reader, out io.Writer) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	c := s.newClient(who, "")
	s.clients[c] = struct{}{}
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()
	defer s.release(c)
	ss, err := c.sdk.Connect(ctx, &mcp.IOTransport{Reader: reader{in}, Writer: writer{out}, MaxLineLength: int(s.opts.MaxBodyBytes)}, nil)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		c.cancel(context.Cause(ctx))
		_ = ss.Close()
	})
	defer stop()
	err = ss.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, io.EOF) || c.ctx.Err() != nil {
		return nil
	}
	return err
}

// reader closes what can be closed.
type reader struct{ io.Reader }

func (r reader) Close() error {
	if closer, ok := r.Reader.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// writer is left open: it is the caller's.
type writer struct{ io.Writer }

func (writer) Close() error { return nil }
