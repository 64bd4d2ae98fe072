package npmci

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestInstallSkipsWhatIsInstalled(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", t.TempDir()) // no npm: an install that is not skipped fails

	write("package-lock.json", "{}")
	hash, err := lockHash(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Install(context.Background(), dir, io.Discard); !errors.Is(err, ErrNoNPM) {
		t.Errorf("a folder without node_modules: got %v, want %v", err, ErrNoNPM)
	}
	write("node_modules/"+stampFile, hash)
	if err := Install(context.Background(), dir, io.Discard); err != nil {
		t.Errorf("an installed folder was installed again: %v", err)
	}
	write("package-lock.json", `{"lockfileVersion":3}`)
	if err := Install(context.Background(), dir, io.Discard); !errors.Is(err, ErrNoNPM) {
		t.Errorf("a changed lock file was not noticed: got %v", err)
	}
}

func TestInstallWithoutLockFile(t *testing.T) {
	if err := Install(context.Background(), t.TempDir(), io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want %v", err, os.ErrNotExist)
	}
}
