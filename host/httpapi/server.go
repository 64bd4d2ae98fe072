package httpapi

import (
	"log/slog"
	"net/http"
	"time"
)

// The limits of a [Server].
const (
	// ReadHeaderTimeout is how long the head of a request may take.
	ReadHeaderTimeout = 10 * time.Second
	// IdleTimeout is how long a connection stays that nobody uses.
	IdleTimeout = 2 * time.Minute
	// MaxHeaderBytes is how long the head of a request may be.
	MaxHeaderBytes = 64 << 10
)

// Server makes a server that answers with a handler of [New]. log, which may be nil, is told of what goes wrong with
// connections.
//
// The times for bodies and answers are not the server's: how long a call may take is for its package's tier, and operators
// change it, so that no time for a whole request would be right. The handler gives each body and each answer a time
// of its own. A handler that is put beside it has to do so, too.
func Server(handler http.Handler, log *slog.Logger) *http.Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: ReadHeaderTimeout,
		IdleTimeout:       IdleTimeout,
		MaxHeaderBytes:    MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
