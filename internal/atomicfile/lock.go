package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A lock file is held by at most one process at a time, and the kernel lets go of it when the process ends,
// however it ends.
type lockFile struct {
	file *os.File
	path string
}

// acquire waits for the lock at path, which is made for it, until ctx is done.
func acquire(ctx context.Context, path string) (*lockFile, error) {
	const longest = 50 * time.Millisecond
	for delay := time.Millisecond; ; delay = min(2*delay, longest) {
		lock, err := try(path)
		if err != nil {
			return nil, fmt.Errorf("take the lock %s: %w", path, err)
		}
		if lock != nil {
			return lock, nil
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("take the lock %s, which another process holds: %w", path, context.Cause(ctx))
		}
	}
}

// try takes the lock if it is free.
func try(path string) (*lockFile, error) {
	for {
		// A link, or anything else that is no file, would never be the file that is opened here.
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is no regular file: remove it", path)
		}
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o666)
		if err != nil {
			if transient(err) {
				return nil, nil
			}
			return nil, err
		}
		locked, err := tryLock(file)
		if err != nil || !locked {
			return nil, errors.Join(err, file.Close())
		}
		// The one that held it may have removed the file after it was opened here. Then someone else could
		// make and lock a new one.
		mine, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if now, err := os.Lstat(path); err == nil && os.SameFile(mine, now) {
			return &lockFile{file, path}, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, file.Close())
		}
		file.Close()
	}
}

// release lets go of the lock and removes its file. A file that cannot be removed is as free as no file.
func (l *lockFile) release() { _ = removeLocked(l.file, func() error { return os.Remove(l.path) }) }
