package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
	polling "github.com/radovskyb/watcher"
)

// Polling takes one part in so many of a processor, unless that would make it slower than slowest.
const (
	sparing = 20
	slowest = 5 * time.Second
)

// poller is the source that looks by itself, again and again.
//
// The library lists folders and compares times and modes. What it does not compare is seen here, in the filter that it calls for
// each entry: a file or folder that is another one of the same time, a size, and a file that was still
// being written when it was looked at, whose time may stay as it is.
type poller struct {
	box      *box
	interval time.Duration
	skip     func(name string) bool
	now      func() time.Time
	lib      *polling.Watcher

	stop  chan struct{} // closed by close
	ended chan struct{} // closed when nothing runs any more
	done  atomic.Bool   // the library's goroutine is to end

	closed atomic.Bool // nothing is to be put into the box any more

	folders bool          // some have been added
	spent   time.Duration // on that

	mu      sync.Mutex
	started bool
	seen    map[string]map[string]sight // by folder and name
	entries map[string]sight            // paths that are looked at for themselves; what is missing has no info
}

// sight is what an entry looked like.
type sight struct {
	info fs.FileInfo
	link string // where a link leads
	// fresh says that the entry had been written so shortly before that another write might not be seen.
	fresh bool
}

func newPoller(box *box, interval time.Duration, skip func(name string) bool) *poller {
	p := &poller{
		box: box, interval: interval, skip: skip, now: time.Now, lib: polling.New(),
		stop: make(chan struct{}), ended: make(chan struct{}),
		seen: map[string]map[string]sight{}, entries: map[string]sight{},
	}
	p.lib.AddFilterHook(p.filter)
	return p
}

// add begins to tell of the entries of a folder.
func (p *poller) add(dir string) error {
	start := time.Now()
	err := p.lib.Add(dir)
	p.spent += time.Since(start)
	p.folders = true
	return err
}

// entry begins to tell whether something else is at a path, or nothing.
func (p *poller) entry(path string) {
	now := p.look(path)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.entries[path]; !known {
		p.entries[path] = now
	}
}

// keep gives up the entries that need not be looked at, and reports whether there is anything to do.
func (p *poller) keep(need func(entry string) bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for entry := range p.entries {
		if !need(entry) {
			delete(p.entries, entry)
		}
	}
	return p.folders || len(p.entries) > 0
}

// begin looks again and again from now on. What has been added before is compared with what it was then.
func (p *poller) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		return
	}
	p.started = true
	// To look takes about as long as it took to add.
	interval := max(p.interval, min(sparing*p.spent, slowest))
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		_ = p.lib.Start(interval) // it fails only for intervals that are none
	}()
	go p.pump(ran)
}

// pump moves what the library finds into the box; the library waits for it.
func (p *poller) pump(ran <-chan struct{}) {
	defer close(p.ended)
	ticker := time.NewTicker(p.interval)
	defer ticker.Stop()
	stop := p.stop
	for {
		select {
		case <-ran:
			return
		case <-stop:
			stop = nil
			go p.end()
		case event := <-p.lib.Event:
			p.tell(event)
		case err := <-p.lib.Error:
			// The library forgets a folder that is gone, and does not say which. It may be there again already. Other
			// errors are of folders that cannot be read now; what was in them is told as removed.
			if errors.Is(err, polling.ErrWatchedFileDeleted) && !p.closed.Load() {
				p.box.putLost()
			}
		case <-ticker.C:
			if !p.closed.Load() {
				p.lookAtEntries()
			}
		}
	}
}

func (p *poller) put(path string, op fsnotify.Op) {
	if !p.closed.Load() {
		p.box.put(path, op)
	}
}

func (p *poller) tell(event polling.Event) {
	switch event.Op {
	case polling.Create:
		p.put(event.Path, fsnotify.Create)
	case polling.Write:
		// A folder's time changes with its entries, which are told themselves when they matter.
		if !event.IsDir() {
			p.put(event.Path, fsnotify.Write)
		}
	case polling.Chmod:
		p.put(event.Path, fsnotify.Chmod)
	case polling.Remove:
		p.forget(event.Path)
		p.put(event.Path, fsnotify.Remove)
	case polling.Rename, polling.Move:
		p.forget(event.OldPath)
		p.put(event.OldPath, fsnotify.Remove)
		p.put(event.Path, fsnotify.Create)
	}
}

