package catalog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// rescanner scans a project again and again, as a host does.
type rescanner struct {
	dir   string
	roots Roots
}

func (r *rescanner) scan() (before, after *Catalog) {
	before = r.roots.Previous
	after = Scan(context.Background(), in(r.dir, r.roots))
	r.roots.Previous = after
	return before, after
}

func TestTrustDoesNotRise(t *testing.T) {
	steps := []struct {
		name     string
		files    map[string]string
		trust    map[string]trust.Tier
		builtins []string
		want     string
	}{
		{"untrusted at first", map[string]string{"_packages/a/package.json": pkg("a")}, map[string]trust.Tier{"catalog": trust.Trusted}, nil,
			"a _packages/a drop-zone untrusted ready"},
		{"takes the id that is trusted", map[string]string{"_packages/a/package.json": pkg("catalog")}, map[string]trust.Tier{"catalog": trust.Trusted}, nil,
			"catalog _packages/a drop-zone untrusted ready"},
		{"is broken for a while", map[string]string{"_packages/a/package.json": "{"}, map[string]trust.Tier{"catalog": trust.Trusted}, nil,
			"a _packages/a drop-zone untrusted error invalid-manifest"},
		{"and comes back", map[string]string{"_packages/a/package.json": pkg("catalog")}, map[string]trust.Tier{"catalog": trust.Trusted}, nil,
			"catalog _packages/a drop-zone untrusted ready"},
		{"is made a builtin while the host runs", nil, nil, []string{"_packages/a"},
			"catalog builtin:a builtin untrusted ready"},
	}
	r := &rescanner{dir: tree(t, nil), roots: Roots{ProjectRoot: "."}}
	for i, step := range steps {
		write(t, r.dir, step.files)
		r.roots.Trust, r.roots.Builtins = step.trust, step.builtins
		_, c := r.scan()
		checkLines(t, c.All(), step.want)
		if e := c.All()[0]; (e.Usable() && i > 0) != hasRule(e, RuleTrustKept) || e.Mode != trust.ModeMetadataOnly {
			t.Errorf("%s: %v", step.name, e.Diagnostics)
		}
	}
	// A host that starts anew follows its config.
	r.roots.Previous = nil
	if _, c := r.scan(); c.All()[0].Tier != trust.FirstParty {
		t.Errorf("after a new start: %v", lines(c.All()))
	}
	// Less trust takes effect at once, and stays.
	r.roots.Builtins = nil
	for _, tier := range []trust.Tier{trust.Trusted, trust.Untrusted, trust.Trusted} {
		r.roots.Trust = map[string]trust.Tier{"catalog": tier}
		_, c := r.scan()
		want := trust.Untrusted
		if tier == trust.Trusted && r.roots.Previous.All()[0].Tier == trust.Trusted {
			want = trust.Trusted
		}
		if got := c.All()[0].Tier; got != want {
			t.Errorf("%s gives %s", tier, got)
		}
	}
	if got := r.roots.Previous.All()[0].Tier; got != trust.Untrusted {
		t.Errorf("in the end it is %s", got)
	}
}

