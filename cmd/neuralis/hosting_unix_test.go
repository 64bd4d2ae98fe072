//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/neuralis-dev/neuralis/host/config"
)

// What is above a folder holds only where it is the user's, and so is a link that leads to it.
func TestConfigsOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const somebody = 54321
	mine := filepath.Join(t.TempDir(), config.File)
	if err := os.WriteFile(mine, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		place func(dir string) error
		holds bool
	}{
		{"my file", func(dir string) error { return os.Link(mine, filepath.Join(dir, config.File)) }, true},
		{"my link to my file", func(dir string) error { return os.Symlink(mine, filepath.Join(dir, config.File)) }, true},
		{"somebody's link to my file", func(dir string) error {
			link := filepath.Join(dir, config.File)
			if err := os.Symlink(mine, link); err != nil {
				return err
			}
			return os.Lchown(link, somebody, -1)
		}, false},
		{"somebody's file", func(dir string) error {
			file := filepath.Join(dir, config.File)
			if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil {
				return err
			}
			return os.Chown(file, somebody, -1)
		}, false},
		{"somebody's link to my packages", func(dir string) error {
			packages := filepath.Join(filepath.Dir(mine), "packages")
			if err := os.MkdirAll(packages, 0o755); err != nil {
				return err
			}
			link := filepath.Join(dir, config.DropZone)
			if err := os.Symlink(packages, link); err != nil {
				return err
			}
			return os.Lchown(link, somebody, -1)
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			above := t.TempDir()
			dir := filepath.Join(above, "p")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := test.place(above); err != nil {
				t.Fatal(err)
			}
			at, err := (&globals{}).findPlace(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			if holds := at.Project && at.File == filepath.Join(above, config.File); holds != test.holds {
				t.Errorf("the project is in %s, and its config is %q", at.Config.ProjectRoot, at.File)
			}
		})
	}
}
