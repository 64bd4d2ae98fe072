package watch

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHabits does what editors and people do. After each, what was seen when told is what is there, and every
// file can be changed and that is told.
func TestHabits(t *testing.T) {
	type place struct{ base, root, src, out string }
	habits := []struct {
		name string
		do   func(t *testing.T, p place)
	}{
		{"in place", func(t *testing.T, p place) { write(t, p.src+"/x.ts", "2") }},
		{"a rename over it", func(t *testing.T, p place) {
			write(t, p.src+"/x.ts.tmp123", "2")
			must(t, os.Rename(p.src+"/x.ts.tmp123", p.src+"/x.ts"))
		}},
		{"deleted and made again", func(t *testing.T, p place) {
			must(t, os.Remove(p.src+"/x.ts"))
			write(t, p.src+"/x.ts", "2")
		}},
		{"deleted", func(t *testing.T, p place) { must(t, os.Remove(p.src+"/x.ts")) }},
		{"Vim", func(t *testing.T, p place) {
			write(t, p.src+"/.x.ts.swp", "swap")
			write(t, p.src+"/4913", "")
			must(t, os.Remove(p.src+"/4913"))
			must(t, os.Rename(p.src+"/x.ts", p.src+"/x.ts~"))
			write(t, p.src+"/x.ts", "2")
			must(t, os.Remove(p.src+"/x.ts~"))
			must(t, os.Remove(p.src+"/.x.ts.swp"))
		}},
		{"Emacs", func(t *testing.T, p place) {
			must(t, os.Symlink("me@here.1:2", p.src+"/.#x.ts"))
			write(t, p.src+"/#x.ts#", "2")
			must(t, os.Rename(p.src+"/x.ts", p.src+"/x.ts~"))
			write(t, p.src+"/x.ts", "2")
			must(t, os.Remove(p.src+"/#x.ts#"))
			must(t, os.Remove(p.src+"/.#x.ts"))
		}},
		{"JetBrains", func(t *testing.T, p place) {
			write(t, p.src+"/x.ts___jb_tmp___", "2")
			must(t, os.Rename(p.src+"/x.ts", p.src+"/x.ts___jb_old___"))
			must(t, os.Rename(p.src+"/x.ts___jb_tmp___", p.src+"/x.ts"))
			must(t, os.Remove(p.src+"/x.ts___jb_old___"))
		}},
		{"a time that stays", func(t *testing.T, p place) {
			info, err := os.Stat(p.src + "/x.ts")
			must(t, err)
			write(t, p.src+"/new", "longer")
			must(t, os.Chtimes(p.src+"/new", info.ModTime(), info.ModTime()))
			must(t, os.Rename(p.src+"/new", p.src+"/x.ts"))
		}},
		{"new folders", func(t *testing.T, p place) { write(t, p.root+"/a/b/c/d/e.ts", "2") }},
		{"a folder deleted", func(t *testing.T, p place) { must(t, os.RemoveAll(p.src)) }},
		{"a folder deleted and made again", func(t *testing.T, p place) {
			must(t, os.RemoveAll(p.src))
			write(t, p.src+"/deep/y.ts", "2")
		}},
		{"a folder renamed", func(t *testing.T, p place) { must(t, os.Rename(p.src, p.root+"/other")) }},
		{"a folder renamed and made again", func(t *testing.T, p place) {
			must(t, os.Rename(p.src, p.root+"/other"))
			write(t, p.src+"/deep/x.ts", "2")
		}},
		{"folders that change places", func(t *testing.T, p place) {
			write(t, p.root+"/other/deep/z.ts", "2")
			must(t, os.Rename(p.src, p.root+"/aside"))
			must(t, os.Rename(p.root+"/other", p.src))
			must(t, os.Rename(p.root+"/aside", p.root+"/other"))
		}},
		{"a folder moved away and another moved in", func(t *testing.T, p place) {
			write(t, p.out+"/new/deep/z.ts", "2")
			must(t, os.Rename(p.src, p.out+"/old"))
			must(t, os.Rename(p.out+"/new", p.src))
			write(t, p.out+"/old/x.ts", "nobody cares")
		}},
		{"a file becomes a folder", func(t *testing.T, p place) {
			must(t, os.Remove(p.src+"/x.ts"))
			write(t, p.src+"/x.ts/y.ts", "2")
		}},
		{"a folder becomes a file", func(t *testing.T, p place) {
			must(t, os.RemoveAll(p.src))
			write(t, p.src, "2")
		}},
		{"a package is linked", func(t *testing.T, p place) {
			write(t, p.out+"/pkg/src/y.ts", "2")
			must(t, os.Symlink(p.out+"/pkg", p.root+"/linked"))
			must(t, os.Symlink("../out/pkg/../pkg/src/", p.root+"/again"))
		}},
		{"a package is linked before it is there", func(t *testing.T, p place) {
			must(t, os.Symlink(p.out+"/not/yet", p.root+"/linked"))
			write(t, p.out+"/not/yet/src/y.ts", "2")
		}},
		{"a link leads elsewhere", func(t *testing.T, p place) {
			write(t, p.out+"/one/y.ts", "2")
			write(t, p.out+"/two/y.ts", "3")
			must(t, os.Symlink(p.out+"/one", p.root+"/linked"))
			must(t, os.Symlink(p.out+"/two", p.root+"/new"))
			must(t, os.Rename(p.root+"/new", p.root+"/linked"))
			write(t, p.out+"/one/y.ts", "nobody cares")
		}},
		{"a link between leads elsewhere", func(t *testing.T, p place) {
			write(t, p.out+"/one/y.ts", "2")
			write(t, p.out+"/two/y.ts", "3")
			must(t, os.Symlink(p.out+"/one", p.out+"/between"))
			must(t, os.Symlink(p.out+"/between", p.root+"/linked"))
			must(t, os.Remove(p.out+"/between"))
			must(t, os.Symlink("two", p.out+"/between"))
		}},
		{"a file is linked", func(t *testing.T, p place) {
			write(t, p.out+"/y.ts", "2")
			must(t, os.Symlink(p.out+"/y.ts", p.root+"/linked.ts"))
		}},
		{"links in circles", func(t *testing.T, p place) {
			must(t, os.Symlink("..", p.src+"/up"))
			must(t, os.Symlink("circle", p.src+"/circle"))
			write(t, p.root+"/a/z.ts", "2")
			write(t, p.root+"/b/z.ts", "2")
			must(t, os.Symlink("../b", p.root+"/a/b"))
			must(t, os.Symlink("../a", p.root+"/b/a"))
		}},
		{"the root is deleted", func(t *testing.T, p place) { must(t, os.RemoveAll(p.root)) }},
		{"the root is deleted and made again", func(t *testing.T, p place) {
			must(t, os.RemoveAll(p.root))
			write(t, p.src+"/y.ts", "2")
		}},
		{"the root is replaced by a rename", func(t *testing.T, p place) {
			write(t, p.out+"/new/src/deep/y.ts", "2")
			must(t, os.Rename(p.root, p.out+"/old"))
			must(t, os.Rename(p.out+"/new", p.root))
		}},
		{"a folder above the root is renamed and made again", func(t *testing.T, p place) {
			must(t, os.Rename(p.base+"/proj", p.base+"/old"))
			write(t, p.src+"/y.ts", "2")
		}},
		{"the root becomes a link", func(t *testing.T, p place) {
			must(t, os.Rename(p.root, p.out+"/pkgs"))
			must(t, os.Symlink("../out/pkgs", p.root))
		}},
		{"much at once", func(t *testing.T, p place) {
			for i := range 100 {
				dir := filepath.Join(p.root, "dir", string(rune('a'+i%26)))
				write(t, filepath.Join(dir, "f"+string(rune('a'+i/26))), "2")
			}
			must(t, os.RemoveAll(p.root+"/dir/a"))
		}},
	}
	inEachMode(t, func(t *testing.T, set func(*Watcher)) {
		for _, habit := range habits {
			t.Run(habit.name, func(t *testing.T) {
				t.Parallel()
				base := tempDir(t)
				p := place{base, base + "/proj/pkgs", base + "/proj/pkgs/src", base + "/proj/out"}
				write(t, p.src+"/x.ts", "1")
				write(t, p.src+"/deep/er/w.ts", "1")
				must(t, os.MkdirAll(p.out, 0o755))
				o := observe(t, set, p.root)
				habit.do(t, p)
				o.settled()
				o.editAll()
			})
		}
	})
}

