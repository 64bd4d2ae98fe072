package watch

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// boxed is how many paths a box holds. Beyond them it knows only that there are more: to look at everything is cheaper then.
const boxed = 20_000

// box is where sources put what they hear, without ever waiting: a source that waits makes the system drop events.
type box struct {
	signal chan struct{} // has a value when there is something to take

	mu    sync.Mutex
	paths map[string]fsnotify.Op // what happened to each; the order is lost, and looked up on disk
	lost  bool                   // there is more than paths tells
	asked bool                   // somebody wants everything looked at
}

func newBox() *box {
	return &box{signal: make(chan struct{}, 1), paths: map[string]fsnotify.Op{}}
}

func (b *box) put(path string, op fsnotify.Op) {
	b.mu.Lock()
	if len(b.paths) < boxed {
		b.paths[path] |= op
	} else {
		b.lost = true
	}
	b.mu.Unlock()
	b.wake()
}

func (b *box) putLost() {
	b.mu.Lock()
	b.lost = true
	b.mu.Unlock()
	b.wake()
}

func (b *box) ask() {
	b.mu.Lock()
	b.asked = true
	b.mu.Unlock()
	b.wake()
}

func (b *box) wake() {
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// take empties the box.
func (b *box) take() (paths map[string]fsnotify.Op, lost, asked bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths, lost, asked = b.paths, b.lost, b.asked
	b.clear()
	b.asked = false
	return paths, lost, asked
}

// discard empties the box of what sources have put into it.
func (b *box) discard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}

func (b *box) clear() { b.paths, b.lost = map[string]fsnotify.Op{}, false }

// empty reports whether there is nothing to take.
func (b *box) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.paths) == 0 && !b.lost && !b.asked
}
