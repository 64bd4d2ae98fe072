package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestIgnored changes what is not to be told, and then something that is.
func TestIgnored(t *testing.T) {
	inEachMode(t, func(t *testing.T, set func(*Watcher)) {
		root := tempDir(t)
		write(t, root+"/src/x.ts", "1")
		write(t, root+"/dist/package.wasm", "1")
		write(t, root+"/node_modules/lib/index.js", "1")
		o := observe(t, set, root)
		for _, name := range []string{
			"dist/package.wasm", "dist/new/file", "node_modules/lib/index.js", "node_modules/new/index.js", ".git/index",
			"src/.x.ts.swp", "src/.x.ts.swo", "src/4913", "src/x.ts~", "src/.#x.ts", "src/#x.ts#", "src/x.ts___jb_tmp___",
			".DS_Store", ".neuralis-probe-1",
		} {
			write(t, filepath.Join(root, name), "2")
		}
		must(t, os.RemoveAll(root+"/dist"))
		write(t, root+"/src/x.ts", "2")
		o.settled()
		for _, c := range o.told() {
			if slices.ContainsFunc(c.Paths, func(path string) bool { return path != root+"/src/x.ts" && path != root+"/src" }) {
				t.Errorf("told %+v", c)
			}
		}
		entries, err := filepath.Glob(root + "/" + probePrefix + "*")
		must(t, err)
		if len(entries) != 1 {
			t.Errorf("a probe is left: %q", entries)
		}
	})
}

