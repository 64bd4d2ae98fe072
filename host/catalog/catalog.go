package catalog

import (
	"cmp"
	"slices"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Catalog is what a scan found. It never changes and is safe for concurrent use. The zero catalog and nil are
// empty.
type Catalog struct {
	entries  []*Entry // in the order of their standing
	problems []Problem
	byID     map[string][]*Entry
	byDir    map[string][]*Entry
	tools    map[string][]toolRef
	floors   map[floorKey]trust.Tier
}

// toolRef is a tool of an entry.
type toolRef struct {
	entry *Entry
	index int
}

// newCatalog makes a catalog of entries in the order of their standing.
func newCatalog(entries []*Entry, problems []Problem) *Catalog {
	c := &Catalog{entries: entries, problems: problems,
		byID: map[string][]*Entry{}, byDir: map[string][]*Entry{}, tools: map[string][]toolRef{}, floors: map[floorKey]trust.Tier{}}
	for _, e := range entries {
		c.byID[e.ID] = append(c.byID[e.ID], e)
		c.byDir[e.Dir] = append(c.byDir[e.Dir], e)
		if e.Package == nil || !e.Usable() {
			continue
		}
		for i := range e.Package.Tools {
			name := e.Package.Tools[i].Name
			c.tools[name] = append(c.tools[name], toolRef{e, i})
		}
	}
	return c
}

// All are all entries in the order of their standing, whoever may see them. It is for the host itself, to start and
// to count packages; what is answered to somebody comes from [Catalog.Visible].
func (c *Catalog) All() []*Entry {
	if c == nil {
		return nil
	}
	return slices.Clone(c.entries)
}

// Problems are the roots that could not be read, for the operator.
func (c *Catalog) Problems() []Problem {
	if c == nil {
		return nil
	}
	return slices.Clone(c.problems)
}

// Visible are the entries that exist for a session, sorted by id; for one id the one that is there comes first, and
// then those that were refused. What is another user's or agent's is left out without a trace.
func (c *Catalog) Visible(who session.Session) []*Entry {
	if c == nil {
		return nil
	}
	var visible []*Entry
	taken := map[string]bool{}
	for _, e := range c.entries {
		if !e.Scope.Includes(who) || e.Usable() && taken[e.ID] {
			continue // a user's package goes before an agent's of the same id
		}
		taken[e.ID] = taken[e.ID] || e.Usable()
		visible = append(visible, e)
	}
	slices.SortStableFunc(visible, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(unusable(a), unusable(b)))
	})
	return visible
}

func unusable(e *Entry) int {
	if e.Usable() {
		return 0
	}
	return 1
}

// Entry returns the package of an id as a session sees it. Where no package of the id is there, it is one that
// was refused, with the reason; ok is false when the session is to see nothing at all.
func (c *Catalog) Entry(who session.Session, id string) (e *Entry, ok bool) {
	if c == nil {
		return nil, false
	}
	for _, candidate := range c.byID[id] {
		switch {
		case !candidate.Scope.Includes(who):
		case candidate.Usable():
			return candidate, true
		case e == nil:
			e = candidate
		}
	}
	return e, e != nil
}

// Tool returns the tool of a name as a session sees it, with its package. Of several packages with such a tool the
// one of the highest standing counts: the project's before a user's before an agent's, then the more trusted one,
// then builtins before others, then the first id. The tool may be one with faults or without code.
func (c *Catalog) Tool(who session.Session, name string) (*Entry, *manifest.Tool, bool) {
	if c == nil {
		return nil, nil, false
	}
	for _, ref := range c.tools[name] {
		if !ref.entry.Scope.Includes(who) {
			continue
		}
		if there, _ := c.Entry(who, ref.entry.ID); there == ref.entry {
			return ref.entry, &ref.entry.Package.Tools[ref.index], true
		}
	}
	return nil, nil, false
}
