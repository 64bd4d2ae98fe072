package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/session"
)

// wrong is a package whose tool does wrong in the way it is told to.
func wrong(id string) files {
	return files{
		"package.json":            pkg(id, wasm),
		"tools/" + id + ".json":   tool("", ""),
		"src/tools/" + id + ".ts": wrongTool,
		"src/routes/deeper.ts": `
export const pattern = 'deeper/:id/:n';
export async function GET(req: any, ctx: any) {
  if (req.params.n === '0') return { status: 200, body: 'the bottom, for ' + ctx.session.userId + ' from ' + ctx.session.callerId + ', ' + ctx.session.callerTrust };
  const r = await ctx.callRoute('GET', 'deeper/' + req.params.id + '/' + (req.params.n - 1));
  return { status: r.status, body: r.rawBody };
}`,
		"src/lifecycle.ts": `
export const init = () => ({});
export const api = () => ({ echo: (...args: any[]) => args, type: (a: any) => typeof a + ' ' + String(a && a.polluted) });`,
	}
}

const wrongTool = `
export default async function (args: any, ctx: any): Promise<any> {
  switch (args.how) {
    case 'loop': for (;;) {}
    case 'promises': for (;;) await null;
    case 'sleep': await new Promise((done) => setTimeout(done, 1e8)); return 'awake';
    case 'recurse': { const f = (n: number): number => f(n + 1) + 1; return f(0); }
    case 'memory': { const all: any[] = []; for (;;) all.push(new Uint8Array(1e6).fill(1)); }
    case 'strings': { let s = 'x'; for (;;) s += s; }
    case 'large': return 'x'.repeat(100 << 20);
    case 'over': return 'x'.repeat(5 << 20);
    case 'undefined': throw undefined;
    case 'null': throw null;
    case 'object': throw { toString() { throw new Error('no text either'); } };
    case 'cycle': { const a: any = { b: {} }; a.b.c = a; return a; }
    case 'toJSON': return { toJSON() { throw new Error('no JSON'); } };
    case 'getter': return { get x() { throw new Error('no x'); } };
    case 'deep': { let a: any = 1; for (let i = 0; i < 3_000; i++) a = [a]; return a; }
    case 'content': return { content: [{ type: 'nonsense', text: 'dropped' }, { type: 'text', text: 'kept' }] };
    case 'flood': for (let i = 0; i < 2_000; i++) ctx.logger.info('line ' + i + ' ' + 'x'.repeat(100)); return 'flooded';
    case 'long': ctx.logger.info('x'.repeat(5e6), { y: 'y'.repeat(5e6) }); return 'logged';
    case 'forge': console.log('a\n{"level":"error","message":"forged"}\u001b[2J'); return 'logged';
    case 'lock': return ctx.data.fileStore('s').update('held', () => { for (;;) {} });
    case 'unlock': return ctx.data.fileStore('s').update('held', (old: any) => (old ?? 0) + 1);
    case 'globals': (Array.prototype as any).map = (Promise.prototype as any).then = (Object.prototype as any).toJSON = () => 'poisoned'; return 'poisoned';
    case 'route': { const r = await ctx.callRoute('GET', 'deeper/' + args.id + '/' + args.n); return r.status + ' ' + r.rawBody; }
    case 'api': return ctx.getPackageApi(args.id, ctx.session).echo(args.n);
  }
  return JSON.stringify(args);
}
`

