package devserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// heartbeat is how often a stream says that it lives, so that what is between does not cut it off.
const heartbeat = 15 * time.Second

// patience is how long a reader of a stream may take to take what it is sent.
const patience = 10 * time.Second

// ServeHTTP streams the events as server-sent events (WHATWG HTML, 9.2): each has its id, its kind as the name of the
// event, and itself as JSON. A client that comes again says with Last-Event-ID which one was its last, or with the
// query's after; without either, it gets those to come.
func (e *Events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		refuse(w, http.StatusMethodNotAllowed, "method-not-allowed", "events are read with GET")
		return
	}
	after := e.Last()
	for _, text := range []string{r.URL.Query().Get("after"), r.Header.Get("Last-Event-ID")} {
		if text == "" {
			continue
		}
		id, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			refuse(w, http.StatusBadRequest, "invalid-request", fmt.Sprintf("%q is not the id of an event", clipped(text)))
			return
		}
		after = id
	}
	missed, next, stop := e.Subscribe(after)
	defer stop()
	stream := http.NewResponseController(w)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	send := func(text string) bool {
		// Not all writers have deadlines; those of a server do.
		_ = stream.SetWriteDeadline(time.Now().Add(patience))
		_, err := w.Write([]byte(text))
		return err == nil && stream.Flush() == nil
	}
	if !send("retry: 1000\n\n") {
		return
	}
	for _, event := range missed {
		if !send(frame(event)) {
			return
		}
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		text := ": \n\n"
		select {
		case <-r.Context().Done():
			return
		case event, ok := <-next:
			if !ok {
				return
			}
			text = frame(event)
		case <-beat.C:
		}
		if !send(text) {
			return
		}
	}
}

// frame is an event on the wire. JSON has no line breaks.
func frame(event Event) string {
	data, err := json.Marshal(event)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", event.ID, event.Kind, data)
}
