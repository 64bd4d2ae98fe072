package dispatch

import (
	"bytes"
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

	mu     sync.Mutex
	groups map[ownerKey][]group
}

type toolKey struct{ pkg, tool string }

type ownerKey struct{ user, agent string }

// NewDirectory makes a directory of a catalog. Schemas that have not changed are taken from the directory before, which
// may be nil.
func NewDirectory(c *catalog.Catalog, before *Directory) *Directory {
	d := &Directory{catalog: c, schemas: map[toolKey]*schema{}, users: map[string]bool{}, agents: map[string]bool{}, groups: map[ownerKey][]group{}}
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

// match finds the route for a request as a session sees it. The groups are asked in the order of their standing; in a
// group the most specific pattern wins, and of equal ones that of the package that comes first.
func (d *Directory) match(who session.Session, method, path string) (*catalog.Entry, manifest.Match, manifest.MatchResult) {
	for _, g := range d.groupsFor(who) {
		if m, result := g.router.Match(method, path); result != manifest.NotFound {
			return g.owners[m.Route.Pattern], m, result
		}
	}
	return nil, manifest.Match{}, manifest.NotFound
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
