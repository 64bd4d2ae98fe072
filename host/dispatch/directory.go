package dispatch

import (
	"bytes"
	"net/url"
	"strings"
	"sync"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Directory is what there is to be called: a catalog, with the schemas of its tools and the routers of its routes,
// which are made when they are first wanted. It is safe for concurrent use.
type Directory struct {
	catalog *catalog.Catalog
	schemas map[toolKey]*schema

	// The owners that packages have. Sessions that are of none of them see the same routes.
	users, agents map[string]bool

	mu      sync.Mutex
	groups  map[ownerKey][]group
	routers map[*catalog.Entry]*manifest.Router // of single packages
}

type toolKey struct{ pkg, tool string }

type ownerKey struct{ user, agent string }

// NewDirectory makes a directory of a catalog. Schemas that have not changed are taken from the directory before, which
// may be nil.
func NewDirectory(c *catalog.Catalog, before *Directory) *Directory {
	d := &Directory{catalog: c, schemas: map[toolKey]*schema{}, users: map[string]bool{}, agents: map[string]bool{}, groups: map[ownerKey][]group{}, routers: map[*catalog.Entry]*manifest.Router{}}
	for _, e := range c.All() {
		switch e.Scope.Kind {
		case catalog.ScopeUser:
			d.users[e.Scope.Owner] = true
		case catalog.ScopeAgent:
			d.agents[e.Scope.Owner] = true
		}
		if e.Package == nil || !e.Usable() {
			continue
		}
		for i := range e.Package.Tools {
			tool := &e.Package.Tools[i]
			if tool.File == "" {
				continue // it declares nothing
			}
			key := toolKey{e.Key(), tool.Name}
			if before != nil {
				if s := before.schemas[key]; s != nil && s.same(tool) {
					d.schemas[key] = s
					continue
				}
			}
			d.schemas[key] = newSchema(tool)
		}
	}
	return d
}

// Catalog is the catalog that the directory was made of.
func (d *Directory) Catalog() *catalog.Catalog { return d.catalog }

// schema is a tool's schema, or nil where it declares none.
func (d *Directory) schema(e *catalog.Entry, tool *manifest.Tool) *schema {
	return d.schemas[toolKey{e.Key(), tool.Name}]
}

// group are the routes of packages of one standing: of one kind of scope and one tier.
type group struct {
	router *manifest.Router
	owners map[string]*catalog.Entry // by pattern
}

// found is where a request leads.
type found struct {
	entry  *catalog.Entry
	match  manifest.Match
	result manifest.MatchResult
	path   string // what the pattern was matched with
}

// match finds the route for a request as a session sees it. A path begins with the id of a package, and the rest of it is
// matched with that package's routes; of patterns that match, the most specific one wins. Where that leads to none, or a
// package that is trusted more has a route for the whole path, the whole path is matched with the routes of all packages,
// a more trusted one's before others.
func (d *Directory) match(who session.Session, r *Request) found {
	id, rest, _ := strings.Cut(r.Path, "/")
	if r.Package != "" {
		id, rest = r.Package, r.Path
	} else if plain, err := url.PathUnescape(id); err == nil {
		id = plain
	}
	here := found{result: manifest.NotFound}
	if entry, ok := d.catalog.Entry(who, id); ok && entry.Usable() {
		if router := d.routerOf(entry); router != nil {
			here.entry, here.path = entry, rest
			here.match, here.result = router.Match(r.Method, rest)
		}
	}
	if r.Package != "" {
		return here
	}
	for _, g := range d.groupsFor(who) {
		m, result := g.router.Match(r.Method, r.Path)
		if result == manifest.NotFound {
			continue
		}
		owner := g.owners[m.Route.Pattern]
		if here.result == manifest.NotFound || trust.Compare(owner.Tier, here.entry.Tier) > 0 {
			return found{owner, m, result, r.Path}
		}
		break
	}
	return here
}

// routerOf is the router of one package's routes; nil where it has none.
func (d *Directory) routerOf(e *catalog.Entry) *manifest.Router {
	if len(e.Routes.Routes) == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	router, ok := d.routers[e]
	if !ok {
		router, _ = manifest.NewRouter(e.Routes.Routes) // the catalog lets no other tables in
		d.routers[e] = router
	}
	return router
}

func (d *Directory) groupsFor(who session.Session) []group {
	var key ownerKey
	if d.users[who.UserID] {
		key.user = who.UserID
	}
	if d.agents[who.AgentID] {
		key.agent = who.AgentID
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	groups, ok := d.groups[key]
	if !ok {
		groups = groupsOf(d.catalog, session.Session{UserID: key.user, AgentID: key.agent})
		d.groups[key] = groups
	}
	return groups
}

// groupsOf makes the groups that a session sees.
func groupsOf(c *catalog.Catalog, who session.Session) []group {
	type standing struct {
		scope string
		tier  trust.Tier
	}
	var order []standing
	members := map[standing][]*catalog.Entry{}
	for _, e := range c.All() { // in the order of their standing
		if !e.Usable() || len(e.Routes.Routes) == 0 || !e.Scope.Includes(who) {
			continue
		}
		if there, _ := c.Entry(who, e.ID); there != e {
			continue
		}
		s := standing{e.Scope.Kind, e.Tier}
		if members[s] == nil {
			order = append(order, s)
		}
		members[s] = append(members[s], e)
	}
	var groups []group
	for _, s := range order {
		groups = append(groups, newGroup(members[s])...)
	}
	return groups
}

// newGroup makes one group of packages.
func newGroup(entries []*catalog.Entry) []group {
	var routes []manifest.Route
	owners := map[string]*catalog.Entry{}
	taken := map[string]bool{}
	for _, e := range entries {
		for _, route := range e.Routes.Routes {
			if shape := shapeOf(route.Pattern); !taken[shape] {
				taken[shape] = true
				routes = append(routes, route)
				owners[route.Pattern] = e
			}
		}
	}
	if router, err := manifest.NewRouter(routes); err == nil {
		return []group{{router, owners}}
	}
	// A table that the catalog should not have let in: the others are there for all that.
	if len(entries) == 1 {
		return nil
	}
	var groups []group
	for _, e := range entries {
		groups = append(groups, newGroup([]*catalog.Entry{e})...)
	}
	return groups
}

// shapeOf is a pattern without the names of its parameters: patterns of one shape match the same paths.
func shapeOf(pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		if s != "" && (s[0] == ':' || s[0] == '*') {
			segments[i] = s[:1]
		}
	}
	return strings.Join(segments, "/")
}

// same reports whether a tool has the schema that s was made of.
func (s *schema) same(tool *manifest.Tool) bool {
	return s.invalid == tool.Invalid && bytes.Equal(s.source, tool.Schema)
}
