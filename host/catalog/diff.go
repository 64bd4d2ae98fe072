package catalog

import (
	"slices"

	"github.com/neuralis-dev/neuralis/manifest"
)

// Diff compares two catalogs for what has to be started, stopped or loaded again. The results are the sorted
// keys, as [Entry.Key] has them, of packages that are usable; one that was refused and is no more is added.
//
// A package has changed when its manifest has or, for wasm, its module or dist/routes.json, or when it is found
// in another folder, with another tier or in another mode. All else, such as tool schemas and skills, is read
// from the catalog at each call and needs no loading.
func Diff(before, after *Catalog) (added, removed, changed []string) {
	old, now := before.usable(), after.usable()
	for key, e := range now {
		was, ok := old[key]
		switch {
		case !ok:
			added = append(added, key)
		case reload(was, e):
			changed = append(changed, key)
		}
	}
	for key := range old {
		if _, ok := now[key]; !ok {
			removed = append(removed, key)
		}
	}
	slices.Sort(added)
	slices.Sort(removed)
	slices.Sort(changed)
	return added, removed, changed
}

func reload(was, is *Entry) bool {
	if was.Kind != is.Kind || was.ManifestHash != is.ManifestHash || was.Dir != is.Dir || was.Tier != is.Tier || was.Mode != is.Mode {
		return true
	}
	return is.Package.Runtime == manifest.RuntimeWASM && (was.ModuleHash != is.ModuleHash || was.RoutesHash != is.RoutesHash)
}

// usable are the usable entries by their keys.
func (c *Catalog) usable() map[string]*Entry {
	if c == nil {
		return nil
	}
	entries := make(map[string]*Entry, len(c.entries))
	for _, e := range c.entries {
		if e.Usable() {
			entries[e.Key()] = e
		}
	}
	return entries
}
