package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/neuralis-dev/neuralis/internal/atomicfile"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

// recordSuffix is what the names of the files of records end in.
const recordSuffix = ".json"

// FileStore is a store of records, each in a file of its own.
type FileStore struct {
	store *Store
	dir   string // slash-separated, encoded
}

// FileStore returns the store of records of a name: words with slashes in between, each of which is encoded for
// its folder's name as an id is, see [EncodeID]. It touches no disk.
func (s *Store) FileStore(name string) (*FileStore, error) {
	dir, err := encodePath(name)
	if err != nil {
		return nil, invalidPath("open the store", name, err)
	}
	return &FileStore{store: s, dir: dir}, nil
}

// path is the path of a record's file.
func (f *FileStore) path(op, id string) (string, error) {
	name, err := EncodeID(id)
	if err != nil {
		if len(id) > 100 {
			id = strings.ToValidUTF8(id[:100], "") + "…"
		}
		return "", &Error{Code: CodeInvalidID, Op: op, Path: fmt.Sprintf("%s/%q", f.dir, id), Message: err.Error()}
	}
	return path.Join(f.dir, name+recordSuffix), nil
}

// Get returns the record of an id, or nil if there is none.
func (f *FileStore) Get(ctx context.Context, id string) (json.RawMessage, error) {
	const op = "read"
	clean, err := f.path(op, id)
	if err != nil {
		return nil, err
	}
	root, err := f.store.root(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fail(op, clean, err)
	}
	defer root.Close()
	value, err := f.store.record(root, clean)
	return value, fail(op, clean, err)
}

