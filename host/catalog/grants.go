package catalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Grant returns the session with the features that calls are checked against. They are
//
//   - the features that the session has, with patterns such as catalog.* replaced by the features that the
//     packages which the session sees declare or ask for;
//   - what those packages grant by default to the session's role, unless the operator says that the role has none
//     of that.
//
// Features that the role is to be without are in neither, but for those that the session has by name.
//
// A package can grant only what is its own: a feature that it declares, and that no package of more trust or of a
// wider scope declares or asks for. Among packages of the same standing, a feature whose name begins with the id of a
// package and a dot is that package's; another one is granted by nobody as soon as two of them have to do with
// it. Otherwise any package could open any other by naming its features.
func (c *Catalog) Grant(who session.Session, role config.Role) session.Session {
	var named, patterns []string
	for _, f := range who.Features {
		if f == "*" || strings.HasSuffix(f, ".*") {
			patterns = append(patterns, f)
		} else {
			named = append(named, f)
		}
	}
	visible := slices.DeleteFunc(c.Visible(who), func(e *Entry) bool { return !e.Usable() || e.Kind != KindPackage })
	uses := usesOf(visible)
	var granted []string
	for feature := range uses {
		if matches(patterns, feature) {
			granted = append(granted, feature)
		}
	}
	if who.Role != "" && (role.PackageGrants == nil || *role.PackageGrants) {
		for _, e := range visible {
			for _, feature := range e.Package.Manifest.DefaultRoleGrants[who.Role] {
				if ok, _ := uses.mayGrant(e, feature); ok {
					granted = append(granted, feature)
				}
			}
		}
	}
	granted = slices.DeleteFunc(granted, func(f string) bool { return matches(role.Without, f) })
	who.Features = nil
	return who.With(append(granted, named...)...)
}

// matches reports whether a feature is one of those that patterns and names stand for.
func matches(patterns []string, feature string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, all := strings.CutSuffix(p, "*")
		return p == feature || all && strings.HasPrefix(feature, prefix)
	})
}

// featureUses are the packages that have to do with each feature.
type featureUses map[string]*featureUse

type featureUse struct {
	declaring, asking []*Entry
}

func usesOf(entries []*Entry) featureUses {
	uses := featureUses{}
	at := func(feature string) *featureUse {
		if uses[feature] == nil {
			uses[feature] = &featureUse{}
		}
		return uses[feature]
	}
	for _, e := range entries {
		for _, f := range e.Package.Manifest.Features {
			use := at(f.ID)
			use.declaring = append(use.declaring, e)
		}
		for _, f := range asked(e) {
			use := at(f)
			use.asking = append(use.asking, e)
		}
	}
	return uses
}

// asked are the features that callers of a package need.
func asked(e *Entry) []string {
	m := e.Package.Manifest
	features := []string{m.Requires.AccessFeature}
	for _, t := range e.Package.Tools {
		features = append(features, t.Extension.Feature)
	}
	for _, r := range e.Routes.Routes {
		features = append(features, r.Feature)
	}
	for _, event := range m.Events {
		features = append(features, event.Feature)
	}
	for _, channel := range m.Channels {
		features = append(features, channel.Feature)
	}
	slices.Sort(features)
	features = slices.Compact(features)
	return slices.DeleteFunc(features, func(f string) bool { return f == "" })
}

// mayGrant reports whether a package can grant a feature, and why not.
func (u featureUses) mayGrant(e *Entry, feature string) (ok bool, why string) {
	use := u[feature]
	if use == nil || !slices.Contains(use.declaring, e) {
		return false, "the package does not declare the feature"
	}
	for _, other := range slices.Concat(use.declaring, use.asking) {
		switch {
		case other == e || above(e, other):
		case above(other, e):
			return false, "the package " + other.ID + ", which is trusted further or belongs to more people, has the feature too"
		case other.Scope != e.Scope || !strings.HasPrefix(feature, e.ID+"."):
			return false, "the package " + other.ID + " has the feature too"
		}
	}
	return true, ""
}

// above reports whether a is of a higher standing than b as far as features go: the project's before what is
// somebody's, and then the more trusted.
func above(a, b *Entry) bool {
	if ranks := scopeRank(a.Scope) - scopeRank(b.Scope); (a.Scope.Kind == ScopeProject) != (b.Scope.Kind == ScopeProject) {
		return ranks < 0
	}
	return trust.Compare(a.Tier, b.Tier) > 0
}

// reportGrants tells packages what they grant without effect. Each is compared with those alone that all who see
// it see too.
func reportGrants(entries []*Entry) {
	byScope := map[Scope][]*Entry{}
	for _, e := range entries {
		if e.Usable() && e.Kind == KindPackage {
			byScope[e.Scope] = append(byScope[e.Scope], e)
		}
	}
	project := Scope{Kind: ScopeProject}
	for scope, those := range byScope {
		together := those
		if scope != project {
			together = slices.Concat(byScope[project], those)
		}
		uses := usesOf(together)
		for _, e := range those {
			e.reportGrants(uses)
		}
	}
}

func (e *Entry) reportGrants(uses featureUses) {
	for role, features := range e.Package.Manifest.DefaultRoleGrants {
		for i, feature := range features {
			if ok, why := uses.mayGrant(e, feature); !ok {
				e.diagnose(RuleGrantIgnored, manifest.SeverityWarning, "grant features of the package's own only, and let the operator grant the others",
					[]string{"defaultRoleGrants", role, strconv.Itoa(i)}, "%q is not granted to the role %q: %s", feature, role, why)
			}
		}
	}
}
