package catalog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// emptyModule is the smallest WebAssembly module.
const emptyModule = "\x00asm\x01\x00\x00\x00"

// tree makes a folder with files, and returns its true path.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, files)
	return dir
}

// write writes files below a folder; the content of a name that ends in @ is the target of a symbolic link.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if link, ok := strings.CutSuffix(path, "@"); ok {
			err = os.Symlink(filepath.FromSlash(text), link)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Skipf("this file system does not take the files of the test: %v", err)
		}
	}
}

// pkg is the package.json of a package with an id and further members of its manifest.
func pkg(id string, more ...string) string {
	return fmt.Sprintf("{\n  \"name\": \"@acme/%s\",\n  \"neuralis\": {\n    %s\n  }\n}\n", id, strings.Join(append([]string{fmt.Sprintf("\"id\": %q", id)}, more...), ",\n    "))
}

const (
	wasm = `"runtime": { "type": "wasm" }`
	node = `"runtime": { "type": "node" }`
	mcp  = `"runtime": { "type": "mcp", "entry": { "command": "server" } }`
)

const toolFile = `{ "type": "object", "x-neuralis": { "annotations": { "category": "read" } } }`

var project = Scope{Kind: ScopeProject}

// line says of an entry what the tables below compare.
func line(e *Entry) string {
	parts := []string{e.ID, e.Location, string(e.Provenance), string(e.Tier), string(e.Status)}
	if e.Reason != "" {
		parts = append(parts, string(e.Reason))
	}
	return strings.Join(parts, " ")
}

func lines(entries []*Entry) []string {
	var all []string
	for _, e := range entries {
		all = append(all, line(e))
	}
	slices.Sort(all)
	return all
}

func checkLines(t *testing.T, got []*Entry, want ...string) {
	t.Helper()
	slices.Sort(want)
	if l := lines(got); !slices.Equal(l, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(l, "\n  "), strings.Join(want, "\n  "))
		for _, e := range got {
			if e.Message != "" {
				t.Logf("%s: %s", e.ID, e.Message)
			}
		}
	}
}

func hasRule(e *Entry, rule string) bool {
	return slices.ContainsFunc(e.Diagnostics, func(d manifest.Diagnostic) bool { return d.Rule == rule })
}

