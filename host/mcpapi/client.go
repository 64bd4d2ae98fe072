package mcpapi

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/session"
)

// client is somebody who is connected. Each has a server of the SDK's to itself, so that what one is told is nothing to the
// others.
type client struct {
	server *Server
	id     string          // of the protocol's session; empty on stdio
	owner  session.Session // who began it
	sdk    *mcp.Server
	usage  usage

	ctx    context.Context // ends when the client is gone
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	session session.Session
	told    marks
	watched map[string]string // versions of the resources that the client has subscribed to, by URI

	requests atomic.Uint64 // without an id
}

var errGone = errors.New("the client is gone")

// maxWatched is how many resources one client can subscribe to.
const maxWatched = 1000

// spoken are the versions of the protocol in which a server can ask its client something during a call.
func spoken() []string {
	return slices.DeleteFunc(mcp.SupportedProtocolVersions(), func(v string) bool { return v >= "2026-07-28" })
}

func (s *Server) newClient(who session.Session, id string) *client {
	c := &client{server: s, id: id, owner: who, session: who, watched: map[string]string{}}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.sdk = mcp.NewServer(&mcp.Implementation{Name: s.opts.Name, Title: s.opts.Title, Version: s.opts.Version}, &mcp.ServerOptions{
		Instructions:              s.opts.Instructions,
		Logger:                    slog.New(quiet{s.opts.Log.Handler()}),
		Capabilities:              capabilities(),
		SupportedProtocolVersions: spoken(),
		GetSessionID:              func() string { return id },
		CompletionHandler:         c.complete,
		SubscribeHandler:          c.subscribe,
		UnsubscribeHandler:        c.unsubscribe,
	})
	c.sdk.AddReceivingMiddleware(c.receive)
	c.sdk.AddSendingMiddleware(asWritten)
	return c
}

// who is whom the client acts for.
func (c *client) who() session.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// become gives the client another session of its user. It reports whether that makes a difference.
func (c *client) become(who session.Session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	same := c.session.Role == who.Role && c.session.CallerTrust == who.CallerTrust && slices.Equal(c.session.Features, who.Features)
	c.session = who
	return !same
}

// view is what the client sees.
func (c *client) view() *view { return c.server.view(c.who()) }

// close ends the calls of the client, and its connection when they have ended.
func (c *client) close() {
	c.cancel(errGone)
	for ss := range c.sdk.Sessions() {
		_ = ss.Close()
	}
}

// begin takes note of what there is when the client comes: only what is different later is news to it.
func (c *client) begin() {
	v := c.view()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = v.marks
}

// requestID is what logs call a request: the id that the server around has given it, or one that tells nobody the id of
// the session, with which they could use it.
func (c *client) requestID(extra *mcp.RequestExtra) string {
	if extra != nil {
		if id := extra.Header.Get(requestHeader); id != "" {
			return id
		}
	}
	name := "stdio"
	if len(c.id) >= 6 {
		name = c.id[:6]
	}
	return "mcp-" + name + "-" + strconv.FormatUint(c.requests.Add(1), 10)
}

// bound returns the context of a call, which ends with the client.
func (c *client) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// markers are what the lists of the SDK's server have in them: nothing that anybody is shown, as receive answers for the
// lists. To put one in again is how the SDK comes to send a notification.
var (
	markerTool     = &mcp.Tool{Name: "marker", InputSchema: map[string]any{"type": "object"}}
	markerPrompt   = &mcp.Prompt{Name: "marker"}
	markerResource = &mcp.Resource{Name: "marker", URI: uriScheme + "://marker"}
)

// tell tells the client what is different from what it was told of last.
func (c *client) tell() {
	v := c.view()
	c.mu.Lock()
	before := c.told
	c.told = v.marks
	var updated []string
	for uri, version := range c.watched {
		now := "gone"
		if r, _ := v.find(uri); r != nil {
			now = r.version()
		}
		if now != version {
			c.watched[uri] = now
			updated = append(updated, uri)
		}
	}
	user := c.session.UserID
	c.mu.Unlock()

	log := c.server.opts.Log
	if before.tools != v.marks.tools {
		log.Debug("telling a client that its tools have changed", "user", user)
		c.sdk.AddTool(markerTool, nil)
	}
	if before.prompts != v.marks.prompts {
		log.Debug("telling a client that its prompts have changed", "user", user)
		c.sdk.AddPrompt(markerPrompt, nil)
	}
	if before.resources != v.marks.resources {
		log.Debug("telling a client that its resources have changed", "user", user)
		c.sdk.AddResource(markerResource, nil)
	}
	if len(updated) == 0 {
		return
	}
	slices.Sort(updated)
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if c.server.closed {
		return
	}
	c.server.running.Go(func() { // it waits for a client that does not read
		for _, uri := range updated {
			_ = c.sdk.ResourceUpdated(c.ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}
	})
}

// subscribe lets the client watch a resource.
func (c *client) subscribe(_ context.Context, request *mcp.SubscribeRequest) error {
	uri := request.Params.URI
	r, _ := c.view().find(uri)
	if r == nil {
		return notFound(uri)
	}
	version := r.version()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.watched[uri]; !ok && len(c.watched) >= maxWatched {
		return invalid(nil, "at most %d resources can be subscribed to", maxWatched)
	}
	c.watched[uri] = version
	return nil
}

func (c *client) unsubscribe(_ context.Context, request *mcp.UnsubscribeRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watched, request.Params.URI)
	return nil
}
