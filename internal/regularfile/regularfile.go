package regularfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular says that a path leads to something that is no regular file.
var ErrNotRegular = errors.New("it is no regular file")

// ErrNotFolder says that a path leads to something that is no folder.
var ErrNotFolder = errors.New("it is no folder")

// TooLargeError says that a file is larger than what is read of it.
type TooLargeError struct {
	// Size is the file's size in bytes, and Limit what was allowed.
	Size, Limit int64
}

// Error says both sizes.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("it has %d bytes, and at most %d are read", e.Size, e.Limit)
}

// Read returns the content of a file, with symbolic links followed. The file may have limit bytes at most. Errors are
// of the type [*fs.PathError]; [ErrNotRegular] or a [*TooLargeError] is in those of files that are there and are not
// read.
func Read(path string, limit int64) ([]byte, error) {
	file, info, err := open(path, limit)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(file, path, info, limit)
}

func readAll(file *os.File, path string, info fs.FileInfo, limit int64) ([]byte, error) {
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := file.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, fail(path, &TooLargeError{Size: int64(len(data)), Limit: limit})
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// Open opens a file for reading under the conditions of [Read]. The file can still grow beyond the limit.
func Open(path string, limit int64) (*os.File, error) {
	file, _, err := open(path, limit)
	return file, err
}

func open(path string, limit int64) (*os.File, fs.FileInfo, error) {
	return opened(path, limit, os.Stat, os.OpenFile)
}

// opened opens a file with functions that look at a path and open it.
func opened(path string, limit int64, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) (*os.File, fs.FileInfo, error) {
	// Opening a device can already do something, so it is looked at before.
	info, err := stat(path)
	if err != nil {
		return nil, nil, err
	}
	if err := check(info, limit); err != nil {
		return nil, nil, fail(path, err)
	}
	file, err := open(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	// It may have been exchanged since.
	if info, err = file.Stat(); err == nil {
		if err = check(info, limit); err != nil {
			err = fail(path, err)
		}
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

func fail(path string, err error) error { return &fs.PathError{Op: "read", Path: path, Err: err} }

func check(info fs.FileInfo, limit int64) error {
	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	if info.Size() > limit {
		return &TooLargeError{Size: info.Size(), Limit: limit}
	}
	return nil
}
