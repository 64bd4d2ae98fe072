package watch

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// place says how the folders of one file system are watched.
type place struct {
	events, polled bool
}

// probing is how long a notification is waited for. It takes well under a millisecond where it arrives.
const probing = time.Second

// placeOf decides how a folder is watched, once for each file system. A network's file system, a virtual machine's or one of a
// program tells of what is done on this machine, if of anything: such folders are polled, and notifications of our own saves
// are taken beside that. Elsewhere, a file is written to see whether a notification arrives, if mayProbe; known
// says whether the answer is sure, which needs a probe.
func (w *Watcher) placeOf(dir string, mayProbe bool) (p place, known bool) {
	if w.opts.Poll {
		return place{polled: true}, true
	}
	device, identified := deviceOf(dir)
	if p, ok := w.places[device]; ok && identified {
		return p, true
	}
	p = place{events: true, polled: w.remote(dir)}
	if !mayProbe {
		return p, false
	}
	switch arrived, err := w.probe(dir); {
	case err != nil:
		// Nothing can be written there, or nothing listened to; the latter shows when it is watched.
	case !arrived:
		p = place{polled: true}
		w.notice("no notifications of changes arrive from " + dir + "; it is looked at every " + w.opts.Interval.String() + " instead")
	}
	if identified {
		w.places[device] = p
	}
	return p, true
}

// probeEvents writes a file into a folder, and removes it, and reports whether a notification of that arrives.
func probeEvents(dir string) (bool, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return false, err
	}
	defer func() { go fs.Close() }() // it takes its time
	// The folder of generated files is the better place for one more, but it may not be on the same file system.
	if own := filepath.Join(dir, ".neuralis"); sameDevice(own, dir) {
		dir = own
	}
	if err := fs.Add(dir); err != nil {
		return false, err
	}
	file, err := os.CreateTemp(dir, probePrefix)
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name())
	if err := file.Close(); err != nil {
		return false, err
	}
	if namesStay {
		_ = os.Remove(file.Name()) // the shorter it is there, the better
	}
	timeout := time.NewTimer(probing)
	defer timeout.Stop()
	for {
		select {
		case event, ok := <-fs.Events:
			if !ok {
				return false, errors.New("the listener ended")
			}
			if filepath.Base(event.Name) == filepath.Base(file.Name()) {
				return true, nil
			}
		case err := <-fs.Errors:
			return false, err
		case <-timeout.C:
			return false, nil
		}
	}
}

func sameDevice(a, b string) bool {
	info, err := os.Lstat(a)
	if err != nil || !info.IsDir() {
		return false
	}
	x, ok := deviceOf(a)
	y, also := deviceOf(b)
	return ok && also && x == y
}
