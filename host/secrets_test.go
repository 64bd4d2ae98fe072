package host_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/credentials"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

const secret = "sk-live-0123456789"

// keep enters a credential as neuralis credentials does.
func (w *world) keep(ref credentials.Ref, value string, packages ...string) {
	w.Helper()
	c := w.load(w.config)
	store, err := credentials.Open(credentials.Options{Dir: filepath.Join(c.GlobalDir, "credentials"), KeyFile: c.Credentials.KeyFile})
	must(w, err)
	must(w, store.Set(w.Context(), ref, credentials.NewSecret(value), packages...))
}

// leaky is a package that does everything with its secret that it should not.
func leaky() files {
	return files{
		"package.json":    pkg("leaky", wasm+`,"credentials":[{"id":"acme.key","title":"Key","scopes":["project","user","global"]}]`),
		"tools/leak.json": tool("", ""),
		"src/tools/leak.ts": `
export default async function (args: { how: string }, ctx: any): Promise<any> {
  const key = await ctx.credentials.resolveCredential('acme.key');
  switch (args.how) {
    case 'message': ctx.logger.info('the key is ' + key); break;
    case 'fields': ctx.logger.warn('fields', { deep: { list: ['a', key] }, ['name ' + key]: 1, password: 'hunter2' }); break;
    case 'console': console.log('key', { key }); console.error(key); break;
    case 'error': ctx.logger.error('failed', new Error('with ' + key)); break;
    case 'throw': throw new Error('thrown ' + key);
    case 'length': return key === undefined ? 'none' : 'has ' + key.length;
    case 'others': return String(await ctx.credentials.resolveCredential('acme.other'));
    case 'store': await ctx.data.fileStore('mine').put('x', { key }); break;
  }
  return 'done';
}`,
		"src/lifecycle.ts": `
export const init = (ctx: any) => ({ ctx });
export async function start(state: any) { throw new Error('start with ' + await state.ctx.credentials.resolveCredential('acme.key')); }
`,
	}
}

