package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// File is one file of a folder to publish.
type File struct {
	// Path is slash-separated and relative to the folder.
	Path string
	// Data is the content.
	Data []byte
	// Mode holds the permissions before umask; 0 stands for 0644.
	Mode fs.FileMode
}

// Options change how [Publish] works.
type Options struct {
	// Volatile leaves out flushing to the disk. What readers see, and what a kill leaves, is the same; after a
	// loss of power files may be there without their content. It is for output that can be made again.
	Volatile bool
	// Replaces reports whether a file that no publisher wrote may be replaced by a new one of the same path.
	// Where it may not, and differs, nothing is published. Nil: all may.
	Replaces func(path string) bool
}

// ListName is the file in a published folder that lists the files that were published, one on a line.
const ListName = ".neuralis-files"

const listHead = "# The files that neuralis wrote here. Those of the next run take their place; other files are kept.\n"

// Publish makes files the content of a folder, which is made if it is not there, in one step: see the
// package comment. Files that were not published by an earlier run are kept. One publisher works on a folder at
// a time, and others wait for it until ctx is done. After an error the folder is as it was.
func Publish(ctx context.Context, dir string, files []File, options Options) error {
	p, err := newPublisher(dir, options)
	if err == nil {
		err = p.publish(ctx, files)
	}
	if err != nil {
		return fmt.Errorf("publish %s: %w", dir, err)
	}
	return nil
}

// Recover puts back what a killed [Publish] left in an unfinished state, where there is such a thing. It is of
// use before reading a folder without [View].
func Recover(ctx context.Context, dir string) error {
	p, err := newPublisher(dir, Options{})
	if err != nil {
		return fmt.Errorf("recover %s: %w", dir, err)
	}
	if !exists(p.building) && !exists(p.next) && !exists(p.previous) {
		return nil
	}
	lock, err := acquire(ctx, p.lock)
	if err != nil {
		return fmt.Errorf("recover %s: %w", dir, err)
	}
	defer lock.release()
	if err := p.recover(); err != nil {
		return fmt.Errorf("recover %s: %w", dir, err)
	}
	return nil
}

// publisher is one run of Publish.
type publisher struct {
	dir, lock, building, next, previous string
	options                             Options

	// exchange is the system's exchange; tests put another one in its place.
	exchange func(a, b string) (bool, error)
	// step is called between any two changes to the disk; tests stop here.
	step func()
}

func newPublisher(dir string, options Options) (*publisher, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// A link to the folder stays a link to it.
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	parent, base := filepath.Split(dir)
	if base == "" {
		return nil, errors.New("the root of a file system cannot be replaced")
	}
	beside := func(suffix string) string { return filepath.Join(parent, "."+base+suffix) }
	return &publisher{
		dir: dir, lock: beside(".lock"), building: beside(".building"), next: beside(".next"), previous: beside(".previous"),
		options: options, exchange: exchange, step: func() {},
	}, nil
}

func (p *publisher) publish(ctx context.Context, files []File) error {
	if err := checkFiles(files); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.dir), 0o777); err != nil {
		return err
	}
	p.step()
	lock, err := acquire(ctx, p.lock)
	if err != nil {
		return err
	}
	defer lock.release()
	p.step()
	if err := p.recover(); err != nil {
		return err
	}
	info, err := os.Stat(p.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("this is a file, and a folder is to take its place; remove it")
	}
	if err := p.build(files, info); err != nil {
		return errors.Join(err, removeAll(p.building))
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(context.Cause(ctx), removeAll(p.building))
	}
	p.step()
	if err := rename(p.building, p.next); err != nil {
		return errors.Join(err, removeAll(p.building))
	}
	p.step()
	if err := p.swap(); err != nil {
		return errors.Join(err, p.recover())
	}
	// The new folder is in its place. What cannot be cleaned up now is tried again by the next run.
	_ = p.recover()
	return nil
}

