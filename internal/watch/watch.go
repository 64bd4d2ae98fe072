package watch

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// DefaultInterval is how often polled folders are looked at.
const DefaultInterval = 500 * time.Millisecond

// Options are what a watcher works with. Changed is needed.
type Options struct {
	// Changed is called when something has changed. It may take as long as it likes: it is called by one goroutine, and
	// changes meanwhile lead to another call. It may call all methods but Close.
	Changed func(Change)
	// Ignore is asked about each path below a root, called as the root is; what it says yes to, and everything below that, is not
	// watched. Nil ignores nothing but what always is (see the package's comment). It is asked by one goroutine at a time.
	Ignore func(path string) bool
	// Poll has everything polled. Otherwise that depends on where it is.
	Poll bool
	// Interval is how often polled folders are looked at; 0 is DefaultInterval. It is less often where a look takes more than a
	// twentieth of it.
	Interval time.Duration
	// Notice is told what the author should know, such as that folders are polled and why; once for each reason. Nil is nobody.
	// It may not call the watcher.
	Notice func(message string)
}

// Change says where to look. Lists are sorted and have no duplicates.
type Change struct {
	// Roots are those below which something changed, as they were given to SetRoots.
	Roots []string
	// Paths are what changed: files, or folders of which everything may be different. They are called as the root is, and,
	// where links lead to them, by their paths without links as well. It is empty if All is set.
	Paths []string
	// All says that anything below Roots may have changed.
	All bool
}

// Watcher watches folders. Its methods may be called by many goroutines at once.
type Watcher struct {
	opts Options
	box  *box

	stop, ended chan struct{}
	close       sync.Once
	closing     sync.WaitGroup // sources that are not needed any more

	mu       sync.Mutex
	closed   bool
	roots    []string
	tree     *tree // nil without roots
	places   map[uint64]place
	noticed  map[string]bool
	patience patience
	changed  map[string]bool // paths that changed, and whether the tree may grow there
	doubtful bool            // the tree is to be planted anew
	all      bool            // anything may have changed

	// What the system is asked, which tests answer instead.
	remote func(dir string) bool
	probe  func(dir string) (bool, error)
	listen func(e *events, dir string) error
}

// New makes a watcher that has no roots yet. It runs until Close.
func New(opts Options) (*Watcher, error) {
	w, err := prepare(opts)
	if err != nil {
		return nil, err
	}
	go w.run()
	return w, nil
}

func prepare(opts Options) (*Watcher, error) {
	if opts.Changed == nil {
		return nil, errors.New("watching files: nobody to tell")
	}
	if opts.Interval < 0 {
		return nil, fmt.Errorf("watching files: an interval of %s", opts.Interval)
	}
	if opts.Interval == 0 {
		opts.Interval = DefaultInterval
	}
	return &Watcher{
		opts: opts, box: newBox(), stop: make(chan struct{}), ended: make(chan struct{}),
		places: map[uint64]place{}, noticed: map[string]bool{}, changed: map[string]bool{},
		remote: remote, probe: probeEvents, listen: (*events).add,
	}, nil
}

// SetRoots says what to watch: folders, or files, that there need not be. Changes after it has returned are told; whoever wants to
// know what was there before looks now. When there were other roots before, a call follows with all of them that stay and that
// are new, since changes meanwhile may have been missed. The error says that a root's path cannot be made absolute, or that the watcher
// is closed.
func (w *Watcher) SetRoots(roots []string) error {
	clean := make([]string, 0, len(roots))
	for _, root := range roots {
		path, err := filepath.Abs(root)
		if err != nil {
			return fmt.Errorf("watching %s: %w", root, err)
		}
		clean = append(clean, path)
	}
	slices.Sort(clean)
	clean = slices.Compact(clean)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errors.New("watching files: the watcher is closed")
	}
	if slices.Equal(clean, w.roots) {
		return nil
	}
	before := len(w.roots) > 0
	w.roots = clean
	w.replant()
	if before && len(clean) > 0 {
		w.box.ask()
	}
	return nil
}

// Look has Changed called, with everything; without roots it is not called.
func (w *Watcher) Look() { w.box.ask() }

// Close ends the watcher. A call that runs has returned then, and there is none after.
func (w *Watcher) Close() {
	w.close.Do(func() { close(w.stop) })
	<-w.ended
}

// replant makes the tree anew. What sources told before is about a tree that is no more.
func (w *Watcher) replant() {
	if w.tree != nil {
		w.tree.fell()
		w.tree = nil
	}
	w.box.discard()
	for len(w.roots) > 0 {
		before := w.polled()
		if w.tree = w.plant(); w.polled() == before {
			return
		}
		// The way to a folder of which it is known only now that no notifications arrive there is to be looked at from
		// the beginning.
		w.tree.fell()
	}
}

// polled is how many file systems are known to be polled.
func (w *Watcher) polled() (n int) {
	for _, p := range w.places {
		if p.polled {
			n++
		}
	}
	return n
}

func (w *Watcher) run() {
	defer close(w.ended)
	timer := time.NewTimer(0)
	timer.Stop()
	for {
		select {
		case <-w.stop:
			w.mu.Lock()
			w.closed = true
			w.roots = nil
			w.replant()
			w.mu.Unlock()
			w.closing.Wait()
			return
		case <-w.box.signal:
			if w.absorb() {
				timer.Reset(time.Until(w.patience.due()))
			}
		case <-timer.C:
			if change, ok := w.settle(); ok {
				w.opts.Changed(change)
				w.patience.ended(!w.box.empty())
			}
		}
	}
}

// absorb sorts what the box holds, and reports whether some of it matters.
func (w *Watcher) absorb() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	paths, lost, asked := w.box.take()
	if w.tree == nil {
		return false
	}
	matters := lost || asked
	w.doubtful, w.all = w.doubtful || lost, w.all || lost || asked
	for path, op := range paths {
		switch meaning := w.tree.meaningOf(path, op); meaning {
		case nothing:
			continue
		case upheaval:
			w.doubtful, w.all = true, true
		default:
			w.changed[path] = w.changed[path] || meaning == growth
		}
		matters = true
	}
	if matters {
		w.patience.note(time.Now(), len(w.changed))
	}
	return matters
}

// settle brings the tree up to date and says what to tell.
func (w *Watcher) settle() (c Change, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.patience.began()
	changed, all := w.changed, w.all
	w.changed, w.all = map[string]bool{}, false
	if w.doubtful {
		w.doubtful = false
		w.replant()
	}
	if w.tree == nil {
		return Change{}, false
	}
	if all {
		return Change{Roots: slices.Clone(w.roots), All: true}, true
	}
	for path, grows := range changed {
		if grows {
			w.tree.grow(path)
		}
	}
	w.tree.begin()
	for path := range changed {
		for _, name := range w.tree.names(path) {
			c.Roots = append(c.Roots, w.roots[name.root])
			c.Paths = append(c.Paths, name.name, path)
		}
	}
	slices.Sort(c.Roots)
	c.Roots = slices.Compact(c.Roots)
	slices.Sort(c.Paths)
	c.Paths = slices.Compact(c.Paths)
	return c, len(c.Roots) > 0
}

// ignored reports whether a path below a root does not matter, as far as its last name says.
func (w *Watcher) ignored(path string) bool {
	return passing(filepath.Base(path)) || w.opts.Ignore != nil && w.opts.Ignore(path)
}

func (w *Watcher) notice(message string) {
	if w.opts.Notice != nil && !w.noticed[message] {
		w.noticed[message] = true
		w.opts.Notice(message)
	}
}
