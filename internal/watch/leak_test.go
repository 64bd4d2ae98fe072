package watch

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestNothingIsLeft reloads a thousand times: trees are planted anew, and folders come and go. Then as many goroutines run and as many
// descriptors are open as before.
func TestNothingIsLeft(t *testing.T) {
	if _, err := os.ReadDir("/proc/self/fd"); err != nil {
		t.Skip("this system does not tell which descriptors are open")
	}
	for _, mode := range modes[:4] {
		t.Run(mode.name, func(t *testing.T) {
			root := tempDir(t)
			write(t, root+"/a/deep/f", "1")
			write(t, root+"/b/f", "1")
			goroutines, descriptors := runtime.NumGoroutine(), openDescriptors(t)
			called := make(chan Change, 1)
			w, err := prepare(Options{Interval: time.Millisecond, Changed: func(c Change) {
				select {
				case called <- c:
				default:
				}
			}})
			must(t, err)
			mode.set(w)
			go w.run()
			must(t, w.SetRoots([]string{root}))
			for i := range 1000 {
				switch i % 4 {
				case 0:
					must(t, os.Rename(root+"/a", root+"/c"))
				case 1:
					must(t, os.Rename(root+"/c", root+"/a"))
				case 2:
					must(t, os.RemoveAll(root+"/b"))
					write(t, root+"/b/f", fmt.Sprint(i))
				case 3:
					must(t, w.SetRoots([]string{root, fmt.Sprint(root, "/", i)}))
				}
				write(t, root+"/f", fmt.Sprint("reload ", i))
				<-called
			}
			watched := 0
			w.mu.Lock()
			if w.tree.events != nil {
				watched = len(w.tree.events.fs.WatchList())
			}
			w.mu.Unlock()
			if watched > 20 {
				t.Errorf("%d folders are watched", watched)
			}
			w.Close()
			// Polling ends by itself, when it would look again.
			for runtime.NumGoroutine() > goroutines {
				runtime.Gosched()
			}
			if open := openDescriptors(t); open > descriptors {
				t.Errorf("%d descriptors are open, %d were", open, descriptors)
			}
		})
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(entries)
}