// TestPassing says which names matter.
func TestPassing(t *testing.T) {
	for name, want := range map[string]bool{
		"x.ts": false, ".env": false, "x.swp": false, ".swc": false, ".swcrc": false, "dist": false, ".neuralis": false, "~x": false, "#x": false, "##": false, "#": false,
		".x.swp": true, ".x.swo": true, ".x.swx": true, ".swp": true, "x~": true, ".#x": true, "#x#": true, "4913": true, "4914": false, "node_modules": true, ".git": true, ".gitignore": false,
	} {
		if got := passing(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestRootsChange adds and removes roots while something happens in them.
func TestRootsChange(t *testing.T) {
	inEachMode(t, func(t *testing.T, set func(*Watcher)) {
		base := tempDir(t)
		write(t, base+"/a/f", "1")
		write(t, base+"/b/f", "1")
		o := observe(t, set, base+"/a")
		to := func(roots ...string) {
			o.mu.Lock()
			o.roots = roots
			must(t, o.SetRoots(roots))
			o.seen = o.snapshot()
			o.mu.Unlock()
		}
		write(t, base+"/a/f", "22")
		to(base+"/a", base+"/b", base+"/b/nested/../nested/")
		write(t, base+"/b/f", "22")
		o.settled()
		o.editAll()
		write(t, base+"/b/nested/g", "22")
		o.settled()
		to(base + "/b")
		o.reset()
		write(t, base+"/a/f", "333")
		write(t, base+"/b/f", "333")
		o.settled()
		o.editAll()
		for _, c := range o.told() {
			if slices.Contains(c.Roots, base+"/a") {
				t.Errorf("told of a root that is none: %+v", c)
			}
		}
		to()
		to(base + "/a")
		o.editAll()
	})
}

// TestRootsFromCall changes the roots from within a call, and looks again.
func TestRootsFromCall(t *testing.T) {
	base := tempDir(t)
	write(t, base+"/a/f", "1")
	write(t, base+"/b/f", "1")
	var w *Watcher
	calls := make(chan Change, 100)
	var once sync.Once
	w, err := New(Options{Changed: func(c Change) {
		once.Do(func() { must(t, w.SetRoots([]string{base + "/b"})) })
		calls <- c
	}})
	must(t, err)
	defer w.Close()
	must(t, w.SetRoots([]string{base + "/a"}))
	w.Look()
	if c := <-calls; !c.All || !slices.Equal(c.Roots, []string{base + "/a"}) {
		t.Errorf("asked for everything, told %+v", c)
	}
	if c := <-calls; !c.All || !slices.Equal(c.Roots, []string{base + "/b"}) {
		t.Errorf("after other roots, told %+v", c)
	}
	write(t, base+"/b/f", "2")
	if c := <-calls; c.All || !slices.Equal(c.Paths, []string{base + "/b/f"}) {
		t.Errorf("after a save, told %+v", c)
	}
}

// TestOneAtATime changes things during a call: another call follows, and they do not overlap.
func TestOneAtATime(t *testing.T) {
	root := tempDir(t)
	var running sync.Mutex
	calls := make(chan struct{})
	w, err := New(Options{Changed: func(Change) {
		if !running.TryLock() {
			t.Error("two at once")
		}
		calls <- struct{}{} // it has begun
		calls <- struct{}{} // and goes on until it may end
		running.Unlock()
	}})
	must(t, err)
	must(t, w.SetRoots([]string{root}))
	for i := range 20 {
		write(t, root+"/f", fmt.Sprint(i))
		<-calls // only one is left for the changes during this one
		write(t, root+"/g", fmt.Sprint(i))
		<-calls
		<-calls
		<-calls
	}
	w.Close()
	w.Close()
	if err := w.SetRoots([]string{root}); err == nil {
		t.Error("roots of a closed watcher")
	}
}

// TestCheckout changes thousands of files at once.
func TestCheckout(t *testing.T) {
	for _, mode := range modes[:2] {
		t.Run(mode.name, func(t *testing.T) {
			root := tempDir(t)
			for i := range 5000 {
				write(t, fmt.Sprintf("%s/d%d/e%d/f%d", root, i%50, i%7, i), "main")
			}
			o := observe(t, func(w *Watcher) {
				w.opts.Interval = 20 * time.Millisecond
				mode.set(w)
			}, root)
			for i := range 5000 {
				switch path := fmt.Sprintf("%s/d%d/e%d/f%d", root, i%50, i%7, i); i % 3 {
				case 0:
					must(t, os.Remove(path))
				case 1:
					must(t, os.Remove(path)) // as git does
					write(t, path, "branch")
				case 2:
					write(t, fmt.Sprintf("%s/new%d/f%d", root, i%50, i), "branch")
				}
			}
			must(t, os.RemoveAll(root+"/d1"))
			o.settled()
			t.Logf("%d calls", len(o.told()))
			write(t, root+"/new7/f", "main")
			o.settled()
		})
	}
}

// TestOverflow lets the system's queue run over.
func TestOverflow(t *testing.T) {
	root := tempDir(t)
	write(t, root+"/a/f", "1")
	o := observe(t, func(*Watcher) {}, root)
	o.box.mu.Lock() // nobody takes events from the source now
	for i := range 25_000 {
		name := fmt.Sprintf("%s/a/%d", root, i%100)
		must(t, os.WriteFile(name, nil, 0o644))
		must(t, os.Remove(name))
	}
	write(t, root+"/b/c/f", "2")
	must(t, os.RemoveAll(root+"/a"))
	o.box.mu.Unlock()
	o.settled()
	if !slices.ContainsFunc(o.told(), func(c Change) bool { return c.All }) {
		t.Errorf("told %+v", o.told())
	}
	o.editAll()
}

// TestLost tells a watcher that its source missed something, again and again.
func TestLost(t *testing.T) {
	inEachMode(t, func(t *testing.T, set func(*Watcher)) {
		root := tempDir(t)
		write(t, root+"/a/f", "1")
		o := observe(t, set, root)
		for i := range 20 {
			o.box.putLost()
			write(t, fmt.Sprintf("%s/%d/f", root, i), "1")
			o.box.putLost()
			o.settled()
		}
		o.editAll()
	})
}

// TestBoxIsBounded puts more into a box than it holds.
func TestBoxIsBounded(t *testing.T) {
	b := newBox()
	for i := range boxed + 10 {
		b.put(fmt.Sprint(i), 1)
	}
	paths, lost, asked := b.take()
	if len(paths) != boxed || !lost || asked || !b.empty() {
		t.Errorf("%d paths, lost %v", len(paths), lost)
	}
}

// TestNotices says why folders are polled, once.
func TestNotices(t *testing.T) {
	want := map[string]string{
		"no notifications arrive": "no notifications of changes arrive from",
		"no watches left":         "max_user_watches",
	}
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			var notices []string
			root := tempDir(t)
			for i := range 20 {
				write(t, fmt.Sprintf("%s/%d/f", root, i), "1")
			}
			o := observe(t, func(w *Watcher) {
				mode.set(w)
				w.opts.Notice = func(message string) { notices = append(notices, message) }
			}, root)
			must(t, o.SetRoots([]string{root + "/1"}))
			must(t, o.SetRoots([]string{root}))
			o.Close()
			if want := want[mode.name]; want == "" && len(notices) > 0 || want != "" && (len(notices) != 1 || !strings.Contains(notices[0], want)) {
				t.Errorf("noticed %q", notices)
			}
		})
	}
}

// TestProbe finds that notifications arrive where tests run, and leaves nothing behind.
func TestProbe(t *testing.T) {
	for _, inside := range []string{".", ".neuralis"} {
		dir := tempDir(t)
		must(t, os.MkdirAll(filepath.Join(dir, inside), 0o755))
		arrived, err := probeEvents(dir)
		must(t, err)
		if !arrived {
			t.Error("no notification has arrived")
		}
		left, err := filepath.Glob(filepath.Join(dir, inside, ".neuralis-*"))
		must(t, err)
		if len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

func TestOptions(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("nobody is told")
	}
	if _, err := New(Options{Changed: func(Change) {}, Interval: -1}); err == nil {
		t.Error("a negative interval")
	}
}