// Whatever a package does, the call has an answer, the next one too, and other packages notice nothing.
func TestFaultsOfGuests(t *testing.T) {
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0}}}`, map[string]files{"_packages/wrong": wrong("wrong"), "_packages/good": says("good", "good")}).open()
	fast := w.load(`{"limits": {"untrusted": {"toolsPerMinute": 0, "deadlineMs": 200}}}`)
	slow := w.Config()
	for _, test := range []struct {
		how  string
		want string // what the answer begins with
		fast bool   // whether the deadline comes soon
	}{
		{"loop", "deadline-exceeded: ", true},
		{"promises", "deadline-exceeded: ", true},
		{"sleep", "deadline-exceeded: ", true},
		{"lock", "deadline-exceeded: ", true},
		{"recurse", "handler-error: RangeError: ", false},
		{"memory", "out-of-memory: ", false},
		{"strings", "out-of-memory: |handler-error: ", false},
		{"large", "out-of-memory: ", false},
		{"over", "result-too-large: ", false},
		{"undefined", "handler-error: ", false},
		{"null", "handler-error: ", false},
		{"object", "handler-error: ", false},
		{"cycle", "handler-error: ", false},
		{"toJSON", "handler-error: ", false},
		{"getter", "handler-error: ", false},
		{"deep", "handler-error: |result-too-large: |[[[[", false},
		{"content", "kept", false},
		{"flood", "flooded", false},
		{"long", "logged", false},
		{"forge", "logged", false},
		{"unlock", "1", false},
		{"route", "handler-error: HostError: callRoute is for packages that are trusted", false},
		{"api", "handler-error: HostError: getPackageApi is for packages that are trusted", false},
		{"nothing", `{"how":"nothing"}`, false},
		{"globals", "", false}, // the last one, as it makes a fool of its own package
	} {
		t.Run(test.how, func(t *testing.T) {
			c := slow
			if test.fast {
				c = fast
			}
			if _, err := w.Reconfigure(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			w.tool(ada, "wrong", "") // so that the module is loaded
			got := w.tool(ada, "wrong", fmt.Sprintf(`{"how":%q}`, test.how))
			fits := false
			for want := range strings.SplitSeq(test.want, "|") {
				fits = fits || strings.HasPrefix(got, want)
			}
			if !fits {
				t.Errorf("got %.300s", got)
			}
			if _, err := w.Reconfigure(t.Context(), slow); err != nil {
				t.Fatal(err)
			}
			if got := w.tool(ada, "wrong", `{"a":[1]}`); got != `{"a":[1]}` && test.how != "globals" {
				t.Errorf("the next call: %.300s", got)
			}
			if got := w.tool(ada, "good", ""); got != "good" {
				t.Errorf("another package: %.300s", got)
			}
			for _, s := range w.States() {
				if s.Health.Instances != s.Health.Idle || s.Health.Waiting != 0 || !s.Health.Ready {
					t.Errorf("%s: %+v", s.Key, s.Health)
				}
			}
		})
	}
	// What it logged is bounded, and each line is one.
	text, err := os.ReadFile(w.at("_data/logs/wrong.jsonl"))
	must(t, err)
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if !json.Valid([]byte(line)) || len(line) > logs.MaxLineBytes+1 {
			t.Errorf("no line: %.200s", line)
		}
	}
	if n > 600 || n != len(w.kept()) {
		t.Errorf("%d lines are written, and %d were told", n, len(w.kept()))
	}
	if log := w.log.String(); strings.Contains(log, "panic") {
		t.Errorf("the operator's log: %s", log)
	}
}

// Packages that are trusted call each other as the caller, with every gate again.
func TestCallingEachOther(t *testing.T) {
	w := newWorld(t, `{"trust": {"one": "trusted", "two": "trusted", "closed": "trusted"}, "limits": {"trusted": {"routesPerMinute": 30}}}`,
		map[string]files{"_packages/one": wrong("one"), "_packages/two": wrong("two"), "_packages/closed": {
			"package.json":    pkg("closed", wasm+`,"requires":{"accessFeature":"closed.use"}`),
			"src/routes/r.ts": "export const pattern = 'deeper/closed/:n'; export const GET = () => ({ status: 200 });",
		}})
	now, mu := time.Unix(1e9, 0), sync.Mutex{}
	w.options.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	w.open()
	for _, test := range []struct{ name, tool, args, want string }{
		{"itself", "one", `{"how":"route","id":"x","n":0}`, "200 the bottom, for ada from one, trusted"},
		{"itself, and again", "one", `{"how":"route","id":"x","n":7}`, "200 the bottom, for ada from one, trusted"},
		{"itself, too deep", "one", `{"how":"route","id":"x","n":8}`, "508 "},
		{"itself, for ever", "one", `{"how":"route","id":"x","n":1000000}`, "508 "},
		{"what needs a feature", "one", `{"how":"route","id":"closed","n":0}`, "403 "},
		{"another's API", "one", `{"how":"api","id":"two","n":5}`, "[5]"},
		{"the API of nothing", "one", `{"how":"api","id":"nothing","n":5}`, `handler-error: HostError: there is no package "nothing"`},
		{"the API of one that is closed", "one", `{"how":"api","id":"closed","n":5}`, "handler-error: HostError: the API of the package closed needs the feature closed.use"},
	} {
		t.Run(test.name, func(t *testing.T) {
			mu.Lock()
			now = now.Add(time.Hour)
			mu.Unlock()
			if got := w.tool(ada, test.tool, test.args); !strings.HasPrefix(got, test.want) {
				t.Errorf("got %s", got)
			}
		})
	}
	// What they call counts against the limits of those that are called.
	mu.Lock()
	now = now.Add(time.Hour)
	mu.Unlock()
	answers := map[string]int{}
	for range 6 {
		answers[w.tool(ada, "one", `{"how":"route","id":"x","n":6}`)[:3]]++ // seven requests each
	}
	if answers["200"] != 4 || answers["429"] != 2 {
		t.Errorf("got %v", answers)
	}
}

// What is no arguments does not reach a package, by whichever way it comes.
func TestFaultsOfArguments(t *testing.T) {
	f := wrong("wrong")
	f["src/tools/wrong.ts"] = "export default (args: any, ctx: any) => { ctx.logger.info('reached'); return JSON.stringify(args); };"
	f["src/lifecycle.ts"] = "export const init = (ctx: any) => ctx; export const api = (state: any) => ({ echo: (...args: any[]) => { state.logger.info('reached'); return args; } });"
	f["src/routes/deeper.ts"] = "export const pattern = 'body'; export const POST = (req: any) => ({ status: 200, body: typeof req.body + ' ' + (req.rawBody ?? '').length });"
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0, "routesPerMinute": 0}}}`, map[string]files{"_packages/wrong": f}).open()
	for _, test := range []struct{ name, args, in string }{
		{"not JSON", `{a:1}`, "not JSON"},
		{"half of it", `{"a":`, "not JSON"},
		{"two values", `{} {}`, "not JSON"},
		{"10 MB", `{"a":"` + strings.Repeat("x", 10<<20) + `"}`, "at most 8388608 are allowed"},
		{"10,000 levels", `{"a":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`, "nested"},
		{"10,000 levels that never end", `{"a":` + strings.Repeat("[", 10_000), "nested"},
		{"NaN", `{"a":NaN}`, "not JSON"},
		{"infinity", `{"a":1e999}`, "out of range"},
		{"a large exponent", `{"a":1e999999999}`, "out of range"},
		{"a lone surrogate", `{"a":"\ud800"}`, "surrogate"},
		{"a lone surrogate as a name", `{"\udc00":1}`, "surrogate"},
		{"bytes that are no text", "{\"a\":\"\xff\xfe\"}", "UTF-8"},
		{"a surrogate as bytes", "{\"a\":\"\xed\xa0\x80\"}", "UTF-8"},
		{"__proto__", `{"__proto__":{"polluted":1}}`, "__proto__"},
		{"__proto__ in it", `{"a":[{"b":{"__proto__":{"polluted":1}}}]}`, "__proto__"},
		{"__proto__ in other letters", `{"\u005f_proto__":{"polluted":1}}`, "__proto__"},
		{"another value", `"text"`, "not a JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := w.CallTool(t.Context(), ada, "wrong", json.RawMessage(test.args))
			if r.Err == nil || r.Err.Code != dispatch.CodeInvalidArguments || !strings.Contains(r.Err.Message, test.in) || len(r.Err.Message) > 500 {
				t.Errorf("a tool: %.300v", r.Err)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("the answer is no JSON: %v", err)
			}
			list := "[" + test.args + "]"
			if test.name == "another value" {
				list = test.args
			}
			_, fault := w.CallAPI(t.Context(), ada, "wrong", "echo", json.RawMessage(list))
			if fault == nil || fault.Code != dispatch.CodeInvalidArguments || !strings.Contains(fault.Message, test.in) {
				t.Errorf("an API: %.300v", fault)
			}
		})
	}
	if got := w.kept(); len(got) != 0 {
		t.Errorf("the package was reached: %v", got)
	}
	// What is odd and not wrong arrives as it is.
	for args, want := range map[string]string{
		``: `{}`, `null`: `{}`, ` {} `: `{}`,
		`{"a":"\ud83d\ude00\u0000","constructor":1,"toString":null}`: `{"a":"😀\u0000","constructor":1,"toString":null}`,
		`{"a":-0,"b":1e-400}`: `{"a":0,"b":0}`,
	} {
		if got := w.tool(ada, "wrong", args); got != want && !strings.HasPrefix(got, "invalid-arguments: ") {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got, fault := w.CallAPI(t.Context(), ada, "wrong", "echo", nil); fault != nil || string(got) != "[]" {
		t.Errorf("no arguments: %s, %v", got, fault)
	}
	// Bodies are the package's own to read: any bytes arrive, and none of them is a way out.
	for name, body := range map[string]string{"not JSON": "{a", "NaN": "NaN", "bytes": "\xff\xfe", "proto": `{"__proto__":{"polluted":1}}`, "deep": strings.Repeat("[", 10_000), "large": strings.Repeat("x", 5<<20)} {
		r := w.CallRoute(t.Context(), ada, dispatch.Request{Method: "POST", Path: "wrong/body", Body: []byte(body), Header: map[string][]string{"Content-Type": {"application/json"}}})
		if r.Status != 200 && r.Status != 400 {
			t.Errorf("a body, %s: %d %.300s", name, r.Status, r.Body)
		}
	}
	huge := w.CallRoute(t.Context(), ada, dispatch.Request{Method: "POST", Path: "wrong/body", Body: make([]byte, 100<<20)})
	if huge.Status != 413 {
		t.Errorf("a body of 100 MB: %d %.300s", huge.Status, huge.Body)
	}
	if got := w.tool(ada, "wrong", ""); got != "{}" {
		t.Error(got)
	}
}

// A thousand callers at once: exactly as many are let through as may be, each gets the answer to its own question, and
// nothing of them stays.
func TestAThousandCallers(t *testing.T) {
	f := wholeTool("a", "")
	f["src/tools/a.ts"] = "export default async (args: any, ctx: any) => { const n = await ctx.data.fileStore('s').update('n', (old: any) => (old ?? 0) + 1); await null; return args.n + ' ' + ctx.session.userId; };"
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 300, "deadlineMs": 600000}}}`, map[string]files{"_packages/a": f})
	instant := time.Unix(1e9, 0)
	w.options.Now = func() time.Time { return instant }
	w.options.MaxInstances = 4
	w.open()
	w.tool(session.Session{UserID: "first"}, "a", `{"n":"first"}`)
	before := runtime.NumGoroutine()
	var mu sync.Mutex
	answers := map[dispatch.Code]int{}
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			who := session.Session{UserID: fmt.Sprint("user", i)}
			r := w.CallTool(context.Background(), who, "a", json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)))
			code := dispatch.Code("")
			if r.Err != nil {
				code = r.Err.Code
			} else if got, want := toolText(r), fmt.Sprintf("%d user%d", i, i); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[code]++
		})
	}
	all.Wait()
	if answers[""] != 299 || answers[dispatch.CodeRateLimited] != 701 {
		t.Errorf("got %v", answers)
	}
	health := w.States()[0].Health
	if health.Instances != health.Idle || health.Instances > 4 || health.Waiting != 0 || health.Discarded != 0 {
		t.Errorf("got %+v", health)
	}
	if text, err := os.ReadFile(w.at("_data/packages/a/s/n.json")); err != nil || strings.TrimSpace(string(text)) != "300" {
		t.Errorf("counted %s, %v", text, err)
	}
	// Goroutines that have ended may take a moment to be gone, and the runtime frees memory on some of its own; what
	// callers leave would be hundreds.
	for i := 0; runtime.NumGoroutine() > before+10; i++ {
		if i == 10_000 {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, and %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.observed) != 1001 {
		t.Errorf("%d calls were observed", len(w.observed))
	}
}
