package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxReads is how often a file is read anew because it was rotated meanwhile, before its writers have to wait.
const maxReads = 5

// ReadNewest returns the last n values that were appended to a file, the newest first. It reads the end of the
// file and then that of its generations, as far as needed, and takes no lock unless the file is rotated again and
// again meanwhile. Lines that are no JSON, such as what a kill left of
// one, are passed over. No file is no values.
func (s *Store) ReadNewest(ctx context.Context, rel string, n int) ([]json.RawMessage, error) {
	const op = "read"
	clean, err := s.file(op, rel)
	if err != nil {
		return nil, err
	}
	values := []json.RawMessage{}
	if n <= 0 {
		return values, nil
	}
	root, err := s.root(false)
	if errors.Is(err, fs.ErrNotExist) {
		return values, nil
	}
	if err != nil {
		return nil, fail(op, clean, err)
	}
	defer root.Close()
	for range maxReads {
		if err := ctx.Err(); err != nil {
			return nil, &Error{Code: CodeCancelled, Op: op, Path: clean, Message: context.Cause(ctx).Error(), Err: context.Cause(ctx)}
		}
		values, same, err := s.newest(root, clean, n)
		if err != nil {
			return nil, fail(op, clean, err)
		}
		if same {
			return values, nil
		}
	}
	w, err := s.begin(ctx, clean)
	if err != nil {
		return nil, fail(op, clean, err)
	}
	defer w.done()
	values, _, err = s.newest(w.root, clean, n)
	return values, fail(op, clean, err)
}

func (s *Store) newest(root *os.Root, clean string, n int) (values []json.RawMessage, same bool, err error) {
	r := &newest{store: s, root: root, clean: clean, wanted: n, values: []json.RawMessage{}}
	defer r.close()
	if err := r.read(filepath.FromSlash(clean)); err != nil {
		return nil, false, err
	}
	return r.values, r.same(), nil
}

// newest is one reading of a file and its generations.
type newest struct {
	store  *Store
	root   *os.Root
	clean  string
	wanted int
	values []json.RawMessage
	bytes  int
	files  []fs.FileInfo // that were read

	// The newest file that there was is kept open: another one cannot be taken for it then.
	first     *os.File
	firstName string
}

func (r *newest) close() {
	if r.first != nil {
		r.first.Close()
	}
}

// read goes from the file to its oldest generation while others may be moving up. Since they move from the
// oldest on, one that is not where it was is found at its next place, and one that is met again is known.
func (r *newest) read(name string) error {
	for n, misses := 0, 0; misses < 2 && len(r.values) < r.wanted && n <= MaxKeep+1; n++ {
		switch err := r.file(generation(name, n)); {
		case err == nil:
			misses = 0
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case n > 0:
			misses++ // a rotation that was killed leaves a single gap
		}
	}
	return nil
}

// same reports whether the newest file is still where it was, which it is not after a rotation.
func (r *newest) same() bool {
	if r.first == nil {
		return true
	}
	info, err := r.root.Stat(r.firstName)
	return err == nil && os.SameFile(info, r.files[0])
}

func (r *newest) file(name string) error {
	if err := regular(r.root, name); err != nil {
		return err
	}
	file, err := r.root.Open(name)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if r.first == nil {
		r.first, r.firstName = file, name
	} else {
		defer file.Close()
	}
	known := slices.ContainsFunc(r.files, func(other fs.FileInfo) bool { return os.SameFile(info, other) })
	r.files = append(r.files, info)
	if known {
		return nil
	}
	var full error
	err = lastFirst(file, info.Size(), chunkBytes, r.store.options.MaxValueBytes+1, func(line []byte, ended bool) bool {
		line = bytes.TrimSpace(line)
		if ended && !json.Valid(line) || !ended && !whole(line) {
			return true
		}
		if r.bytes += len(line); r.bytes > r.store.options.MaxAnswerBytes {
			full = &Error{Code: CodeTooLarge, Op: "read", Path: r.clean,
				Message: fmt.Sprintf("the newest %d values have more than %d bytes; ask for fewer", r.wanted, r.store.options.MaxAnswerBytes)}
			return false
		}
		r.values = append(r.values, line)
		return len(r.values) < r.wanted
	})
	return errors.Join(err, full)
}
