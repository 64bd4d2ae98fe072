package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
)

// placeTree writes files into dir, which must not exist or be empty, but for a repository. shown is
// how errors name the folder.
func placeTree(ctx context.Context, dir, shown string, files []file) (err error) {
	exists, err := checkEmpty(dir, shown)
	if err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if exists {
		parent = dir // surely the same file system, and surely writable if anything is
	}
	made, err := makeFolders(parent)
	if err != nil {
		return fmt.Errorf("making the folder %s: %w", parent, err)
	}
	defer func() {
		if err != nil {
			removeEmpty(made)
		}
	}()
	temp, err := os.MkdirTemp(parent, ".neuralis-new-*")
	if err != nil {
		return fmt.Errorf("making a folder to prepare the package in: %w", err)
	}
	defer func() {
		if cleanup := os.RemoveAll(temp); err == nil && cleanup != nil {
			err = fmt.Errorf("removing the folder the package was prepared in: %w", cleanup)
		}
	}()
	if err := os.Chmod(temp, 0o755); err != nil {
		return fmt.Errorf("preparing the package: %w", err)
	}
	root, err := os.OpenRoot(temp)
	if err != nil {
		return fmt.Errorf("preparing the package: %w", err)
	}
	err = writeNew(root, files, new([]string)) // the whole folder is removed on errors
	if err := errors.Join(err, root.Close()); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if exists {
		return moveEntries(temp, dir, shown)
	}
	// Where the folder has appeared meanwhile, this fails and nothing is lost.
	if err := os.Rename(temp, dir); err != nil {
		return fmt.Errorf("putting the package in its place: %w", err)
	}
	return nil
}

// checkEmpty reports whether dir exists, as an error if anything but a repository is in it.
func checkEmpty(dir, shown string) (exists bool, err error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(dir); err == nil {
			return false, refusef("%s is a symbolic link that leads nowhere: remove it or choose another folder", shown)
		}
		return false, nil
	case err != nil:
		return false, fmt.Errorf("looking at the folder: %w", err)
	case !info.IsDir():
		return false, refusef("%s is a file: choose another folder", shown)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return true, fmt.Errorf("looking into the folder: %w", err)
	}
	existing := &ExistsError{Dir: shown, Whole: true}
	for _, entry := range entries {
		name := entry.Name()
		if name == repository {
			continue
		}
		if entry.IsDir() {
			name += "/"
		}
		existing.Files = append(existing.Files, name)
	}
	if existing.Files == nil {
		return true, nil
	}
	return true, existing
}

// repository is what a clone of a new repository has, and nothing that a package writes to.
const repository = ".git"

// makeFolders is os.MkdirAll that tells which folders it made, the outermost first.
func makeFolders(dir string) (made []string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || filepath.Dir(at) == at {
			break
		}
		made = append([]string{at}, made...)
	}
	return made, os.MkdirAll(dir, 0o755)
}

// removeEmpty removes folders that were made for nothing.
func removeEmpty(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		if os.Remove(made[i]) != nil {
			return
		}
	}
}

// moveEntries renames what is in temp into dir, the manifest last, and takes
// everything back when one cannot be moved.
func moveEntries(temp, dir, shown string) error {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return fmt.Errorf("putting the package in its place: %w", err)
	}
	sort.SliceStable(entries, func(i, j int) bool {
		return entries[i].Name() != manifestFile && entries[j].Name() == manifestFile
	})
	for i, entry := range entries {
		to := filepath.Join(dir, entry.Name())
		if _, err = os.Lstat(to); err == nil {
			err = &ExistsError{Dir: shown, Files: []string{entry.Name()}}
		} else {
			err = os.Rename(filepath.Join(temp, entry.Name()), to)
		}
		if err != nil {
			for _, done := range entries[:i] {
				_ = os.Rename(filepath.Join(dir, done.Name()), filepath.Join(temp, done.Name()))
			}
			return fmt.Errorf("putting the package in its place: %w", err)
		}
	}
	return nil
}

// writeNew writes files that must not exist yet, never outside of root whatever
// symbolic links say. Files and folders made so far are appended to undo, so that
// a caller can take them back.
func writeNew(root *os.Root, files []file, undo *[]string) error {
	for _, f := range files {
		name := filepath.FromSlash(f.name)
		err := makeFoldersIn(root, filepath.Dir(name), undo)
		if err == nil {
			err = writeExclusive(root, name, f.data, undo)
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.name, err)
		}
	}
	return nil
}

func makeFoldersIn(root *os.Root, dir string, undo *[]string) error {
	if _, err := root.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeFoldersIn(root, filepath.Dir(dir), undo); err != nil {
		return err
	}
	if err := root.Mkdir(dir, 0o755); err != nil {
		return err
	}
	*undo = append(*undo, dir)
	return nil
}

func writeExclusive(root *os.Root, name string, data []byte, undo *[]string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	*undo = append(*undo, name)
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
