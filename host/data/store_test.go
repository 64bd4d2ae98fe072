package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t testing.TB, dir string, options Options) *Store {
	t.Helper()
	s, err := Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quick is a store in a new folder that does not flush.
func quick(t testing.TB) *Store {
	return open(t, filepath.Join(t.TempDir(), "data"), Options{Volatile: true})
}

func records(t testing.TB, s *Store, name string) *FileStore {
	t.Helper()
	f, err := s.FileStore(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func wantMissing(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there: %v", path, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func texts(values []json.RawMessage) string {
	var all []string
	for _, v := range values {
		all = append(all, string(v))
	}
	return strings.Join(all, " ")
}

func TestRecords(t *testing.T) {
	for _, options := range []Options{{}, {Volatile: true}, {Private: true, Volatile: true}} {
		ctx, dir := t.Context(), filepath.Join(t.TempDir(), "deep", "data")
		f := records(t, open(t, dir, options), "catalog/items")
		if v, err := f.Get(ctx, "a"); v != nil || err != nil {
			t.Errorf("got %s, %v", v, err)
		}
		if values, err := f.List(ctx); values == nil || len(values) != 0 || err != nil {
			t.Errorf("got %s, %v", values, err)
		}
		if was, err := f.Delete(ctx, "a"); was || err != nil {
			t.Errorf("got %t, %v", was, err)
		}
		wantMissing(t, dir)

		must(t, f.Put(ctx, "b", json.RawMessage(" {\"n\" :\n2} ")))
		must(t, f.Put(ctx, "a", json.RawMessage(`1`)))
		must(t, f.Put(ctx, "A", json.RawMessage(`"capital"`)))
		must(t, f.Put(ctx, "../x", nil))
		must(t, f.Put(ctx, "a", json.RawMessage(`"one"`)))
		if values, err := f.List(ctx); texts(values) != `null "capital" "one" {"n":2}` || err != nil {
			t.Errorf("got %s, %v", texts(values), err)
		}
		if ids, err := f.IDs(ctx); !slices.Equal(ids, []string{"../x", "A", "a", "b"}) || err != nil {
			t.Errorf("got %q, %v", ids, err)
		}
		if v, err := f.Get(ctx, "a"); string(v) != `"one"` || err != nil {
			t.Errorf("got %s, %v", v, err)
		}
		if there, err := f.Exists(ctx, "../x"); !there || err != nil {
			t.Errorf("got %t, %v", there, err)
		}
		if was, err := f.Delete(ctx, "a"); !was || err != nil {
			t.Errorf("got %t, %v", was, err)
		}
		if there, err := f.Exists(ctx, "a"); there || err != nil {
			t.Errorf("got %t, %v", there, err)
		}
		entries, err := os.ReadDir(filepath.Join(dir, "catalog", "items"))
		must(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if want := []string{"%2e.%2fx.json", "%41.json", "b.json"}; !slices.Equal(names, want) {
			t.Errorf("the folder has %q, want %q", names, want)
		}
	}
}

func TestUpdate(t *testing.T) {
	ctx := t.Context()
	f := records(t, quick(t), "items")
	plus := func(old json.RawMessage) (json.RawMessage, error) {
		n, err := strconv.Atoi(string(old))
		if old == nil {
			n, err = 0, nil
		}
		return json.RawMessage(strconv.Itoa(n + 1)), err
	}
	for want := 1; want < 3; want++ {
		if v, err := f.Update(ctx, "n", plus); string(v) != strconv.Itoa(want) || err != nil {
			t.Errorf("got %s, %v", v, err)
		}
	}
	nothing := func(json.RawMessage) (json.RawMessage, error) { return nil, nil }
	if v, err := f.Update(ctx, "n", nothing); string(v) != "2" || err != nil {
		t.Errorf("got %s, %v", v, err)
	}
	if v, err := f.Update(ctx, "none", nothing); v != nil || err != nil {
		t.Errorf("got %s, %v", v, err)
	}
	refusal := errors.New("no")
	if _, err := f.Update(ctx, "n", func(json.RawMessage) (json.RawMessage, error) { return nil, refusal }); err != refusal {
		t.Errorf("got %v", err)
	}
	if there, _ := f.Exists(ctx, "none"); there {
		t.Error("nothing was written, and it is there")
	}

	lock, err := f.Begin(ctx, "n")
	must(t, err)
	must(t, lock.Commit(nil))
	wantCode(t, lock.Commit(json.RawMessage(`3`)), CodeNoLock)
	lock.Abort()
	lock, err = f.Begin(ctx, "n")
	must(t, err)
	wantCode(t, lock.Commit(json.RawMessage(`{`)), CodeInvalidValue)
	lock, err = f.Begin(ctx, "n") // the failed one has let go
	must(t, err)
	lock.Abort()
	lock.Abort()
	if v, err := f.Get(ctx, "n"); string(v) != "2" || err != nil {
		t.Errorf("got %s, %v", v, err)
	}
}

func TestCorruptRecordsAreRaised(t *testing.T) {
	ctx := t.Context()
	for name, text := range map[string]string{"empty": "", "torn": `{"a":`, "two": "1 2", "zeros": "\x00\x00\x00"} {
		t.Run(name, func(t *testing.T) {
			s := quick(t)
			f := records(t, s, "items")
			must(t, f.Put(ctx, "a", json.RawMessage(`1`)))
			file := filepath.Join(s.Dir(), "items", "a.json")
			must(t, os.WriteFile(file, []byte(text), 0o644))
			_, err := f.Get(ctx, "a")
			wantCode(t, err, CodeCorrupt)
			_, err = f.List(ctx)
			wantCode(t, err, CodeCorrupt)
			if !strings.Contains(err.Error(), "items/a.json") {
				t.Errorf("%v does not name the file", err)
			}
			wantCode(t, f.Put(ctx, "a", json.RawMessage(`2`)), CodeCorrupt)
			_, err = f.Update(ctx, "a", func(json.RawMessage) (json.RawMessage, error) { panic("called") })
			wantCode(t, err, CodeCorrupt)
			if got, err := os.ReadFile(file); string(got) != text || err != nil {
				t.Errorf("the file has %q, %v", got, err)
			}
			if there, err := f.Exists(ctx, "a"); !there || err != nil {
				t.Errorf("got %t, %v", there, err)
			}
			if was, err := f.Delete(ctx, "a"); !was || err != nil {
				t.Errorf("got %t, %v", was, err)
			}
			must(t, f.Put(ctx, "a", json.RawMessage(`2`)))
		})
	}
}

func TestForeignFilesAreNoRecords(t *testing.T) {
	s := quick(t)
	f := records(t, s, "items")
	must(t, f.Put(t.Context(), "a", json.RawMessage(`1`)))
	for _, name := range []string{"README.md", "Upper.json", ".x.json", "%61.json", "a b.json"} {
		must(t, os.WriteFile(filepath.Join(s.Dir(), "items", name), []byte("not JSON"), 0o644))
	}
	must(t, os.Mkdir(filepath.Join(s.Dir(), "items", "sub.json"), 0o755))
	if values, err := f.List(t.Context()); texts(values) != "1" || err != nil {
		t.Errorf("got %s, %v", texts(values), err)
	}
}

func TestSizesAreBounded(t *testing.T) {
	ctx := t.Context()
	s := open(t, filepath.Join(t.TempDir(), "data"), Options{Volatile: true, MaxValueBytes: 10, MaxAnswerBytes: 15})
	f := records(t, s, "items")
	ten, eleven := json.RawMessage(`"12345678"`), json.RawMessage(`"123456789"`)
	must(t, f.Put(ctx, "a", ten))
	wantCode(t, f.Put(ctx, "a", eleven), CodeTooLarge)
	wantCode(t, s.Append(ctx, "log", eleven, Rotation{}), CodeTooLarge)
	if v, err := f.Get(ctx, "a"); string(v) != string(ten) || err != nil {
		t.Errorf("got %s, %v", v, err)
	}
	must(t, f.Put(ctx, "b", ten))
	_, err := f.List(ctx)
	wantCode(t, err, CodeTooLarge)
	must(t, s.Append(ctx, "log", ten, Rotation{}))
	must(t, s.Append(ctx, "log", ten, Rotation{}))
	_, err = s.ReadNewest(ctx, "log", 2)
	wantCode(t, err, CodeTooLarge)
	if values, err := s.ReadNewest(ctx, "log", 1); len(values) != 1 || err != nil {
		t.Errorf("got %s, %v", texts(values), err)
	}
	must(t, os.WriteFile(filepath.Join(s.Dir(), "items", "c.json"), []byte(strings.Repeat(" ", 20)), 0o644))
	_, err = f.Get(ctx, "c")
	wantCode(t, err, CodeTooLarge)
}

func TestBadValues(t *testing.T) {
	s := quick(t)
	f := records(t, s, "items")
	for name, value := range map[string]string{"NaN": "NaN", "empty": "", "two": "1 2", "open": `"a`, "a line break in a string": "\"a\nb\""} {
		wantCode(t, f.Put(t.Context(), "a", json.RawMessage(value)), CodeInvalidValue)
		wantCode(t, s.Append(t.Context(), "log", json.RawMessage(value), Rotation{}), CodeInvalidValue)
		if there, _ := f.Exists(t.Context(), "a"); there {
			t.Errorf("%s: it is there", name)
		}
	}
	wantMissing(t, filepath.Join(s.Dir(), "log"))
}

func TestWaitingIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	holder := records(t, open(t, dir, Options{Volatile: true}), "items")
	lock, err := holder.Begin(t.Context(), "a")
	must(t, err)
	defer lock.Abort()
	// In the same store callers queue up; another one is as another process.
	for _, f := range []*FileStore{records(t, open(t, dir, Options{LockWait: time.Millisecond}), "items"), holder} {
		if f == holder {
			f.store.options.LockWait = time.Millisecond
		}
		wantCode(t, f.Put(t.Context(), "a", json.RawMessage(`1`)), CodeLocked)
		_, err = f.Delete(t.Context(), "a")
		if err != nil {
			t.Error(err) // it is not there, so nothing is locked
		}
		f.store.options.LockWait = time.Hour
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		err = f.Put(ctx, "a", json.RawMessage(`1`))
		wantCode(t, err, CodeCancelled)
		if !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		// Other records are free, also such as differ in case only.
		must(t, f.Put(t.Context(), "A", json.RawMessage(`1`)))
	}
	if len(holder.store.turns.lines) != 1 {
		t.Errorf("%d lines are left", len(holder.store.turns.lines))
	}
}

func TestTogether(t *testing.T) {
	const callers, times = 1000, 3
	s := quick(t)
	s.options.LockWait = time.Hour
	f := records(t, s, "items")
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for range times {
				_, err := f.Update(t.Context(), fmt.Sprint("n", i%3), func(old json.RawMessage) (json.RawMessage, error) {
					n, _ := strconv.Atoi(string(old))
					return json.RawMessage(strconv.Itoa(n + 1)), nil
				})
				if err == nil {
					_, err = f.List(t.Context())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	sum := 0
	values, err := f.List(t.Context())
	must(t, err)
	for _, v := range values {
		n, _ := strconv.Atoi(string(v))
		sum += n
	}
	if sum != callers*times || len(s.turns.lines) != 0 {
		t.Errorf("counted %d; %d lines are left", sum, len(s.turns.lines))
	}
}

func TestOpenWantsAnAbsoluteFolder(t *testing.T) {
	for _, dir := range []string{"", ".", "data", "/a\x00"} {
		_, err := Open(dir, Options{})
		wantCode(t, err, CodeInvalidPath)
	}
}