func TestDiff(t *testing.T) {
	const routes = `{"version": 1, "routes": []}`
	start := map[string]string{
		"_packages/d/package.json": pkg("d"), "_packages/d/tools/a_b.json": toolFile, "_packages/d/skills/s/SKILL.md": "---\nname: s\ndescription: s\n---\n",
		"_packages/w/package.json": pkg("w", wasm), "_packages/w/dist/package.wasm": emptyModule, "_packages/w/dist/routes.json": routes,
		"_packages/n/package.json": pkg("n", node), "_packages/n/dist/src/tools/a.js": "1", "_packages/n/dist/routes.json": routes,
	}
	tests := []struct {
		name   string
		change map[string]string
		remove string
		trust  map[string]trust.Tier
		want   string // added, removed, changed
	}{
		{"nothing", nil, "", nil, "[] [] []"},
		{"written again as it was", start, "", nil, "[] [] []"},
		{"a manifest", map[string]string{"_packages/d/package.json": pkg("d", `"name": "D"`)}, "", nil, "[] [] [d]"},
		{"a tool schema", map[string]string{"_packages/d/tools/a_b.json": toolFile + " "}, "", nil, "[] [] []"},
		{"a skill", map[string]string{"_packages/d/skills/s/SKILL.md": "---\nname: s\ndescription: t\n---\n"}, "", nil, "[] [] []"},
		{"a module", map[string]string{"_packages/w/dist/package.wasm": emptyModule + "\x00\x02\x01x"}, "", nil, "[] [] [w]"},
		{"routes of wasm", map[string]string{"_packages/w/dist/routes.json": routes + "\n"}, "", nil, "[] [] [w]"},
		{"a source of wasm", map[string]string{"_packages/w/src/tools/a.ts": "1"}, "", nil, "[] [] []"},
		{"code of node", map[string]string{"_packages/n/dist/src/tools/a.js": "2"}, "", nil, "[] [] []"},
		{"routes of node", map[string]string{"_packages/n/dist/routes.json": routes + "\n"}, "", nil, "[] [] []"},
		{"a new package", map[string]string{"_packages/x/package.json": pkg("x")}, "", nil, "[x] [] []"},
		{"a package that is gone", nil, "_packages/w", nil, "[] [w] []"},
		{"a module that is gone", nil, "_packages/w/dist/package.wasm", nil, "[] [] [w]"},
		{"a package that broke", map[string]string{"_packages/d/package.json": "{"}, "", nil, "[] [d] []"},
		{"another id", map[string]string{"_packages/d/package.json": pkg("e")}, "", nil, "[e] [d] []"},
		{"an id that is taken", map[string]string{"_packages/d/package.json": pkg("w")}, "", nil, "[] [d w] []"},
		{"another folder", map[string]string{"_packages/d2/package.json": pkg("d"), "_packages/d2/tools/a_b.json": toolFile}, "_packages/d", nil, "[] [] [d]"},
		{"less trust", nil, "", map[string]trust.Tier{"d": trust.Untrusted}, "[] [] [d]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := &rescanner{dir: tree(t, start), roots: Roots{ProjectRoot: ".", Trust: map[string]trust.Tier{"d": trust.Trusted}}}
			r.scan()
			write(t, r.dir, test.change)
			if test.remove != "" {
				if err := os.RemoveAll(filepath.Join(r.dir, test.remove)); err != nil {
					t.Fatal(err)
				}
			}
			if test.trust != nil {
				r.roots.Trust = test.trust
			}
			added, removed, changed := Diff(r.scan())
			if got := fmt.Sprint(added, removed, changed); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	if added, removed, changed := Diff(nil, nil); added != nil || removed != nil || changed != nil {
		t.Error("nothing differs from nothing")
	}
}

// TestHashesAreTakenOver has a module that changes without looking as if it had, which is the only way to see whether
// it was read: its hash is taken from the last scan if the file had been left alone for a while, and otherwise
// made.
func TestHashesAreTakenOver(t *testing.T) {
	written := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name    string
		age     time.Duration // of the file when it was first scanned
		noClock bool
		read    bool
	}{
		{"an old file", time.Minute, false, false},
		{"a file of this second", time.Second, false, true},
		{"a file from the future", -time.Minute, false, true},
		{"no clock", time.Minute, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &rescanner{dir: tree(t, map[string]string{"_packages/w/package.json": pkg("w", wasm)}), roots: Roots{ProjectRoot: "."}}
			put := func(text string) {
				write(t, r.dir, map[string]string{"_packages/w/dist/package.wasm": text})
				if err := os.Chtimes(filepath.Join(r.dir, "_packages", "w", "dist", "package.wasm"), written, written); err != nil {
					t.Fatal(err)
				}
			}
			put(emptyModule + "\x00\x02\x01x")
			if !test.noClock {
				r.roots.Now = written.Add(test.age)
			}
			r.scan()
			put(emptyModule + "\x00\x02\x01y")
			before, after := r.scan()
			if read := before.All()[0].ModuleHash != after.All()[0].ModuleHash; read != test.read {
				t.Errorf("it was read again: %t", read)
			}
		})
	}
}

