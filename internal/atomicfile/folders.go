package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// folderBits are the parts of a folder's mode that are carried over.
const folderBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// carryFolders gives the new folder the folders of the old one that nothing was published in, empty ones included, and
// returns the modes that all of them had: a folder without permission to write takes no files, so they come last.
func (p *publisher) carryFolders() (modes []folderMode, err error) {
	known, err := listed(p.dir)
	if err != nil {
		return nil, err
	}
	published := map[string]bool{}
	parents := func(file string, set map[string]bool) {
		for dir := path.Dir(file); dir != "." && !set[dir]; dir = path.Dir(dir) {
			set[dir] = true
		}
	}
	for file := range known {
		parents(file, published)
	}
	filled := map[string]bool{}
	var folders []folderMode
	err = filepath.WalkDir(p.dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == p.dir {
			return err
		}
		rel, err := filepath.Rel(p.dir, full)
		if err != nil {
			return err
		}
		if !d.IsDir() {
			parents(filepath.ToSlash(rel), filled)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		folders = append(folders, folderMode{rel, info.Mode() & folderBits})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		target := filepath.Join(p.building, f.path)
		if slash := filepath.ToSlash(f.path); !exists(target) && !published[slash] && !filled[slash] {
			// A folder with nothing in it is not worth failing for, where a file now has its name or that of one above.
			if os.MkdirAll(target, 0o777) == nil {
				p.step()
			}
		}
	}
	for _, f := range folders {
		if info, err := os.Lstat(filepath.Join(p.building, f.path)); err == nil && info.IsDir() && info.Mode()&folderBits != f.mode {
			modes = append(modes, f)
		}
	}
	slices.Reverse(modes) // those inside before those around them
	return modes, nil
}

// folderMode is a folder within a published one, and its mode.
type folderMode struct {
	path string
	mode fs.FileMode
}

func (p *publisher) setModes(modes []folderMode) error {
	for _, f := range modes {
		if err := os.Chmod(filepath.Join(p.building, f.path), f.mode); err != nil {
			return err
		}
	}
	return nil
}

// unprotect makes it possible to take a folder apart: what is in a folder without permission to write stays there.
func unprotect(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // the one who takes it apart says it
		}
		if info, err := d.Info(); err == nil && info.Mode()&0o700 != 0o700 {
			_ = os.Chmod(path, info.Mode()&folderBits|0o700)
		}
		return nil
	})
}

// removeAll removes a folder that is ours, protected or not.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if errors.Is(err, fs.ErrPermission) {
		unprotect(dir)
		err = os.RemoveAll(dir)
	}
	return err
}

// moveInto renames a file into a folder, although the folder may be protected.
func moveInto(source, target string) error {
	err := rename(source, target)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	dir := filepath.Dir(target)
	info, statErr := os.Lstat(dir)
	if statErr != nil || !info.IsDir() || os.Chmod(dir, info.Mode()&folderBits|0o700) != nil {
		return err
	}
	return errors.Join(rename(source, target), os.Chmod(dir, info.Mode()&folderBits))
}
