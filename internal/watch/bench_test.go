//go:build unix

package watch

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"
)

// project makes a folder with packages, each with as many files as a small one has.
func project(b *testing.B, packages int) string {
	root := tempDir(b)
	for i := range packages {
		pkg := fmt.Sprintf("%s/p%d", root, i)
		for _, file := range []string{
			"package.json", "tsconfig.json", "README.md", "src/tools/a.ts", "src/tools/b.ts", "src/routes/r.ts", "src/lib/x.ts",
			"tools/a.json", "tools/b.json", "skills/s/SKILL.md", "tests/a.test.ts", "docs/a.md", "dist/package.wasm",
		} {
			write(b, pkg+"/"+file, "1")
		}
	}
	return root
}

func dist(path string) bool { return len(path) > 5 && path[len(path)-5:] == "/dist" }

// BenchmarkSave is the time from before a save by rename until it is told.
func BenchmarkSave(b *testing.B) {
	for _, packages := range []int{1, 100} {
		b.Run(fmt.Sprintf("%d packages", packages), func(b *testing.B) {
			root := project(b, packages)
			calls := make(chan Change)
			w, err := New(Options{Ignore: dist, Changed: func(c Change) { calls <- c }})
			must(b, err)
			defer w.Close()
			must(b, w.SetRoots([]string{root}))
			file := root + "/p0/src/tools/a.ts"
			b.ResetTimer()
			for i := range b.N {
				write(b, file+".tmp", fmt.Sprint(i))
				must(b, os.Rename(file+".tmp", file))
				<-calls
			}
		})
	}
}

// BenchmarkRoots is the time to watch a project, and to stop.
func BenchmarkRoots(b *testing.B) {
	for _, packages := range []int{1, 100} {
		b.Run(fmt.Sprintf("%d packages", packages), func(b *testing.B) {
			root := project(b, packages)
			for range b.N {
				w, err := New(Options{Ignore: dist, Changed: func(Change) {}})
				must(b, err)
				must(b, w.SetRoots([]string{root}))
				w.Close()
			}
		})
	}
}

// BenchmarkPoll is what it takes to look once at a polled project.
func BenchmarkPoll(b *testing.B) {
	root := project(b, 100)
	w, err := prepare(Options{Poll: true, Interval: DefaultInterval, Ignore: dist, Changed: func(Change) {}})
	must(b, err)
	go w.run()
	defer w.Close()
	must(b, w.SetRoots([]string{root}))
	w.mu.Lock()
	dirs := make([]string, 0, len(w.tree.dirs))
	for dir := range w.tree.dirs {
		dirs = append(dirs, dir)
	}
	poller := w.tree.poller
	w.mu.Unlock()
	b.ReportMetric(float64(len(dirs)), "folders")
	b.ResetTimer()
	before := used(b)
	defer func() { b.ReportMetric(float64((used(b)-before).Microseconds())/float64(b.N), "processor-µs/op") }()
	for range b.N {
		for _, dir := range dirs { // what the library does in a round is the same as when a folder is added
			must(b, poller.lib.Add(dir))
		}
	}
}

// used is the processor time of this process.
func used(b *testing.B) time.Duration {
	var usage syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
