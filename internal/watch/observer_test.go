package watch

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// modes are the ways in which folders are watched. Whatever they are, the same is told.
var modes = []struct {
	name string
	set  func(*Watcher)
}{
	{"notifications", func(*Watcher) {}},
	{"polling", func(w *Watcher) { w.opts.Poll = true }},
	{"no notifications arrive", func(w *Watcher) {
		w.probe = func(string) (bool, error) { return false, nil }
		w.listen = func(*events, string) error { return nil }
	}},
	{"no watches left", func(w *Watcher) {
		left := 8
		w.listen = func(e *events, dir string) error {
			if left--; left < 0 {
				return syscall.ENOSPC
			}
			return e.add(dir)
		}
	}},
	{"a remote file system", func(w *Watcher) { w.remote = func(string) bool { return true } }},
	{"nothing can be written", func(w *Watcher) {
		w.probe = func(string) (bool, error) { return false, fs.ErrPermission }
	}},
}

func inEachMode(t *testing.T, test func(t *testing.T, set func(*Watcher))) {
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) { test(t, mode.set) })
	}
}

// observer is somebody who looks at everything below the roots when told that there is something new.
type observer struct {
	*Watcher
	t     testing.TB
	roots []string

	mu     sync.Mutex
	calls  []Change
	seen   map[string]string // what the last look found
	untold map[string]bool   // what was found different before it was told
	news   chan struct{}     // has a value after each call
}

// observe begins to watch.
func observe(t testing.TB, set func(*Watcher), roots ...string) *observer {
	t.Helper()
	o := &observer{t: t, roots: roots, untold: map[string]bool{}, news: make(chan struct{}, 1)}
	w, err := prepare(Options{
		Changed:  o.look,
		Ignore:   func(path string) bool { return filepath.Base(path) == "dist" },
		Interval: 2 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	set(w)
	o.Watcher = w
	if err := w.SetRoots(roots); err != nil {
		t.Fatal(err)
	}
	o.seen = o.snapshot()
	go w.run()
	t.Cleanup(w.Close)
	return o
}

func (o *observer) look(c Change) {
	now := o.snapshot()
	o.mu.Lock()
	defer o.mu.Unlock()
	for path := range differences(o.seen, now) {
		o.untold[path] = true
	}
	if len(c.Roots) == 0 || c.All && len(c.Paths) > 0 {
		o.t.Errorf("told %+v", c)
	}
	maps.DeleteFunc(o.untold, func(path string, _ bool) bool {
		return c.All || slices.ContainsFunc(c.Paths, func(told string) bool { return within(path, told) })
	})
	o.seen = now
	o.calls = append(o.calls, c)
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// settled waits until what was seen is what is there, and all differences have been told.
func (o *observer) settled() {
	o.t.Helper()
	for {
		o.mu.Lock()
		there := o.snapshot()
		done := maps.Equal(o.seen, there) && len(o.untold) == 0
		o.mu.Unlock()
		if done {
			return
		}
		<-o.news
	}
}

// told is what has been told so far.
func (o *observer) told() []Change {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.calls)
}

func (o *observer) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = nil
}

// editAll changes files in turn, everywhere: whatever happened before, changes are told everywhere.
func (o *observer) editAll() {
	o.t.Helper()
	files := map[string]bool{}
	for path := range o.snapshot() {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			if info, err := os.Stat(real); err == nil && info.Mode().IsRegular() {
				files[real] = true
			}
		}
	}
	all := slices.Sorted(maps.Keys(files))
	for i, file := range all {
		if i%(1+len(all)/8) != 0 {
			continue // some of many
		}
		data, err := os.ReadFile(file)
		if err != nil {
			o.t.Fatal(err)
		}
		// The same number of bytes: only the time tells.
		write(o.t, file, strings.Repeat("x", max(1, len(data)-1))+string(rune('a'+(lastOf(data)+1)%26)))
		o.settled()
	}
}

func lastOf(data []byte) int {
	if len(data) == 0 {
		return 0
	}
	return int(data[len(data)-1]) - 'a' + 26
}

// snapshot is what is below the roots, links followed as a watcher does.
func (o *observer) snapshot() map[string]string {
	found := map[string]string{}
	reals := map[string]string{}
	var all []string
	for _, root := range o.roots {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			reals[root] = real
			all = append(all, real)
		}
	}
	for root, real := range reals {
		snapshot(root, real, all, nil, found)
	}
	return found
}

// snapshot adds what is at a path, and below it.
func snapshot(path, real string, roots, above []string, found map[string]string) {
	entries, err := os.ReadDir(real)
	if err != nil {
		if data, err := os.ReadFile(real); err == nil {
			found[path] = "file " + string(data)
		}
		return
	}
	found[path] = "folder"
	if slices.Contains(above, real) {
		return
	}
	above = append(slices.Clip(above), real)
	for _, entry := range entries {
		if passing(entry.Name()) || entry.Name() == "dist" {
			continue
		}
		at := filepath.Join(real, entry.Name())
		leads := at
		if entry.Type()&fs.ModeSymlink != 0 {
			if leads, err = filepath.EvalSymlinks(at); err != nil ||
				within(at, leads) || slices.ContainsFunc(roots, func(root string) bool { return root != leads && within(root, leads) }) {
				continue
			}
		}
		snapshot(filepath.Join(path, entry.Name()), leads, roots, above, found)
	}
}

func differences(a, b map[string]string) map[string]bool {
	differ := map[string]bool{}
	for path, what := range a {
		if b[path] != what {
			differ[path] = true
		}
	}
	for path, what := range b {
		if a[path] != what {
			differ[path] = true
		}
	}
	return differ
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tempDir makes a temporary folder, called by its path without links.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}
