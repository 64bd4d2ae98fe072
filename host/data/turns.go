package data

import (
	"context"
	"fmt"
	"sync"
)

// turns lets goroutines have things one after the other, in the order in which they came. Without it, all of
// them would look after the same lock file again and again.
type turns struct {
	mu    sync.Mutex
	lines map[string]*line
}

type line struct {
	slot  chan struct{} // full while somebody has the thing; channels are fair
	users int
}

// wait returns when it is the caller's turn, or when ctx is done. The function it returns ends the turn.
func (t *turns) wait(ctx context.Context, key string) (leave func(), err error) {
	t.mu.Lock()
	l := t.lines[key]
	if l == nil {
		if t.lines == nil {
			t.lines = map[string]*line{}
		}
		l = &line{slot: make(chan struct{}, 1)}
		t.lines[key] = l
	}
	l.users++
	t.mu.Unlock()

	gone := func() {
		t.mu.Lock()
		if l.users--; l.users == 0 {
			delete(t.lines, key)
		}
		t.mu.Unlock()
	}
	select {
	case l.slot <- struct{}{}:
		return func() { <-l.slot; gone() }, nil
	case <-ctx.Done():
		gone()
		return nil, fmt.Errorf("wait for a turn: %w", context.Cause(ctx))
	}
}
