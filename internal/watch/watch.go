// Package watch tells when something below a folder has changed.
//
// It says that there was a change, and in which folder, not what it was: whoever listens looks at
// the folder again, and so an editor's habit of saving by rename, a checkout of thousands of files
// and events that the system dropped all come to the same thing.
package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quiet is how long nothing must happen after a change until it is told. Editors write a file in
// several steps within a few milliseconds.
const quiet = 10 * time.Millisecond

// patience is how long changes that do not end are waited for.
const patience = 200 * time.Millisecond

// Run calls changed, each time something changed, with the roots it changed below, until ctx ends.
// ignore is asked about each path below a root; what it says yes to, and everything below that, is
// not watched. Changes that happen while changed runs lead to another call.
func Run(ctx context.Context, roots []string, ignore func(path string) bool, changed func(roots []string)) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching files: %w", err)
	}
	defer watcher.Close()
	for _, root := range roots {
		if err := add(watcher, root, ignore); err != nil {
			return fmt.Errorf("watching %s: %w", root, err)
		}
	}
	pending := map[string]bool{}
	var fire <-chan time.Time
	var since time.Time
	mark := func(root string) {
		if len(pending) == 0 {
			since = time.Now()
		}
		pending[root] = true
		fire = time.After(min(quiet, max(0, patience-time.Since(since))))
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, ok := <-watcher.Events:
			if !ok {
				return nil
			}
			root := rootOf(roots, event.Name)
			if root == "" || event.Op == fsnotify.Chmod || ignore(event.Name) {
				continue
			}
			if event.Has(fsnotify.Create) {
				// It may be a folder with files in it already; that it is gone again is no fault.
				_ = add(watcher, event.Name, ignore)
			}
			mark(root)
		case err, ok := <-watcher.Errors:
			if !ok {
				return nil
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watching files: %w", err)
			}
			for _, root := range roots { // events were lost: anything may have changed
				_ = add(watcher, root, ignore)
				mark(root)
			}
		case <-fire:
			fire = nil
			var names []string
			for _, root := range roots {
				if pending[root] {
					names = append(names, root)
				}
			}
			clear(pending)
			changed(names)
		}
	}
}

// add watches a folder and all folders below it.
func add(watcher *fsnotify.Watcher, dir string, ignore func(string) bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return err
			}
			return nil // gone since the folder above was read
		}
		if !d.IsDir() {
			return nil
		}
		if path != dir && ignore(path) {
			return filepath.SkipDir
		}
		if err := watcher.Add(path); err != nil && path == dir {
			return err
		}
		return nil
	})
}

func rootOf(roots []string, path string) string {
	best := ""
	for _, root := range roots {
		rel, err := filepath.Rel(root, path)
		if err == nil && filepath.IsLocal(rel) && len(root) > len(best) {
			best = root
		}
	}
	return best
}
