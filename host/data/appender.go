package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/neuralis-dev/neuralis/internal/atomicfile"
)

// What counts where an appender says nothing.
const (
	// DefaultMaxBytes is how long a file of lines gets.
	DefaultMaxBytes = 10 << 20
	// DefaultKeep is how many full ones are kept.
	DefaultKeep = 5
	// MaxKeep is the most that can be kept.
	MaxKeep = 1000
	// KeepNone is for [Rotation].Keep: a full file is removed.
	KeepNone = -1
)

// Rotation says when a file of lines is full and what becomes of it.
type Rotation struct {
	// MaxBytes is how long the file gets; 0 stands for [DefaultMaxBytes]. A line that would make it longer is the
	// first one of a new file. A single longer line has a file for itself.
	MaxBytes int64
	// Keep is how many full files to keep, as .1 (the latest), .2 and so on. 0 stands for [DefaultKeep], and
	// [KeepNone] for none.
	Keep int
}

func (r Rotation) settled() Rotation {
	if r.MaxBytes <= 0 {
		r.MaxBytes = DefaultMaxBytes
	}
	if r.Keep == 0 {
		r.Keep = DefaultKeep
	}
	r.Keep = min(max(r.Keep, 0), MaxKeep)
	return r
}

// torn ends what a kill left of a line. With it, the line is no JSON, whatever was left.
const torn = " (torn)\n"

// Append writes a value as one line at the end of a file; the file and its folders are made if they are not
// there. Calls that do not overlap are written in their order. A line that cannot be written whole is not there
// at all.
func (s *Store) Append(ctx context.Context, rel string, value json.RawMessage, rotation Rotation) error {
	const op = "append to"
	clean, err := s.file(op, rel)
	if err != nil {
		return err
	}
	text, err := s.text(op, clean, value)
	if err != nil {
		return err
	}
	w, err := s.begin(ctx, clean)
	if err != nil {
		return fail(op, clean, err)
	}
	defer w.done()
	return fail(op, clean, s.appendLine(w, text, rotation.settled()))
}

func (s *Store) appendLine(w *writing, text []byte, rotation Rotation) error {
	for rotated := false; ; rotated = true {
		file, size, err := s.openLines(w)
		if err != nil {
			return err
		}
		if size == 0 || size+int64(len(text)) <= rotation.MaxBytes || rotated {
			return errors.Join(s.writeLine(file, size, text), file.Close())
		}
		if !s.options.Volatile {
			err = file.Sync()
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
		if err := s.rotate(w, rotation.Keep); err != nil {
			return fmt.Errorf("rotate: %w", err)
		}
	}
}

func (s *Store) openLines(w *writing) (*os.File, int64, error) {
	if err := regular(w.root, w.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	file, err := w.root.OpenFile(w.name, os.O_RDWR|os.O_CREATE, s.fileMode())
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// regular looks whether there is a file at a path: opening a named pipe would wait for somebody at its other end.
func regular(root *os.Root, name string) error {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return nil
	}
	message := "what is there is no file; move it away"
	if info.IsDir() {
		message = "there is a folder where the file should be; move it away"
	}
	return &Error{Code: CodeInTheWay, Op: "open", Path: filepath.ToSlash(name), Message: message}
}

// writeLine writes at the end of a file that nobody else writes to.
func (s *Store) writeLine(file *os.File, size int64, text []byte) error {
	if size > 0 {
		tail, err := lastPiece(file, size, s.options.MaxValueBytes)
		if err != nil {
			return err
		}
		switch {
		case len(tail) == 0:
		case whole(tail):
			text = append([]byte("\n"), text...)
		default:
			text = append([]byte(torn), text...)
		}
	}
	if _, err := file.WriteAt(text, size); err != nil {
		return errors.Join(err, file.Truncate(size))
	}
	return nil
}

// rotate makes the file its first generation. Each generation moves up to the first place that is free, the
// last one going away only where there is none; so wherever a kill ends this, all files are there, with at
// most one place free among them.
func (s *Store) rotate(w *writing, keep int) error {
	if keep == 0 {
		return w.root.Remove(w.name)
	}
	there := func(n int) bool {
		_, err := w.root.Lstat(generation(w.name, n))
		return err == nil
	}
	free := 1
	for free <= keep && there(free) {
		free++
	}
	if free > keep {
		// Those above are of a time when more were kept.
		last := keep
		for there(last + 1) {
			last++
		}
		for ; last >= keep; last-- {
			if err := w.root.Remove(generation(w.name, last)); err != nil {
				return err
			}
		}
		free = keep
	}
	for ; free > 0; free-- {
		if err := w.root.Rename(generation(w.name, free-1), generation(w.name, free)); err != nil {
			return err
		}
	}
	if !s.options.Volatile {
		atomicfile.SyncIn(w.root, filepath.Dir(w.name))
	}
	return nil
}

// generation is the name of the nth full file; the 0th is the one that is written.
func generation(name string, n int) string {
	if n == 0 {
		return name
	}
	return name + "." + strconv.Itoa(n)
}
