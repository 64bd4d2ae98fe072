package limit

import (
	"sync"
	"time"
)

// Window is the stretch of time over which calls are counted.
const Window = time.Minute

// Kind is what is counted. Kinds of one package are counted apart.
type Kind string

// The kinds.
const (
	Tools  Kind = "tools"
	Routes Kind = "routes"
)

// Decision is what was decided about one call.
type Decision struct {
	// Allowed says that the call may be made; it is counted.
	Allowed bool
	// Remaining is how many more calls would be let through now; -1 where there is no limit.
	Remaining int
	// RetryAfter is how long it takes until a call would be let through, if no other came before; 0 for one that
	// was.
	RetryAfter time.Duration
}

// Limiter counts. It is safe for concurrent use.
type Limiter struct {
	now func() time.Time

	mu     sync.Mutex
	start  time.Time // what times are counted from
	latest int64     // the largest time seen
	counts map[key]*ring
	swept  int64 // when what is empty was last taken out
}

type key struct {
	pkg  string
	kind Kind
}

// New makes a limiter that reads the time from now, which may be called by many goroutines at once. Use time.Now
// outside of tests: its times are of the monotonic clock, which no correction of the wall clock disturbs.
func New(now func() time.Time) *Limiter {
	return &Limiter{now: now, start: now(), counts: map[key]*ring{}}
}

// Allow decides about one call of a package, named as the caller likes, and counts it if it may be made. perMinute
// is the limit that holds now; 0 or less is no limit, and then nothing is counted. When a limit is lowered, calls
// are refused until so many of those already made have left the window that it is kept.
func (l *Limiter) Allow(pkg string, kind Kind, perMinute int) Decision {
	if perMinute <= 0 {
		return Decision{Allowed: true, Remaining: -1}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// Read under the lock, so that times enter the rings in order.
	now := max(l.latest, int64(l.now().Sub(l.start)))
	l.latest = now
	l.sweep(now)
	k := key{pkg, kind}
	r := l.counts[k]
	if r == nil {
		r = &ring{}
		l.counts[k] = r
	}
	r.expire(now - int64(Window))
	if r.length >= perMinute {
		// There is room when all but perMinute-1 of them have left.
		return Decision{RetryAfter: time.Duration(r.at(r.length-perMinute) + int64(Window) - now)}
	}
	r.push(now, perMinute)
	return Decision{Allowed: true, Remaining: perMinute - r.length}
}

// Len is how many pairs of a package and a kind take memory, for metrics.
func (l *Limiter) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.counts)
}

// sweep takes out, once in a window, what has no call in it.
func (l *Limiter) sweep(now int64) {
	if now-l.swept < int64(Window) {
		return
	}
	l.swept = now
	for k, r := range l.counts {
		if r.expire(now - int64(Window)); r.length == 0 {
			delete(l.counts, k)
		}
	}
}
