package mcpapi

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
	ss, err := c.sdk.Connect(ctx, patient{&mcp.IOTransport{Reader: reader{in}, Writer: writer{out}, MaxLineLength: int(s.opts.MaxBodyBytes)}}, nil)
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

// patient is a transport whose input ends when what was asked is answered, and not before: the SDK drops answers that come
// later. A client may be a script that writes what it wants and reads what comes.
type patient struct{ mcp.Transport }

func (t patient) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConn{Connection: inner, open: map[jsonrpc.ID]struct{}{}, answered: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

type patientConn struct {
	mcp.Connection
	answered chan struct{} // has room for one
	closed   chan struct{}
	once     sync.Once

	mu   sync.Mutex
	open map[jsonrpc.ID]struct{} // requests of the client
}

func (c *patientConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if request, ok := message.(*jsonrpc.Request); ok && err == nil {
		c.mu.Lock()
		if request.IsCall() {
			c.open[request.ID] = struct{}{}
		}
		c.mu.Unlock()
	}
	for errors.Is(err, io.EOF) && c.waits() {
		select {
		case <-c.answered:
		case <-c.closed:
			return nil, err
		case <-ctx.Done():
			return nil, err
		}
	}
	return message, err
}

func (c *patientConn) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}

func (c *patientConn) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if response, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, response.ID)
		c.mu.Unlock()
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

func (c *patientConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
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
