package mcpapi

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What is kept for clients whose connection breaks: of each, and of all together, in bytes, and how many streams of each.
const (
	replayPerClient = 512 << 10
	replayTotal     = 64 << 20
	replayStreams   = 64
)

// replay keeps the last messages to each client, so that one whose connection broke can go on where it was (the
// header Last-Event-ID). A stream of which something was thrown away cannot be gone on with from before that.
type replay struct {
	mu      sync.Mutex
	clients map[string]*recording
	bytes   int
}

// recording is what is kept for one client.
type recording struct {
	streams map[string]*stream
	order   []string // the oldest first
	bytes   int
}

// stream is what is kept of one stream.
type stream struct {
	first int // the index of the first message in data
	data  [][]byte
	lost  bool // messages were written that nobody counted
}

func newReplay() *replay { return &replay{clients: map[string]*recording{}} }

var _ mcp.EventStore = (*replay)(nil)

// Open implements mcp.EventStore.
func (r *replay) Open(_ context.Context, client, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stream(client, id, false)
	return nil
}

// stream is a stream of a client, which is made where there is none. lost says that this is not its beginning.
func (r *replay) stream(client, id string, lost bool) (*recording, *stream) {
	c := r.clients[client]
	if c == nil {
		c = &recording{streams: map[string]*stream{}}
		r.clients[client] = c
	}
	s := c.streams[id]
	if s == nil {
		s = &stream{lost: lost}
		c.streams[id] = s
		c.order = append(c.order, id)
		if len(c.order) > replayStreams {
			r.forget(c, id)
		}
	}
	return c, s
}

// Append implements mcp.EventStore.
func (r *replay) Append(_ context.Context, client, id string, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, s := r.stream(client, id, true)
	s.data = append(s.data, data)
	c.bytes += len(data)
	r.bytes += len(data)
	for c.bytes > replayPerClient || r.bytes > replayTotal && c.bytes > 0 {
		if !r.forget(c, id) {
			r.shift(c, s)
		}
	}
	return nil
}

// forget throws away the oldest stream other than the one that is in use and the one that is always there. It reports
// whether there was any.
func (r *replay) forget(c *recording, inUse string) bool {
	i := slices.IndexFunc(c.order, func(id string) bool { return id != inUse && id != "" })
	if i < 0 {
		if s := c.streams[""]; inUse != "" && s != nil && len(s.data) > 0 {
			r.shift(c, s)
			return true
		}
		return false
	}
	s := c.streams[c.order[i]]
	for len(s.data) > 0 {
		r.shift(c, s)
	}
	delete(c.streams, c.order[i])
	c.order = slices.Delete(c.order, i, i+1)
	return true
}

// shift throws away the first message of a stream.
func (r *replay) shift(c *recording, s *stream) {
	n := len(s.data[0])
	s.data[0] = nil
	s.data = s.data[1:]
	s.first++
	c.bytes -= n
	r.bytes -= n
}

// After implements mcp.EventStore.
func (r *replay) After(_ context.Context, client, id string, index int) iter.Seq2[[]byte, error] {
	r.mu.Lock()
	var kept [][]byte
	err := mcp.ErrEventsPurged
	if c := r.clients[client]; c != nil {
		if s := c.streams[id]; s != nil && !s.lost && index+1 >= s.first {
			err = nil
			kept = slices.Clone(s.data[min(index+1-s.first, len(s.data)):])
		}
	}
	r.mu.Unlock()
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for _, data := range kept {
			if !yield(data, nil) {
				return
			}
		}
	}
}

// SessionClosed implements mcp.EventStore.
func (r *replay) SessionClosed(_ context.Context, client string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[client]; c != nil {
		r.bytes -= c.bytes
		delete(r.clients, client)
	}
	return nil
}
