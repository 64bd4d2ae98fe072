package credentials

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/host/data"
)

// Entry is a credential in a list.
type Entry struct {
	Ref
	// Packages are the packages that get it; without any, all that declare it do.
	Packages []string `json:"packages,omitempty"`
	// Fault says why the value cannot be read; empty if it can.
	Fault string `json:"fault,omitempty"`
}

// List returns what credentials there are, without their values: by id, and for each in the order of the scopes.
func (s *Store) List() ([]Entry, error) {
	entries := []Entry{}
	err := s.each(func(ref Ref) error {
		e := Entry{Ref: ref}
		switch c, err := s.read(ref); {
		case err != nil:
			e.Fault = err.Error()
		case c == nil:
			return nil // it was removed since
		default:
			e.Packages = c.Packages
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), slices.Index(Scopes(), a.Scope)-slices.Index(Scopes(), b.Scope), strings.Compare(a.Owner, b.Owner))
	})
	return entries, nil
}

// errFound ends a search.
var errFound = errors.New("found")

// any reports whether there is a credential.
func (s *Store) any() (bool, error) {
	err := s.each(func(Ref) error { return errFound })
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}

// each calls found for each credential that has a file. Other files are passed over.
func (s *Store) each(found func(Ref) error) error {
	root, err := os.OpenRoot(s.options.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the credentials: %w", err)
	}
	defer root.Close()
	in := func(dir string, visit func(fs.DirEntry) error) error {
		entries, err := fs.ReadDir(root.FS(), dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("list the credentials: %w", err)
		}
		for _, e := range entries {
			if err := visit(e); err != nil {
				return err
			}
		}
		return nil
	}
	files := func(dir string, scope Scope, owner string) error {
		return in(dir, func(e fs.DirEntry) error {
			name, isOne := strings.CutSuffix(e.Name(), suffix)
			if id, ok := data.DecodeID(name); isOne && ok && !e.IsDir() {
				return found(Ref{Scope: scope, Owner: owner, ID: id})
			}
			return nil
		})
	}
	for _, scope := range Scopes() {
		dir := string(scope)
		if scope == ScopeGlobal {
			err = files(dir, scope, "")
		} else {
			err = in(dir, func(e fs.DirEntry) error {
				if owner, ok := data.DecodeID(e.Name()); ok && e.IsDir() {
					return files(dir+"/"+e.Name(), scope, owner)
				}
				return nil
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
