package cachedir

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	named := func(dir string) func(string) string {
		return func(name string) string {
			if name == Variable {
				return dir
			}
			return ""
		}
	}
	good := filepath.Join(t.TempDir(), "made", "here")
	if dir, warning := Find(named(good)); dir != good || warning != "" {
		t.Errorf("got %q, %q", dir, warning)
	}
	if info, err := os.Stat(good); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if dir, warning := Find(named(file)); dir != "" || warning == "" {
		t.Errorf("a file: %q, %q", dir, warning)
	}

	if runtime.GOOS == "windows" {
		return
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if dir, warning := Find(named(open)); dir != "" || !strings.Contains(warning, "others can write") {
		t.Errorf("a folder for all: %q, %q", dir, warning)
	}

	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	if dir, warning := Find(named("")); dir != "" || warning != "" {
		t.Errorf("no home: %q, %q", dir, warning)
	}
}
