package credentials

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"filippo.io/age"

	"github.com/neuralis-dev/neuralis/host/data"
	"github.com/neuralis-dev/neuralis/internal/atomicfile"
)

// Scope says for whom a credential is.
type Scope string

// The scopes, from the nearest to the widest.
const (
	ScopeAgent   Scope = "agent"
	ScopeProject Scope = "project"
	ScopeUser    Scope = "user"
	ScopeGlobal  Scope = "global"
)

// Scopes are all scopes, in the order in which they are asked.
func Scopes() []Scope { return []Scope{ScopeAgent, ScopeProject, ScopeUser, ScopeGlobal} }

// MaxBytes is the longest value.
const MaxBytes = 64 << 10

const (
	suffix  = ".age"
	maxFile = 512 << 10 // of a value in JSON, and all that comes with it
)

// ErrNoKey is for credentials whose key is gone.
var ErrNoKey = errors.New("there is no key file for the credentials that are there; put it back, or remove them")

// Ref names a credential.
type Ref struct {
	Scope Scope `json:"scope"`
	// Owner is the id of the agent, the project or the user; empty for global ones.
	Owner string `json:"owner,omitempty"`
	// ID is what packages ask for, such as acme.apiKey.
	ID string `json:"id"`
}

func (r Ref) String() string {
	if r.Scope == ScopeGlobal {
		return fmt.Sprintf("%s (global)", r.ID)
	}
	return fmt.Sprintf("%s (%s %s)", r.ID, r.Scope, r.Owner)
}

// Check says why this cannot be a credential.
func (r Ref) Check() error {
	_, err := r.path()
	return err
}

// word is what ids are in manifests.
var word = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// path returns the path of the file, in the form of the operating system and relative to the store's folder.
func (r Ref) path() (string, error) {
	if !word.MatchString(r.ID) {
		return "", fmt.Errorf("%q is no id of a credential: one has letters, digits, _ and -, with dots between words", r.ID)
	}
	parts := string(r.Scope)
	switch {
	case !slices.Contains(Scopes(), r.Scope):
		return "", fmt.Errorf("%q is no scope: use agent, project, user or global", r.Scope)
	case r.Scope == ScopeGlobal && r.Owner != "":
		return "", fmt.Errorf("a global credential has no owner, and here is %q", r.Owner)
	case r.Scope != ScopeGlobal && (r.Owner == "" || strings.Contains(r.Owner, "/")):
		return "", fmt.Errorf("%q is not the id of the %s that a credential is for", r.Owner, r.Scope)
	case r.Scope != ScopeGlobal:
		parts += "/" + r.Owner
	}
	folder, err := data.EncodePath(parts)
	if err != nil {
		return "", err
	}
	name, err := data.EncodeID(r.ID)
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.FromSlash(folder), name+suffix), nil
}

// Options say where credentials are.
type Options struct {
	// Dir is the absolute folder of the credentials: globalDir/credentials.
	Dir string
	// KeyFile is the absolute path of the key.
	KeyFile string
	// OnFault is told why a credential that is there could not be given to a package; it may be nil. The error has no value in it.
	OnFault func(Ref, error)
	// Revealed is told of each value that is given to a package, before it is, so that logs can mask it; it may be
	// nil.
	Revealed func(Secret)
}

// Store is the host's credentials. It may be used by many goroutines at once.
type Store struct{ options Options }

// Open returns a store. It touches no disk.
func Open(options Options) (*Store, error) {
	for what, path := range map[string]string{"folder": options.Dir, "key file": options.KeyFile} {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("open the credentials: the path of the %s must be absolute, and %q is not", what, path)
		}
	}
	return &Store{options}, nil
}

// content is what is encrypted.
type content struct {
	Ref
	Value string `json:"value"`
	// Packages are the keys of the packages that get the value; without any, all that declare it do.
	Packages []string `json:"packages,omitempty"`
}

