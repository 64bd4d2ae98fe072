package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// tree is what is watched, from when it is planted until something happens that makes it doubtful. All paths in it are without
// links, unless they are said to be names.
type tree struct {
	w      *Watcher
	events *events // nil until needed
	poller *poller // nil until needed
	deaf   bool    // no notifications can be had

	// dirs are the folders whose entries are watched, those below a root and those that links below a root lead to.
	dirs map[string]*folder
	// ways are entries that lead to a root or to what a link leads to: when one of them changes, all may be different.
	ways map[string]way
	// passed are folders with such entries, and whether they are listened to.
	passed map[string]bool
	// unproven are ways to what is no folder.
	unproven map[string]bool
	// aliases say what else a path is called.
	aliases []alias
	roots   []string // where the roots lead to
}

type folder struct {
	name     string // what it was first found as
	unlisted bool   // it could not be read
}

type way struct {
	blocked bool // what is below it could not be looked at
}

// alias says that what is at a path is called by another name: that of a root if it is one, that of a link, as a path, otherwise.
type alias struct {
	path, name string
	root       int // -1 for a link
}

// plant makes a tree of the watcher's roots.
func (w *Watcher) plant() *tree {
	t := &tree{w: w, dirs: map[string]*folder{}, ways: map[string]way{}, passed: map[string]bool{}, unproven: map[string]bool{}}
	found := make([]alias, 0, len(w.roots))
	for i, root := range w.roots {
		var entries []string
		path, info, err := resolve(root, func(entry string) {
			entries = append(entries, entry)
			t.pass(entry)
		})
		if err != nil {
			t.block(entries, err)
			t.doubt(entries)
			continue
		}
		a := alias{path, root, i}
		t.aliases = append(t.aliases, a)
		t.roots = append(t.roots, path)
		if info.IsDir() {
			found = append(found, a)
		} else {
			t.doubt(entries)
		}
	}
	for _, a := range found {
		t.enter(a.path, a.name)
	}
	t.begin()
	return t
}

// begin has polled what is to be. By now it is known where notifications arrive. Where it is not, since there is no
// folder of ours yet that could be tested, what is waited for is looked at.
func (t *tree) begin() {
	if t.poller == nil {
		return
	}
	any := t.poller.keep(func(entry string) bool {
		dir := filepath.Dir(entry)
		p, known := t.w.placeOf(dir, false)
		return p.polled || !known && t.unproven[entry] || !t.passed[dir] && t.dirs[dir] == nil
	})
	if any {
		t.poller.begin()
	} else {
		t.poller.close()
		t.poller = nil
	}
}

// fell ends a tree. Its sources put nothing into the box any more, but for what they are about to.
func (t *tree) fell() {
	if t.events != nil {
		t.events.close(&t.w.closing)
	}
	if t.poller != nil {
		t.poller.close()
	}
}

func (t *tree) poll() *poller {
	if t.poller == nil {
		t.poller = newPoller(t.w.box, t.w.opts.Interval, passing)
	}
	return t.poller
}

// pass watches for changes of one entry.
func (t *tree) pass(entry string) {
	if _, passed := t.ways[entry]; passed {
		return
	}
	t.ways[entry] = way{}
	dir := filepath.Dir(entry)
	p, known := t.w.placeOf(dir, false)
	_, passed := t.passed[dir]
	if p.events && !passed && t.dirs[dir] == nil {
		if err := t.listen(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.events = false // a folder that may be passed need not be readable
		}
	}
	if !passed {
		t.passed[dir] = p.events
	}
	if p.polled || !known || !t.passed[dir] && t.dirs[dir] == nil {
		t.poll().entry(entry) // which may turn out not to be necessary
	}
}

// doubt remembers a way that does not end at a folder, where it could be found out whether notifications arrive.
func (t *tree) doubt(entries []string) {
	for _, entry := range entries {
		t.unproven[entry] = true
	}
}

// block remembers where a way ended that may go on when permissions change.
func (t *tree) block(entries []string, err error) {
	if errors.Is(err, fs.ErrPermission) && len(entries) > 0 {
		t.ways[filepath.Dir(entries[len(entries)-1])] = way{blocked: true}
	}
}

// listen asks for notifications of the entries of a folder.
func (t *tree) listen(dir string) error {
	if t.events == nil && !t.deaf {
		events, err := newEvents(t.w.box)
		if err != nil {
			t.deaf = true
			t.w.notice(fmt.Sprintf("the system gives no notifications of changes (%v); folders are looked at every %s instead", err, t.w.opts.Interval))
		}
		t.events = events
	}
	if t.deaf {
		return errors.ErrUnsupported
	}
	return t.w.listen(t.events, dir)
}

