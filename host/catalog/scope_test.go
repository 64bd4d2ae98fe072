package catalog

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// TestHiddenFromOthers asks every surface of a catalog, as everybody, for what is somebody else's.
func TestHiddenFromOthers(t *testing.T) {
	files := map[string]string{"_packages/shared/package.json": pkg("shared"), "_packages/shared/tools/shared_get.json": toolFile}
	var sources []Source
	for _, owner := range []string{"user-bob", "user-ann", "agent-scout"} {
		kind, name, _ := strings.Cut(owner, "-")
		files[name+"/p/package.json"] = pkg("secret-" + name)
		files[name+"/p/tools/secret_"+name+".json"] = toolFile
		files[name+"/broken/package.json"] = `{`
		files[name+"/clash/package.json"] = pkg("shared")
		files[name+"/twin/package.json"] = pkg("secret-bob") // the id of what is bob's
		files[name+"/secret.md"] = ""
		sources = append(sources, Source{ID: "src-" + name, Path: name, RecognizesPackages: true, Scope: Scope{kind, name}})
	}
	delete(files, "bob/twin/package.json")
	files["handbook.md"] = ""
	sources = append(sources, Source{ID: "all", Path: ".", RecognizesPackages: true, Scope: project})
	c := Scan(context.Background(), in(tree(t, files), Roots{ProjectRoot: ".", Sources: sources}))

	sees := map[string]session.Session{
		"nobody": {}, "eve": {UserID: "eve"}, "bob": {UserID: "bob"}, "ann": {UserID: "ann", AgentID: "other"},
		"scout": {UserID: "eve", AgentID: "scout"}, "an agent called bob": {AgentID: "bob"}, "a caller called bob": {CallerID: "bob", ProjectID: "bob", Role: "bob"},
		"an admin": {UserID: "root", Role: "owner", Features: []string{"*"}},
	}
	for name, who := range sees {
		t.Run(name, func(t *testing.T) {
			var told strings.Builder
			own := map[string]int{}
			for _, e := range c.Visible(who) {
				if e.Scope.Kind != ScopeProject {
					own[e.Scope.Owner]++
					continue
				}
				fmt.Fprintln(&told, e.ID, e.Location, e.Message, e.Diagnostics, e.Markdown, e.Source)
			}
			for _, owner := range []string{"bob", "ann", "scout"} {
				is := who.UserID == owner || who.AgentID == owner && owner == "scout"
				if (own[owner] > 0) != is {
					t.Errorf("sees %d entries of %s", own[owner], owner)
				}
				_, entry := c.Entry(who, "source.src-"+owner)
				_, _, tool := c.Tool(who, "secret_"+owner)
				if entry != is || tool != is {
					t.Errorf("finds the source of %s: %t, the tool: %t", owner, entry, tool)
				}
				if strings.Contains(told.String(), owner) {
					t.Errorf("what all see speaks of %s:\n%s", owner, told.String())
				}
			}
			if _, ok := c.Entry(who, "shared"); !ok {
				t.Error("what is the project's is not there")
			}
		})
	}
	// Each may have an id that somebody else has.
	for owner, who := range map[string]session.Session{"bob": sees["bob"], "ann": sees["ann"], "scout": sees["scout"]} {
		if e, ok := c.Entry(who, "secret-bob"); !ok || !e.Usable() || e.Scope.Owner != owner {
			t.Errorf("%s has %v", owner, e)
		}
	}
}

func TestUserBeforeAgent(t *testing.T) {
	dir := tree(t, map[string]string{
		"bob/p/package.json": pkg("notes"), "bob/p/tools/note_get.json": toolFile,
		"scout/p/package.json": pkg("notes"), "scout/p/tools/note_get.json": toolFile, "scout/p/tools/note_put.json": toolFile,
	})
	c := Scan(context.Background(), in(dir, Roots{Sources: []Source{
		{ID: "scout", Path: "scout", RecognizesPackages: true, Scope: Scope{ScopeAgent, "scout"}},
		{ID: "bob", Path: "bob", RecognizesPackages: true, Scope: Scope{ScopeUser, "bob"}}}}))
	both := session.Session{UserID: "bob", AgentID: "scout"}
	checkLines(t, c.Visible(both), "notes bob:p flagged-source untrusted ready", "source.bob bob source untrusted ready", "source.scout scout source untrusted ready")
	if e, _, ok := c.Tool(both, "note_get"); !ok || e.Source != "bob" {
		t.Errorf("note_get is of %v", e)
	}
	if e, _, ok := c.Tool(both, "note_put"); ok {
		t.Errorf("note_put is of %v, which is not there", e)
	}
	if e, _, ok := c.Tool(session.Session{AgentID: "scout"}, "note_put"); !ok || e.Key() != "agent/scout/notes" {
		t.Errorf("note_put is of %v", e)
	}
}

func TestToolsOfOneName(t *testing.T) {
	tool := func(at, id string) map[string]string {
		return map[string]string{at + "/package.json": pkg(id), at + "/tools/find.json": toolFile}
	}
	files := map[string]string{}
	for at, id := range map[string]string{"core/z": "z", "_packages/a": "a", "_packages/b": "b", "bob/c": "c"} {
		for name, text := range tool(at, id) {
			files[name] = text
		}
	}
	dir := tree(t, files)
	bob := session.Session{UserID: "bob"}
	sources := []Source{{ID: "bob", Path: "bob", RecognizesPackages: true, Scope: Scope{ScopeUser, "bob"}}}
	tests := []struct {
		name  string
		roots Roots
		want  string
	}{
		{"the builtin", Roots{Builtins: []string{"core"}, ProjectRoot: ".", Sources: sources}, "z"},
		{"the first id", Roots{ProjectRoot: ".", Sources: sources}, "a"},
		{"the more trusted", Roots{ProjectRoot: ".", Sources: sources, Trust: map[string]trust.Tier{"b": "trusted", "bob/c": "trusted"}}, "b"},
		{"one's own, where there is no other", Roots{ProjectRoot: "absent", Sources: sources}, "c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Scan(context.Background(), in(dir, test.roots))
			e, found, ok := c.Tool(bob, "find")
			if !ok || e.ID != test.want || found.Name != "find" {
				t.Fatalf("got %v", e)
			}
			for _, other := range c.All() {
				if other.Kind == KindPackage && hasRule(other, RuleDuplicateTool) == (other == e) {
					t.Errorf("%s is told %v", other.ID, other.Diagnostics)
				}
			}
		})
	}
}
