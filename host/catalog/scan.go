package catalog

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Scan reads all roots and returns what is there. It always ends in a catalog: what cannot be read is an entry
// with [StatusError], or a [Problem] where a whole root is meant. Nothing that is read is executed.
//
// When ctx ends before the scan does, its result is Previous, or an empty catalog where there is none: half
// of a catalog would look as if packages had been removed.
func Scan(ctx context.Context, roots Roots) *Catalog {
	return scan(ctx, roots, manifest.Load)
}

func scan(ctx context.Context, roots Roots, load func(string) (*manifest.Package, manifest.Diagnostics)) *Catalog {
	found := find(roots)
	in := inspector{overrides: roots.Trust, previous: roots.Previous, held: roots.Held, now: roots.Now, load: load}
	entries := inspectAll(ctx, in, found.candidates)
	entries = addSources(ctx, roots, entries, found.candidates)
	if ctx.Err() != nil {
		if roots.Previous != nil {
			return roots.Previous
		}
		return newCatalog(nil, nil)
	}
	settle(entries)
	reportGrants(entries)
	c := newCatalog(entries, found.problems)
	c.keepFloors(roots.Previous)
	return c
}

// inspectAll looks into the candidates, several at a time.
func inspectAll(ctx context.Context, in inspector, candidates []candidate) []*Entry {
	results := make([]*Entry, len(candidates))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(candidates)) {
		workers.Go(func() {
			for i := range next {
				results[i] = in.inspect(candidates[i])
			}
		})
	}
	for i := range candidates {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return slices.DeleteFunc(results, func(e *Entry) bool { return e == nil })
}

// addSources adds what sources contribute as a whole. Where the folder of a source is itself a package for the same
// people, its markdown is that entry's, and the folder is there once.
func addSources(ctx context.Context, roots Roots, entries []*Entry, candidates []candidate) []*Entry {
	packages := map[string]bool{}
	for _, e := range entries {
		packages[e.Dir] = true
	}
	for _, c := range candidates {
		// A folder that others may not see is closed even where it turned out to hold no package.
		if c.scope.Kind != ScopeProject {
			packages[c.dir] = true
		}
	}
	for _, dir := range roots.Exclude {
		if real, _, err := resolve(dir); err == nil {
			packages[real] = true
		}
	}
	for _, s := range roots.Sources {
		if ctx.Err() != nil {
			return entries
		}
		closed := packages
		for _, other := range roots.Sources {
			if other.Scope == s.Scope || other.Scope.Kind == ScopeProject {
				continue
			}
			if real, _, err := resolve(other.Path); err == nil && !closed[real] {
				closed = cloneWith(closed, real)
			}
		}
		e := sourceEntry(s, closed)
		i := slices.IndexFunc(entries, func(p *Entry) bool { return p.Kind == KindPackage && p.Dir == e.Dir && p.Scope == s.Scope })
		if i >= 0 && e.Usable() {
			entries[i].Markdown = e.Markdown
			continue
		}
		entries = append(entries, e)
	}
	return entries
}

func cloneWith(set map[string]bool, name string) map[string]bool {
	clone := map[string]bool{name: true}
	for key := range set {
		clone[key] = true
	}
	return clone
}

// floorKey names a folder as those of a scope see it.
type floorKey struct {
	scope Scope
	dir   string
}

// floor is the lowest tier that a folder has had.
func (c *Catalog) floor(scope Scope, dir string) (trust.Tier, bool) {
	if c == nil {
		return "", false
	}
	tier, ok := c.floors[floorKey{scope, dir}]
	return tier, ok
}

// held is the package that a folder had, if it could be used, as it was before it was compared with the others.
func (c *Catalog) held(scope Scope, dir string) *Entry {
	if c == nil {
		return nil
	}
	for _, e := range c.byDir[dir] {
		if e.Scope == scope && e.Kind == KindPackage && e.Usable() {
			clone := *e
			clone.Markdown = nil // is looked for anew
			clone.Diagnostics = slices.DeleteFunc(slices.Clone(e.Diagnostics), func(d manifest.Diagnostic) bool {
				return d.Rule == RuleDuplicateTool || d.Rule == RuleGrantIgnored || d.Rule == RuleTrustKept
			})
			return &clone
		}
	}
	return nil
}

// module is the stamp of the module that a folder had.
func (c *Catalog) module(scope Scope, dir string) stamp {
	if c == nil {
		return stamp{}
	}
	for _, e := range c.byDir[dir] {
		if e.Scope == scope {
			return e.stamp
		}
	}
	return stamp{}
}

// keepFloors remembers the tiers of the folders that are there. A package that was broken for the time of one
// scan comes back with the trust that it had before, so a folder is forgotten only when it is gone.
func (c *Catalog) keepFloors(previous *Catalog) {
	for _, e := range c.entries {
		if e.Kind != KindPackage {
			continue
		}
		tier, known := previous.floor(e.Scope, e.Dir)
		if e.Usable() {
			tier, known = e.Tier, true
		}
		if known {
			c.floors[floorKey{e.Scope, e.Dir}] = tier
		}
	}
}
