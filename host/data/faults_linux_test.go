package data

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// small mounts a file system with a little space.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestDiskFull(t *testing.T) {
	ctx := t.Context()
	dir := small(t)
	s := open(t, filepath.Join(dir, "data"), Options{})
	f := records(t, s, "items")
	must(t, f.Put(ctx, "a", json.RawMessage(`"old"`)))
	must(t, s.Append(ctx, "log", json.RawMessage(`1`), Rotation{}))
	must(t, s.Append(ctx, "log", json.RawMessage(`2`), Rotation{}))

	large, _ := json.Marshal(strings.Repeat("x", 300<<10))
	wantCode(t, f.Put(ctx, "a", large), CodeDiskFull)
	wantCode(t, f.Put(ctx, "b", large), CodeDiskFull)
	wantCode(t, s.Append(ctx, "log", large, Rotation{}), CodeDiskFull)
	lock, err := f.Begin(ctx, "a")
	must(t, err)
	wantCode(t, lock.Commit(large), CodeDiskFull)

	if values, err := f.List(ctx); texts(values) != `"old"` || err != nil {
		t.Errorf("got %s, %v", texts(values), err)
	}
	if values, err := s.ReadNewest(ctx, "log", 9); texts(values) != "2 1" || err != nil {
		t.Errorf("got %s, %v", texts(values), err)
	}
	// What did not fit takes no space: there is room for what is smaller.
	must(t, s.Append(ctx, "log", json.RawMessage(`3`), Rotation{}))
	must(t, f.Put(ctx, "a", json.RawMessage(`"new"`)))
	if values, err := s.ReadNewest(ctx, "log", 9); texts(values) != "3 2 1" || err != nil {
		t.Errorf("got %s, %v", texts(values), err)
	}

	// Filled to the last byte by somebody else, a record can still be deleted.
	_ = os.WriteFile(filepath.Join(dir, "full"), make([]byte, 1<<20), 0o644)
	wantCode(t, f.Put(ctx, "a", json.RawMessage(`1`)), CodeDiskFull)
	if was, err := f.Delete(ctx, "a"); !was || err != nil {
		t.Errorf("got %t, %v", was, err)
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	ctx := t.Context()
	dir := small(t)
	s := open(t, filepath.Join(dir, "data"), Options{})
	f := records(t, s, "items")
	must(t, f.Put(ctx, "a", json.RawMessage(`1`)))
	must(t, s.Append(ctx, "log", json.RawMessage(`1`), Rotation{}))
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	wantUnwritable(t, s, f)
}

// Without permission to write, everything can still be read.
func TestNoPermission(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become somebody else")
	}
	ctx := t.Context()
	s := quick(t)
	f := records(t, s, "items")
	must(t, f.Put(ctx, "a", json.RawMessage(`1`)))
	must(t, s.Append(ctx, "log", json.RawMessage(`1`), Rotation{}))
	for dir := s.Dir(); dir != filepath.Dir(os.TempDir()) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock it: the thread ends with the goroutine
		if err := unix.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}
		wantUnwritable(t, s, f)
	}()
	<-done
}

func wantUnwritable(t *testing.T, s *Store, f *FileStore) {
	t.Helper()
	ctx := t.Context()
	wantCode(t, f.Put(ctx, "a", json.RawMessage(`2`)), CodeReadOnly)
	wantCode(t, f.Put(ctx, "b", json.RawMessage(`2`)), CodeReadOnly)
	_, err := f.Delete(ctx, "a")
	wantCode(t, err, CodeReadOnly)
	_, err = f.Begin(ctx, "a")
	wantCode(t, err, CodeReadOnly)
	wantCode(t, s.Append(ctx, "log", json.RawMessage(`2`), Rotation{}), CodeReadOnly)
	wantCode(t, s.Append(ctx, "deep/log", json.RawMessage(`2`), Rotation{}), CodeReadOnly)
	if v, err := f.Get(ctx, "a"); string(v) != "1" || err != nil {
		t.Errorf("got %s, %v", v, err)
	}
	if values, err := f.List(ctx); texts(values) != "1" || err != nil {
		t.Errorf("got %s, %v", texts(values), err)
	}
	if values, err := s.ReadNewest(ctx, "log", 9); texts(values) != "1" || err != nil {
		t.Errorf("got %s, %v", texts(values), err)
	}
}
