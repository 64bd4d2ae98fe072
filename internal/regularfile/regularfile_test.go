package regularfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	text := strings.Repeat("x", 5000)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int64{5000, 5001, 1 << 40} {
		if data, err := Read(file, limit); err != nil || string(data) != text {
			t.Errorf("limit %d: %d bytes, %v", limit, len(data), err)
		}
	}
	if data, err := Read(empty, 0); err != nil || len(data) != 0 {
		t.Errorf("an empty file: %q, %v", data, err)
	}
	var large *TooLargeError
	if _, err := Read(file, 4999); !errors.As(err, &large) || large.Size != 5000 || large.Limit != 4999 || !strings.Contains(err.Error(), file) {
		t.Errorf("a large file: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, path := range []string{dir, os.DevNull} {
		if _, err := Read(path, 1<<20); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("file", link); err == nil {
		if data, err := Read(link, 5000); err != nil || string(data) != text {
			t.Errorf("a link: %d bytes, %v", len(data), err)
		}
	}
}

func TestReadIn(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "inside")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(dir, "secret"), filepath.Join(inside, "file")} {
		if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := Root(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if data, err := ReadIn(root, "file", 4); err != nil || string(data) != "text" {
		t.Errorf("got %q, %v", data, err)
	}
	var large *TooLargeError
	if _, err := ReadIn(root, "file", 3); !errors.As(err, &large) {
		t.Errorf("a large file: %v", err)
	}
	if err := os.Symlink(filepath.Join("..", "secret"), filepath.Join(inside, "link")); err == nil {
		if data, err := ReadIn(root, "link", 4); err == nil {
			t.Errorf("a link out of the folder: %q", data)
		}
	}
	folder, err := FolderIn(root, ".")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if names, err := folder.Readdirnames(-1); err != nil || len(names) == 0 {
		t.Errorf("got %q, %v", names, err)
	}
	if _, err := FolderIn(root, "file"); !errors.Is(err, ErrNotFolder) {
		t.Errorf("a file as a folder: %v", err)
	}
}
