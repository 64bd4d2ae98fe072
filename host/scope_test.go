package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/session"
)

// whole is a package with something on every surface, called id everywhere.
func whole(id, more string) files {
	return files{
		"package.json":               pkg(id, wasm+`,"features":[{"id":"`+id+`.use","title":"Use"},{"id":"`+id+`.more","title":"More"}],"defaultRoleGrants":{"member":["`+id+`.use"]}`+more),
		"tools/" + id + "_t.json":    tool(`"required":["x"]`, `"feature":"`+id+`.use"`),
		"src/tools/" + id + "_t.ts":  "export default (_: unknown, ctx: any) => '" + id + " for ' + ctx.session.userId + ' from ' + (ctx.session.callerId ?? 'outside');",
		"src/routes/r.ts":            "export const pattern = '" + id + "-r/:x'; export const feature = '" + id + ".use'; export const GET = (req: any) => ({ status: 200, body: '" + id + " ' + req.params.x });",
		"src/lifecycle.ts":           "export const init = () => ({}); export const api = () => ({ add: (a: number, b: number) => a + b });",
		"skills/" + id + "/SKILL.md": "---\nname: " + id + "\ndescription: What " + id + " is.\n---\n",
	}
}

// A package of a user or an agent exists for its owner alone: for everybody else each surface answers as it answers
// about what nobody has.
func TestWhatIsSomebodysIsHidden(t *testing.T) {
	w := newWorld(t, `{
		"trust": {"caller": "trusted"},
		"sources": [
			{"id": "hers", "path": "hers", "recognizesPackages": true, "scope": "user", "owner": "ada"},
			{"id": "bots", "path": "bots", "recognizesPackages": true, "scope": "agent", "owner": "bot"}],
		"users": [{"id": "ada", "role": "member"}, {"id": "eve", "role": "member", "features": ["*"]}, {"id": "boss", "role": "admin"}],
		"roles": {"member": {}, "admin": {"admin": true, "features": ["*"]}}}`,
		map[string]files{
			"hers/notes":  whole("notes", ""),
			"bots/helper": whole("helper", ""),
			"_packages/caller": {
				"package.json":        pkg("caller", wasm),
				"tools/caller.json":   tool("", ""),
				"src/tools/caller.ts": "export default async (args: any, ctx: any) => args.api ? ctx.getPackageApi(args.api, ctx.session).add(1, 2) : ctx.callRoute('GET', args.route).then((r: any) => r.status + ' ' + r.rawBody);",
			},
		}).open()
	sessionOf := func(user, agent string) session.Session {
		t.Helper()
		if agent != "" {
			return w.SessionOf(host.Person{User: user, Agent: agent})
		}
		who, err := w.Session(user)
		must(t, err)
		return who
	}
	// answers is what a session is told of a package, on each surface.
	answers := func(who session.Session, id string) map[string]string {
		t.Helper()
		got := map[string]string{}
		result := w.CallTool(context.Background(), who, id+"_t", json.RawMessage(`{"x":1}`))
		raw, err := json.Marshal(result)
		must(t, err)
		got["tool"] = string(raw)
		raw, err = json.Marshal(w.CallTool(context.Background(), who, id+"_t", json.RawMessage(`not JSON`)))
		must(t, err)
		got["tool with faults"] = string(raw)
		for _, path := range []string{id + "/" + id + "-r/1", id + "-r/1", "/" + id + "/" + id + "-r/1"} {
			got["route "+strings.ReplaceAll(path, id, "ID")] = w.route(who, path)
		}
		r := w.CallRoute(context.Background(), who, dispatch.Request{Method: "DELETE", Package: id, Path: id + "-r/1"})
		got["route of the package"] = fmt.Sprint(r.Status, r.Header, string(r.Body))
		result2, fault := w.CallAPI(context.Background(), who, id, "add", json.RawMessage(`[1,2]`))
		got["API"] = fmt.Sprint(string(result2), fault)
		got["route of another package's"] = w.tool(who, "caller", fmt.Sprintf(`{"route":"%s/%s-r/1"}`, id, id))
		got["API of another package's"] = w.tool(who, "caller", fmt.Sprintf(`{"api":%q}`, id))
		_, there := w.Catalog().Entry(who, id)
		_, _, tool := w.Catalog().Tool(who, id+"_t")
		visible := 0
		for _, e := range w.Catalog().Visible(who) {
			if text, err := json.Marshal(e); err != nil || strings.Contains(string(text), id) || e.ID == id {
				visible++
			}
		}
		got["catalog"] = fmt.Sprint(there, tool, visible)
		got["features"] = fmt.Sprint(slices.DeleteFunc(slices.Clone(who.Features), func(f string) bool { return !strings.HasPrefix(f, id) }))
		for what, text := range got {
			got[what] = strings.ReplaceAll(text, id, "ID")
		}
		return got
	}
	for _, test := range []struct {
		name  string
		who   session.Session
		owned string
	}{
		{"a user, of another user's", sessionOf("eve", ""), "notes"},
		{"an admin", sessionOf("boss", ""), "notes"},
		{"nobody", session.Session{}, "notes"},
		{"an agent of another user", sessionOf("eve", "ada"), "notes"},
		{"a user, of an agent's", sessionOf("ada", ""), "helper"},
		{"another agent", sessionOf("ada", "bot2"), "helper"},
		{"a user called as the agent", session.Session{UserID: "bot"}, "helper"},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, got := answers(test.who, "nonsense"), answers(test.who, test.owned)
			for what := range want {
				if got[what] != want[what] {
					t.Errorf("%s: %s, and of what nobody has: %s", what, got[what], want[what])
				}
			}
		})
	}
	owner := answers(sessionOf("ada", ""), "notes")
	for what, want := range map[string]string{
		"tool": "ID for ada from outside", "tool with faults": "invalid-arguments", "route ID/ID-r/1": "200 ID 1", "route ID-r/1": "200 ID 1",
		"route of the package": "405", "API": "3", "route of another package's": "200 ID 1", "API of another package's": "3", "features": "[ID.use]",
	} {
		if !strings.Contains(owner[what], want) {
			t.Errorf("the owner's %s: %s", what, owner[what])
		}
	}
	if got := answers(sessionOf("ada", "bot"), "helper"); !strings.Contains(got["tool"], "ID for ada") || got["route ID-r/1"] != "200 ID 1" || got["features"] != "[ID.use]" {
		t.Errorf("the agent: %v", got)
	}
	// What it stores and logs is apart from the project's, and the audit names the owner.
	if log := everything(t, w.at("_data/audit")); !strings.Contains(log, `"package":"user/ada/notes"`) {
		t.Errorf("the audit: %s", log)
	}
}

