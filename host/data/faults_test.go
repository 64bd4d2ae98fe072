package data

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestSomethingInTheWay(t *testing.T) {
	ctx, one := t.Context(), json.RawMessage(`1`)
	s := quick(t)
	f := records(t, s, "items")
	must(t, f.Put(ctx, "other", one))
	must(t, os.MkdirAll(filepath.Join(s.Dir(), "items", "a.json", "x"), 0o755))
	must(t, os.MkdirAll(filepath.Join(s.Dir(), "log"), 0o755))
	must(t, os.WriteFile(filepath.Join(s.Dir(), "file"), []byte("mine"), 0o644))

	_, err := f.Get(ctx, "a")
	wantCode(t, err, CodeInTheWay)
	_, err = f.Exists(ctx, "a")
	wantCode(t, err, CodeInTheWay)
	wantCode(t, f.Put(ctx, "a", one), CodeInTheWay)
	_, err = f.Delete(ctx, "a")
	wantCode(t, err, CodeInTheWay)
	wantCode(t, s.Append(ctx, "log", one, Rotation{}), CodeInTheWay)
	_, err = s.ReadNewest(ctx, "log", 1)
	wantCode(t, err, CodeInTheWay)

	below := records(t, s, "file")
	_, err = below.Get(ctx, "a")
	wantCode(t, err, CodeInTheWay)
	_, err = below.List(ctx)
	wantCode(t, err, CodeInTheWay)
	wantCode(t, below.Put(ctx, "a", one), CodeInTheWay)
	wantCode(t, s.Append(ctx, "file/log", one, Rotation{}), CodeInTheWay)

	if values, err := f.List(ctx); texts(values) != "1" || err != nil {
		t.Errorf("got %s, %v", texts(values), err)
	}
	if text, err := os.ReadFile(filepath.Join(s.Dir(), "file")); string(text) != "mine" || err != nil {
		t.Errorf("got %s, %v", text, err)
	}

	// The package's folder itself is a file.
	broken := open(t, filepath.Join(s.Dir(), "file"), Options{})
	wantCode(t, broken.Append(ctx, "log", one, Rotation{}), CodeInTheWay)
	_, err = records(t, broken, "items").Get(ctx, "a")
	wantCode(t, err, CodeInTheWay)
}

// A file that becomes a folder while its record is being updated is an error, and the lock is let go.
func TestTurnedIntoAFolder(t *testing.T) {
	s := quick(t)
	f := records(t, s, "items")
	must(t, f.Put(t.Context(), "a", json.RawMessage(`1`)))
	lock, err := f.Begin(t.Context(), "a")
	must(t, err)
	file := filepath.Join(s.Dir(), "items", "a.json")
	must(t, os.Rename(file, file+".moved"))
	must(t, os.Mkdir(file, 0o755))
	if err := lock.Commit(json.RawMessage(`2`)); err == nil {
		t.Error("there was no error")
	}
	must(t, os.Remove(file))
	must(t, os.Rename(file+".moved", file))
	if v, err := f.Update(t.Context(), "a", func(json.RawMessage) (json.RawMessage, error) { return nil, nil }); string(v) != "1" || err != nil {
		t.Errorf("got %s, %v", v, err)
	}
}

func TestLinksAreNotFollowedOut(t *testing.T) {
	ctx, one := t.Context(), json.RawMessage(`1`)
	s := quick(t)
	f := records(t, s, "items")
	must(t, f.Put(ctx, "x", one))
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.MkdirAll(outside, 0o755))
	secret := filepath.Join(outside, "secret.json")
	must(t, os.WriteFile(secret, []byte(`"secret"`), 0o644))
	for link, target := range map[string]string{"out": outside, "items/a.json": secret, "up": "../../outside", "dangling": filepath.Join(outside, "none")} {
		if err := os.Symlink(target, filepath.Join(s.Dir(), filepath.FromSlash(link))); err != nil {
			t.Skip(err)
		}
	}
	_, err := f.Get(ctx, "a")
	wantCode(t, err, CodeInvalidPath)
	_, err = f.List(ctx)
	wantCode(t, err, CodeInvalidPath)
	for _, dir := range []string{"out", "up"} {
		store := records(t, s, dir)
		for name, do := range map[string]func() error{
			"get":  func() error { _, err := store.Get(ctx, "secret"); return err },
			"list": func() error { _, err := store.List(ctx); return err },
			"put":  func() error { return store.Put(ctx, "secret", one) },
			"delete": func() error {
				_, err := store.Delete(ctx, "secret")
				return err
			},
			"append": func() error { return s.Append(ctx, dir+"/secret.json", one, Rotation{}) },
			"newest": func() error { _, err := s.ReadNewest(ctx, dir+"/secret.json", 1); return err },
		} {
			if err := do(); err == nil {
				t.Errorf("%s %s was done", name, dir)
			} else {
				wantCode(t, err, CodeInvalidPath)
			}
		}
	}
	if err := s.Append(ctx, "dangling", one, Rotation{}); err == nil {
		t.Error("a link was followed")
	}
	entries, err := os.ReadDir(outside)
	text, _ := os.ReadFile(secret)
	if err != nil || len(entries) != 1 || string(text) != `"secret"` {
		t.Errorf("outside there is %v, %s, %v", entries, text, err)
	}
}

// TestLinksThatAreSwappedIn exchanges a folder for a link to another one while records in it are written.
func TestLinksThatAreSwappedIn(t *testing.T) {
	s := quick(t)
	outside := t.TempDir()
	f := records(t, s, "swap")
	must(t, f.Put(t.Context(), "a", json.RawMessage(`1`)))
	swap, aside := filepath.Join(s.Dir(), "swap"), filepath.Join(s.Dir(), "aside")
	link := filepath.Join(s.Dir(), "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Skip(err)
	}
	done := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			_ = os.Rename(swap, aside)
			_ = os.Rename(link, swap)
			_ = os.Rename(swap, link)
			_ = os.Rename(aside, swap)
		}
	})
	for range 300 { // most of these fail, one way or another
		_ = f.Put(t.Context(), "a", json.RawMessage(`2`))
		_, _ = f.Delete(t.Context(), "a")
		_ = s.Append(t.Context(), "swap/log", json.RawMessage(`3`), Rotation{MaxBytes: 4, Keep: 2})
	}
	close(done)
	swapper.Wait()
	if entries, err := os.ReadDir(outside); len(entries) != 0 || err != nil {
		t.Errorf("outside there is %v, %v", entries, err)
	}
}

// TestTheFolderIsRemoved has an operator remove a package's data while the host runs.
func TestTheFolderIsRemoved(t *testing.T) {
	s := quick(t)
	f := records(t, s, "items")
	for range 2 {
		must(t, f.Put(t.Context(), "a", json.RawMessage(`1`)))
		must(t, s.Append(t.Context(), "log", json.RawMessage(`1`), Rotation{}))
		must(t, os.RemoveAll(s.Dir()))
		if v, err := f.Get(t.Context(), "a"); v != nil || err != nil {
			t.Errorf("got %s, %v", v, err)
		}
	}
}

func TestErrorsTellNothingOfTheMachine(t *testing.T) {
	s := quick(t)
	f := records(t, s, "items")
	must(t, os.MkdirAll(filepath.Join(s.Dir(), "items", "a.json"), 0o755))
	_, err := f.Get(t.Context(), "a")
	if err == nil || strings.Contains(err.Error(), s.Dir()) {
		t.Errorf("got %v", err)
	}
}