// Set enters a credential, in the place of the one that was there. If packages are named by their keys (the id, or
// user/owner/id for one that is not the project's), no other gets it.
func (s *Store) Set(ctx context.Context, ref Ref, value Secret, packages ...string) error {
	failed := func(err error) error { return fmt.Errorf("set the credential %s: %w", ref, err) }
	name, err := ref.path()
	if err != nil {
		return failed(err)
	}
	switch v := value.Reveal(); {
	case v == "":
		return failed(errors.New("the value is empty; to have none, remove the credential"))
	case len(v) > MaxBytes:
		return failed(fmt.Errorf("the value has %d bytes and can have at most %d", len(v), MaxBytes))
	case !utf8.ValidString(v):
		return failed(errors.New("the value is not UTF-8; encode binary ones, as in base64"))
	}
	key, err := readKey(s.options.KeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		if there, err := s.any(); err != nil || there {
			return failed(cmp.Or(err, fmt.Errorf("%s: %w", s.options.KeyFile, ErrNoKey)))
		}
		key, err = makeKey(ctx, s.options.KeyFile)
	}
	if err != nil {
		return failed(err)
	}
	text, err := encrypt(key, content{Ref: ref, Value: value.Reveal(), Packages: packages})
	if err != nil {
		return failed(err)
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(s.options.Dir, 0o700); err != nil {
		return failed(err)
	}
	root, err := os.OpenRoot(s.options.Dir)
	if err != nil {
		return failed(err)
	}
	defer root.Close()
	if err := root.MkdirAll(dir, 0o700); err != nil {
		return failed(err)
	}
	_ = atomicfile.SweepIn(root, dir) // what killed writers left is in nobody's way
	if err := atomicfile.WriteIn(root, name, text, 0o600); err != nil {
		return failed(err)
	}
	for ; dir != "."; dir = filepath.Dir(dir) {
		atomicfile.SyncIn(root, filepath.Dir(dir))
	}
	return nil
}

// Remove removes a credential, and reports whether there was one. It needs no key.
func (s *Store) Remove(ref Ref) (bool, error) {
	name, err := ref.path()
	if err != nil {
		return false, fmt.Errorf("remove the credential %s: %w", ref, err)
	}
	root, err := os.OpenRoot(s.options.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove the credential %s: %w", ref, err)
	}
	defer root.Close()
	switch err := root.Remove(name); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("remove the credential %s: %w", ref, err)
	}
	atomicfile.SyncIn(root, filepath.Dir(name))
	return true, nil
}

// read decrypts a credential. One that is not there is nil.
func (s *Store) read(ref Ref) (*content, error) {
	name, err := ref.path()
	if err != nil {
		return nil, nil // what cannot be named is not there
	}
	root, err := os.OpenRoot(s.options.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, errors.New("what is in the place of its file is none; remove it and set the credential again")
	}
	text, err := root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	key, err := readKey(s.options.KeyFile)
	if err != nil {
		return nil, err
	}
	c, err := decrypt(key, text)
	if err != nil {
		return nil, err
	}
	if c.Ref != ref {
		return nil, errors.New("its file is that of another credential; set it again")
	}
	return c, nil
}

func encrypt(key *age.X25519Identity, c content) ([]byte, error) {
	plain, err := json.Marshal(c)
	if err != nil {
		return nil, errors.New("it cannot be written") // whose error may have the value in it
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, key.Recipient())
	if err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	if _, err := w.Write(plain); err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	return out.Bytes(), nil
}

func decrypt(key *age.X25519Identity, text []byte) (*content, error) {
	r, err := age.Decrypt(bytes.NewReader(text), key)
	if mismatch := (*age.NoIdentityMatchError)(nil); errors.As(err, &mismatch) {
		return nil, errors.New("it was encrypted with another key; put that key file back, or set the credential again")
	}
	var plain []byte
	if err == nil {
		plain, err = io.ReadAll(io.LimitReader(r, maxFile))
	}
	if err != nil {
		// Without the cause: it quotes the file, into which somebody may have written the value.
		return nil, errors.New("its file is corrupt; set it again")
	}
	var c content
	if err := json.Unmarshal(plain, &c); err != nil {
		return nil, errors.New("its file has no credential in it; set it again")
	}
	return &c, nil
}
