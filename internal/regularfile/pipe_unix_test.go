//go:build unix

package regularfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReadWaitsForNobody(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Read(pipe, 1<<20); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
	// A file of the kernel says that it is empty, and is not.
	if _, err := os.Stat("/proc/self/status"); err == nil {
		if data, err := Read("/proc/self/status", 1<<20); err != nil || len(data) == 0 {
			t.Errorf("%d bytes, %v", len(data), err)
		}
		var large *TooLargeError
		if _, err := Read("/proc/self/status", 10); !errors.As(err, &large) {
			t.Errorf("got %v", err)
		}
	}
}

func TestInAFolderNothingIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if root, err := Root(pipe); err == nil {
		root.Close()
		t.Error("a pipe was opened as a folder")
	}
	root, err := Root(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := ReadIn(root, "pipe", 1<<20); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
	if _, err := FolderIn(root, "pipe"); !errors.Is(err, ErrNotFolder) {
		t.Errorf("a pipe as a folder: %v", err)
	}
}