// TestManyPackages scans 500 packages, some of them broken, while others look at the catalogs.
func TestManyPackages(t *testing.T) {
	files := map[string]string{}
	const n = 500
	for i := range n {
		at := fmt.Sprintf("_packages/p%d/", i)
		switch {
		case i%50 == 0:
			files[at+"package.json"] = "{"
		case i%50 == 1:
			files[at+"package.json"] = pkg("twin")
		default:
			files[at+"package.json"] = pkg(fmt.Sprintf("p%d", i), wasm, fmt.Sprintf(`"features": [{"id": "p%d.use"}], "defaultRoleGrants": {"member": ["p%d.use"]}`, i, i))
			files[at+"dist/package.wasm"] = emptyModule
			files[at+fmt.Sprintf("tools/p%d_get.json", i)] = strings.Replace(toolFile, `"x-neuralis": {`, fmt.Sprintf(`"x-neuralis": { "feature": "p%d.use",`, i), 1)
		}
	}
	r := &rescanner{dir: tree(t, files), roots: Roots{ProjectRoot: ".", Now: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}}
	_, first := r.scan()
	counts := map[string]int{}
	for _, e := range first.All() {
		counts[string(e.Status)+string(e.Reason)]++
	}
	if want := map[string]int{"ready": 480, "errorinvalid-manifest": 10, "errorduplicate-id": 10}; fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", counts, want)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 20 {
				who := first.Grant(session.Session{UserID: "ada", Role: "member"}, memberRole)
				if len(who.Features) != 480 || len(first.Visible(who)) != n {
					t.Errorf("%d features, %d entries", len(who.Features), len(first.Visible(who)))
					return
				}
				if _, tool, ok := first.Tool(who, "p77_get"); !ok || !who.Has(tool.Extension.Feature) {
					t.Error("a tool is missing")
				}
			}
		})
	}
	before, after := r.scan()
	readers.Wait()
	if added, removed, changed := Diff(before, after); len(added)+len(removed)+len(changed) > 0 {
		t.Errorf("nothing changed, but for %v %v %v", added, removed, changed)
	}
}

// A package that is held stays as it was, for better or worse, but for the trust that it has.
func TestHeld(t *testing.T) {
	r := &rescanner{dir: tree(t, map[string]string{"_packages/a/package.json": pkg("a"), "_packages/b/package.json": pkg("b")}),
		roots: Roots{ProjectRoot: ".", Trust: map[string]trust.Tier{"a": trust.Trusted}}}
	_, first := r.scan()
	held := first.All()[0].Dir
	write(t, r.dir, map[string]string{"_packages/a/package.json": "{", "_packages/b/package.json": "{"})
	r.roots.Held = []string{held}
	before, after := r.scan()
	checkLines(t, after.All(), "a _packages/a drop-zone trusted ready", "b _packages/b drop-zone untrusted error invalid-manifest")
	if _, removed, changed := Diff(before, after); len(changed) > 0 || fmt.Sprint(removed) != "[b]" {
		t.Errorf("changed %v, removed %v", changed, removed)
	}
	r.roots.Trust = nil
	_, after = r.scan()
	checkLines(t, after.All(), "a _packages/a drop-zone untrusted ready", "b _packages/b drop-zone untrusted error invalid-manifest")
	r.roots.Held = nil
	_, after = r.scan()
	checkLines(t, after.All(), "a _packages/a drop-zone untrusted error invalid-manifest", "b _packages/b drop-zone untrusted error invalid-manifest")
	// There is nothing to hold on to any more.
	r.roots.Held = []string{held}
	_, after = r.scan()
	checkLines(t, after.All(), "a _packages/a drop-zone untrusted error invalid-manifest", "b _packages/b drop-zone untrusted error invalid-manifest")
}
