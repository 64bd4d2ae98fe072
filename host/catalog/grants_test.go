package catalog

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

var memberRole = config.Role{}

// grants is a package that declares features and grants them all to members.
func grants(id string, features ...string) string {
	declared := make([]string, len(features))
	for i, f := range features {
		declared[i] = `{"id": "` + f + `"}`
	}
	return pkg(id, `"features": [`+strings.Join(declared, ", ")+`]`, `"defaultRoleGrants": {"member": ["`+strings.Join(features, `", "`)+`"]}`)
}

// asks is a package that asks for a feature and does not declare it.
func asks(id, feature string) string {
	return pkg(id, `"requires": {"accessFeature": "`+feature+`"}`)
}

func TestGrant(t *testing.T) {
	no := false
	bobs := []Source{{ID: "bobs", Path: "bob", RecognizesPackages: true, Scope: Scope{ScopeUser, "bob"}}}
	tests := []struct {
		name     string
		files    map[string]string
		features []string
		role     config.Role
		want     []string
		ignored  []string // packages that are told that a grant has no effect
	}{
		{"what the role and the packages say", map[string]string{"_packages/a/package.json": grants("catalog", "catalog.read")}, []string{"weather.read"}, memberRole,
			[]string{"catalog.read", "weather.read"}, nil},
		{"a role without the grants of packages", map[string]string{"_packages/a/package.json": grants("catalog", "catalog.read")}, []string{"weather.read"}, config.Role{PackageGrants: &no},
			[]string{"weather.read"}, nil},
		{"a role without a feature", map[string]string{"_packages/a/package.json": grants("catalog", "catalog.read", "catalog.write")}, nil, config.Role{Without: []string{"catalog.write"}},
			[]string{"catalog.read"}, nil},
		{"a role without a feature that the user has by name", map[string]string{"_packages/a/package.json": grants("catalog", "catalog.write")}, []string{"catalog.write"}, config.Role{Without: []string{"catalog.*"}},
			[]string{"catalog.write"}, nil},
		{"patterns", map[string]string{"_packages/a/package.json": pkg("catalog", `"features": [{"id": "catalog.read"}, {"id": "catalogue.read"}]`), "_packages/b/package.json": asks("b", "catalog.admin.all")},
			[]string{"catalog.*"}, config.Role{Without: []string{"catalog.x"}}, []string{"catalog.admin.all", "catalog.read"}, nil},
		{"all", map[string]string{"_packages/a/package.json": pkg("catalog", `"features": [{"id": "catalog.read"}]`), "_packages/b/package.json": asks("b", "x")},
			[]string{"*"}, memberRole, []string{"catalog.read", "x"}, nil},
		{"another role", map[string]string{"_packages/a/package.json": pkg("a", `"features": [{"id": "a.x"}]`, `"defaultRoleGrants": {"owner": ["a.x"]}`)}, nil, memberRole, nil, nil},
		{"a feature that it does not declare", map[string]string{"_packages/a/package.json": pkg("a", `"defaultRoleGrants": {"member": ["catalog.write"]}`), "_packages/b/package.json": asks("catalog", "catalog.write")}, nil, memberRole,
			nil, []string{"a"}},
		{"a feature of a builtin", map[string]string{"core/a/package.json": asks("runtime", "admin.all"), "_packages/b/package.json": grants("b", "admin.all")}, nil, memberRole,
			nil, []string{"b"}},
		{"a feature in the name of the package, of a builtin", map[string]string{"core/a/package.json": asks("runtime", "b.all"), "_packages/b/package.json": grants("b", "b.all")}, nil, memberRole,
			nil, []string{"b"}},
		{"a builtin's own, which another has too", map[string]string{"core/a/package.json": grants("runtime", "admin.all"), "_packages/b/package.json": grants("b", "admin.all")}, nil, memberRole,
			[]string{"admin.all"}, []string{"b"}},
		{"two of the same standing", map[string]string{"_packages/a/package.json": grants("a", "x.y"), "_packages/b/package.json": grants("b", "x.y")}, nil, memberRole,
			nil, []string{"a", "b"}},
		{"two of the same standing, one of which has the name", map[string]string{"_packages/a/package.json": grants("a", "catalog.read"), "_packages/b/package.json": grants("catalog", "catalog.read")}, nil, memberRole,
			[]string{"catalog.read"}, []string{"a"}},
		{"what another asks for", map[string]string{"_packages/a/package.json": asks("a", "pay.all"), "_packages/b/package.json": grants("b", "pay.all")}, nil, memberRole,
			nil, []string{"b"}},
		{"the more trusted", map[string]string{"_packages/a/package.json": grants("trusted", "x.y"), "_packages/b/package.json": grants("b", "x.y")}, nil, memberRole,
			[]string{"x.y"}, []string{"b"}},
		{"a user's package, a feature of the project's", map[string]string{"_packages/a/package.json": asks("a", "bobs.x"), "bob/b/package.json": grants("bobs", "bobs.x", "bobs.y")}, nil, memberRole,
			[]string{"bobs.y"}, []string{"bobs"}},
		{"the project's, which a user's package has too", map[string]string{"_packages/a/package.json": grants("a", "a.x"), "bob/b/package.json": grants("bobs", "a.x")}, nil, memberRole,
			[]string{"a.x"}, []string{"bobs"}},
		{"packages that are refused", map[string]string{"_packages/a/package.json": grants("a", "a.x"), "_packages/b/package.json": grants("a", "a.x")}, []string{"*"}, memberRole, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Scan(context.Background(), in(tree(t, test.files), Roots{Builtins: []string{"core"}, ProjectRoot: ".", Sources: bobs,
				Trust: map[string]trust.Tier{"trusted": trust.Trusted}}))
			who := session.Session{UserID: "bob", Role: "member", Features: test.features}
			got := c.Grant(who, test.role)
			if !slices.Equal(got.Features, test.want) || got.UserID != "bob" {
				t.Errorf("got %q, want %q", got.Features, test.want)
			}
			for _, e := range c.All() {
				if hasRule(e, RuleGrantIgnored) != slices.Contains(test.ignored, e.ID) {
					t.Errorf("%s is told %v", e.ID, e.Diagnostics)
				}
			}
			if who.Role = ""; len(c.Grant(who, memberRole).Features) > len(got.Features) {
				t.Error("without a role there are more features")
			}
		})
	}
}

// TestGrantsOfOthers has a package of somebody else, whose features nobody else has a part in.
func TestGrantsOfOthers(t *testing.T) {
	c := Scan(context.Background(), in(tree(t, map[string]string{"bob/a/package.json": grants("a", "a.x"), "ann/b/package.json": grants("a", "a.x")}), Roots{Sources: []Source{
		{ID: "bob", Path: "bob", RecognizesPackages: true, Scope: Scope{ScopeUser, "bob"}}, {ID: "ann", Path: "ann", RecognizesPackages: true, Scope: Scope{ScopeUser, "ann"}}}}))
	for user, want := range map[string][]string{"bob": {"a.x"}, "ann": {"a.x"}, "eve": nil} {
		if got := c.Grant(session.Session{UserID: user, Role: "member", Features: []string{"*"}}, memberRole).Features; !slices.Equal(got, want) {
			t.Errorf("%s has %q", user, got)
		}
	}
}
