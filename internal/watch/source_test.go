package watch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestWatchedBeforeListed makes folders at the last moment before a folder is watched.
func TestWatchedBeforeListed(t *testing.T) {
	root := tempDir(t)
	write(t, root+"/a/f", "1")
	o := observe(t, func(w *Watcher) {
		w.listen = func(e *events, dir string) error {
			switch late := dir + "/late/f"; filepath.Base(dir) {
			case "a", "b":
				write(t, late, "1")
			}
			return e.add(dir)
		}
	}, root)
	o.editAll()
	write(t, root+"/b/f", "1")
	o.settled()
	o.editAll()
	if _, seen := o.snapshot()[root+"/b/late/f"]; !seen {
		t.Error("the folder was watched before")
	}
}

// TestSameTime polls a file that is written twice while its file system's clock stands still, the second time after it has
// been looked at.
func TestSameTime(t *testing.T) {
	for _, test := range []struct {
		name  string
		mtime time.Time
		later []time.Duration // of looks, after mtime
		told  []bool
	}{
		{"clocks of milliseconds", time.Unix(1000, 5_000_000),
			[]time.Duration{time.Millisecond, 5 * time.Millisecond, 50 * time.Millisecond, time.Second}, []bool{false, false, true, false}},
		{"clocks of seconds", time.Unix(1000, 0),
			[]time.Duration{time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second}, []bool{false, false, false, true, false}},
		{"a clock ahead of ours", time.Unix(1000, 5_000_000),
			[]time.Duration{-time.Minute, -time.Second, time.Second}, []bool{false, false, true}},
		{"an old file", time.Unix(1000, 5_000_000), []time.Duration{time.Hour, 2 * time.Hour}, []bool{false, false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := tempDir(t)
			file := dir + "/f"
			write(t, file, "1")
			must(t, os.Symlink(file, dir+"/link"))
			must(t, os.Chtimes(file, test.mtime, test.mtime))
			b := newBox()
			p := newPoller(b, time.Second, passing)
			now := test.mtime
			p.now = func() time.Time { return now }
			for i, later := range test.later {
				now = test.mtime.Add(later)
				info, err := os.Lstat(file)
				must(t, err)
				must(t, p.filter(info, file))
				p.entry(file)
				if i > 0 {
					p.lookAtEntries()
				}
				paths, _, _ := b.take()
				if told := paths[file].Has(fsnotify.Write); told != test.told[i] {
					t.Errorf("after %s: told %v", later, told)
				}
			}
		})
	}
}

// TestEntries looks at a path for itself.
func TestEntries(t *testing.T) {
	dir := tempDir(t)
	path := dir + "/x"
	b := newBox()
	p := newPoller(b, time.Second, passing)
	p.entry(path)
	for _, step := range []struct {
		name string
		do   func()
		want fsnotify.Op
	}{
		{"nothing", func() {}, 0},
		{"made", func() { write(t, path, "1") }, fsnotify.Create},
		{"longer", func() { write(t, path, "12") }, fsnotify.Write},
		{"other permissions", func() { must(t, os.Chmod(path, 0o600)) }, fsnotify.Chmod},
		{"a folder", func() { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o755)) }, fsnotify.Remove | fsnotify.Create},
		{"something in it", func() { write(t, path+"/f", "1") }, 0},
		{"permissions of a folder", func() { must(t, os.Chmod(path, 0o700)) }, fsnotify.Chmod},
		{"a link", func() { must(t, os.RemoveAll(path)); must(t, os.Symlink("a", path)) }, fsnotify.Remove | fsnotify.Create},
		{"another link", func() { must(t, os.Remove(path)); must(t, os.Symlink("b", path)) }, fsnotify.Remove | fsnotify.Create},
		{"gone", func() { must(t, os.Remove(path)) }, fsnotify.Remove},
	} {
		step.do()
		old := time.Unix(1000, 1)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && step.want != fsnotify.Chmod {
			must(t, os.Chtimes(path, old, old))
		}
		p.lookAtEntries()
		paths, lost, _ := b.take()
		if paths[path] != step.want || lost {
			t.Errorf("%s: %v", step.name, paths)
		}
	}
}

// TestResolve follows paths, and visits each entry on the way before it is looked at.
func TestResolve(t *testing.T) {
	base := tempDir(t)
	write(t, base+"/real/dir/f", "1")
	must(t, os.Symlink("real/dir", base+"/link"))
	must(t, os.Symlink(base+"/link", base+"/chain"))
	must(t, os.Symlink("loop", base+"/loop"))
	must(t, os.Symlink("real/..", base+"/here"))
	for _, test := range []struct {
		path, want string
		visits     []string
		fails      bool
	}{
		{"/real/dir/f", "/real/dir/f", []string{"/real", "/real/dir", "/real/dir/f"}, false},
		{"/link/f", "/real/dir/f", []string{"/link", "/real", "/real/dir", "/real/dir/f"}, false},
		{"/chain", "/real/dir", []string{"/chain", "/link", "/real", "/real/dir"}, false},
		{"/here/link/../.", "/real", []string{"/here", "/real", "/link", "/real", "/real/dir"}, false},
		{"/loop", "", []string{"/loop"}, true},
		{"/not/there", "", []string{"/not"}, true},
		{"/real/dir/f/x", "", []string{"/real", "/real/dir", "/real/dir/f", "/real/dir/f/x"}, true},
	} {
		var visits []string
		path, info, err := resolve(base+test.path, func(entry string) {
			if rel, ok := cutBase(entry, base); ok && (len(visits) == 0 || visits[len(visits)-1] != rel) {
				visits = append(visits, rel)
			}
		})
		if (err != nil) != test.fails || err == nil && (path != base+test.want || info == nil) || !slices.Equal(visits, test.visits) {
			t.Errorf("%s: %s, %v, visited %q", test.path, path, err, visits)
		}
	}
}

func cutBase(path, base string) (string, bool) {
	if !within(path, base) || path == base {
		return "", false
	}
	return path[len(base):], true
}

// TestNothingPeriodic looks at nothing again and again where notifications arrive.
func TestNothingPeriodic(t *testing.T) {
	base := tempDir(t)
	write(t, base+"/a/f", "1")
	must(t, os.Symlink(base+"/a/f", base+"/a/link"))
	o := observe(t, func(*Watcher) {}, base+"/a", base+"/missing")
	write(t, base+"/a/b/f", "1")
	o.settled()
	o.Watcher.mu.Lock()
	defer o.Watcher.mu.Unlock()
	if o.tree.poller != nil {
		t.Errorf("%d paths are looked at", len(o.tree.poller.entries))
	}
}