// Exists reports whether there is a record of an id. One that cannot be read is there too.
func (f *FileStore) Exists(ctx context.Context, id string) (bool, error) {
	const op = "look for"
	clean, err := f.path(op, id)
	if err != nil {
		return false, err
	}
	root, err := f.store.root(false)
	if err == nil {
		defer root.Close()
		err = regular(root, filepath.FromSlash(clean))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, fail(op, clean, err)
}

// List returns all records, in the order of their ids. If one of them cannot be read, the error says which.
func (f *FileStore) List(ctx context.Context) ([]json.RawMessage, error) {
	const op = "list"
	values, size := []json.RawMessage{}, 0
	err := f.each(ctx, op, func(root *os.Root, id, clean string) error {
		value, err := f.store.record(root, clean)
		if err != nil || value == nil { // it may have been deleted since
			return fail("read", clean, err)
		}
		if size += len(value); size > f.store.options.MaxAnswerBytes {
			return &Error{Code: CodeTooLarge, Op: op, Path: f.dir,
				Message: fmt.Sprintf("the records have more than %d bytes in all; read single ones, or keep fewer in one store", f.store.options.MaxAnswerBytes)}
		}
		values = append(values, value)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// IDs returns the ids of all records, sorted.
func (f *FileStore) IDs(ctx context.Context) ([]string, error) {
	ids := []string{}
	err := f.each(ctx, "list", func(_ *os.Root, id, _ string) error {
		ids = append(ids, id)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// each calls found for each record, in the order of the ids.
func (f *FileStore) each(ctx context.Context, op string, found func(root *os.Root, id, clean string) error) error {
	root, err := f.store.root(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fail(op, f.dir, err)
	}
	defer root.Close()
	entries, err := readFolder(root, filepath.FromSlash(f.dir))
	if err != nil {
		return fail(op, f.dir, err)
	}
	type record struct{ id, clean string }
	var records []record
	for _, e := range entries {
		name, isRecord := strings.CutSuffix(e.Name(), recordSuffix)
		if !isRecord || e.IsDir() {
			continue
		}
		// Files of other names are somebody else's.
		if id, ok := DecodeID(name); ok {
			records = append(records, record{id, path.Join(f.dir, e.Name())})
		}
	}
	slices.SortFunc(records, func(a, b record) int { return strings.Compare(a.id, b.id) })
	for _, r := range records {
		if ctx.Err() != nil {
			return &Error{Code: CodeCancelled, Op: op, Path: f.dir, Message: context.Cause(ctx).Error(), Err: context.Cause(ctx)}
		}
		if err := found(root, r.id, r.clean); err != nil {
			return err
		}
	}
	return nil
}

func readFolder(root *os.Root, name string) ([]fs.DirEntry, error) {
	folder, err := regularfile.FolderIn(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.ReadDir(-1)
}

// Put writes the record of an id, whether there was one before or not. One that is corrupt is not overwritten.
func (f *FileStore) Put(ctx context.Context, id string, value json.RawMessage) error {
	lock, err := f.begin(ctx, "write", id)
	if err != nil {
		return err
	}
	return lock.Commit(orNull(value))
}

// orNull makes no value the value null, as encoding/json does.
func orNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}

// Delete removes the record of an id, and reports whether there was one. A corrupt one is removed too.
func (f *FileStore) Delete(ctx context.Context, id string) (bool, error) {
	const op = "delete"
	clean, err := f.path(op, id)
	if err != nil {
		return false, err
	}
	// A store that is not there needs no folder for its lock.
	if there, err := f.Exists(ctx, id); err != nil || !there {
		return false, err
	}
	w, err := f.store.begin(ctx, clean)
	if err != nil {
		return false, fail(op, clean, err)
	}
	defer w.done()
	if err = regular(w.root, w.name); err == nil {
		err = w.root.Remove(w.name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && !f.store.options.Volatile {
		atomicfile.SyncIn(w.root, filepath.Dir(w.name))
	}
	return err == nil, fail(op, clean, err)
}

// Update replaces the record of an id by what change makes of it: change is given the record, or nil if there is
// none, while nobody else can write it, and returns the new one, or nil to write nothing. Update returns what
// is stored then.
func (f *FileStore) Update(ctx context.Context, id string, change func(old json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	lock, err := f.Begin(ctx, id)
	if err != nil {
		return nil, err
	}
	defer lock.Abort()
	value, err := change(lock.Value())
	if err != nil {
		return nil, err
	}
	if value == nil {
		return lock.Value(), nil
	}
	return value, lock.Commit(value)
}

// Begin begins an update of the record of an id: nobody else can write it until the lock is committed or
// aborted, one of which must be done.
func (f *FileStore) Begin(ctx context.Context, id string) (*Lock, error) {
	return f.begin(ctx, "update", id)
}

func (f *FileStore) begin(ctx context.Context, op, id string) (*Lock, error) {
	clean, err := f.path(op, id)
	if err != nil {
		return nil, err
	}
	w, err := f.store.begin(ctx, clean)
	if err != nil {
		return nil, fail(op, clean, err)
	}
	f.store.sweep(w.root, f.dir)
	value, err := f.store.record(w.root, clean)
	if err != nil {
		w.done()
		return nil, fail(op, clean, err)
	}
	return &Lock{store: f.store, clean: clean, value: value, writing: w}, nil
}

// sweep removes what killed writers left in a folder, once.
func (s *Store) sweep(root *os.Root, dir string) {
	if _, done := s.swept.LoadOrStore(dir, true); !done {
		_ = atomicfile.SweepIn(root, filepath.FromSlash(dir)) // it is in nobody's way
	}
}

// Lock is an update of a record that has begun.
type Lock struct {
	store *Store
	clean string
	value json.RawMessage

	mu      sync.Mutex
	writing *writing // nil when the update has ended
}

// Value returns the record as it was when the update began, or nil if there was none.
func (l *Lock) Value() json.RawMessage { return l.value }

// Path returns the path of the record's file, slash-separated and relative to the package's folder.
func (l *Lock) Path() string { return l.clean }

// Commit writes the record and ends the update, also if it fails; then the record is as it was. A nil value
// writes nothing.
func (l *Lock) Commit(value json.RawMessage) error {
	const op = "write"
	w := l.end()
	if w == nil {
		return &Error{Code: CodeNoLock, Op: op, Path: l.clean, Message: "the update has ended already; begin another one"}
	}
	defer w.done()
	if value == nil {
		return nil
	}
	text, err := l.store.text(op, l.clean, value)
	if err != nil {
		return err
	}
	err = atomicfile.WriteInWith(w.root, w.name, text, l.store.fileMode(), atomicfile.Options{Volatile: l.store.options.Volatile})
	return fail(op, l.clean, err)
}

// Abort ends the update and writes nothing. After Commit, or another Abort, it does nothing.
func (l *Lock) Abort() {
	if w := l.end(); w != nil {
		w.done()
	}
}

func (l *Lock) end() *writing {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.writing
	l.writing = nil
	return w
}

// record reads a record; nil is none.
func (s *Store) record(root *os.Root, clean string) (json.RawMessage, error) {
	name := filepath.FromSlash(clean)
	err := regular(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	limit := int64(s.options.MaxValueBytes) + 1 // for the line break
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, &Error{Code: CodeTooLarge, Op: "read", Path: clean,
			Message: fmt.Sprintf("the file has more than the %d bytes that a value can have; delete the record, or make its file smaller by hand", s.options.MaxValueBytes)}
	}
	text = bytes.TrimSpace(text)
	if !json.Valid(text) {
		return nil, &Error{Code: CodeCorrupt, Op: "read", Path: clean,
			Message: "the file is not JSON and is left as it is; repair it by hand, or delete the record"}
	}
	return text, nil
}