func TestScan(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		roots Roots // paths are relative to the tree
		want  []string
	}{
		{"nothing at all", nil, Roots{ProjectRoot: "."}, nil},
		{"both roots of a project and the builtins", map[string]string{
			"core/runtime/package.json":           pkg("runtime", node),
			"core/solo/package.json":              pkg("solo"),
			"_packages/catalog/package.json":      pkg("catalog"),
			"_packages/@acme/news/package.json":   pkg("news"),
			"_packages/_installed/x/package.json": pkg("x"),
			"_packages/.hidden/package.json":      pkg("hidden"),
			"_packages/readme.md":                 "text",
			"kb/weather/package.json":             pkg("weather"),
			"kb/notes/today.md":                   "text",
			"unflagged/secret/package.json":       pkg("secret"),
		}, Roots{Builtins: []string{"core/runtime", "core"}, ProjectRoot: ".", Sources: []Source{
			{ID: "kb", Path: "kb", RecognizesPackages: true, Scope: project}, {ID: "plain", Path: "unflagged", Scope: project}}}, []string{
			"runtime builtin:runtime builtin first-party ready",
			"solo builtin:core/solo builtin first-party ready",
			"catalog _packages/catalog drop-zone untrusted ready",
			"news _packages/@acme/news drop-zone untrusted ready",
			"x _packages/_installed/x drop-zone untrusted ready",
			"weather kb:weather flagged-source untrusted ready",
			"source.kb kb source untrusted ready",
			"source.plain plain source untrusted ready",
		}},
		{"overrides", map[string]string{
			"core/runtime/package.json": pkg("runtime"), "core/other/package.json": pkg("other"),
			"_packages/a/package.json": pkg("a"), "_packages/b/package.json": pkg("b"), "_packages/c/package.json": pkg("c"),
		}, Roots{Builtins: []string{"core"}, ProjectRoot: ".", Trust: map[string]trust.Tier{
			"a": trust.Trusted, "b": trust.FirstParty, "c": "root", "runtime": trust.Trusted, "absent": trust.Trusted}}, []string{
			"runtime builtin:core/runtime builtin untrusted error trust-conflict",
			"other builtin:core/other builtin first-party ready",
			"a _packages/a drop-zone trusted ready",
			"b _packages/b drop-zone untrusted error trust-conflict",
			"c _packages/c drop-zone untrusted error trust-conflict",
		}},
		{"claims of trust are ignored", map[string]string{
			"_packages/a/package.json": pkg("a", `"trust": "first-party"`, `"trustTier": "first-party"`, `"provenance": "builtin"`),
		}, Roots{ProjectRoot: "."}, []string{"a _packages/a drop-zone untrusted ready"}},
		{"runtimes that ask for more trust", map[string]string{
			"core/n/package.json": pkg("bn", node), "core/m/package.json": pkg("bm", mcp),
			"_packages/n/package.json": pkg("n", node), "_packages/m/package.json": pkg("m", mcp), "_packages/t/package.json": pkg("t", node),
		}, Roots{Builtins: []string{"core"}, ProjectRoot: ".", Trust: map[string]trust.Tier{"t": trust.Trusted}}, []string{
			"bn builtin:core/n builtin first-party ready", "bm builtin:core/m builtin first-party ready",
			"n _packages/n drop-zone untrusted partial untrusted-node", "m _packages/m drop-zone untrusted partial untrusted-mcp",
			"t _packages/t drop-zone trusted partial untrusted-node",
		}},
		{"what is built and what is not", map[string]string{
			"_packages/built/package.json": pkg("built", wasm), "_packages/built/dist/package.wasm": emptyModule,
			"_packages/unbuilt/package.json": pkg("unbuilt", wasm), "_packages/unbuilt/tools/a_b.json": toolFile,
			"_packages/elsewhere/package.json": pkg("elsewhere", `"runtime": { "type": "wasm", "entry": { "module": "out/x.wasm" } }`), "_packages/elsewhere/out/x.wasm": emptyModule,
			"_packages/text/package.json": pkg("text", wasm), "_packages/text/dist/package.wasm": "not a module",
			"_packages/empty/package.json": pkg("empty", wasm), "_packages/empty/dist/package.wasm": "",
			"_packages/folder/package.json": pkg("folder", wasm), "_packages/folder/dist/package.wasm/x": "",
			"_packages/noroutes/package.json": pkg("noroutes", wasm), "_packages/noroutes/dist/package.wasm": emptyModule, "_packages/noroutes/src/routes/a.ts": "",
			"_packages/badroutes/package.json": pkg("badroutes", wasm), "_packages/badroutes/dist/package.wasm": emptyModule, "_packages/badroutes/dist/routes.json": `{"version": 2, "routes": []}`,
			"_packages/outside/package.json": pkg("outside", wasm), "_packages/outside/dist/package.wasm@": "../../built/dist/package.wasm",
		}, Roots{ProjectRoot: "."}, []string{
			"built _packages/built drop-zone untrusted ready",
			"unbuilt _packages/unbuilt drop-zone untrusted partial not-built",
			"elsewhere _packages/elsewhere drop-zone untrusted ready",
			"text _packages/text drop-zone untrusted partial invalid-module",
			"empty _packages/empty drop-zone untrusted partial invalid-module",
			"folder _packages/folder drop-zone untrusted partial invalid-module",
			"noroutes _packages/noroutes drop-zone untrusted partial not-built",
			"badroutes _packages/badroutes drop-zone untrusted partial invalid-routes",
			"outside _packages/outside drop-zone untrusted partial invalid-module",
		}},
		{"what is broken is reported, and takes nothing down", map[string]string{
			"_packages/good/package.json":      pkg("good"),
			"_packages/syntax/package.json":    `{"neuralis": {`,
			"_packages/Not An Id/package.json": `{"neuralis": {}}`,
			"_packages/member/package.json":    pkg("good", `"requires": 1`),
			"_packages/unknown/package.json":   pkg("unknown", `"runtime": {"type": "jvm"}`),
			"_packages/none/readme.md":         "text",
			"_packages/npm/package.json":       `{"name": "left-pad"}`,
			"_packages/tool/package.json":      pkg("tool"), "_packages/tool/tools/a_b.json": `{`,
			"_packages/skill/package.json": pkg("skill"), "_packages/skill/skills/a/SKILL.md": "no front matter",
		}, Roots{ProjectRoot: "."}, []string{
			"good _packages/good drop-zone untrusted ready",
			"syntax _packages/syntax drop-zone untrusted error invalid-manifest",
			"not-an-id _packages/Not An Id drop-zone untrusted error invalid-manifest",
			"good _packages/member drop-zone untrusted error invalid-manifest",
			"unknown _packages/unknown drop-zone untrusted error invalid-manifest",
			"none _packages/none drop-zone untrusted error invalid-manifest",
			"npm _packages/npm drop-zone untrusted error invalid-manifest",
			"tool _packages/tool drop-zone untrusted partial invalid-contribution",
			"skill _packages/skill drop-zone untrusted partial invalid-contribution",
		}},
		{"reserved ids", map[string]string{
			"core/runtime/package.json": pkg("runtime"), "core/broken/package.json": `{`,
			"_packages/a/package.json": pkg("runtime"), "_packages/b/package.json": pkg("broken"),
			"_packages/c/package.json":          `{"name": "@neuralis/c", "neuralis": {}}`,
			"_packages/d/package.json":          `{"name": "@Neuralis/d", "neuralis": {"id": "d"}}`,
			"_packages/e/neuralis.package.json": `{"name": "@neuralis/e", "id": "e"}`,
			"core/f/package.json":               `{"name": "@neuralis/f", "neuralis": {}}`,
			"kb/g/package.json":                 pkg("runtime"),
		}, Roots{Builtins: []string{"core"}, ProjectRoot: ".", Sources: []Source{{ID: "bobs", Path: "kb", RecognizesPackages: true, Scope: Scope{ScopeUser, "bob"}}}}, []string{
			"runtime builtin:core/runtime builtin first-party ready",
			"broken builtin:core/broken builtin untrusted error invalid-manifest",
			"f builtin:core/f builtin first-party ready",
			"runtime _packages/a drop-zone untrusted error reserved-id",
			"broken _packages/b drop-zone untrusted error reserved-id",
			"c _packages/c drop-zone untrusted error reserved-id",
			"d _packages/d drop-zone untrusted error reserved-id",
			"e _packages/e drop-zone untrusted error reserved-id",
			"runtime bobs:g flagged-source untrusted error reserved-id",
			"source.bobs bobs source untrusted ready",
		}},
		{"duplicate ids", map[string]string{
			"core/a/package.json": pkg("twin"), "core/b/package.json": pkg("twin"),
			"_packages/a/package.json": pkg("catalog"), "kb/a/package.json": pkg("catalog"), "_packages/b/package.json": pkg("other"),
			"bob/a/package.json": pkg("other"), "bob/b/package.json": pkg("notes"), "ann/a/package.json": pkg("notes"),
			"ann/b/package.json": pkg("mine"), "ann/c/package.json": pkg("mine"),
		}, Roots{Builtins: []string{"core"}, ProjectRoot: ".", Sources: []Source{
			{ID: "kb", Path: "kb", RecognizesPackages: true, Scope: project},
			{ID: "bob", Path: "bob", RecognizesPackages: true, Scope: Scope{ScopeUser, "bob"}},
			{ID: "ann", Path: "ann", RecognizesPackages: true, Scope: Scope{ScopeUser, "ann"}}}}, []string{
			"twin builtin:core/a builtin first-party error duplicate-id", "twin builtin:core/b builtin first-party error duplicate-id",
			"catalog _packages/a drop-zone untrusted error duplicate-id", "catalog kb:a flagged-source untrusted error duplicate-id",
			"other _packages/b drop-zone untrusted ready", "other bob:a flagged-source untrusted error duplicate-id",
			"notes bob:b flagged-source untrusted ready", "notes ann:a flagged-source untrusted ready",
			"mine ann:b flagged-source untrusted error duplicate-id", "mine ann:c flagged-source untrusted error duplicate-id",
			"source.kb kb source untrusted ready", "source.bob bob source untrusted ready", "source.ann ann source untrusted ready",
		}},
		{"one folder by many ways", map[string]string{
			"_packages/a/package.json": pkg("a"), "_packages/link@": "a", "_packages/core@": "../core/runtime", "core/runtime/package.json": pkg("runtime"),
			"kb/x/package.json": pkg("x"), "kb/again@": "x", "kb/zone@": "../_packages/a", "kb2@": "kb",
		}, Roots{Builtins: []string{"core", "core/runtime"}, ProjectRoot: ".", Sources: []Source{
			{ID: "one", Path: "kb", RecognizesPackages: true, Scope: project}, {ID: "two", Path: "kb2", RecognizesPackages: true, Scope: project}}}, []string{
			"runtime builtin:core/runtime builtin first-party ready",
			"a _packages/a drop-zone untrusted ready",
			"x one:again flagged-source untrusted ready",
			"source.one one source untrusted ready", "source.two two source untrusted ready",
		}},
		{"links that lead nowhere or out", map[string]string{
			"_packages/none@": "absent", "_packages/self@": "self", "_packages/out@": "../elsewhere", "elsewhere/package.json": pkg("elsewhere"),
			"bob/steal@": "../ann/diary", "bob/in@": "real", "bob/real/package.json": pkg("real"), "ann/diary/package.json": pkg("diary"), "_packages/diary@": "../ann/diary",
		}, Roots{ProjectRoot: ".", Sources: []Source{
			{ID: "bob", Path: "bob", RecognizesPackages: true, Scope: Scope{ScopeUser, "bob"}},
			{ID: "ann", Path: "ann", RecognizesPackages: true, Scope: Scope{ScopeUser, "ann"}}}}, []string{
			"none _packages/none drop-zone untrusted error unreadable", "self _packages/self drop-zone untrusted error unreadable",
			"elsewhere _packages/out drop-zone untrusted ready",
			"diary _packages/diary drop-zone untrusted error link-escapes",
			"steal bob:steal flagged-source untrusted error link-escapes",
			"real bob:in flagged-source untrusted ready", "diary ann:diary flagged-source untrusted ready",
			"source.bob bob source untrusted ready", "source.ann ann source untrusted ready",
		}},
		{"a workspace as source", map[string]string{
			"kb/package.json": `{"name": "workspace"}`, "kb/a/package.json": pkg("a"), "kb/_packages/b/package.json": pkg("b"),
			"kb2/package.json": `{`, "kb2/c/package.json": pkg("c"),
		}, Roots{ProjectRoot: ".", Sources: []Source{
			{ID: "one", Path: "kb", RecognizesPackages: true, Scope: project}, {ID: "two", Path: "kb2", RecognizesPackages: true, Scope: project}}}, []string{
			"a one:a flagged-source untrusted ready", "b one:_packages/b flagged-source untrusted ready",
			"kb2 two flagged-source untrusted error invalid-manifest", "c two:c flagged-source untrusted ready",
			"source.one one source untrusted ready",
		}},
		{"sources that are not there", nil, Roots{ProjectRoot: ".", Builtins: []string{"absent"}, Sources: []Source{
			{ID: "kb", Path: "absent", RecognizesPackages: true, Scope: project}}}, []string{"source.kb kb source untrusted error unreadable"}},
		{"trust of what users bring", map[string]string{"bob/a/package.json": pkg("catalog"), "bob/b/package.json": pkg("notes")}, Roots{
			ProjectRoot: ".", Trust: map[string]trust.Tier{"catalog": trust.Trusted, "bobs/notes": trust.Trusted},
			Sources: []Source{{ID: "bobs", Path: "bob", RecognizesPackages: true, Scope: Scope{ScopeUser, "bob"}}}}, []string{
			"catalog bobs:a flagged-source untrusted ready", "notes bobs:b flagged-source trusted ready", "source.bobs bobs source untrusted ready",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Scan(context.Background(), in(tree(t, test.files), test.roots))
			checkLines(t, c.All(), test.want...)
			for _, e := range c.All() {
				if (e.Status == StatusReady) != (e.Reason == "") || (e.Reason == "") != (e.Message == "") {
					t.Errorf("%s: %q", line(e), e.Message)
				}
				if e.Reason != "" && !slices.Contains(trust.Reasons(), e.Reason) {
					t.Errorf("%q is no reason", e.Reason)
				}
				if (e.Mode == trust.ModeFull) != (e.Tier == trust.FirstParty) {
					t.Errorf("%s: the mode is %s", line(e), e.Mode)
				}
				if strings.Contains(e.Message, string(filepath.Separator)+"tmp") {
					t.Errorf("%s tells where it is: %s", e.ID, e.Message)
				}
			}
		})
	}
}

