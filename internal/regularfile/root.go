package regularfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Root opens a folder as [os.OpenRoot] does, but does not wait where there is a named pipe in its place.
func Root(dir string) (*os.Root, error) {
	// What the separator follows is a folder, or is not opened.
	return os.OpenRoot(dir + string(filepath.Separator))
}

// ReadIn does what [Read] does, for a file in a folder. Links that lead out of the folder are not followed. The name is in
// the form of the operating system.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	file, info, err := OpenIn(root, name, limit)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(file, name, info, limit)
}

// OpenIn opens a file in a folder for reading, under the conditions of [ReadIn], and says what it is.
func OpenIn(root *os.Root, name string, limit int64) (*os.File, fs.FileInfo, error) {
	return opened(name, limit, root.Stat, root.OpenFile)
}

// FolderIn opens a folder in a folder, to list what is in it. [ErrNotFolder] is in the error where something else is
// there.
func FolderIn(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotFolder}
	}
	if err != nil {
		return nil, err
	}
	// It may have been exchanged since: what is no folder cannot be listed, and a pipe is not waited for.
	return root.OpenFile(name, os.O_RDONLY|nonblock, 0)
}
