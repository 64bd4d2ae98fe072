package filelock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// ErrUnsupported is for file systems that have no locks.
var ErrUnsupported = errors.New("the file system has no locks")

// Suffix is what the names of the queues end in, after the names of their locks.
const Suffix = ".queue"

// How long it takes until somebody who waits looks again.
const (
	shortest = 100 * time.Microsecond
	longest  = 5 * time.Millisecond
)

// Lock is a lock that is held.
type Lock struct {
	root *os.Root
	file *os.File
	name string
	once sync.Once
}

// Acquire waits until it has the lock of a name, which is in the form of the operating system and relative to
// root; the folder must exist. If ctx is done before, the error wraps its cause. The root must stay open
// until the lock is released.
func Acquire(ctx context.Context, root *os.Root, name string) (*Lock, error) {
	queue := name + Suffix
	if _, err := root.Lstat(queue); errors.Is(err, fs.ErrNotExist) {
		if lock, err := Try(root, name); lock != nil || err != nil {
			return lock, err
		}
	}
	turn, err := poll(ctx, root, queue)
	if err != nil {
		return nil, err
	}
	defer turn.Release()
	return poll(ctx, root, name)
}

func poll(ctx context.Context, root *os.Root, name string) (*Lock, error) {
	for delay := shortest; ; delay = min(2*delay, longest) {
		lock, err := Try(root, name)
		if lock != nil || err != nil {
			return lock, err
		}
		// Those who wait must not look in step.
		timer := time.NewTimer(delay/2 + rand.N(delay))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("wait for the lock %s: %w", name, context.Cause(ctx))
		}
	}
}

// Try takes the lock of a name if it is free, and returns nil if it is not.
func Try(root *os.Root, name string) (*Lock, error) {
	for {
		file, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			if transient(err) {
				return nil, nil
			}
			return nil, fmt.Errorf("make the lock: %w", err)
		}
		locked, err := tryLock(file)
		if err != nil || !locked {
			return nil, errors.Join(err, file.Close())
		}
		// The one that held it may have removed the file after it was opened here. Then someone else could make
		// and lock a new one.
		mine, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if now, err := root.Stat(name); err == nil && os.SameFile(mine, now) {
			return &Lock{root: root, file: file, name: name}, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, file.Close())
		}
		file.Close()
	}
}

// Release lets go of the lock. Releasing it once more does nothing.
func (l *Lock) Release() {
	l.once.Do(func() {
		// First the name: whoever locks the file after it is closed then sees that it is gone. A file that cannot
		// be removed is as free as no file.
		_ = l.root.Remove(l.name)
		_ = l.file.Close()
	})
}
