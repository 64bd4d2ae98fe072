package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

// maxList is the size of a list of files that is read, in bytes.
const maxList = 16 << 20

// listed returns the files of a folder that its publisher wrote. A folder without a list has none.
func listed(dir string) (map[string]bool, error) {
	files := map[string]bool{}
	list, err := regularfile.Read(filepath.Join(dir, ListName), maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return files, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the list of its files: %w", err)
	}
	files[ListName] = true
	for line := range strings.SplitSeq(string(list), "\n") {
		line = strings.TrimSuffix(line, "\r")
		// Someone may have written into the list: what leads elsewhere is not a file of this folder.
		if line != "." && path.Clean(line) == line && filepath.IsLocal(filepath.FromSlash(line)) && line != strings.TrimSpace(listHead) {
			files[line] = true
		}
	}
	return files, nil
}

// foreign calls found for each file of a folder that is not among the listed ones. A file is everything that
// is no folder, symbolic links included.
func foreign(dir string, listed map[string]bool, found func(path string, d fs.DirEntry) error) error {
	return filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path, err := filepath.Rel(dir, full)
		if err != nil || listed[filepath.ToSlash(path)] {
			return err
		}
		return found(path, d)
	})
}

// carry gives the new folder the files of the old one that no publisher wrote.
func (p *publisher) carry(owned map[string][]byte) error {
	known, err := listed(p.dir)
	if err != nil {
		return err
	}
	return foreign(p.dir, known, func(path string, d fs.DirEntry) error {
		slash := filepath.ToSlash(path)
		if data, ours := owned[slash]; ours {
			return p.mayReplace(path, slash, data)
		}
		if slash == ListName {
			return nil
		}
		target := filepath.Join(p.building, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return inTheWay(path, err)
		}
		if info, err := os.Lstat(target); err == nil && info.IsDir() {
			return inTheWay(path, errors.New("a folder of this name is needed"))
		}
		// What cannot be carried over now is moved when the old folder is taken apart.
		_ = p.carryOne(filepath.Join(p.dir, path), target, d)
		p.step()
		return nil
	})
}

// mayReplace refuses to put new content in the place of a file that someone else wrote.
func (p *publisher) mayReplace(path, slash string, data []byte) error {
	if p.options.Replaces == nil || p.options.Replaces(slash) {
		return nil
	}
	full := filepath.Join(p.dir, path)
	if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(data)) {
		if old, err := os.ReadFile(full); err == nil && bytes.Equal(old, data) {
			return nil
		}
	}
	return inTheWay(path, errors.New("it would be overwritten"))
}

func inTheWay(path string, err error) error {
	return fmt.Errorf("%s is in the way, and was not written by neuralis; move it elsewhere: %w", path, err)
}

// carryOne makes a file also be at target: the same file where the file system can do that, a copy elsewhere.
func (p *publisher) carryOne(source, target string, d fs.DirEntry) error {
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		pointed, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return os.Symlink(pointed, target)
	case !d.Type().IsRegular():
		return errors.New("no regular file")
	}
	if err := os.Link(source, target); err == nil {
		return nil
	}
	return p.copy(source, target)
}

// copy copies a file. A copy that did not succeed is not left behind.
func (p *publisher) copy(source, target string) error {
	from, err := os.Open(source)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err == nil && !p.options.Volatile {
		err = to.Sync()
	}
	err = errors.Join(err, to.Close())
	if err == nil {
		err = os.Chtimes(target, info.ModTime(), info.ModTime())
	}
	if err != nil {
		os.Remove(target)
	}
	return err
}

// retire takes a folder apart that is no longer, or never was, in the place of dir: files that a publisher
// wrote and those that dir has too are removed, and what is left is moved to dir. A folder that is not there is
// none to take apart.
func (p *publisher) retire(old string) error {
	if !exists(old) {
		return nil
	}
	unprotect(old)
	known, err := listed(old)
	if err != nil {
		return err
	}
	err = foreign(old, known, func(path string, _ fs.DirEntry) error {
		source, target := filepath.Join(old, path), filepath.Join(p.dir, path)
		defer p.step()
		if exists(target) {
			return retry(func() error { return os.Remove(source) })
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return inTheWay(path, err)
		}
		return moveInto(source, target)
	})
	if err != nil {
		return err
	}
	// The list goes last, so that the next run knows the rest if this one is killed here.
	paths := make([]string, 0, len(known))
	for path := range known {
		if path != ListName {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	root, err := os.OpenRoot(old)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range append(paths, ListName) {
		name := filepath.FromSlash(path)
		if throughLink(root, name) {
			continue // nobody published that: it lies somewhere else
		}
		err := retry(func() error { return root.Remove(name) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		p.step()
	}
	if err := root.Close(); err != nil { // Windows removes no folder that is open
		return err
	}
	return removeFolders(old)
}

// throughLink reports whether a folder on the way to a file is a symbolic link.
func throughLink(root *os.Root, name string) bool {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// removeFolders removes a folder that has only folders in it. A file that came in meanwhile is an error and
// is kept.
func removeFolders(dir string) error {
	var folders []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			folders = append(folders, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Reverse(folders) // those inside before those around them
	for _, folder := range folders {
		if err := retry(func() error { return os.Remove(folder) }); err != nil {
			return err
		}
	}
	return nil
}
