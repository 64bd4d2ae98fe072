package devserver

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"testing"
)

// reloads are how many saves must leave nothing behind.
const reloads = 1000

func TestNothingIsLeftOfReloads(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a thousand times")
	}
	s := newStudio(t, shop(nil))
	save := func(i int) {
		want := fmt.Sprint("answer ", i)
		s.save(KindBuilt, map[string]string{"_packages/shop/src/tools/a.ts": answering(want)})
		// Calls of one package are counted, so not each save is asked for.
		if i%50 == 0 {
			if got := s.call("a"); got != want {
				t.Fatalf("%q is answered, not %q", got, want)
			}
		}
	}
	for i := range 20 {
		save(i)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	goroutines, files := runtime.NumGoroutine(), descriptors()
	for i := range reloads {
		save(20 + i)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	// What ends takes a moment to end.
	for tries := 0; (runtime.NumGoroutine() > goroutines || descriptors() > files) && tries < 1_000_000; tries++ {
		runtime.Gosched()
	}
	if n, f := runtime.NumGoroutine(), descriptors(); n > goroutines || f > files {
		buffer := make([]byte, 1<<20)
		t.Errorf("%d goroutines became %d, and %d descriptors %d:\n%s", goroutines, n, files, f, buffer[:runtime.Stack(buffer, true)])
	}
}

// descriptors are how many this process has open; 0 where the system does not tell.
func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