// TestRootsToCome watches what is not there yet.
func TestRootsToCome(t *testing.T) {
	inEachMode(t, func(t *testing.T, set func(*Watcher)) {
		base := tempDir(t)
		root := base + "/not/yet/there"
		o := observe(t, set, root)
		for range 3 {
			write(t, root+"/a.ts", "1")
			o.settled()
			o.editAll()
			must(t, os.RemoveAll(base+"/not"))
			o.settled()
			must(t, os.MkdirAll(base+"/not", 0o755))
		}
		// A file where a folder is to be.
		write(t, base+"/not/yet", "a file")
		must(t, os.Remove(base+"/not/yet"))
		write(t, root+"/b.ts", "1")
		o.settled()
	})
}

// TestLinkedRoot watches through links, and calls things as the root is called.
func TestLinkedRoot(t *testing.T) {
	inEachMode(t, func(t *testing.T, set func(*Watcher)) {
		base := tempDir(t)
		write(t, base+"/real/pkg/a.ts", "1")
		must(t, os.Symlink("real", base+"/link"))
		o := observe(t, set, base+"/link/pkg")
		write(t, base+"/real/pkg/a.ts", "22")
		o.settled()
		told := o.told()
		if last := told[len(told)-1]; len(last.Roots) != 1 || last.Roots[0] != base+"/link/pkg" {
			t.Errorf("told %+v", last)
		}
		write(t, base+"/other/pkg/a.ts", "333")
		must(t, os.Remove(base+"/link"))
		must(t, os.Symlink("other", base+"/link"))
		o.settled()
		o.editAll()
	})
}

// TestTwoNames changes a file that two links lead to: both names are told.
func TestTwoNames(t *testing.T) {
	inEachMode(t, func(t *testing.T, set func(*Watcher)) {
		base := tempDir(t)
		write(t, base+"/lib/src/a.ts", "1")
		must(t, os.MkdirAll(base+"/pkgs", 0o755))
		must(t, os.Symlink("../lib", base+"/pkgs/x"))
		must(t, os.Symlink("../lib", base+"/pkgs/y"))
		o := observe(t, set, base+"/pkgs")
		write(t, base+"/lib/src/a.ts", "22")
		o.settled() // untold holds both
		write(t, base+"/lib/src/new/b.ts", "22")
		o.settled()
		o.editAll()
	})
}

// TestFileAsRoot watches one file, and nothing beside it.
func TestFileAsRoot(t *testing.T) {
	inEachMode(t, func(t *testing.T, set func(*Watcher)) {
		base := tempDir(t)
		file := base + "/conf/host.json"
		o := observe(t, set, file)
		write(t, file, "1")
		o.settled()
		write(t, base+"/conf/other.json", "1")
		write(t, file+".tmp", "22")
		must(t, os.Rename(file+".tmp", file))
		o.settled()
		o.editAll()
		must(t, os.Remove(file))
		o.settled()
	})
}
