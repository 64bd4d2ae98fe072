package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

// maxModule is the largest WebAssembly module that is read, in bytes.
const maxModule = 256 << 20

var (
	errNoFile   = errors.New("it is no file")
	errTooLarge = errors.New("it is too large")
)

// open opens a regular file in a folder, following symbolic links inside of the folder only. What is no
// regular file is not opened, as opening it may wait for ever.
func open(root *os.Root, name string, limit int64) (*os.File, fs.FileInfo, error) {
	file, info, err := regularfile.OpenIn(root, filepath.FromSlash(name), limit)
	switch large := (*regularfile.TooLargeError)(nil); {
	case errors.Is(err, regularfile.ErrNotRegular):
		err = errNoFile
	case errors.As(err, &large):
		err = errTooLarge
	}
	return file, info, err
}

// readFile reads a regular file of at most limit bytes.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	file, _, err := open(root, name, limit)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = errTooLarge
	}
	return text, err
}

// listFiles are the regular files in a folder of a package whose names end in extension, sorted.
func listFiles(root *os.Root, dir, extension string) []string {
	handle, err := regularfile.FolderIn(root, filepath.FromSlash(dir))
	if err != nil {
		return nil
	}
	defer handle.Close()
	names, err := handle.Readdirnames(maxFolders)
	if err != nil {
		return nil
	}
	var files []string
	for _, name := range names {
		file := path.Join(dir, name)
		if !strings.HasSuffix(name, extension) {
			continue
		}
		if info, err := root.Stat(filepath.FromSlash(file)); err == nil && info.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}

// stamp says which file a hash is of, and when it was made.
type stamp struct {
	info fs.FileInfo
	hash string
	at   time.Time
}

// settled is how long a file must have been left alone before its hash was made for the hash to stand as long as
// the file looks the same. File systems keep times to two seconds at worst.
const settled = 3 * time.Second

// fits reports whether the hash is still that of the file.
func (s stamp) fits(info fs.FileInfo) bool {
	return s.info != nil && !s.at.IsZero() && os.SameFile(s.info, info) && s.info.Size() == info.Size() &&
		s.info.ModTime().Equal(info.ModTime()) && s.at.Sub(info.ModTime()) >= settled
}

// hashModule hashes a WebAssembly module, or takes the hash of a previous scan. A file that is no such module is
// an error.
func hashModule(root *os.Root, name string, before stamp, now time.Time) (stamp, error) {
	file, info, err := open(root, name, maxModule)
	if err != nil {
		return stamp{}, err
	}
	defer file.Close()
	if before.fits(info) {
		return before, nil
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(file, head); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return stamp{}, err
	}
	if string(head) != "\x00asm\x01\x00\x00\x00" {
		return stamp{}, errors.New("it is no WebAssembly module")
	}
	hash := sha256.New()
	hash.Write(head)
	if _, err := io.Copy(hash, io.LimitReader(file, maxModule)); err != nil {
		return stamp{}, fmt.Errorf("read it to its end: %w", err)
	}
	return stamp{info: info, hash: hex.EncodeToString(hash.Sum(nil)), at: now}, nil
}

// hashOf is the SHA-256 of a text in hexadecimal.
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
