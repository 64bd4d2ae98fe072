package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/neuralis-dev/neuralis/internal/atomicfile"
	"github.com/neuralis-dev/neuralis/internal/filelock"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

// Options change how a [Store] works. The zero value is for production.
type Options struct {
	// Volatile leaves out flushing to the disk. A kill of the process loses nothing then either; a loss of power
	// may lose whole records. It is for data that nobody would miss, such as that of tests.
	Volatile bool
	// Private lets nobody but the user that the host runs as read the files.
	Private bool
	// LockWait is how long to wait for the lock of a file at most; 0 stands for 10 seconds.
	LockWait time.Duration
	// MaxValueBytes is the longest value as JSON, of a record or of a line; 0 stands for 16 MiB.
	MaxValueBytes int
	// MaxAnswerBytes is how much List and ReadNewest return at most, as JSON; 0 stands for 64 MiB.
	MaxAnswerBytes int
}

// Store is the folder of one package. It may be used by many goroutines at once, and other processes may work in
// the same folder.
type Store struct {
	dir     string
	options Options
	*shared
}

// shared is what all Stores of a folder that were made of each other have in common.
type shared struct {
	turns turns
	swept sync.Map // paths of the folders that were looked through for leftovers
}

// Answering returns the same store, whose List and ReadNewest return no more than so many bytes, where that is less than
// the store's own bound; 0 is no further bound.
func (s *Store) Answering(most int) *Store {
	if most <= 0 || most >= s.options.MaxAnswerBytes {
		return s
	}
	bounded := *s
	bounded.options.MaxAnswerBytes = most
	return &bounded
}

// Open returns the store of a folder, which is made when something is written. Open touches no disk.
func Open(dir string, options Options) (*Store, error) {
	if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return nil, &Error{Code: CodeInvalidPath, Op: "open", Path: dir, Message: "the folder of a package's data must be given by an absolute path"}
	}
	if options.LockWait <= 0 {
		options.LockWait = 10 * time.Second
	}
	if options.MaxValueBytes <= 0 {
		options.MaxValueBytes = 16 << 20
	}
	if options.MaxAnswerBytes <= 0 {
		options.MaxAnswerBytes = 64 << 20
	}
	return &Store{dir: filepath.Clean(dir), options: options, shared: &shared{}}, nil
}

// PackageDir returns the folder for the data of a package below the host's dataDir. The key names the package
// among all: the id for those of the project, and user/owner/id or agent/owner/id for the rest, as catalog
// entries have it.
func PackageDir(dataDir, key string) (string, error) {
	encoded, err := encodePath(key)
	if err != nil {
		return "", &Error{Code: CodeInvalidPath, Op: "name the folder of", Path: key, Message: err.Error()}
	}
	// What has an owner is kept apart: a package called user would else have the others' data in its folder.
	kind := "packages"
	if strings.Contains(key, "/") {
		kind = "owned"
	}
	return filepath.Join(dataDir, kind, filepath.FromSlash(encoded)), nil
}

// Dir returns the folder of the store. It may not be there.
func (s *Store) Dir() string { return s.dir }

// DataPath returns the absolute path of a file in the package's folder. It touches no disk: nothing need be
// there, and what is there may be a symbolic link; only this package's own functions make sure that none is
// followed out of the folder.
//
// Refused are paths that are empty, absolute or lead out; that have backslashes, NUL or other control
// characters, or one of < > : " | ? *; and names that end in a dot or a space, are devices of Windows, are longer
// than 200 bytes or end as those of the host's own files do.
func (s *Store) DataPath(rel string) (string, error) {
	clean, err := checkPath(rel)
	if err != nil {
		return "", invalidPath("name the path", rel, err)
	}
	return filepath.Join(s.dir, filepath.FromSlash(clean)), nil
}

func invalidPath(op, rel string, err error) *Error {
	if len(rel) > 100 {
		rel = strings.ToValidUTF8(rel[:100], "") + "…"
	}
	return &Error{Code: CodeInvalidPath, Op: op, Path: fmt.Sprintf("%q", rel), Message: err.Error()}
}

