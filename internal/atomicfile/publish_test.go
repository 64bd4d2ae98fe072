package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// tree is the content of the files below a folder by their paths, the list of files left out.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); rel != ListName {
			files[rel] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func toFiles(content map[string]string) []File {
	var files []File
	for _, path := range slices.Sorted(maps.Keys(content)) {
		files = append(files, File{Path: path, Data: []byte(content[path])})
	}
	return files
}

// systems are the ways in which a folder can be put in the place of another.
func systems() map[string]func(a, b string) (bool, error) {
	return map[string]func(a, b string) (bool, error){
		"of this system": exchange,
		"by two renames": func(_, _ string) (bool, error) { return false, nil },
	}
}

// newTestPublisher is a publisher that does not flush, and exchanges in a way of its own.
func newTestPublisher(t testing.TB, dir string, exchange func(a, b string) (bool, error)) *publisher {
	t.Helper()
	p, err := newPublisher(dir, Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	p.exchange = exchange
	return p
}

func TestPublish(t *testing.T) {
	tests := []struct {
		name string
		old  map[string]string // published before, unless nil
		mine map[string]string // put there by someone else
		new  map[string]string
		want map[string]string
	}{
		{"first", nil, nil, map[string]string{"a": "1", "src/tools/b.js": "2"}, map[string]string{"a": "1", "src/tools/b.js": "2"}},
		{"nothing", nil, nil, nil, map[string]string{}},
		{"replaced", map[string]string{"a": "1", "b": "1"}, nil, map[string]string{"a": "2", "b": "2"}, map[string]string{"a": "2", "b": "2"}},
		{"stale ones go", map[string]string{"a": "1", "src/b/c": "1", "src/d": "1"}, nil, map[string]string{"a": "2"}, map[string]string{"a": "2"}},
		{"others' stay", map[string]string{"a": "1", "src/b": "1"}, map[string]string{"x": "mine", "src/y": "mine", ".hidden": "mine", "deep/er/z": "mine"},
			map[string]string{"a": "2"}, map[string]string{"a": "2", "x": "mine", "src/y": "mine", ".hidden": "mine", "deep/er/z": "mine"}},
		{"others' stay in a folder never published", nil, map[string]string{"x": "mine"}, map[string]string{"a": "1"}, map[string]string{"a": "1", "x": "mine"}},
		{"the new file wins", nil, map[string]string{"a": "mine"}, map[string]string{"a": "1"}, map[string]string{"a": "1"}},
		{"a file becomes a folder", map[string]string{"a": "1"}, nil, map[string]string{"a/b": "2"}, map[string]string{"a/b": "2"}},
		{"a folder becomes a file", map[string]string{"a/b": "1"}, nil, map[string]string{"a": "2"}, map[string]string{"a": "2"}},
		{"strange names", nil, map[string]string{"#x": "mine", " y ": "mine"}, map[string]string{"目录/é #1": "1"}, map[string]string{"目录/é #1": "1", "#x": "mine", " y ": "mine"}},
	}
	for system, exchange := range systems() {
		t.Run(system, func(t *testing.T) {
			for _, test := range tests {
				t.Run(test.name, func(t *testing.T) {
					parent := t.TempDir()
					dir := filepath.Join(parent, "dist")
					if test.old != nil {
						if err := newTestPublisher(t, dir, exchange).publish(t.Context(), toFiles(test.old)); err != nil {
							t.Fatal(err)
						}
					}
					for path, text := range test.mine {
						put(t, filepath.Join(dir, filepath.FromSlash(path)), text)
					}
					for range 2 { // the second time nothing changes
						if err := newTestPublisher(t, dir, exchange).publish(t.Context(), toFiles(test.new)); err != nil {
							t.Fatal(err)
						}
						if got := tree(t, dir); !maps.Equal(got, test.want) {
							t.Errorf("got %q, want %q", got, test.want)
						}
						if got := names(t, parent); !slices.Equal(got, []string{"dist"}) {
							t.Errorf("left behind: %q", got)
						}
					}
				})
			}
		})
	}
}

func TestPublishFaults(t *testing.T) {
	tests := []struct {
		name string
		mine map[string]string
		new  []File
		want string
	}{
		{"absolute", nil, []File{{Path: "/a"}}, `"/a" cannot be the path of a file in a folder`},
		{"outside", nil, []File{{Path: "a/../../b"}}, `"a/../../b" cannot be the path of a file in a folder`},
		{"the folder itself", nil, []File{{Path: "."}}, `"." cannot be the path of a file in a folder`},
		{"empty", nil, []File{{Path: ""}}, `"" cannot be the path of a file in a folder`},
		{"unclean", nil, []File{{Path: "a//b"}}, `"a//b" cannot be the path of a file in a folder`},
		{"line feed", nil, []File{{Path: "a\nb"}}, `"a\nb" cannot be the path of a file in a folder`},
		{"the list", nil, []File{{Path: ListName}}, `".neuralis-files" is the name of the list of files`},
		{"twice", nil, []File{{Path: "a"}, {Path: "a"}}, `"a" is there twice`},
		{"file and folder", nil, []File{{Path: "a"}, {Path: "a/b/c"}}, `"a" is both a file and a folder`},
		{"someone's file where a folder is needed", map[string]string{"a": "mine"}, []File{{Path: "a/b"}}, `a is in the way`},
		{"someone's folder where a file is needed", map[string]string{"a/b": "mine"}, []File{{Path: "a"}}, `is in the way`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "dist")
			before := map[string]string{"old": "1"}
			if err := Publish(t.Context(), dir, toFiles(before), Options{}); err != nil {
				t.Fatal(err)
			}
			for path, text := range test.mine {
				put(t, filepath.Join(dir, filepath.FromSlash(path)), text)
				before[path] = text
			}
			err := Publish(t.Context(), dir, test.new, Options{})
			if err == nil || !strings.HasPrefix(err.Error(), "publish "+dir+": ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
			if got := tree(t, dir); !maps.Equal(got, before) {
				t.Errorf("the folder became %q", got)
			}
			if got := names(t, parent); !slices.Equal(got, []string{"dist"}) {
				t.Errorf("left behind: %q", got)
			}
		})
	}
}

func TestPublishInPlaceOfAFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	put(t, dir, "mine")
	if err := Publish(t.Context(), dir, nil, Options{}); err == nil || get(t, dir) != "mine" {
		t.Errorf("got %v", err)
	}
}

func TestPublishModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are of another kind here")
	}
	parent := t.TempDir()
	dir := filepath.Join(parent, "new", "dist") // its parent is made
	files := []File{{Path: "run", Mode: 0o755}, {Path: "read"}}
	if err := Publish(t.Context(), dir, files, Options{}); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(dir, "mine")
	put(t, mine, "")
	if err := os.Chmod(mine, 0o701); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fs.FileMode{0o711, 0o500} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := Publish(t.Context(), dir, files, Options{}); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]fs.FileMode{"run": 0o755, "read": 0o644, "mine": 0o701, ".": mode} {
			info, err := os.Stat(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("%s has %v, want %v", path, got, want)
			}
		}
		if got := names(t, filepath.Dir(dir)); !slices.Equal(got, []string{"dist"}) {
			t.Errorf("left behind: %q", got)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil { // or the test's folder could not be removed
		t.Fatal(err)
	}
}

func TestPublishKeepsLinks(t *testing.T) {
	parent := t.TempDir()
	real := filepath.Join(parent, "elsewhere", "out")
	put(t, filepath.Join(real, "x"), "mine")
	dir := filepath.Join(parent, "dist")
	if err := os.Symlink(filepath.Join("elsewhere", "out"), dir); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("x", filepath.Join(real, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(real, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := Publish(t.Context(), dir, []File{{Path: "a", Data: []byte("1")}}, Options{}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: filepath.Join("elsewhere", "out"), filepath.Join(real, "link"): "x", filepath.Join(real, "dangling"): "nowhere"} {
		if got, err := os.Readlink(path); got != want || err != nil {
			t.Errorf("%s points at %q, %v", path, got, err)
		}
	}
	if get(t, filepath.Join(dir, "a")) != "1" || get(t, filepath.Join(dir, "x")) != "mine" {
		t.Error("a file is missing")
	}
}

func TestPublishWithAListThatLies(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "dist")
	put(t, filepath.Join(parent, "precious"), "mine")
	put(t, filepath.Join(dir, ListName), "../precious\n/etc/hosts\n\n.\n..\ngone\n")
	put(t, filepath.Join(dir, "x"), "mine")
	if err := Publish(t.Context(), dir, []File{{Path: "a"}}, Options{}); err != nil {
		t.Fatal(err)
	}
	if get(t, filepath.Join(parent, "precious")) != "mine" || get(t, filepath.Join(dir, "x")) != "mine" {
		t.Error("something is gone")
	}
	if got := names(t, parent); !equalSets(got, []string{"dist", "precious"}) {
		t.Errorf("left behind: %q", got)
	}
}

func TestPublishIsReproducible(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	files := []File{{Path: "b"}, {Path: "a/c"}, {Path: "a/b"}}
	if err := Publish(t.Context(), dir, files, Options{}); err != nil {
		t.Fatal(err)
	}
	first := get(t, filepath.Join(dir, ListName))
	if want := listHead + "a/b\na/c\nb\n"; first != want {
		t.Errorf("got %q, want %q", first, want)
	}
	slices.Reverse(files)
	if err := Publish(t.Context(), dir, files, Options{Volatile: true}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, filepath.Join(dir, ListName)); got != first {
		t.Errorf("got %q", got)
	}
}

func TestPublishWaitsForItsTurn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	p := newTestPublisher(t, dir, exchange)
	lock, err := acquire(t.Context(), p.lock)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("no more time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := Publish(ctx, dir, nil, Options{}); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		if err := Publish(t.Context(), dir, nil, Options{}); err != nil {
			t.Error(err)
		}
	})
	if exists(dir) {
		t.Error("published under someone else's lock")
	}
	lock.release()
	group.Wait()
	if !exists(dir) || exists(p.lock) {
		t.Error("not published")
	}
}

