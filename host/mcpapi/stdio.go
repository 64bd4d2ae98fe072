package mcpapi

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/session"
)

// ServeStdio serves one client that writes to in and reads from out, one message a line. It returns nil when in has
// ended and what was asked is answered, or nobody reads, and the cause when ctx ends before. A reader that can be closed is closed then; one
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
	ss, err := c.sdk.Connect(ctx, patient{&mcp.IOTransport{Reader: reader{in}, Writer: writer{out}, MaxLineLength: int(s.opts.MaxBodyBytes)}, c}, nil)
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
	if c.ctx.Err() != nil || gone(err) {
		return nil
	}
	return err
}

// gone reports whether an error says that nobody is at the other end any more.
func gone(err error) bool {
	for _, end := range []error{io.EOF, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// patient is a transport whose input ends when what was asked is answered, and not before: the SDK drops answers that come
// later. A client may be a script that writes what it wants and reads what comes.
type patient struct {
	mcp.Transport
	client *client
}

func (t patient) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	open, cancel := context.WithCancel(context.Background())
	return &patientConn{Connection: inner, client: t.client, open: open, cancel: cancel, asked: map[jsonrpc.ID]bool{}}, nil
}

type patientConn struct {
	mcp.Connection
	client *client
	open   context.Context // ends with the connection
	cancel context.CancelFunc

	mu    sync.Mutex
	asked map[jsonrpc.ID]bool // calls of the client
}

func (c *patientConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if request, ok := message.(*jsonrpc.Request); ok && err == nil && request.IsCall() {
		c.mu.Lock()
		again := c.asked[request.ID]
		c.asked[request.ID] = true
		c.mu.Unlock()
		if !again {
			c.client.server.count(c.client, 1)
		}
	}
	if errors.Is(err, io.EOF) {
		c.client.server.wait(c.open, c.client)
	}
	return message, err
}

func (c *patientConn) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if response, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		asked := c.asked[response.ID]
		delete(c.asked, response.ID)
		c.mu.Unlock()
		if asked {
			c.client.server.count(c.client, -1)
		}
	}
	return err
}

func (c *patientConn) Close() error {
	c.cancel()
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
