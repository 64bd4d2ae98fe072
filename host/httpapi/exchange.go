package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/session"
)

// exchange is one request and its response. Handlers answer it once, with send or one of the methods that call it; the
// metrics and what is mounted write for themselves.
type exchange struct {
	api  *api
	w    *writer
	r    *http.Request
	path string // percent-encoded, as it was sent
	id   string
	who  session.Session
	// mount is where the handler is mounted that answers; empty for the API's own.
	mount string
	// unread is until when the server reads what is left of the body; zero when nothing is.
	unread time.Time
}

// writer remembers what was answered.
type writer struct {
	http.ResponseWriter
	status int // 0 before the answer
	bytes  int64
	// bound gives the client time to receive so many bytes more; nil where whoever writes does that.
	bound func(size int64)
}

func (w *writer) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(data []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	w.giveTime(int64(len(data)))
	n, err := w.ResponseWriter.Write(data)
	w.bytes += int64(n)
	return n, err
}

// Unwrap is for [http.ResponseController].
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush is for handlers that send as they go and look for an [http.Flusher].
func (w *writer) Flush() {
	w.status = cmp.Or(w.status, http.StatusOK)
	w.giveTime(0)
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *writer) giveTime(size int64) {
	if w.bound != nil {
		w.bound(size)
	}
}

// The bounds of what a log keeps of a request.
const (
	maxLoggedPath   = 1 << 10
	maxLoggedMethod = 32
)

// serve answers a request, whatever happens, and logs it.
func (a *api) serve(rw http.ResponseWriter, r *http.Request) {
	start, done := a.Now(), a.Track()
	x := &exchange{api: a, w: &writer{ResponseWriter: rw}, path: r.URL.EscapedPath(), id: a.requestID(r)}
	x.r = r.WithContext(dispatch.WithRequest(r.Context(), x.id))
	header := rw.Header()
	header.Set(requestIDHeader, x.id)
	header.Set("X-Content-Type-Options", "nosniff")
	defer func() {
		thrown := recover()
		if thrown != nil && thrown != http.ErrAbortHandler { //nolint:errorlint // it is thrown as it is
			a.Log.Error("the server panicked, which is a fault of its own", "request", x.id, "panic", fmt.Sprint(thrown), "stack", string(debug.Stack()))
			if x.w.status == 0 {
				x.w.Header().Del("Content-Encoding") // of what was to come
				x.fail(http.StatusInternalServerError, dispatch.CodeInternal, "the host failed; its log says more")
				thrown = nil
			}
		}
		status := cmp.Or(x.w.status, http.StatusInternalServerError)
		done(status)
		level := slog.LevelInfo
		if status >= 500 {
			level = slog.LevelWarn
		}
		a.Log.LogAttrs(x.r.Context(), level, "request",
			slog.String("request", x.id), slog.String("method", clip(r.Method, maxLoggedMethod)), slog.String("path", clip(x.path, maxLoggedPath)),
			slog.Int("status", status), slog.Int64("bytes", x.w.bytes), slog.Float64("tookMs", float64(a.Now().Sub(start).Microseconds())/1e3), slog.String("user", x.who.UserID))
		if thrown != nil {
			panic(http.ErrAbortHandler) // a part of the answer is out: the client must not take it for all
		}
	}()
	if r.Body != nil && r.Body != http.NoBody {
		// It holds until the body has been read to its end, by a handler or by the server, which wants to read it
		// before it answers.
		size := r.ContentLength
		if size < 0 || size > a.MaxBodyBytes {
			size = a.MaxBodyBytes
		}
		x.unread = a.Now().Add(a.Patience + taking(size))
		_ = http.NewResponseController(rw).SetReadDeadline(x.unread)
	}
	a.route(x)
}

// taking is how long a number of bytes may take.
func taking(size int64) time.Duration { return time.Duration(size) * time.Second / minRate }

const requestIDHeader = "X-Request-Id"

// requestID is the id that a request comes with, if it is one that is good for logs, or a new one.
func (a *api) requestID(r *http.Request) string {
	ids := r.Header.Values(requestIDHeader)
	if len(ids) == 1 && len(ids[0]) >= 1 && len(ids[0]) <= 128 && !strings.ContainsFunc(ids[0], unfit) {
		return ids[0]
	}
	return a.NewRequestID()
}

// unfit reports whether a character is none of an id of a request.
func unfit(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-'
}

// allow answers a request if it has one of some methods.
func (x *exchange) allow(answer func(*exchange), methods ...string) {
	if slices.Contains(methods, x.r.Method) {
		answer(x)
		return
	}
	x.w.Header().Set("Allow", strings.Join(methods, ", "))
	x.fail(http.StatusMethodNotAllowed, dispatch.CodeMethodNotAllowed, fmt.Sprintf("%s does not answer %s, only %s", clip(x.path, 200), clip(x.r.Method, 20), strings.Join(methods, ", ")))
}

// body reads the body of a request. If it is not ok, the request is answered.
func (x *exchange) body() (body []byte, ok bool) {
	most := x.api.MaxBodyBytes
	if x.r.ContentLength > most {
		x.tooLong()
		return nil, false
	}
	body, err := io.ReadAll(io.LimitReader(x.r.Body, most+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded): // which the server takes for a client that went away
		x.w.Header().Set("Connection", "close")
		x.fail(http.StatusRequestTimeout, CodeRequestTimeout, "the body of the request takes too long to come")
	case err != nil && cancelled(x.r.Context()):
		x.fail(dispatch.CodeCancelled.Status(), dispatch.CodeCancelled, "the client went away")
	case err != nil:
		x.w.Header().Set("Connection", "close")
		x.invalid(http.StatusBadRequest, "the body of the request cannot be read to its end")
	case int64(len(body)) > most:
		x.tooLong()
	default:
		x.unread = time.Time{}
		return body, true
	}
	return nil, false
}

func (x *exchange) tooLong() {
	x.w.Header().Set("Connection", "close") // or the server would read on
	x.fail(http.StatusRequestEntityTooLarge, dispatch.CodeTooLarge, fmt.Sprintf("the body of the request is too long; at most %d bytes are allowed", x.api.MaxBodyBytes))
}

// bound gives the client a time to receive an answer. It begins when the server has read what is left of the body.
func (x *exchange) bound(size int64) {
	start := x.api.Now()
	if x.unread.After(start) {
		start = x.unread
	}
	_ = http.NewResponseController(x.w.ResponseWriter).SetWriteDeadline(start.Add(DefaultPatience + taking(size)))
}

// send answers a request.
func (x *exchange) send(status int, body []byte) {
	header := x.w.Header()
	head := x.r.Method == http.MethodHead
	hasBody := status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
	switch {
	case !hasBody:
		body = nil
	case len(body) > 0 || !head: // to HEAD, no body says nothing about how long it would be
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	x.bound(int64(len(body)))
	x.w.WriteHeader(status)
	if len(body) > 0 && !head {
		_, _ = x.w.Write(body) // a client that is gone needs no answer
	}
}

// sendJSON answers with a document of the host's own.
func (x *exchange) sendJSON(status int, document any) {
	body, err := encode(document)
	if err != nil {
		panic(fmt.Errorf("a document of the API cannot be written: %w", err))
	}
	header := x.w.Header()
	header.Set("Content-Type", contentTypeJSON)
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "no-store")
	}
	x.send(status, append(body, '\n'))
}

// cancelled reports whether the client has gone away.
func cancelled(ctx context.Context) bool { return ctx.Err() != nil }