func TestSecretsAreInNoLog(t *testing.T) {
	w := newWorld(t, `{"debug": true, "projectId": "p"}`, map[string]files{"_packages/leaky": leaky(), "_packages/other": func() files {
		f := leaky()
		f["package.json"] = strings.ReplaceAll(pkg("other", wasm), "leaky", "other")
		f["tools/leak2.json"], f["src/tools/leak2.ts"] = f["tools/leak.json"], f["src/tools/leak.ts"]
		delete(f, "tools/leak.json")
		delete(f, "src/tools/leak.ts")
		delete(f, "src/lifecycle.ts")
		return f
	}()})
	w.keep(credentials.Ref{Scope: credentials.ScopeGlobal, ID: "acme.key"}, secret)
	w.open()
	w.Start(t.Context()) // whose error is the operator's to know
	for _, how := range []string{"message", "fields", "console", "error", "throw", "length"} {
		got := w.tool(ada, "leak", `{"how":"`+how+`"}`)
		if want := map[string]string{"throw": "handler-error: ", "length": "has 18"}[how]; want != "" && !strings.HasPrefix(got, want) || want == "" && got != "done" {
			t.Errorf("%s: %s", how, got)
		}
	}
	if got := w.tool(ada, "leak", `{"how":"others"}`); got != "undefined" {
		t.Errorf("a credential that is not declared: %s", got)
	}
	if got := w.tool(ada, "leak2", `{"how":"length"}`); got != "none" {
		t.Errorf("a package that does not declare it: %s", got)
	}
	kept := strings.Join(w.kept(), "\n")
	for what, text := range map[string]string{
		"the operator's log": w.log.String(), "what is told of lines": kept, "the files of the host": everything(t, w.at("_data")) + everything(t, w.at("_global")),
	} {
		if strings.Contains(text, secret) {
			t.Errorf("%s has the secret:\n%s", what, text)
		}
	}
	for _, masked := range []string{"info the key is [secret]", `warn fields {"deep":{"list":["a","[secret]"]},"name [secret]":1,"password":"[secret]"}`} {
		if !strings.Contains(kept, masked) {
			t.Errorf("%q is not in\n%s", masked, kept)
		}
	}
	if text := w.log.String(); !strings.Contains(text, "hook=start") || !strings.Contains(text, "start with [secret]") {
		t.Errorf("the operator is not told: %s", text)
	}
	log, err := os.ReadFile(w.at("_data/logs/leaky.jsonl"))
	must(t, err)
	for line := range strings.Lines(string(log)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}

// The nearest credential counts that the package may have, and each caller gets their own.
func TestCredentialsOfCallers(t *testing.T) {
	w := newWorld(t, `{"projectId": "p"}`, map[string]files{"_packages/leaky": leaky()})
	w.keep(credentials.Ref{Scope: credentials.ScopeUser, Owner: "ada", ID: "acme.key"}, "adas-key")
	w.keep(credentials.Ref{Scope: credentials.ScopeUser, Owner: "bob", ID: "acme.key"}, "bobs-longer-key", "another")
	w.open()
	for user, want := range map[string]string{"ada": "has 8", "bob": "none", "eve": "none", "": "none"} {
		if got := w.tool(session.Session{UserID: user, ProjectID: "p"}, "leak", `{"how":"length"}`); got != want {
			t.Errorf("%q: %s", user, got)
		}
	}
	w.keep(credentials.Ref{Scope: credentials.ScopeProject, Owner: "p", ID: "acme.key"}, "the-projects-own-key")
	if got := w.tool(ada, "leak", `{"how":"length"}`); got != "has 20" {
		t.Errorf("of the project: %s", got)
	}
	must(t, os.Chmod(w.load(w.config).Credentials.KeyFile, 0o644))
	if got := w.tool(ada, "leak", `{"how":"length"}`); got != "none" || !strings.Contains(w.log.String(), "a credential cannot be read") {
		t.Errorf("with a key that others may read: %s\n%s", got, w.log.String())
	}
}

// Each access to a route of a package that is not first-party leaves a line, with who called and for whom.
func TestAudit(t *testing.T) {
	w := newWorld(t, `{"projectId": "p", "builtins": ["builtin"], "trust": {"trusted": "trusted"},
		"users": [{"id": "ada", "role": "member"}], "roles": {"member": {}}}`,
		map[string]files{
			"builtin/core":    whole("core", ""),
			"_packages/plain": whole("plain", ""),
			"_packages/trusted": {
				"package.json":         pkg("trusted", wasm),
				"tools/trusted.json":   tool("", ""),
				"src/tools/trusted.ts": "export default async (_: unknown, ctx: any) => (await ctx.callRoute('GET', 'plain-r/2?x=1')).status + ' ' + (await ctx.callRoute('GET', 'core-r/1')).status;",
			},
		}).open()
	who, err := w.Session("ada")
	must(t, err)
	ctx := dispatch.WithRequest(t.Context(), "req-1")
	get := func(who session.Session, path, query string) int {
		return w.CallRoute(ctx, who, dispatch.Request{Method: "GET", Path: path, RawQuery: query, Header: map[string][]string{"Authorization": {"Bearer " + secret}}}).Status
	}
	if a, b, c, d := get(who, "core-r/1", ""), get(who, "plain-r/1", "token="+secret), get(eve, "plain-r/1", ""), get(who, "nothing", ""); a != 200 || b != 200 || c != 403 || d != 404 {
		t.Errorf("got %d %d %d %d", a, b, c, d)
	}
	if got := toolText(w.CallTool(ctx, who, "trusted", nil)); got != "200 200" {
		t.Error(got)
	}
	text, err := os.ReadFile(w.at("_data/audit/routes.jsonl"))
	must(t, err)
	if strings.Contains(string(text), secret) {
		t.Errorf("the audit has what is secret: %s", text)
	}
	type line struct {
		Package, Tier, Method, Path, Pattern, Code, Request string
		Status                                              int
		Caller                                              session.Session
	}
	var lines []line
	for text := range strings.Lines(string(text)) {
		var l line
		must(t, json.Unmarshal([]byte(text), &l))
		lines = append(lines, l)
	}
	if len(lines) != 3 {
		t.Fatalf("%d lines: %s", len(lines), text)
	}
	for i, want := range []line{
		{"plain", "untrusted", "GET", "plain-r/1", "plain-r/:x", "", "req-1", 200, session.Session{UserID: "ada", ProjectID: "p", Role: "member"}},
		{"plain", "untrusted", "GET", "plain-r/1", "plain-r/:x", "feature-required", "req-1", 403, session.Session{UserID: "eve", ProjectID: "p"}},
		{"plain", "untrusted", "GET", "plain-r/2", "plain-r/:x", "", "req-1", 200, session.Session{UserID: "ada", ProjectID: "p", Role: "member", CallerID: "trusted", CallerTrust: trust.Trusted}},
	} {
		got := lines[i]
		gotCaller, wantCaller := got.Caller, want.Caller
		got.Caller, want.Caller = session.Session{}, session.Session{}
		a, _ := json.Marshal([]any{got, gotCaller})
		b, _ := json.Marshal([]any{want, wantCaller})
		if string(a) != string(b) {
			t.Errorf("line %d is %s; want %s", i, a, b)
		}
	}
	if _, err := os.Stat(w.at("_data/audit")); err != nil {
		t.Error(err)
	}
}
