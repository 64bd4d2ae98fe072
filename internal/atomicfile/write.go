package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Temporary files are called .<name>.<random>.neuralis-tmp.
const temporarySuffix = ".neuralis-tmp"

// KeepMode, in place of permissions, keeps those of the file that is replaced; a file that was not there
// gets 0644.
const KeepMode fs.FileMode = 0

// WriteFile replaces the content of a file, or makes it, with the given permissions before umask. At any
// moment the path has the old content or the new one, and when WriteFile returns without an error, the new
// content is on the disk. The file's folder must exist. A symbolic link at path is replaced, not followed.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer root.Close()
	if err := writeIn(root, filepath.Base(path), data, perm, true); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// WriteIn is [WriteFile] for a file below root; nothing outside of root is written, whatever its symbolic
// links say. The name is in the form of the operating system, relative to root.
func WriteIn(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	return WriteInWith(root, name, data, perm, Options{})
}

// WriteInWith is [WriteIn] with options.
func WriteInWith(root *os.Root, name string, data []byte, perm fs.FileMode, options Options) error {
	if err := writeIn(root, name, data, perm, !options.Volatile); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func writeIn(root *os.Root, name string, data []byte, perm fs.FileMode, durable bool) error {
	if info, err := root.Lstat(name); err == nil {
		if info.IsDir() {
			return errors.New("there is a folder of this name")
		}
		if perm == KeepMode && info.Mode().IsRegular() {
			perm = info.Mode().Perm()
		}
	}
	if perm == KeepMode {
		perm = 0o644
	}
	dir, base := filepath.Split(name)
	for {
		temporary := dir + "." + base + "." + rand.Text() + temporarySuffix
		renamed, err := writeThrough(root, temporary, name, data, perm, durable)
		if err != nil || renamed {
			return err
		}
		// A sweeper took the file for a dead one, before it was locked or after it was closed.
	}
}

// writeThrough writes a temporary file and renames it. It reports false if the file was swept away.
func writeThrough(root *os.Root, temporary, name string, data []byte, perm fs.FileMode, durable bool) (renamed bool, err error) {
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return false, err
	}
	defer func() {
		if !renamed {
			file.Close() // once more after a Close does no harm
			root.Remove(temporary)
		}
	}()
	// The lock tells sweepers that this file has a living writer; the kernel lets go of it with the process.
	if locked, err := tryLock(file); err != nil || !locked {
		return false, err
	}
	if _, err := root.Lstat(temporary); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := writeAndClose(file, data, durable); err != nil {
		return false, err
	}
	err = retry(func() error { return root.Rename(temporary, name) })
	if err != nil {
		if _, gone := root.Lstat(temporary); errors.Is(gone, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	if durable {
		SyncIn(root, filepath.Dir(name))
	}
	return true, nil
}

// writeAndClose writes a file, flushes it to the disk if it is to last, and closes it.
func writeAndClose(file *os.File, data []byte, durable bool) error {
	_, err := file.Write(data)
	if err == nil && durable {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// syncFolder flushes the names in a folder. Some file systems cannot, and there the names are as lasting as
// they can be.
func syncFolder(folder *os.File) { _ = folder.Sync() }

// SyncIn flushes the names in a folder below root, where the file system can do that: after it, files that were
// made, renamed or removed there stay so through a loss of power.
func SyncIn(root *os.Root, dir string) {
	if folder, err := root.Open(dir); err == nil {
		syncFolder(folder)
		folder.Close()
	}
}

// Sweep removes the temporary files in a folder whose writers were killed, and leaves alone those that are
// being written. It reads the names of all files in the folder.
func Sweep(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	defer root.Close()
	return SweepIn(root, ".")
}

// SweepIn is [Sweep] for a folder below root; nothing outside of root is removed, whatever its symbolic links
// say. The name of the folder is in the form of the operating system, relative to root.
func SweepIn(root *os.Root, dir string) error {
	folder, err := root.Open(dir)
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	defer folder.Close()
	entries, err := folder.ReadDir(-1)
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	var faults []error
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || !strings.HasPrefix(name, ".") || !strings.HasSuffix(name, temporarySuffix) {
			continue
		}
		if err := sweepOne(root, filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, fmt.Errorf("remove the leftover %s: %w", filepath.Join(dir, name), err))
		}
	}
	return errors.Join(faults...)
}

func sweepOne(root *os.Root, name string) error {
	file, err := root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		if transient(err) {
			return nil // Windows: its writer has it open
		}
		return err
	}
	locked, err := tryLock(file)
	if err != nil || !locked {
		return errors.Join(err, file.Close())
	}
	return removeLocked(file, func() error { return root.Remove(name) })
}