// root opens the folder. If it is not there it is made when something is to be written, and the error is
// [fs.ErrNotExist] else.
func (s *Store) root(write bool) (*os.Root, error) {
	root, err := regularfile.Root(s.dir)
	if err == nil || !write || !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	if err := os.MkdirAll(s.dir, s.folderMode()); err != nil {
		return nil, err
	}
	if root, err = regularfile.Root(s.dir); err == nil && !s.options.Volatile {
		if parent, err := os.OpenRoot(filepath.Dir(s.dir)); err == nil {
			atomicfile.SyncIn(parent, ".")
			parent.Close()
		}
	}
	return root, err
}

// makeFolder makes a folder of the store, and those above it.
func (s *Store) makeFolder(root *os.Root, dir string) error {
	if info, err := root.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := root.MkdirAll(dir, s.folderMode()); err != nil {
		return err
	}
	if !s.options.Volatile {
		for above := dir; above != "."; {
			above = filepath.Dir(above)
			atomicfile.SyncIn(root, above)
		}
	}
	return nil
}

func (s *Store) folderMode() fs.FileMode {
	if s.options.Private {
		return 0o700
	}
	return 0o755
}

func (s *Store) fileMode() fs.FileMode {
	if s.options.Private {
		return 0o600
	}
	return 0o644
}

// writing is a file of the store that one goroutine of one process has to itself.
type writing struct {
	root *os.Root
	name string // in the form of the operating system
	done func()
}

// begin waits until a file can be written by the caller alone, who must call done.
func (s *Store) begin(ctx context.Context, clean string) (*writing, error) {
	root, err := s.root(true)
	if err != nil {
		return nil, err
	}
	w, err := s.beginIn(ctx, root, clean)
	if err != nil {
		root.Close()
	}
	return w, err
}

func (s *Store) beginIn(ctx context.Context, root *os.Root, clean string) (*writing, error) {
	name := filepath.FromSlash(clean)
	dir, base := filepath.Split(name)
	if err := s.makeFolder(root, filepath.Clean(dir)); err != nil {
		return nil, err
	}
	late := &Error{Code: CodeLocked, Op: "wait for", Path: clean,
		Message: fmt.Sprintf("it has been locked for %v by another update, or by an update of this very call; end updates soon, and do not write to a record in its own update", s.options.LockWait)}
	caller := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.LockWait, late)
	defer cancel()
	waited := func(err error) error {
		if caller.Err() == nil {
			return err
		}
		return &Error{Code: CodeCancelled, Op: "wait for", Path: clean, Message: context.Cause(caller).Error(), Err: context.Cause(caller)}
	}
	// Case is ignored, for the file system may do so. At worst, two files take turns.
	leave, err := s.turns.wait(ctx, strings.ToLower(name))
	if err != nil {
		return nil, waited(err)
	}
	lock, err := filelock.Acquire(ctx, root, dir+"."+base+lockSuffix)
	if err != nil {
		leave()
		return nil, waited(err)
	}
	return &writing{root: root, name: name, done: func() {
		lock.Release()
		leave()
		root.Close()
	}}, nil
}

// text returns a value as JSON in one line with a line break after it.
func (s *Store) text(op, clean string, value json.RawMessage) ([]byte, error) {
	var line bytes.Buffer
	if len(value) > s.options.MaxValueBytes {
		return nil, &Error{Code: CodeTooLarge, Op: op, Path: clean,
			Message: fmt.Sprintf("the value has %d bytes and can have at most %d; store less in one value", len(value), s.options.MaxValueBytes)}
	}
	if err := json.Compact(&line, value); err != nil {
		return nil, &Error{Code: CodeInvalidValue, Op: op, Path: clean, Message: fmt.Sprintf("the value is not JSON: %v", err), Err: err}
	}
	line.WriteByte('\n')
	return line.Bytes(), nil
}

// file returns the path of a file that is to be read or written.
func (s *Store) file(op, rel string) (string, error) {
	clean, err := checkPath(rel)
	if err == nil && clean == "." {
		err = errors.New("it is the package's folder and not a file in it")
	}
	if err == nil && strings.HasSuffix(rel, "/") {
		err = errors.New("it ends in a slash, and a file is wanted")
	}
	if err != nil {
		return "", invalidPath(op, rel, err)
	}
	return path.Clean(clean), nil
}