// watch watches the entries of a folder.
func (t *tree) watch(dir string) {
	p, _ := t.w.placeOf(dir, true)
	if p.events {
		if err := t.listen(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			p.polled = true
			if errors.Is(err, syscall.ENOSPC) {
				t.w.notice(fmt.Sprintf("the system's limit of watched folders is reached (fs.inotify.max_user_watches): the rest is looked at every %s", t.w.opts.Interval))
			} else if !t.deaf {
				t.w.notice(fmt.Sprintf("no notifications of changes can be had for some folders (%v): they are looked at every %s", err, t.w.opts.Interval))
			}
		}
	}
	if p.polled {
		// What is gone already is told by the folder above it.
		_ = t.poll().add(dir)
	}
}

// enter watches a folder and all below it. It is watched first and listed then, so that nothing is missed.
func (t *tree) enter(dir, name string) {
	if t.dirs[dir] != nil {
		return
	}
	t.dirs[dir] = &folder{name: name}
	t.watch(dir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		delete(t.dirs, dir)
		return
	}
	t.dirs[dir].unlisted = err != nil
	for _, entry := range entries {
		if entry.IsDir() || entry.Type()&fs.ModeSymlink != 0 {
			t.look(filepath.Join(dir, entry.Name()), filepath.Join(name, entry.Name()), entry.Type())
		}
	}
}

// look watches what is at an entry of a watched folder, if that has to be.
func (t *tree) look(path, name string, mode fs.FileMode) {
	if t.w.ignored(name) {
		return
	}
	switch {
	case mode.IsDir():
		t.enter(path, name)
	case mode&fs.ModeSymlink != 0:
		t.follow(path, name)
	}
}

// follow watches what a link leads to, and the way there.
func (t *tree) follow(link, name string) {
	var entries []string
	path, info, err := resolve(link, func(entry string) {
		entries = append(entries, entry)
		t.pass(entry)
	})
	if err != nil {
		t.block(entries, err)
		t.doubt(entries)
		return
	}
	if within(link, path) || slices.ContainsFunc(t.roots, func(root string) bool { return root != path && within(root, path) }) {
		return
	}
	if a := (alias{path, link, -1}); !slices.Contains(t.aliases, a) {
		t.aliases = append(t.aliases, a)
	}
	if info.IsDir() {
		t.enter(path, name)
	} else {
		t.doubt(entries)
	}
}

// forget gives up a folder and all below it, which are gone. Sources notice that by themselves.
func (t *tree) forget(dir string) {
	for other := range t.dirs {
		if within(other, dir) {
			delete(t.dirs, other)
		}
	}
}

// meaning is what has to be done about an event.
type meaning int

const (
	nothing  meaning = iota
	change           // tell of it
	growth           // and look whether a folder came or went
	upheaval         // and plant the tree anew
)

// meaningOf says what an event means. The source tells that something happened at a path.
func (t *tree) meaningOf(path string, op fsnotify.Op) meaning {
	if way, ok := t.ways[path]; ok {
		if op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0 || way.blocked && op.Has(fsnotify.Chmod) {
			return upheaval
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink != 0 && op.Has(fsnotify.Write) {
			return upheaval
		} else if info.Mode().IsRegular() && len(t.names(path)) > 0 {
			return t.unless(path, op)
		}
	}
	if dir := t.dirs[path]; dir != nil {
		switch {
		case op.Has(fsnotify.Rename): // sources mistake folders that move for those that they were
			return upheaval
		case op&(fsnotify.Create|fsnotify.Remove) != 0, op.Has(fsnotify.Chmod) && dir.unlisted:
			return growth
		}
		return nothing // its entries tell for themselves
	}
	if t.dirs[filepath.Dir(path)] == nil {
		return nothing // of a folder on the way, or of one that is gone
	}
	return t.unless(path, op)
}

// unless is what a change of an entry means, unless nobody cares.
func (t *tree) unless(path string, op fsnotify.Op) meaning {
	if op == fsnotify.Chmod && runtime.GOOS == "darwin" {
		return nothing // its search index does that all the time
	}
	if len(t.names(path)) == 0 {
		return nothing
	}
	if op&(fsnotify.Create|fsnotify.Write) != 0 {
		return growth
	}
	return change
}

// grow looks whether there is a folder at a path now.
func (t *tree) grow(path string) {
	if t.dirs[path] != nil {
		t.forget(path)
	}
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() && info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	if names := t.names(path); len(names) > 0 {
		t.look(path, names[0].name, info.Mode())
	}
}

// name is what a path is called below a root.
type name struct {
	root int
	name string
}

// names are what a path is called, for those who do not ignore it.
func (t *tree) names(path string) []name {
	var names []name
	paths := []string{path}
	// Links can make that many.
	for i := 0; i < len(paths) && i < 64; i++ {
		for _, a := range t.aliases {
			if !within(paths[i], a.path) {
				continue
			}
			called := moved(paths[i], a.path, a.name)
			if a.root < 0 {
				if !slices.Contains(paths, called) {
					paths = append(paths, called)
				}
			} else if called == a.name || !t.w.ignored(called) {
				names = append(names, name{a.root, called})
			}
		}
	}
	return names
}