// in makes the paths of roots absolute.
func in(dir string, r Roots) Roots {
	at := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
	r.ProjectRoot = at(r.ProjectRoot)
	r.Builtins = slices.Clone(r.Builtins)
	for i := range r.Builtins {
		r.Builtins[i] = at(r.Builtins[i])
	}
	r.Sources = slices.Clone(r.Sources)
	for i := range r.Sources {
		r.Sources[i].Path = at(r.Sources[i].Path)
	}
	return r
}

func TestBothSidesAreTold(t *testing.T) {
	dir := tree(t, map[string]string{
		"core/runtime/package.json": pkg("runtime"), "_packages/evil/package.json": pkg("runtime"),
		"_packages/a/package.json": pkg("catalog"), "_packages/b/package.json": pkg("catalog"), "bob/x/package.json": pkg("runtime"),
	})
	c := Scan(context.Background(), in(dir, Roots{Builtins: []string{"core"}, ProjectRoot: ".",
		Sources: []Source{{ID: "bob", Path: "bob", RecognizesPackages: true, Scope: Scope{ScopeUser, "bob"}}}}))
	builtin, _ := c.Entry(session.Session{}, "runtime")
	if builtin.Provenance != trust.ProvenanceBuiltin || len(builtin.Diagnostics) != 1 || !strings.Contains(builtin.Diagnostics[0].Message, "_packages/evil") {
		t.Errorf("the builtin is told %v", builtin.Diagnostics)
	}
	for _, e := range c.All() {
		other := map[string]string{"_packages/a": "_packages/b", "_packages/b": "_packages/a"}[e.Location]
		if other == "" {
			continue
		}
		if !strings.Contains(e.Message, other) || !hasRule(e, RuleDuplicateID) {
			t.Errorf("%s: %q, %v", e.Location, e.Message, e.Diagnostics)
		}
		if d := e.Diagnostics[0]; d.File != manifest.PackageJSON || d.Line != 4 || d.Column != 11 || d.Frame == "" {
			t.Errorf("the place is %s", d.Error())
		}
	}
}

