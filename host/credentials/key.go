package credentials

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"

	"github.com/neuralis-dev/neuralis/internal/atomicfile"
	"github.com/neuralis-dev/neuralis/internal/filelock"
)

// maxKeyBytes is the longest key file that is read.
const maxKeyBytes = 64 << 10

const keyHead = `# The key of this host's credentials. Whoever has this file can read them all; without it they are lost.
# public key: %s
%s
`

// readKey reads the host's key. A key that is not there is [fs.ErrNotExist].
func readKey(path string) (*age.X25519Identity, error) {
	failed := func(err error) (*age.X25519Identity, error) {
		return nil, fmt.Errorf("read the key file %s: %w", path, err)
	}
	// Looked at before, as opening a named pipe would wait for ever, and after, as it may be another one then.
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err != nil {
		return failed(err)
	}
	file, err := os.Open(path)
	if err != nil {
		return failed(err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return failed(err)
	}
	if err := checkKeyFile(info); err != nil {
		return failed(err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxKeyBytes))
	if err != nil {
		return failed(err)
	}
	return parseKey(path, text)
}

// parseKey reads the text of a key file. Its errors do not have the text in them.
func parseKey(path string, text []byte) (*age.X25519Identity, error) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		key, err := age.ParseX25519Identity(string(line))
		if err != nil {
			return nil, fmt.Errorf("read the key file %s: it has no key that age-keygen would make (AGE-SECRET-KEY-1…)", path)
		}
		return key, nil
	}
	return nil, fmt.Errorf("read the key file %s: it is empty; put the key back, or remove it and all credentials", path)
}

// makeKey makes the key file, unless another process is faster; then its key counts.
func makeKey(ctx context.Context, path string) (*age.X25519Identity, error) {
	dir, name := filepath.Split(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the key file %s: %w", path, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("make the key file %s: %w", path, err)
	}
	defer root.Close()
	lock, err := filelock.Acquire(ctx, root, "."+name+".neuralis-lock")
	if err != nil {
		return nil, fmt.Errorf("make the key file %s: %w", path, err)
	}
	defer lock.Release()
	if key, err := readKey(path); !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	if err := atomicfile.WriteIn(root, name, fmt.Appendf(nil, keyHead, key.Recipient(), key), 0o600); err != nil {
		return nil, fmt.Errorf("make the key file %s: %w", path, err)
	}
	// Through the path and its permissions, as it will be read from now on.
	return readKey(path)
}
