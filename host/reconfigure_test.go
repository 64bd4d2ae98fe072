package host_test

import (
	"os"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

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