func (p *poller) forget(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.seen[filepath.Dir(path)], filepath.Base(path))
	delete(p.seen, path)
}

// filter is called by the library for each entry of each folder that it lists.
func (p *poller) filter(info fs.FileInfo, path string) error {
	if p.done.Load() {
		// The library's own way to stop it leaves a goroutine behind for good. This is its goroutine; what it has locked, it
		// unlocks in deferred calls.
		runtime.Goexit()
	}
	if p.skip(info.Name()) {
		return polling.ErrSkip
	}
	now := sight{info: info, fresh: fresh(info, p.now())}
	p.mu.Lock()
	defer p.mu.Unlock()
	dir := filepath.Dir(path)
	if p.seen[dir] == nil {
		p.seen[dir] = map[string]sight{}
	}
	before, known := p.seen[dir][info.Name()]
	p.seen[dir][info.Name()] = now
	if !known {
		return nil
	}
	switch {
	case replaced(before, now):
		p.put(path, fsnotify.Remove|fsnotify.Create)
	case info.IsDir():
	case before.info.Size() != info.Size(), before.fresh && !now.fresh:
		p.put(path, fsnotify.Write)
	}
	return nil
}

// fresh reports whether a file's time is so new that a write after now may leave it as it is. Clocks of file systems tick every few
// milliseconds; some count whole seconds, or two.
func fresh(info fs.FileInfo, now time.Time) bool {
	tick := 25 * time.Millisecond
	if info.ModTime().Nanosecond() == 0 {
		tick = 2100 * time.Millisecond
	}
	return !info.IsDir() && now.Sub(info.ModTime()) < tick
}

// replaced reports whether two things that are there are not the same. File systems give the number of what is gone to
// what comes next.
func replaced(before, now sight) bool {
	return !os.SameFile(before.info, now.info) || before.info.Mode().Type() != now.info.Mode().Type() || before.link != now.link
}

func (p *poller) look(path string) sight {
	info, err := os.Lstat(path)
	if err != nil {
		return sight{}
	}
	s := sight{info: info, fresh: fresh(info, p.now())}
	if info.Mode()&fs.ModeSymlink != 0 {
		s.link, _ = os.Readlink(path)
	}
	return s
}

func (p *poller) lookAtEntries() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for path, before := range p.entries {
		now := p.look(path)
		p.entries[path] = now
		switch {
		case before.info == nil && now.info == nil:
		case before.info == nil:
			p.put(path, fsnotify.Create)
		case now.info == nil:
			p.put(path, fsnotify.Remove)
		case replaced(before, now):
			p.put(path, fsnotify.Remove|fsnotify.Create)
		case now.info.IsDir():
			if before.info.Mode() != now.info.Mode() {
				p.put(path, fsnotify.Chmod)
			}
		case before.info.Size() != now.info.Size(), !before.info.ModTime().Equal(now.info.ModTime()), before.fresh && !now.fresh:
			p.put(path, fsnotify.Write)
		case before.info.Mode() != now.info.Mode():
			p.put(path, fsnotify.Chmod)
		}
	}
}

// close says that nothing is wanted any more. It does not wait: the library looks up only once in an interval, and a
// file system that does not answer keeps it as long as it likes.
func (p *poller) close() {
	p.closed.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.started {
		p.started = true
		close(p.ended)
	}
	close(p.stop)
}

// end makes the library's goroutine run into the filter, where it ends: for that there must be a folder that is not empty.
func (p *poller) end() {
	dir := string(filepath.Separator)
	if exe, err := os.Executable(); err == nil {
		dir = filepath.VolumeName(exe) + dir
	}
	if err := p.lib.Add(dir); err != nil {
		p.lib.Close() // with what that leaves behind
		return
	}
	p.done.Store(true)
}