func TestContributions(t *testing.T) {
	files := map[string]string{
		"package.json": pkg("whole", node), "tools/a_b.json": toolFile, "src/tools/c_d.ts": "", "src/routes/r.ts": "", "src/lifecycle.ts": "",
		"src/channels/c.ts": "", "src/events/e.ts": "", "tests/a.test.ts": "",
		"skills/good/SKILL.md": "---\nname: good\ndescription: a skill\n---\ntext", "skills/bad/SKILL.md": "---\nname: 1\n---\n",
		"rules/r.md": "", "instructions/i.md": "", "agents/a.md": "", "workflows/w.md": "", "docs/d.md": "", "team/t.md": "",
		"dist/src/tools/c_d.js": "", "dist/src/tools/c_d.js.map": "", "dist/src/routes/r.js": "", "dist/src/lifecycle.js": "",
		"dist/routes.json": `{"version": 1, "routes": [{"pattern": "r", "methods": ["GET"], "source": "src/routes/r.ts"}]}`,
	}
	for _, builtin := range []bool{false, true} {
		placed := map[string]string{}
		for name, text := range files {
			placed["packages/whole/"+name] = text
		}
		dir := tree(t, placed)
		roots := Roots{Sources: []Source{{ID: "kb", Path: filepath.Join(dir, "packages"), RecognizesPackages: true, Scope: project}}}
		if builtin {
			roots = Roots{Builtins: []string{filepath.Join(dir, "packages")}}
		}
		e, ok := Scan(context.Background(), roots).Entry(session.Session{}, "whole")
		if !ok {
			t.Fatal("it is not there")
		}
		p := e.Package
		got := strings.TrimSpace(fmt.Sprintln(len(p.Tools), p.RouteSources, p.Lifecycle, p.ChannelSources, p.EventSources, p.TestSources,
			p.Rules, p.Instructions, p.Agents, p.Workflows, p.Docs, p.Team, e.Code, len(e.Routes.Routes), len(p.Skills)))
		want := "2 [src/routes/r.ts] src/lifecycle.ts [src/channels/c.ts] [src/events/e.ts] [tests/a.test.ts] " +
			"[rules/r.md] [instructions/i.md] [agents/a.md] [workflows/w.md] [docs/d.md] [team/t.md] " +
			"{[dist/src/tools/c_d.js] [dist/src/routes/r.js] dist/src/lifecycle.js} 1 2"
		if got != want {
			t.Errorf("builtin %t: got\n%s\nwant\n%s", builtin, got, want)
		}
		if skills := e.Skills(); len(skills) != 1 || skills[0].Name != "good" {
			t.Errorf("the skills are %v", skills)
		}
		if wantMode := map[bool]trust.Mode{false: trust.ModeMetadataOnly, true: trust.ModeFull}[builtin]; e.Mode != wantMode {
			t.Errorf("the mode is %s", e.Mode)
		}
	}
}

