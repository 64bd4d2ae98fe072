package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

func TestOpen(t *testing.T) {
	w := newWorld(t, `{
		"builtins": ["builtin"],
		"trust": {"drop": "trusted"},
		"sources": [
			{"id": "docs", "path": "docs"},
			{"id": "team", "path": "team", "recognizesPackages": true},
			{"id": "hers", "path": "hers", "recognizesPackages": true, "scope": "user", "owner": "ada", "flaggedBy": "ada"},
			{"id": "bots", "path": "bots", "recognizesPackages": true, "scope": "agent", "owner": "bot"}],
		"users": [{"id": "ada", "role": "member"}], "roles": {"member": {}}}`,
		map[string]files{
			"builtin/core":   says("core", "core"),
			"_packages/drop": says("drop", "drop"),
			"team/shop":      says("shop", "shop"),
			"hers/notes":     says("notes", "notes"),
			"bots/helper":    says("helper", "helper"),
			"docs":           {"readme.md": "# Read me\n"},
		}).open()
	want := map[string]struct {
		tier trust.Tier
		mode trust.Mode
	}{
		"core":                  {trust.FirstParty, trust.ModeFull},
		"drop":                  {trust.Trusted, trust.ModeMetadataOnly},
		"shop":                  {trust.Untrusted, trust.ModeMetadataOnly},
		"user/ada/notes":        {trust.Untrusted, trust.ModeMetadataOnly},
		"agent/bot/helper":      {trust.Untrusted, trust.ModeMetadataOnly},
		"source.docs":           {trust.Untrusted, trust.ModeMetadataOnly},
		"source.team":           {trust.Untrusted, trust.ModeMetadataOnly},
		"user/ada/source.hers":  {trust.Untrusted, trust.ModeMetadataOnly},
		"agent/bot/source.bots": {trust.Untrusted, trust.ModeMetadataOnly},
	}
	for _, e := range w.Catalog().All() {
		if got := want[e.Key()]; got.tier != e.Tier || got.mode != e.Mode || e.Status != catalog.StatusReady {
			t.Errorf("%s: %s %s %s %s", e.Key(), e.Tier, e.Mode, e.Status, e.Message)
		}
		delete(want, e.Key())
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	for _, s := range w.States() {
		if !s.Health.Ready || s.Health.Started != 0 {
			t.Errorf("nobody has called %s yet: %+v", s.Key, s.Health)
		}
	}
	bot := ada
	bot.AgentID = "bot"
	for _, name := range []string{"core", "drop", "shop", "notes", "helper"} {
		if got := w.tool(bot, name, ""); got != name {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, err := os.Stat(w.at("_data")); err == nil {
		t.Error("something was stored, and nothing was there to store")
	}
}

func TestOpenRefuses(t *testing.T) {
	w := newWorld(t, `{"users": [{"id": "ada", "role": "member", "tokenEnv": "ADA_TOKEN"}], "roles": {"member": {}}}`, nil)
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	for _, test := range []struct {
		name string
		ctx  context.Context
		opts host.Options
		want string
	}{
		{"no config", t.Context(), host.Options{}, "needs a config"},
		{"a token that is not there", t.Context(), host.Options{Config: w.load(w.config)}, "ADA_TOKEN, which is not set"},
		{"a context that has ended", ended, host.Options{Config: w.load("{}")}, "enough"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := host.Open(test.ctx, test.opts); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A root that is not there, a package that is none and one that cannot be loaded are no reason for the others not to
// answer, and each is reported once.
func TestWhatIsWrongTakesNothingDown(t *testing.T) {
	w := newWorld(t, `{"builtins": ["nowhere"]}`, map[string]files{
		"_packages/good":    says("good", "good"),
		"_packages/broken":  {"package.json": `{"neuralis": {"id": 1}}`},
		"_packages/unbuilt": {"package.json": pkg("unbuilt", ""), "tools/u.json": tool("", "")},
		"_packages/garbage": says("garbage", ""),
	})
	must(t, os.WriteFile(w.at("_packages/garbage/dist/package.wasm"), []byte("\x00asm\x01\x00\x00\x00 and then something else"), 0o644))
	w.open()
	if got := w.tool(ada, "good", ""); got != "good" {
		t.Error(got)
	}
	for name, want := range map[string]string{"garbage": "runtime-unavailable: ", "u": "runtime-unavailable: "} {
		if got := w.tool(ada, name, ""); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := w.rescan(); got != "" {
		t.Errorf("changed: %s", got)
	}
	for _, once := range []string{"package=broken", "folder=" + w.at("nowhere"), "a package cannot be loaded"} {
		if n := strings.Count(w.log.String(), once); n != 1 {
			t.Errorf("%q is %d times in the log:\n%s", once, n, w.log.String())
		}
	}
	for _, s := range w.States() {
		if s.Key == "garbage" && (s.Status != catalog.StatusReady || !s.Health.Ready) {
			t.Errorf("after a rescan it is to be tried again: %+v", s)
		}
	}
	w.tool(ada, "garbage", "")
	for _, s := range w.States() {
		if s.Key == "garbage" && (s.Status != catalog.StatusError || s.Reason != trust.ReasonStartFailed) {
			t.Errorf("it could not be loaded: %+v", s)
		}
	}
	// Until it is what it should be.
	put(t, w.at("_packages/garbage"), says("garbage", "no garbage"))
	w.rescan()
	if got := w.tool(ada, "garbage", ""); got != "no garbage" {
		t.Error(got)
	}
}

// What could not be loaded is tried again by a rescan, also where nothing of the package has changed.
func TestLoadingIsTriedAgain(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/a": says("a", "a")}).open()
	// The module goes after it was found, and before it was loaded.
	module := w.at("_packages/a/dist/package.wasm")
	must(t, os.Rename(module, module+".away"))
	if got := w.tool(ada, "a", ""); !strings.HasPrefix(got, "runtime-unavailable: ") || strings.Contains(got, w.dir) {
		t.Errorf("got %s", got)
	}
	must(t, os.Rename(module+".away", module))
	if got := w.tool(ada, "a", ""); !strings.HasPrefix(got, "runtime-unavailable: ") {
		t.Errorf("nobody has looked again: %s", got)
	}
	if got := w.rescan(); got != "" {
		t.Errorf("changed: %s", got)
	}
	if got := w.tool(ada, "a", ""); got != "a" {
		t.Error(got)
	}
}

func TestRescan(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/a": says("a", "a1"), "_packages/b": says("b", "b1")}).open()
	expect := func(a, b, c string) {
		t.Helper()
		for name, want := range map[string]string{"a": a, "b": b, "c": c} {
			if want == "" {
				want = fmt.Sprintf("unknown-tool: there is no tool %q", name)
			}
			if got := w.tool(ada, name, ""); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
	}
	schema := saying("b1", false, `,"required":["x"]`)
	for _, step := range []struct {
		name    string
		do      func()
		changes string
		a, b, c string
	}{
		{"nothing", func() {}, "", "a1", "b1", ""},
		{"a package comes", func() { put(t, w.at("_packages/c"), says("c", "c1")) }, "+c", "a1", "b1", "c1"},
		{"one changes", func() { put(t, w.at("_packages/a"), says("a", "a2")) }, "~a", "a2", "b1", "c1"},
		{"one goes", func() { must(t, os.RemoveAll(w.at("_packages/c"))) }, "-c", "a2", "b1", ""},
		{"one breaks", func() { must(t, os.WriteFile(w.at("_packages/a/package.json"), []byte("{"), 0o644)) }, "-a", "", "b1", ""},
		{"and is mended", func() { put(t, w.at("_packages/a"), says("a", "a3")) }, "+a", "a3", "b1", ""},
		{"a schema changes, and nothing else", func() { must(t, os.WriteFile(w.at("_packages/b/tools/b.json"), []byte(schema), 0o644)) },
			"", "a3", "invalid-arguments: the arguments of b are not what it takes: at /x: missing", ""},
		{"two of one id", func() { put(t, w.at("_packages/twin"), says("a", "twin")) }, "-a", "", "*", ""},
		{"one of them goes", func() { must(t, os.RemoveAll(w.at("_packages/a"))) }, "+a", "twin", "*", ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.do()
			if got := w.rescan(); got != step.changes {
				t.Errorf("changed: %q, want %q", got, step.changes)
			}
			if step.b == "*" || strings.HasPrefix(step.b, "invalid-arguments") {
				if got := w.tool(ada, "b", ""); !strings.HasPrefix(got, "invalid-arguments") {
					t.Errorf("b: %s", got)
				}
				if got := w.tool(ada, "b", `{"x":1}`); got != "b1" {
					t.Errorf("b: %s", got)
				}
				step.b = w.tool(ada, "b", "")
			}
			expect(step.a, step.b, step.c)
		})
	}
}

// A package that is held stays as it is, whatever becomes of its folder; the others do not.
func TestHeld(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/a": says("a", "a1"), "_packages/b": says("b", "b1")}).open()
	if got := w.tool(ada, "a", ""); got != "a1" {
		t.Fatal(got)
	}
	must(t, os.WriteFile(w.at("_packages/a/package.json"), []byte("{"), 0o644))
	must(t, os.RemoveAll(w.at("_packages/a/dist")))
	put(t, w.at("_packages/b"), says("b", "b2"))
	for range 2 {
		if _, err := w.Rescan(t.Context(), w.at("_packages/a")); err != nil {
			t.Fatal(err)
		}
		if a, b := w.tool(ada, "a", ""), w.tool(ada, "b", ""); a != "a1" || b != "b2" {
			t.Errorf("got %s, %s", a, b)
		}
	}
	if got := w.rescan(); got != "-a" {
		t.Errorf("changed: %s", got)
	}
	if got := w.tool(ada, "a", ""); !strings.HasPrefix(got, "unknown-tool") {
		t.Error(got)
	}
}

// A call goes on with the version that it began with; the next one gets the new version.
func TestCallsInFlightKeepTheirVersion(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(w *world)
		next   string
	}{
		{"changed", func(w *world) { put(w, w.at("_packages/a"), says("a", "new")) }, "new"},
		{"gone", func(w *world) { must(w, os.RemoveAll(w.at("_packages/a"))) }, `unknown-tool: there is no tool "a"`},
		{"broken", func(w *world) { must(w, os.WriteFile(w.at("_packages/a/package.json"), nil, 0o644)) }, `unknown-tool: there is no tool "a"`},
		{"unbuilt", func(w *world) { must(w, os.RemoveAll(w.at("_packages/a/dist"))) }, "runtime-unavailable: nothing runs the code of the package a: the package is not built: there is no dist/package.wasm"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, "", map[string]files{"_packages/a": waits("a", "old")})
			g := w.gate("waiting")
			w.open()
			answers := make(chan string, 3)
			for range 3 {
				go func() { answers <- w.tool(ada, "a", "") }()
			}
			for range 3 {
				<-g.entered
			}
			test.change(w)
			w.rescan()
			if got := w.tool(ada, "a", ""); got != test.next {
				t.Errorf("the next call: %s", got)
			}
			close(g.let)
			for range 3 {
				if got := <-answers; got != "old" {
					t.Errorf("a call that was in flight: %s", got)
				}
			}
		})
	}
}

// Calls and rescans at the same time: each call is answered by one version, in a way that this version answers.
func TestCallsDuringRescans(t *testing.T) {
	// Each version has arguments of its own, so that the schema of one and the code of the other would be noticed.
	version := func(n int) files {
		f := files{"package.json": pkg("a", wasm)}
		f["tools/a.json"] = tool(fmt.Sprintf(`"properties":{"n":{"type":"integer","default":%d}}`, n), "")
		f["src/tools/a.ts"] = fmt.Sprintf("export default (args: any) => args.n === %d ? 'right' : 'the code of %d got the arguments of ' + args.n;", n, n)
		return f
	}
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0}}}`, map[string]files{"version-1": version(1), "version-2": version(2)})
	must(t, os.Mkdir(w.at("_packages"), 0o755))
	point(t, w.at("_packages/a"), w.at("version-1"))
	w.open()
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if got := w.tool(ada, "a", ""); got != "right" {
					t.Error(got)
					return
				}
			}
		})
	}
	for i := range 10 {
		// In one step, so that no scan finds half of a package.
		point(t, w.at("_packages/a"), w.at(fmt.Sprint("version-", 1+(i+1)%2)))
		if got := w.rescan(); got != "~a" {
			t.Errorf("changed: %q", got)
		}
	}
	close(stop)
	callers.Wait()
}

// point lets a path be a link to a folder from one moment to the next.
func point(t testing.TB, at, to string) {
	t.Helper()
	must(t, os.Symlink(to, to+".link"))
	must(t, os.Rename(to+".link", at))
}

func TestReconfigure(t *testing.T) {
	token := "a token that is long enough"
	w := newWorld(t, `{"users": [{"id": "ada", "role": "member", "tokenEnv": "ADA"}], "roles": {"member": {"features": ["a.use"]}}}`, map[string]files{
		"_packages/a": {
			"package.json":   pkg("a", wasm+`,"requires":{"accessFeature":"a.use"},"features":[{"id":"a.use","title":"Use"}]`),
			"tools/a.json":   tool("", ""),
			"src/tools/a.ts": "export default () => 'x'.repeat(3000);",
		},
		"more/b": says("b", "b"),
	})
	w.env["ADA"] = token
	w.open()
	who, ok := w.Authenticate(token)
	if !ok || who.UserID != "ada" || !who.Has("a.use") {
		t.Fatalf("got %+v, %t", who, ok)
	}
	if _, ok := w.Authenticate(token + "."); ok {
		t.Error("another token was taken")
	}
	if got := w.tool(who, "a", ""); len(got) != 3000 {
		t.Errorf("got %.200s", got)
	}
	started := w.States()[0].Health.Started

	reconfigure := func(text string) string {
		t.Helper()
		changes, err := w.Reconfigure(t.Context(), w.load(text))
		if err != nil {
			return err.Error()
		}
		return changed(changes)
	}
	const (
		users   = `"users": [{"id": "ada", "role": "member", "tokenEnv": "ADA"}], "roles": {"member": {"features": ["a.use"]}}`
		another = `"users": [{"id": "eve", "role": "guest", "tokenEnv": "EVE"}, {"id": "ada", "role": "guest", "tokenEnv": "ADA"}], "roles": {"guest": {}}`
	)
	// What is refused changes nothing.
	before := w.Config()
	for _, test := range []struct{ name, config, want string }{
		{"the dataDir", `{` + users + `, "dataDir": "elsewhere"}`, "dataDir cannot change"},
		{"the globalDir", `{` + users + `, "globalDir": "elsewhere"}`, "globalDir cannot change"},
		{"the key", `{` + users + `, "credentials": {"keyFile": "elsewhere"}}`, "credentials.keyFile cannot change"},
		{"the project", `{` + users + `, "projectId": "another"}`, "projectId cannot change"},
		{"a token that is not there", `{` + another + `, "sources": [{"id": "more", "path": "more", "recognizesPackages": true}]}`, "EVE, which is not set"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := reconfigure(test.config); !strings.Contains(got, test.want) {
				t.Errorf("got %s", got)
			}
			again, ok := w.Authenticate(token)
			if w.Config() != before || !ok || again.Role != "member" || !again.Has("a.use") || w.tool(ada, "b", "")[:12] != "unknown-tool" {
				t.Errorf("something has changed: %+v", again)
			}
		})
	}
	if _, err := w.Reconfigure(t.Context(), nil); err == nil {
		t.Error("no config was taken")
	}

	// A source that is flagged, and limits that count at once.
	if got := reconfigure(`{` + users + `, "sources": [{"id": "more", "path": "more", "recognizesPackages": true}], "limits": {"untrusted": {"maxResultBytes": 2000}}}`); got != "+b +source.more" {
		t.Errorf("changed: %s", got)
	}
	if got := w.tool(ada, "b", ""); got != "b" {
		t.Error(got)
	}
	if got := w.tool(who, "a", ""); !strings.HasPrefix(got, "result-too-large") {
		t.Errorf("got %.200s", got)
	}
	if now := w.States()[0].Health.Started; now != started {
		t.Errorf("%d instances were made for a limit that does not concern them", now-started)
	}
	// Memory is the instances' own: the package is loaded again.
	if got := reconfigure(`{` + users + `, "limits": {"untrusted": {"memoryMiB": 32}}}`); got != "-b -source.more" {
		t.Errorf("changed: %s", got)
	}
	if health := w.States()[0].Health; health.Instances != 0 || !health.Ready {
		t.Errorf("the instances have the memory they had: %+v", health)
	}
	if got := w.tool(who, "a", ""); len(got) != 3000 {
		t.Errorf("got %.200s", got)
	}
	// Users, their roles and tokens.
	w.env["EVE"], w.env["ADA"] = "another token, of eve's", "ada has another token now"
	if got := reconfigure(`{` + another + `}`); got != "" {
		t.Errorf("changed: %s", got)
	}
	if who, ok := w.Authenticate(token); ok {
		t.Errorf("the token of before is still %+v's", who)
	}
	who, ok = w.Authenticate(w.env["ADA"])
	if !ok || who.Role != "guest" || who.Has("a.use") {
		t.Errorf("got %+v, %t", who, ok)
	}
	if got := w.tool(who, "a", ""); !strings.HasPrefix(got, "feature-required") {
		t.Errorf("got %s", got)
	}
	if who, ok := w.Authenticate(w.env["EVE"]); !ok || who.UserID != "eve" {
		t.Errorf("got %+v, %t", who, ok)
	}
	if _, err := w.Session("bob"); err == nil {
		t.Error("there is no bob")
	}
}

// No reload gives more trust; a new host does.
func TestTrustIsNotRaised(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/a": {
		"package.json":      pkg("a", wasm),
		"tools/a.json":      tool("", ""),
		"src/tools/a.ts":    "export default async (_: unknown, ctx: any) => (await ctx.callRoute('GET', 'a/r')).status;",
		"src/routes/r.ts":   "export const pattern = 'r'; export const GET = () => ({ status: 200 });",
		"docs/about.md":     "# About\n",
		"skills/x/SKILL.md": "---\nname: x\ndescription: What x is.\n---\n",
	}}).open()
	tier := func() trust.Tier {
		t.Helper()
		for _, e := range w.Catalog().All() {
			if e.Dir == w.at("_packages/a") {
				return e.Tier
			}
		}
		t.Fatal("the package is not there")
		return ""
	}
	refused := "handler-error: HostError: callRoute is for packages that are trusted"
	if got := w.tool(ada, "a", ""); !strings.HasPrefix(got, refused) {
		t.Error(got)
	}
	raised := w.load(`{"trust": {"a": "trusted"}}`)
	if changes, err := w.Reconfigure(t.Context(), raised); err != nil || changes.Any() {
		t.Errorf("got %+v, %v", changes, err)
	}
	if got := w.tool(ada, "a", ""); tier() != trust.Untrusted || !strings.HasPrefix(got, refused) {
		t.Errorf("%s: %s", tier(), got)
	}
	e, _ := w.Catalog().Entry(ada, "a")
	if text := e.Diagnostics.Error(); !strings.Contains(text, "stays untrusted") {
		t.Errorf("nobody is told: %s", text)
	}
	// Nor does another version of the package, nor its absence for a while.
	next := says("a", "next")
	put(t, w.at("_packages/a"), next)
	w.rescan()
	if tier() != trust.Untrusted {
		t.Errorf("got %s", tier())
	}
	must(t, os.WriteFile(w.at("_packages/a/package.json"), []byte("{"), 0o644))
	w.rescan()
	put(t, w.at("_packages/a"), next)
	w.rescan()
	if tier() != trust.Untrusted {
		t.Errorf("got %s", tier())
	}
	// Taking trust away counts at once.
	other := newWorld(t, `{"trust": {"a": "trusted"}}`, map[string]files{"_packages/a": {
		"package.json":    pkg("a", wasm),
		"tools/a.json":    tool("", ""),
		"src/tools/a.ts":  "export default async (_: unknown, ctx: any) => (await ctx.callRoute('GET', 'a/r')).status;",
		"src/routes/r.ts": "export const pattern = 'r'; export const GET = () => ({ status: 200 });",
	}}).open()
	if got := other.tool(ada, "a", ""); got != "200" {
		t.Error(got)
	}
	if changes, err := other.Reconfigure(t.Context(), other.load("{}")); err != nil || changed(changes) != "~a" {
		t.Errorf("got %+v, %v", changes, err)
	}
	if got := other.tool(ada, "a", ""); !strings.HasPrefix(got, refused) {
		t.Error(got)
	}
}

func TestClose(t *testing.T) {
	w := newWorld(t, `{"trust": {"caller": "trusted"}}`, map[string]files{
		"_packages/a": waits("a", "a"),
		"_packages/caller": {
			"package.json":         pkg("caller", wasm),
			"tools/caller.json":    tool("", ""),
			"src/tools/caller.ts":  "export default async (_: unknown, ctx: any) => { ctx.logger.info('waiting'); return (await ctx.callRoute('GET', 'caller/r')).body; };",
			"src/routes/caller.ts": "export const pattern = 'r'; export const GET = () => ({ status: 200, body: 'from the route' });",
		},
		"_packages/plain": {"package.json": pkg("plain", ""), "tools/plain.json": tool("", "")},
	})
	g := w.gate("waiting")
	w.open()
	answers := make(chan string, 2)
	for _, name := range []string{"a", "caller"} {
		go func() { answers <- w.tool(ada, name, "") }()
		<-g.entered
	}
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if err := w.Close(ended); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("with calls in flight: %v", err)
	}
	if w.Ready() == nil {
		t.Error("it is ready")
	}
	for what, got := range map[string]string{
		"tool": w.tool(ada, "a", ""), "route": w.route(ada, "caller/r"),
		"declarative": w.tool(ada, "plain", ""),
	} {
		if !strings.Contains(got, "runtime-unavailable") {
			t.Errorf("a %s: %s", what, got)
		}
	}
	if got := w.tool(ada, "a", ""); got != "runtime-unavailable: nothing runs the code of the package a: the host is stopping" {
		t.Error(got)
	}
	if _, fault := w.CallAPI(t.Context(), ada, "a", "x", nil); fault == nil || fault.Code != dispatch.CodeRuntimeUnavailable {
		t.Errorf("an API: %v", fault)
	}
	if _, err := w.Rescan(t.Context()); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("a rescan: %v", err)
	}
	if _, err := w.Reconfigure(t.Context(), w.Config()); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("another config: %v", err)
	}
	closed := make(chan error)
	go func() { closed <- w.Close(context.Background()) }()
	close(g.let)
	if err := <-closed; err != nil {
		t.Errorf("the second Close: %v", err)
	}
	for range 2 {
		got := <-answers
		if got != "a" && got != "from the route" && !strings.Contains(got, "stopping") && !strings.Contains(got, "stopped") {
			t.Errorf("a call that was in flight: %s", got)
		}
	}
	for range 2 {
		if err := w.Close(ended); err != nil {
			t.Errorf("closed already: %v", err)
		}
	}
}

// While Close waits, calls in flight finish, with what they call.
func TestCloseFinishesCalls(t *testing.T) {
	w := newWorld(t, `{"trust": {"caller": "trusted"}}`, map[string]files{"_packages/caller": {
		"package.json":        pkg("caller", wasm),
		"tools/caller.json":   tool("", ""),
		"src/tools/caller.ts": "export default async (_: unknown, ctx: any) => { ctx.logger.info('waiting'); return (await ctx.callRoute('GET', 'other/r')).body; };",
	}, "_packages/other": {
		"package.json":    pkg("other", wasm),
		"src/routes/r.ts": "export const pattern = 'r'; export const GET = () => ({ status: 200, body: 'from the route' });",
	}})
	g := w.gate("waiting")
	w.open()
	answer := make(chan string)
	go func() { answer <- w.tool(ada, "caller", "") }()
	<-g.entered
	closed := make(chan error)
	go func() { closed <- w.Close(context.Background()) }()
	for w.Ready() == nil { // until it lets no more in
	}
	close(g.let)
	if got := <-answer; got != "from the route" {
		t.Errorf("the call in flight: %s", got)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// Close does not wait longer than it may for a rescan, and a rescan does not wait for Close.
func TestCloseDuringRescan(t *testing.T) {
	f := wholeTool("a", "a")
	f["src/lifecycle.ts"] = "export const init = (ctx: any) => ctx; export const start = (ctx: any) => { ctx.logger.info('starting'); };"
	w := newWorld(t, "", nil)
	g := w.gate("starting")
	w.open()
	w.Start(t.Context())
	put(t, w.at("_packages/a"), f)
	rescanned := make(chan string)
	go func() {
		changes, err := w.Rescan(context.Background())
		rescanned <- fmt.Sprint(changed(changes), err)
	}()
	<-g.entered
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if err := w.Close(ended); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
	if _, err := w.Rescan(ended); err == nil {
		t.Error("a rescan that may not wait")
	}
	close(g.let)
	if got := <-rescanned; got != "+a<nil>" {
		t.Errorf("the rescan: %s", got)
	}
	if err := w.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// Rescans, other configs, calls and Close at the same time, for the race detector.
func TestAtTheSameTime(t *testing.T) {
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0}}}`, map[string]files{"_packages/a": says("a", "a"), "_packages/b": says("b", "b")}).open()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 20 {
				if got := w.tool(ada, "a", ""); got != "a" && !strings.Contains(got, "the host is stopping") {
					t.Error(got)
				}
			}
		})
		all.Go(func() {
			w.States()
			w.SessionAs("owner", "*")
			c := w.load(fmt.Sprintf(`{"limits": {"untrusted": {"toolsPerMinute": 0, "memoryMiB": %d}}}`, 32+32*(i%2)))
			if _, err := w.Reconfigure(context.Background(), c); err != nil && !strings.Contains(err.Error(), "stopping") {
				t.Error(err)
			}
			if i == 3 {
				if err := w.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestAdmin(t *testing.T) {
	w := newWorld(t, `{"users": [{"id": "ada", "role": "admin"}, {"id": "eve", "role": "member"}], "roles": {"admin": {"admin": true}, "member": {}}}`, nil).open()
	for _, test := range []struct {
		who  session.Session
		want bool
	}{
		{ada, true}, {eve, false}, {session.Session{}, false}, {session.Session{UserID: "nobody", Role: "admin"}, false},
		{session.Session{UserID: "ada", CallerID: "a"}, false}, // a package that acts for her
	} {
		if got := w.Admin(test.who); got != test.want {
			t.Errorf("%+v: %t", test.who, got)
		}
	}
}
