package watch

import (
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

// events is the source that the system notifies.
type events struct {
	fs     *fsnotify.Watcher
	closed atomic.Bool // nothing is to be put into the box any more
	ended  chan struct{}
}

func newEvents(box *box) (*events, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	e := &events{fs: fs, ended: make(chan struct{})}
	go e.pump(box)
	return e, nil
}

// pump moves what arrives into the box. An error, be it of a queue that overflowed or another, says that
// something may have been missed.
func (e *events) pump(box *box) {
	defer close(e.ended)
	arriving, failing := e.fs.Events, e.fs.Errors
	for arriving != nil || failing != nil {
		select {
		case event, ok := <-arriving:
			if !ok {
				arriving = nil
			} else if event.Name != "" && !e.closed.Load() {
				box.put(filepath.Clean(event.Name), event.Op)
			}
		case _, ok := <-failing:
			if !ok {
				failing = nil
			} else if !e.closed.Load() {
				box.putLost()
			}
		}
	}
}

// add begins to tell of the entries of a folder.
func (e *events) add(dir string) error { return e.fs.Add(dir) }

// close says that nothing is wanted any more. The system takes many milliseconds to give up what is watched, which nobody
// has to wait for but group.
func (e *events) close(group *sync.WaitGroup) {
	e.closed.Store(true)
	group.Go(func() {
		_ = e.fs.Close() // it has nothing to lose
		<-e.ended
	})
}
