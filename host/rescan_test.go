package host_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestRescan(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/a": says("a", "a1"), "_packages/b": says("b", "b1")}).open()
	expect := func(a, b, c string) {
		t.Helper()
		for name, want := range map[string]string{"a": a, "b": b, "c": c} {
			if want == "" {
				want = fmt.Sprintf("unknown-tool: there is no tool %q", name)
			}
			if got := w.tool(ada, name, ""); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
	}
	schema := saying("b1", false, `,"required":["x"]`)
	for _, step := range []struct {
		name    string
		do      func()
		changes string
		a, b, c string
	}{
		{"nothing", func() {}, "", "a1", "b1", ""},
		{"a package comes", func() { put(t, w.at("_packages/c"), says("c", "c1")) }, "+c", "a1", "b1", "c1"},
		{"one changes", func() { put(t, w.at("_packages/a"), says("a", "a2")) }, "~a", "a2", "b1", "c1"},
		{"one goes", func() { must(t, os.RemoveAll(w.at("_packages/c"))) }, "-c", "a2", "b1", ""},
		{"one breaks", func() { must(t, os.WriteFile(w.at("_packages/a/package.json"), []byte("{"), 0o644)) }, "-a", "", "b1", ""},
		{"and is mended", func() { put(t, w.at("_packages/a"), says("a", "a3")) }, "+a", "a3", "b1", ""},
		{"a schema changes, and nothing else", func() { must(t, os.WriteFile(w.at("_packages/b/tools/b.json"), []byte(schema), 0o644)) },
			"", "a3", "invalid-arguments: the arguments of b are not what it takes: at /x: missing", ""},
		{"two of one id", func() { put(t, w.at("_packages/twin"), says("a", "twin")) }, "-a", "", "*", ""},
		{"one of them goes", func() { must(t, os.RemoveAll(w.at("_packages/a"))) }, "+a", "twin", "*", ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.do()
			if got := w.rescan(); got != step.changes {
				t.Errorf("changed: %q, want %q", got, step.changes)
			}
			if step.b == "*" || strings.HasPrefix(step.b, "invalid-arguments") {
				if got := w.tool(ada, "b", ""); !strings.HasPrefix(got, "invalid-arguments") {
					t.Errorf("b: %s", got)
				}
				if got := w.tool(ada, "b", `{"x":1}`); got != "b1" {
					t.Errorf("b: %s", got)
				}
				step.b = w.tool(ada, "b", "")
			}
			expect(step.a, step.b, step.c)
		})
	}
}

// A package that is held stays as it is, whatever becomes of its folder; the others do not.
func TestHeld(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/a": says("a", "a1"), "_packages/b": says("b", "b1")}).open()
	if got := w.tool(ada, "a", ""); got != "a1" {
		t.Fatal(got)
	}
	must(t, os.WriteFile(w.at("_packages/a/package.json"), []byte("{"), 0o644))
	must(t, os.RemoveAll(w.at("_packages/a/dist")))
	put(t, w.at("_packages/b"), says("b", "b2"))
	for range 2 {
		if _, err := w.Rescan(t.Context(), w.at("_packages/a")); err != nil {
			t.Fatal(err)
		}
		if a, b := w.tool(ada, "a", ""), w.tool(ada, "b", ""); a != "a1" || b != "b2" {
			t.Errorf("got %s, %s", a, b)
		}
	}
	if got := w.rescan(); got != "-a" {
		t.Errorf("changed: %s", got)
	}
	if got := w.tool(ada, "a", ""); !strings.HasPrefix(got, "unknown-tool") {
		t.Error(got)
	}
}

// A call goes on with the version that it began with; the next one gets the new version.
func TestCallsInFlightKeepTheirVersion(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(w *world)
		next   string
	}{
		{"changed", func(w *world) { put(w, w.at("_packages/a"), says("a", "new")) }, "new"},
		{"gone", func(w *world) { must(w, os.RemoveAll(w.at("_packages/a"))) }, `unknown-tool: there is no tool "a"`},
		{"broken", func(w *world) { must(w, os.WriteFile(w.at("_packages/a/package.json"), nil, 0o644)) }, `unknown-tool: there is no tool "a"`},
		{"unbuilt", func(w *world) { must(w, os.RemoveAll(w.at("_packages/a/dist"))) }, "runtime-unavailable: nothing runs the code of the package a: the package is not built: there is no dist/package.wasm"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, "", map[string]files{"_packages/a": waits("a", "old")})
			g := w.gate("waiting")
			w.open()
			answers := make(chan string, 3)
			for range 3 {
				go func() { answers <- w.tool(ada, "a", "") }()
			}
			for range 3 {
				<-g.entered
			}
			test.change(w)
			w.rescan()
			if got := w.tool(ada, "a", ""); got != test.next {
				t.Errorf("the next call: %s", got)
			}
			close(g.let)
			for range 3 {
				if got := <-answers; got != "old" {
					t.Errorf("a call that was in flight: %s", got)
				}
			}
		})
	}
}

// Calls and rescans at the same time: each call is answered by one version, in a way that this version answers.
func TestCallsDuringRescans(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need privileges there")
	}
	// Each version has arguments of its own, so that the schema of one and the code of the other would be noticed.
	version := func(n int) files {
		f := files{"package.json": pkg("a", wasm)}
		f["tools/a.json"] = tool(fmt.Sprintf(`"properties":{"n":{"type":"integer","default":%d}}`, n), "")
		f["src/tools/a.ts"] = fmt.Sprintf("export default (args: any) => args.n === %d ? 'right' : 'the code of %d got the arguments of ' + args.n;", n, n)
		return f
	}
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0}}}`, map[string]files{"version-1": version(1), "version-2": version(2)})
	must(t, os.Mkdir(w.at("_packages"), 0o755))
	point(t, w.at("_packages/a"), w.at("version-1"))
	w.open()
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if got := w.tool(ada, "a", ""); got != "right" {
					t.Error(got)
					return
				}
			}
		})
	}
	for i := range 10 {
		// In one step, so that no scan finds half of a package.
		point(t, w.at("_packages/a"), w.at(fmt.Sprint("version-", 1+(i+1)%2)))
		if got := w.rescan(); got != "~a" {
			t.Errorf("changed: %q", got)
		}
	}
	close(stop)
	callers.Wait()
}

// point lets a path be a link to a folder from one moment to the next.
func point(t testing.TB, at, to string) {
	t.Helper()
	must(t, os.Symlink(to, to+".link"))
	must(t, os.Rename(to+".link", at))
}

// Rescans, other configs, calls and Close at the same time, for the race detector.
func TestAtTheSameTime(t *testing.T) {
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0}}}`, map[string]files{"_packages/a": says("a", "a"), "_packages/b": says("b", "b")}).open()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 20 {
				if got := w.tool(ada, "a", ""); got != "a" && !strings.Contains(got, "the host is stopping") {
					t.Error(got)
				}
			}
		})
		all.Go(func() {
			w.States()
			w.SessionAs("owner", "*")
			c := w.load(fmt.Sprintf(`{"limits": {"untrusted": {"toolsPerMinute": 0, "memoryMiB": %d}}}`, 32+32*(i%2)))
			if _, err := w.Reconfigure(context.Background(), c); err != nil && !strings.Contains(err.Error(), "stopping") {
				t.Error(err)
			}
			if i == 3 {
				if err := w.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