// checkFiles refuses paths that lead elsewhere or that the list could not hold.
func checkFiles(files []File) error {
	seen := map[string]bool{}
	for _, f := range files {
		local, err := filepath.Localize(f.Path)
		switch {
		case err != nil || !filepath.IsLocal(local) || f.Path == "." || strings.ContainsFunc(f.Path, func(r rune) bool { return r < ' ' }):
			return fmt.Errorf("%q cannot be the path of a file in a folder", f.Path)
		case f.Path == ListName:
			return fmt.Errorf("%q is the name of the list of files", f.Path)
		case seen[f.Path]:
			return fmt.Errorf("%q is there twice", f.Path)
		}
		seen[f.Path] = true
	}
	for _, f := range files {
		for above := path.Dir(f.Path); above != "."; above = path.Dir(above) {
			if seen[above] {
				return fmt.Errorf("%q is both a file and a folder", above)
			}
		}
	}
	return nil
}

// build makes the new folder, incomplete until it returns. The old one, if any, is old.
func (p *publisher) build(files []File, old fs.FileInfo) error {
	if err := os.Mkdir(p.building, 0o777); err != nil {
		return err
	}
	if old != nil {
		if err := os.Chmod(p.building, old.Mode()&folderBits|0o700); err != nil {
			return err
		}
	}
	p.step()
	owned := make(map[string][]byte, len(files))
	paths := make([]string, 0, len(files))
	for _, f := range files {
		owned[f.Path] = f.Data
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	list := File{Path: ListName, Data: []byte(listHead + strings.Join(append(paths, ""), "\n"))}
	for _, f := range append([]File{list}, files...) {
		if err := p.write(f); err != nil {
			return err
		}
		p.step()
	}
	if old == nil {
		return p.flushFolders(p.building)
	}
	if err := p.carry(owned); err != nil {
		return err
	}
	modes, err := p.carryFolders()
	if err != nil {
		return err
	}
	if err := p.flushFolders(p.building); err != nil {
		return err
	}
	// Last, as a folder without permission to write takes no files.
	if err := p.setModes(modes); err != nil {
		return err
	}
	return os.Chmod(p.building, old.Mode()&folderBits)
}

func (p *publisher) write(f File) error {
	target := filepath.Join(p.building, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	mode := f.Mode.Perm()
	if mode == 0 {
		mode = 0o644
	}
	file, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	return writeAndClose(file, f.Data, !p.options.Volatile)
}

// flushFolders flushes the names in a folder and in those below it.
func (p *publisher) flushFolders(dir string) error {
	if p.options.Volatile {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		flushFolder(path)
		return nil
	})
}

// flushFolder flushes the names in one folder, where the file system can do that.
func flushFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		syncFolder(folder)
		folder.Close()
	}
}

// swap puts the complete new folder in the place of the old one.
func (p *publisher) swap() error {
	if !exists(p.dir) {
		return rename(p.next, p.dir)
	}
	switch exchanged, err := p.exchange(p.next, p.dir); {
	case err != nil:
		return err
	case !exchanged:
		if err := rename(p.dir, p.previous); err != nil {
			return err
		}
		p.step()
		if err := rename(p.next, p.dir); err != nil {
			return err
		}
	}
	if !p.options.Volatile {
		flushFolder(filepath.Dir(p.dir))
	}
	p.step()
	return nil
}

// recover brings the disk from whatever state a run can end in to the one in which a run begins: dir is there
// if there ever was one, and nothing else is. The lock is held.
func (p *publisher) recover() error {
	if !exists(p.dir) && exists(p.previous) {
		if err := rename(p.previous, p.dir); err != nil {
			return err
		}
		p.step()
	}
	// All that is in an incomplete folder is somewhere else too.
	if err := retry(func() error { return removeAll(p.building) }); err != nil {
		return err
	}
	for _, leftover := range []string{p.next, p.previous} {
		if err := p.retire(leftover); err != nil {
			return err
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func rename(from, to string) error { return retry(func() error { return os.Rename(from, to) }) }