// What somebody brings takes nothing from others: no tool, no route, no id, no feature.
func TestSomebodysPackageTakesNothing(t *testing.T) {
	mine := whole("shop", "")
	mine["src/tools/shop_t.ts"] = "export default () => 'theirs';"
	bag := files{
		"package.json":      pkg("bag", wasm+`,"features":[{"id":"shop.more","title":"Mine now"}],"defaultRoleGrants":{"member":["shop.more"]}`),
		"tools/shop_t.json": tool("", ""), "src/tools/shop_t.ts": "export default () => 'theirs';",
		"src/routes/r.ts": "export const pattern = 'shop-r/special'; export const GET = () => ({ status: 200, body: 'theirs' });",
	}
	w := newWorld(t, `{
		"sources": [{"id": "hers", "path": "hers", "recognizesPackages": true, "scope": "user", "owner": "ada"}],
		"users": [{"id": "ada", "role": "member"}, {"id": "eve", "role": "member"}], "roles": {"member": {}}}`,
		map[string]files{"_packages/shop": whole("shop", ""), "hers/shop": mine, "hers/bag": bag}).open()
	for _, user := range []string{"ada", "eve"} {
		who, err := w.Session(user)
		must(t, err)
		if got, want := w.tool(who, "shop_t", `{"x":1}`), "shop for "+user+" from outside"; got != want {
			t.Errorf("%s: %s", user, got)
		}
		if got := w.route(who, "shop-r/special"); got != "200 shop special" {
			t.Errorf("%s: %s", user, got)
		}
		if !who.Has("shop.use") || who.Has("shop.more") {
			t.Errorf("%s has %v", user, who.Features)
		}
		if e, ok := w.Catalog().Entry(who, "shop"); !ok || e.Key() != "shop" {
			t.Errorf("%s: %+v", user, e)
		}
	}
}

// Calls of one owner's package do not use up what another's may answer.
func TestLimitsArePerOwner(t *testing.T) {
	w := newWorld(t, `{
		"limits": {"untrusted": {"toolsPerMinute": 1}},
		"sources": [
			{"id": "hers", "path": "hers", "recognizesPackages": true, "scope": "user", "owner": "ada"},
			{"id": "his", "path": "his", "recognizesPackages": true, "scope": "user", "owner": "eve"}],
		"users": [{"id": "ada", "role": "member"}, {"id": "eve", "role": "member"}], "roles": {"member": {}}}`,
		map[string]files{"hers/n": says("n", "hers"), "his/n": says("n", "his")}).open()
	for _, test := range []struct {
		who  session.Session
		want string
	}{{ada, "hers"}, {eve, "his"}, {ada, "rate-limited"}, {eve, "rate-limited"}, {session.Session{}, "unknown-tool"}} {
		if got := w.tool(test.who, "n", ""); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s", test.who.UserID, got)
		}
	}
}
