package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// maxViews is how often a reader starts anew because the folder was replaced, before it holds up the publishers.
const maxViews = 10

// View calls read with a published folder opened, and makes sure that all that read found was of one run of
// [Publish]: if the folder was replaced in the meantime, read is called again, and what it did before must not
// count. After some calls in vain, publishers are made to wait for the reader.
//
// Its errors are those of read, and those of opening the folder; a folder that is not there is
// [fs.ErrNotExist]. View writes to the disk only where a killed run left no folder, which it puts right, and to
// hold up publishers.
func View(ctx context.Context, dir string, read func(root *os.Root) error) error {
	for range maxViews {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		same, err := view(dir, read)
		if same {
			return err
		}
		if errors.Is(err, fs.ErrNotExist) {
			if err := waitForFolder(ctx, dir); err != nil {
				return fmt.Errorf("open %s: %w", dir, err)
			}
		}
	}
	p, err := newPublisher(dir, Options{})
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	lock, err := acquire(ctx, p.lock)
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	defer lock.release()
	_, err = view(dir, read)
	return err
}

// view reads once. It reports whether the folder was the same before and after; an error of opening it comes
// with false.
func view(dir string, read func(root *os.Root) error) (same bool, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, err
	}
	// The folder stays open to the end, so that its identity is not given to another one.
	defer root.Close()
	before, err := root.Stat(".")
	if err != nil {
		return false, err
	}
	err = read(root)
	after, gone := os.Stat(dir)
	return gone == nil && os.SameFile(before, after), err
}

// waitForFolder returns without an error when there is a folder to open: because a publisher is at work that
// moved it away for a moment, or because one was killed in that moment and the folder could be put back.
func waitForFolder(ctx context.Context, dir string) error {
	p, err := newPublisher(dir, Options{})
	if err != nil {
		return err
	}
	// A publisher at work has its lock; a killed one leaves a folder. Asked again at the end, in case that one
	// began or ended in between.
	traces := exists(p.lock) || exists(p.previous) || exists(p.next) || exists(p.dir) || exists(p.lock) || exists(p.dir)
	if !traces {
		return fs.ErrNotExist
	}
	lock, err := acquire(ctx, p.lock)
	if err != nil {
		return err
	}
	defer lock.release()
	if err := p.recover(); err != nil {
		return err
	}
	if !exists(p.dir) {
		return fs.ErrNotExist
	}
	return nil
}
