package catalog

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/neuralis-dev/neuralis/host/config"
)

// TestFromConfig also has a config that nobody checked: what is flagged by somebody who may not is not recognised.
func TestFromConfig(t *testing.T) {
	dir := t.TempDir()
	c := &config.Config{
		ProjectRoot: dir, DataDir: filepath.Join(dir, "data"), GlobalDir: filepath.Join(dir, "global"), Builtins: []string{"core"},
		Users: []config.User{{ID: "ada", Role: "owner"}, {ID: "bob", Role: "member"}},
		Roles: map[string]config.Role{"owner": {Admin: true}, "member": {}},
		Sources: []config.Source{
			{ID: "operator", Path: "a", RecognizesPackages: true, Scope: config.ScopeProject, Owner: "bob"},
			{ID: "admin", Path: "b", RecognizesPackages: true, Scope: config.ScopeUser, Owner: "bob", FlaggedBy: "ada"},
			{ID: "owner", Path: "c", RecognizesPackages: true, Scope: config.ScopeUser, Owner: "bob", FlaggedBy: "bob"},
			{ID: "other", Path: "d", RecognizesPackages: true, Scope: config.ScopeUser, Owner: "ada", FlaggedBy: "bob"},
			{ID: "agent", Path: "e", RecognizesPackages: true, Scope: config.ScopeAgent, Owner: "bob", FlaggedBy: "bob"},
			{ID: "plain", Path: "f", Scope: config.ScopeProject, FlaggedBy: "ada"},
		},
	}
	want := []Source{
		{"operator", "a", true, Scope{ScopeProject, ""}}, {"admin", "b", true, Scope{ScopeUser, "bob"}}, {"owner", "c", true, Scope{ScopeUser, "bob"}},
		{"other", "d", false, Scope{ScopeUser, "ada"}}, {"agent", "e", false, Scope{ScopeAgent, "bob"}}, {"plain", "f", false, Scope{ScopeProject, ""}},
	}
	got := FromConfig(c)
	if !reflect.DeepEqual(got.Sources, want) {
		t.Errorf("got  %+v\nwant %+v", got.Sources, want)
	}
	if got.ProjectRoot != dir || len(got.Builtins) != 1 || len(got.Exclude) != 2 {
		t.Errorf("%+v", got)
	}
}
