package watch

import (
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// events is the source that the system notifies.
type events struct {
	fs    *fsnotify.Watcher
	ended chan struct{}
}

func newEvents(box *box) (*events, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	e := &events{fs, make(chan struct{})}
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
			} else if event.Name != "" {
				box.put(filepath.Clean(event.Name), event.Op)
			}
		case _, ok := <-failing:
			if !ok {
				failing = nil
			} else {
				box.putLost()
			}
		}
	}
}

// add begins to tell of the entries of a folder.
func (e *events) add(dir string) error { return e.fs.Add(dir) }

// close returns when nothing is put into the box any more.
func (e *events) close() {
	_ = e.fs.Close() // it has nothing to lose
	<-e.ended
}