func TestClaimOfTrustIsDiagnosed(t *testing.T) {
	dir := tree(t, map[string]string{"_packages/a/package.json": pkg("a", `"trust": "first-party"`, `"provides": ["runtime"]`)})
	e, _ := Scan(context.Background(), Roots{ProjectRoot: dir}).Entry(session.Session{}, "a")
	if !hasRule(e, manifest.RuleTrustClaim) || !hasRule(e, RuleProvidesIgnored) || len(e.Package.Manifest.Provides) > 0 || e.Tier != trust.Untrusted {
		t.Errorf("%s: %v", line(e), e.Diagnostics)
	}
}

func TestPanicOfOnePackage(t *testing.T) {
	dir := tree(t, map[string]string{"_packages/a/package.json": pkg("a"), "_packages/b/package.json": pkg("b")})
	c := scan(context.Background(), Roots{ProjectRoot: dir}, func(dir string) (*manifest.Package, manifest.Diagnostics) {
		if filepath.Base(dir) == "a" {
			panic("a fault of the loader")
		}
		return manifest.Load(dir)
	})
	checkLines(t, c.All(), "a _packages/a drop-zone untrusted error unreadable", "b _packages/b drop-zone untrusted ready")
}

func TestCancelledScan(t *testing.T) {
	dir := tree(t, map[string]string{"_packages/a/package.json": pkg("a")})
	before := Scan(context.Background(), Roots{ProjectRoot: dir})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if c := Scan(ctx, Roots{ProjectRoot: dir, Previous: before}); c != before {
		t.Errorf("got %v", lines(c.All()))
	}
	if c := Scan(ctx, Roots{ProjectRoot: dir}); c == nil || len(c.All()) != 0 {
		t.Errorf("got %v", c)
	}
}

func TestEmptyCatalogs(t *testing.T) {
	for _, c := range []*Catalog{nil, {}} {
		_, found := c.Entry(session.Session{}, "a")
		_, _, tool := c.Tool(session.Session{}, "a")
		if found || tool || c.All() != nil || c.Visible(session.Session{}) != nil || c.Problems() != nil {
			t.Errorf("%v is not empty", c)
		}
	}
}

func TestProblemsAreForTheOperator(t *testing.T) {
	dir := tree(t, map[string]string{"core/readme.md": "", "file": "", "_packages": ""})
	c := Scan(context.Background(), in(dir, Roots{Builtins: []string{"core", "file", "absent"}, ProjectRoot: "."}))
	var roots []string
	for _, p := range c.Problems() {
		roots = append(roots, filepath.Base(p.Root))
	}
	if want := []string{"core", "file", "absent", "_packages"}; !slices.Equal(roots, want) {
		t.Errorf("got %v, want %v", c.Problems(), want)
	}
}
