package devserver

import (
	"sync"
	"time"

	"github.com/neuralis-dev/neuralis/manifest"
)

// Kind is what an event is about. Kinds are stable: programs compare them.
type Kind string

// The kinds of events.
const (
	// KindReady: the server answers.
	KindReady Kind = "ready"
	// KindBuilt: a package was built, and what answers is new.
	KindBuilt Kind = "built"
	// KindBroken: a save broke a package. Its last good version, if there is one, goes on.
	KindBroken Kind = "broken"
	// KindMended: a package that was broken is not any more.
	KindMended Kind = "mended"
	// KindChanged: what there is has changed: packages came or went, or are different.
	KindChanged Kind = "changed"
	// KindCalled: a tool, a route or an API was called.
	KindCalled Kind = "called"
	// KindLogged: a package logged a line.
	KindLogged Kind = "logged"
	// KindNotice: something that the author should know.
	KindNotice Kind = "notice"
)

// Event is something that happened. Which members it has follows from its kind.
type Event struct {
	// ID counts the events of a server, from 1.
	ID   uint64    `json:"id"`
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`

	// Package is the id of a package, and Dir its folder as the author writes it.
	Package string `json:"package,omitempty"`
	Dir     string `json:"dir,omitempty"`
	// Milliseconds is how long a build or a call took.
	Milliseconds float64 `json:"milliseconds,omitempty"`
	// Diagnostics are what is wrong; empty for what is not.
	Diagnostics manifest.Diagnostics `json:"diagnostics,omitempty"`
	// Added, Removed and Changed are the keys of packages, for KindChanged.
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Changed []string `json:"changed,omitempty"`
	// Target is what was called, and Code what went wrong with it; empty for an answer.
	Target string `json:"target,omitempty"`
	Code   string `json:"code,omitempty"`
	// Level and Message are a line's, or a notice's.
	Level   string `json:"level,omitempty"`
	Message string `json:"message,omitempty"`
	// URL is where the server is.
	URL string `json:"url,omitempty"`
}

// Events are the events of a server. They may be used by many goroutines at once. Somebody who does not keep up misses
// some: nobody waits for a reader.
type Events struct {
	now func() time.Time

	mu      sync.Mutex
	last    uint64
	recent  []Event
	readers map[chan Event]struct{}
}

// Of the events that have been, so many are kept for readers who come later, and so many may wait for a reader.
const (
	keptEvents = 256
	waiting    = 256
)

// NewEvents makes the events of a server. now is the clock; nil is time.Now.
func NewEvents(now func() time.Time) *Events {
	if now == nil {
		now = time.Now
	}
	return &Events{now: now, readers: map[chan Event]struct{}{}}
}

// Emit tells of an event. ID and Time are filled in.
func (e *Events) Emit(event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	event.ID, event.Time = e.last, e.now()
	if len(e.recent) == keptEvents {
		copy(e.recent, e.recent[1:])
		e.recent = e.recent[:keptEvents-1]
	}
	e.recent = append(e.recent, event)
	for reader := range e.readers {
		select {
		case reader <- event:
		default:
		}
	}
}

// Subscribe returns the events after one, as far as they are kept, and a channel of those to come. stop ends that, and must
// be called.
func (e *Events) Subscribe(after uint64) (missed []Event, next <-chan Event, stop func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, event := range e.recent {
		if event.ID > after {
			missed = append(missed, event)
		}
	}
	reader := make(chan Event, waiting)
	e.readers[reader] = struct{}{}
	return missed, reader, sync.OnceFunc(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.readers, reader)
		close(reader)
	})
}

// Last is the id of the latest event; 0 before the first.
func (e *Events) Last() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}
