package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// names are the files in a folder, hidden ones too.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWriteFile(t *testing.T) {
	const old = fs.FileMode(0o640)
	tests := []struct {
		name     string
		there    bool
		perm     fs.FileMode
		wantPerm fs.FileMode
	}{
		{"new", false, 0o600, 0o600},
		{"new, kept mode", false, KeepMode, 0o644},
		{"replaced", true, 0o600, 0o600},
		{"replaced, kept mode", true, KeepMode, old},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file.json")
			if test.there {
				put(t, path, "old and longer")
				if err := os.Chmod(path, old); err != nil {
					t.Fatal(err)
				}
			}
			if err := WriteFile(path, []byte("new"), test.perm); err != nil {
				t.Fatal(err)
			}
			if got := get(t, path); got != "new" {
				t.Errorf("content is %q", got)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != test.wantPerm && runtime.GOOS != "windows" {
				t.Errorf("permissions are %v, want %v", got, test.wantPerm)
			}
			if got := names(t, dir); len(got) != 1 {
				t.Errorf("left behind: %q", got)
			}
		})
	}
}

func TestWriteFileFaults(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "folder", "file"), "")
	put(t, filepath.Join(dir, "file"), "old")
	tests := []struct {
		name, path string
		want       error
	}{
		{"no folder", filepath.Join(dir, "none", "file"), fs.ErrNotExist},
		{"folder in its place", filepath.Join(dir, "folder"), nil},
		{"file in the way", filepath.Join(dir, "file", "file"), nil},
		{"long name", filepath.Join(dir, strings.Repeat("a", 300)), nil},
		{"NUL", filepath.Join(dir, "a\x00"), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := WriteFile(test.path, []byte("new"), 0o644)
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("got %v", err)
			}
			if err != nil && !strings.Contains(err.Error(), test.path) {
				t.Errorf("%q does not name the file", err)
			}
		})
	}
	if got := names(t, dir); len(got) != 2 || get(t, filepath.Join(dir, "file")) != "old" {
		t.Errorf("left behind: %q", got)
	}
}

func TestWriteFileReplacesALink(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "target"), "target")
	link := filepath.Join(dir, "link")
	if err := os.Symlink("target", link); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(link, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("got %v, %v", info, err)
	}
	if got := get(t, filepath.Join(dir, "target")); got != "target" {
		t.Errorf("the target became %q", got)
	}
}

func TestWriteInStaysInside(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "root"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "outside", "x"), "old")
	put(t, filepath.Join(dir, "root", "sub", "x"), "old")
	root, err := os.OpenRoot(filepath.Join(dir, "root"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := WriteIn(root, filepath.Join("sub", "x"), []byte("new"), 0o644); err != nil {
		t.Error(err)
	}
	if got := get(t, filepath.Join(dir, "root", "sub", "x")); got != "new" {
		t.Errorf("got %q", got)
	}
	if err := os.Symlink(filepath.Join("..", "outside"), filepath.Join(dir, "root", "link")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{filepath.Join("..", "outside", "x"), filepath.Join("link", "x"), filepath.Join(dir, "outside", "x")} {
		if err := WriteIn(root, name, []byte("new"), 0o644); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if got := get(t, filepath.Join(dir, "outside", "x")); got != "old" {
		t.Errorf("outside became %q", got)
	}
}

// TestWriteFileTogether has writers, sweepers and readers at work on one file.
func TestWriteFileTogether(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	content := func(n int) []byte { return bytes.Repeat([]byte{byte('a' + n%20)}, 10_000+n%7) }
	put(t, path, string(content(0)))

	var writers, others sync.WaitGroup
	done := make(chan struct{})
	for w := range 4 {
		writers.Go(func() {
			for i := range 40 {
				if err := WriteFile(path, content(w*40+i), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
	until := func(do func() error) {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if err := do(); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	until(func() error { return Sweep(dir) })
	until(func() error {
		got, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if len(got) < 10_000 || bytes.Count(got, got[:1]) != len(got) {
			return fmt.Errorf("read a mixture of %d bytes", len(got))
		}
		return nil
	})
	writers.Wait()
	close(done)
	others.Wait()
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("left behind: %q", got)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, ".file.DEAD"+temporarySuffix), "half")
	put(t, filepath.Join(dir, "file"+temporarySuffix), "someone's, as it is not hidden")
	put(t, filepath.Join(dir, ".file.tmp"), "someone's")
	put(t, filepath.Join(dir, ".folder"+temporarySuffix, "x"), "someone's")
	alive, err := os.Create(filepath.Join(dir, ".file.ALIVE"+temporarySuffix))
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if locked, err := tryLock(alive); !locked || err != nil {
		t.Fatal(locked, err)
	}
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	want := []string{".file.ALIVE" + temporarySuffix, ".file.tmp", ".folder" + temporarySuffix, "file" + temporarySuffix}
	if got := names(t, dir); !equalSets(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := Sweep(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func equalSets(a, b []string) bool {
	seen := map[string]int{}
	for _, s := range a {
		seen[s]++
	}
	for _, s := range b {
		seen[s]--
	}
	for _, n := range seen {
		if n != 0 {
			return false
		}
	}
	return true
}
