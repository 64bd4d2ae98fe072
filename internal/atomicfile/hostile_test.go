package atomicfile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder that was cloned from somewhere may hold a list and links that nobody here made.
func TestListCannotReachOutside(t *testing.T) {
	victim := t.TempDir()
	secret := filepath.Join(victim, "id_rsa")
	for _, line := range []string{"./link/id_rsa", "link/id_rsa", "link/../link/id_rsa", "../victim/id_rsa", secret} {
		t.Run(line, func(t *testing.T) {
			if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			dist := filepath.Join(t.TempDir(), "dist")
			if err := os.Mkdir(dist, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(victim, filepath.Join(dist, "link")); err != nil {
				t.Skip("no symbolic links here")
			}
			if err := os.WriteFile(filepath.Join(dist, ListName), []byte("# x\nlink\n"+line+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			err := Publish(context.Background(), dist, []File{{Path: "package.wasm", Data: []byte("x")}}, Options{})
			if text, readErr := os.ReadFile(secret); readErr != nil || string(text) != "secret" {
				t.Fatalf("the file outside is gone: %v (publishing said %v)", readErr, err)
			}
		})
	}
}

// A list that is a device would be read for ever.
func TestListIsAFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	put(t, filepath.Join(dir, "mine"), "mine")
	if err := os.Symlink(os.DevNull, filepath.Join(dir, ListName)); err != nil {
		t.Skip(err)
	}
	if err := Publish(t.Context(), dir, []File{{Path: "a"}}, Options{Volatile: true}); err == nil || !strings.Contains(err.Error(), ListName) {
		t.Errorf("got %v", err)
	}
	if get(t, filepath.Join(dir, "mine")) != "mine" {
		t.Error("a file is gone")
	}
}

func TestLockIsNoLink(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(t.TempDir(), "made")
	if err := os.Symlink(target, filepath.Join(parent, ".dist.lock")); err != nil {
		t.Skip("no symbolic links here")
	}
	err := Publish(context.Background(), filepath.Join(parent, "dist"), []File{{Path: "a", Data: []byte("x")}}, Options{})
	if err == nil || !strings.Contains(err.Error(), ".dist.lock") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the link's target was made")
	}
}