// generation is a folder of files that all say n; how many files there are depends on n.
func generation(n int) []File {
	files := []File{{Path: "number", Data: fmt.Appendf(nil, "%d", n)}}
	for i := range 3 + n%3 {
		files = append(files, File{Path: fmt.Sprintf("src/%d/file", i), Data: []byte(strings.Repeat(fmt.Sprintf("%d\n", n), 1000))})
	}
	return files
}

// readGeneration reads such a folder and finds mixtures.
func readGeneration(root *os.Root) (n int, err error) {
	text, err := root.ReadFile("number")
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Sscanf(string(text), "%d", &n); err != nil {
		return 0, fmt.Errorf("the number is %q: %w", text, err)
	}
	for _, f := range generation(n) {
		got, err := root.ReadFile(f.Path)
		if err != nil {
			return n, err
		}
		if string(got) != string(f.Data) {
			return n, fmt.Errorf("%s is not of generation %d: %.20q", f.Path, n, got)
		}
	}
	if _, err := root.Stat(fmt.Sprintf("src/%d/file", 3+n%3)); !errors.Is(err, fs.ErrNotExist) {
		return n, fmt.Errorf("generation %d has a file too many: %v", n, err)
	}
	return n, nil
}

// TestPublishTogether has several publishers and readers at work on one folder.
func TestPublishTogether(t *testing.T) {
	for system, exchange := range systems() {
		t.Run(system, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "dist")
			if err := newTestPublisher(t, dir, exchange).publish(t.Context(), generation(0)); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, "mine"), "mine")
			var publishers, readers sync.WaitGroup
			done := make(chan struct{})
			for w := range 3 {
				publishers.Go(func() {
					for i := range 15 {
						if err := newTestPublisher(t, dir, exchange).publish(t.Context(), generation(w*15+i)); err != nil {
							t.Error(err)
						}
					}
				})
			}
			for range 2 {
				readers.Go(func() {
					for {
						select {
						case <-done:
							return
						default:
							err := View(t.Context(), dir, func(root *os.Root) error {
								_, err := readGeneration(root)
								return err
							})
							if err != nil {
								t.Error(err)
								return
							}
						}
					}
				})
			}
			publishers.Wait()
			close(done)
			readers.Wait()
			if got := get(t, filepath.Join(dir, "mine")); got != "mine" {
				t.Errorf("someone's file is %q", got)
			}
			if got := names(t, parent); !slices.Equal(got, []string{"dist"}) {
				t.Errorf("left behind: %q", got)
			}
		})
	}
}

func TestViewErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	never := func(*os.Root) error { t.Error("read nothing"); return nil }
	if err := View(t.Context(), dir, never); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if got := names(t, filepath.Dir(dir)); len(got) > 0 {
		t.Errorf("left behind: %q", got)
	}
	put(t, dir, "a file")
	if err := View(t.Context(), dir, never); err == nil {
		t.Error("no error")
	}
	dir += "2"
	if err := Publish(t.Context(), dir, generation(1), Options{}); err != nil {
		t.Fatal(err)
	}
	bad, calls := errors.New("bad"), 0
	if err := View(t.Context(), dir, func(*os.Root) error { calls++; return bad }); !errors.Is(err, bad) || calls != 1 {
		t.Errorf("got %v after %d calls", err, calls)
	}
}

// TestViewHoldsUpPublishers has a reader that is slower than the publishers: without the lock it never ends.
func TestViewHoldsUpPublishers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	if err := Publish(t.Context(), dir, generation(0), Options{Volatile: true}); err != nil {
		t.Fatal(err)
	}
	calls := 0
	err := View(t.Context(), dir, func(root *os.Root) error {
		calls++
		ctx := t.Context()
		if calls > maxViews {
			held, cancel := context.WithCancel(ctx)
			cancel()
			ctx = held
		}
		err := Publish(ctx, dir, generation(calls), Options{Volatile: true})
		if calls > maxViews && !errors.Is(err, context.Canceled) || calls <= maxViews && err != nil {
			t.Errorf("call %d: %v", calls, err)
		}
		n, err := readGeneration(root)
		if calls > maxViews && (err != nil || n != maxViews) {
			t.Errorf("read generation %d, %v", n, err)
		}
		return err
	})
	if err != nil || calls != maxViews+1 {
		t.Errorf("got %v after %d calls", err, calls)
	}
}

func ExamplePublish() {
	parent, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "dist")
	files := []File{{Path: "package.wasm", Data: []byte("…")}, {Path: "routes.json", Data: []byte("{}")}}
	if err := Publish(context.Background(), dir, files, Options{}); err != nil {
		panic(err)
	}
	err = View(context.Background(), dir, func(root *os.Root) error {
		for _, f := range files {
			text, err := root.ReadFile(f.Path)
			if err != nil {
				return err
			}
			fmt.Println(f.Path, string(text))
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// package.wasm …
	// routes.json {}
}
