package dispatch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// faulty is a tool that does wrong in the way it is told to.
const faulty = `
export default async function (args: { how?: string; n?: number }, ctx: any): Promise<any> {
  switch (args.how) {
    case 'loop': for (;;) {}
    case 'recurse': { const f = (n: number): number => f(n + 1) + 1; return f(0); }
    case 'memory': { const all: any[] = []; for (;;) all.push(new Uint8Array(1e6).fill(1)); }
    case 'large': return 'x'.repeat(args.n!);
    case 'throw': throw new TypeError('no ' + args.n);
    case 'undefined': throw undefined;
    case 'cycle': { const a: any = { b: {} }; a.b.c = a; return a; }
    case 'bigint': return { n: 10n };
    case 'flood': { for (let i = 0; i < 3_000; i++) ctx.logger.info('line ' + i); return 'flooded'; }
    case 'lock': return ctx.data.fileStore('s').update('x', (old: any) => { for (;;) {} });
    case 'put': return ctx.data.fileStore('s').update('x', (old: any) => ({ n: (old?.n ?? 0) + 1 }));
    case 'sleep': await new Promise((done) => setTimeout(done, 1e7)); return 'awake';
    case 'signal': { await new Promise((done) => setTimeout(done, 1e7)); return String(ctx.signal.aborted); }
    case 'route': { const r = await ctx.callRoute('GET', 'route/' + args.n); return { status: r.status, body: r.body }; }
    case 'config': return ctx.config.get('x');
    case 'api': return ctx.getPackageApi('other', ctx.session).add(1, args.n);
    case 'noapi': return ctx.getPackageApi('other', { userId: 'eve' }).add(1, 2);
    case 'proto': { const o: any = Object.assign({}, args); return String(o.n); }
  }
  return { args };
}
`

// around is a route that calls itself, n times.
const around = `
export const pattern = 'route/:n';
export async function GET(req: any, ctx: any) {
  const n = Number(req.params.n);
  if (n === 0) return { status: 200, body: { user: ctx.session.userId, caller: ctx.session.callerId, trust: ctx.session.callerTrust } };
  const r = await ctx.callRoute('GET', 'route/' + (n - 1));
  return { status: r.status, body: r.body };
}
`

func faultyPackages() map[string]string {
	return map[string]string{
		"_packages/untrusted/package.json":       pkg("untrusted", wasmType),
		"_packages/untrusted/tools/wrong.json":   tool("", ""),
		"_packages/untrusted/src/tools/wrong.ts": faulty,
		"_packages/trusted/package.json":         pkg("trusted", wasmType+`,"features":[{"id":"route.secret"}]`),
		"_packages/trusted/tools/well.json":      tool("", ""),
		"_packages/trusted/src/tools/well.ts":    faulty,
		"_packages/trusted/src/routes/r.ts":      around,
		"_packages/trusted/src/routes/s.ts":      "export const pattern = 'secret'; export const feature = 'route.secret'; export const GET = () => ({ status: 200, body: 'secret' })",
		"_packages/other/package.json":           pkg("other", wasmType),
		"_packages/other/tools/o.json":           tool("", ""),
		"_packages/other/src/tools/o.ts":         "export default async (_: unknown, ctx: any) => (await ctx.callRoute('GET', 'secret')).status",
		"_packages/other/src/lifecycle.ts":       "export const init = () => ({}); export const api = () => ({ add: (a: number, b: number) => a + b });",
	}
}

func TestGuestFaults(t *testing.T) {
	h := newRealHost(t, project(t, "faulty", faultyPackages()))
	limits := h.limits[trust.Untrusted]
	limits.ToolsPerMinute = 0
	h.limits[trust.Untrusted] = limits
	for _, test := range []struct {
		how      string
		n        int
		deadline time.Duration
		code     dispatch.Code
		in       string // the text
	}{
		{"loop", 0, 100 * time.Millisecond, dispatch.CodeDeadlineExceeded, "longer than 100ms"},
		{"sleep", 0, 100 * time.Millisecond, dispatch.CodeDeadlineExceeded, "longer than 100ms"},
		{"recurse", 0, 0, dispatch.CodeHandlerError, "RangeError"},
		{"memory", 0, 0, dispatch.CodeOutOfMemory, "out of memory"},
		{"large", 5 << 20, 0, dispatch.CodeResultTooLarge, "at most 4194304 are allowed"},
		{"large", 100 << 20, 0, dispatch.CodeOutOfMemory, "out of memory"},
		{"throw", 7, 0, dispatch.CodeHandlerError, "TypeError: no 7 (src/tools/wrong.ts:8:"},
		{"undefined", 0, 0, dispatch.CodeHandlerError, "undefined"},
		{"cycle", 0, 0, dispatch.CodeHandlerError, "cycle"},
		{"bigint", 0, 0, dispatch.CodeHandlerError, "BigInt"},
		{"flood", 0, 0, "", "flooded"},
		{"route", 1, 0, dispatch.CodeHandlerError, "callRoute is for packages that are trusted"},
		{"api", 1, 0, dispatch.CodeHandlerError, "getPackageApi is for packages that are trusted"},
		{"config", 1, 0, dispatch.CodeHandlerError, "settings are for first-party packages"},
		{"", 0, 0, "", `{"args":{"how":"","n":0}}`},
	} {
		t.Run(fmt.Sprint(test.how, test.n), func(t *testing.T) {
			limits.Deadline = time.Minute
			if test.deadline > 0 {
				limits.Deadline = test.deadline
			}
			h.limits[trust.Untrusted] = limits
			r := h.tool("wrong", fmt.Sprintf(`{"how":%q,"n":%d}`, test.how, test.n))
			if codeOf(r.Err) != test.code || !strings.Contains(text(r), test.in) {
				t.Errorf("got %v: %.300s", r.Err, text(r))
			}
			limits.Deadline = time.Minute
			h.limits[trust.Untrusted] = limits
			if r := h.tool("wrong", `{}`); r.IsError {
				t.Errorf("the next call: %s", text(r))
			}
		})
	}
	if len(h.lines) != 501 {
		t.Errorf("%d lines were logged", len(h.lines))
	}
}

func TestHandlerErrorsHaveAPlace(t *testing.T) {
	h := newRealHost(t, project(t, "faulty", faultyPackages()))
	r := h.tool("wrong", `{"how":"throw","n":7}`)
	var told struct{ Error dispatch.Error }
	if err := json.Unmarshal(r.StructuredContent, &told); err != nil {
		t.Fatal(err)
	}
	e := told.Error
	if e.Code != dispatch.CodeHandlerError || e.File != "src/tools/wrong.ts" || e.Line != 8 || !strings.Contains(e.Stack, "src/tools/wrong.ts:8:") {
		t.Errorf("got %+v", e)
	}
}

// A 100 MB result of a package that has the memory for it.
func TestLargeResult(t *testing.T) {
	h := newRealHost(t, project(t, "faulty", faultyPackages()))
	limits := h.limits[trust.Trusted]
	limits.MemoryMiB, limits.Deadline = 1024, time.Minute
	h.limits[trust.Trusted] = limits
	r := h.tool("well", fmt.Sprintf(`{"how":"large","n":%d}`, 100<<20))
	if codeOf(r.Err) != dispatch.CodeResultTooLarge {
		t.Errorf("got %v", r.Err)
	}
}

func TestCallingThroughTheHost(t *testing.T) {
	h := newRealHost(t, project(t, "faulty", faultyPackages()))
	for _, test := range []struct{ args, want string }{
		{`{"how":"route","n":0}`, `{"status":200,"body":{"user":"ada","caller":"trusted","trust":"trusted"}}`},
		{`{"how":"route","n":7}`, `{"status":200,"body":{"user":"ada","caller":"trusted","trust":"trusted"}}`},
		{`{"how":"api","n":2}`, `3`},
	} {
		if r := h.tool("well", test.args); text(r) != test.want {
			t.Errorf("%s: %s", test.args, text(r))
		}
	}
	if r := h.tool("well", `{"how":"route","n":8}`); !strings.Contains(text(r), `"status":508`) || !strings.Contains(text(r), "call-depth") {
		t.Errorf("too deep: %s", text(r))
	}
	if r := h.tool("well", `{"how":"noapi"}`); !strings.Contains(text(r), "is not that of the call") {
		t.Errorf("with another session: %s", text(r))
	}
	// Every gate again: the caller lacks the feature, whatever the package is.
	if r := h.tool("o", ""); text(r) != "403" {
		t.Errorf("a route that needs a feature: %s", text(r))
	}
}

// Many callers whose calls all call the same package again: nobody waits for a place that only they could free.
func TestManyWhoCallThemselves(t *testing.T) {
	h := newRealHost(t, project(t, "faulty", faultyPackages()))
	limits := h.limits[trust.Trusted]
	limits.ToolsPerMinute, limits.RoutesPerMinute, limits.Deadline = 0, 0, 2*time.Minute
	h.limits[trust.Trusted] = limits
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			if r := h.tool("well", `{"how":"route","n":3}`); !strings.Contains(text(r), `"status":200`) {
				t.Error(text(r))
			}
		})
	}
	group.Wait()
}

func TestRateLimitsOfNestedCalls(t *testing.T) {
	h := newRealHost(t, project(t, "faulty", faultyPackages()))
	limits := h.limits[trust.Trusted]
	limits.RoutesPerMinute = 3
	h.limits[trust.Trusted] = limits
	if r := h.tool("well", `{"how":"route","n":3}`); !strings.Contains(text(r), `"status":429`) {
		t.Error(text(r))
	}
}

// A record that a call held when its time was over is free, and as it was.
func TestLocksOfAnEndedCall(t *testing.T) {
	h := newRealHost(t, project(t, "faulty", faultyPackages()))
	limits := h.limits[trust.Untrusted]
	if r := h.tool("wrong", `{"how":"put"}`); text(r) != `{"n":1}` {
		t.Fatal(text(r))
	}
	limits.Deadline = 100 * time.Millisecond
	h.limits[trust.Untrusted] = limits
	if r := h.tool("wrong", `{"how":"lock"}`); codeOf(r.Err) != dispatch.CodeDeadlineExceeded {
		t.Errorf("got %v", r.Err)
	}
	limits.Deadline = time.Minute
	h.limits[trust.Untrusted] = limits
	if r := h.tool("wrong", `{"how":"put"}`); text(r) != `{"n":2}` {
		t.Error(text(r))
	}
}

func TestCancelledByTheCaller(t *testing.T) {
	h := newRealHost(t, project(t, "faulty", faultyPackages()))
	if r := h.tool("wrong", `{}`); r.IsError {
		t.Fatal(text(r))
	}
	for _, how := range []string{"loop", "sleep", "signal"} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		r := h.CallTool(ctx, ada, "wrong", json.RawMessage(fmt.Sprintf(`{"how":%q}`, how)))
		if codeOf(r.Err) != dispatch.CodeCancelled {
			t.Errorf("%s: %v", how, r.Err)
		}
	}
}

func TestArgumentsReachTheGuestAsTheyAre(t *testing.T) {
	h := newRealHost(t, project(t, "faulty", faultyPackages()))
	for args, want := range map[string]string{
		`{"a":"\ud83d\ude00 é","b":1e3,"c":12345678901234567890}`: `{"args":{"a":"😀 é","b":1000,"c":12345678901234567000}}`,
		`{"constructor":1,"toString":2}`:                          `{"args":{"constructor":1,"toString":2}}`,
		`{"a":"` + strings.Repeat("x", 1<<20) + `"}`:              `{"args":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`,
	} {
		if r := h.tool("wrong", args); text(r) != want {
			t.Errorf("%.60s: %.200s", args, text(r))
		}
	}
	if r := h.tool("wrong", `{"how":"proto","__proto__":{"n":1}}`); codeOf(r.Err) != dispatch.CodeInvalidArguments {
		t.Errorf("got %s", text(r))
	}
}

// The example package answers what it is expected to.
func TestCatalogCase(t *testing.T) {
	const shelf = "../../../shared/cases/catalog"
	expected, err := os.ReadFile(filepath.Join(filepath.FromSlash(shelf), "expected.json"))
	if err != nil {
		t.Skip("the example package is not here")
	}
	files := map[string]string{}
	for _, name := range []string{"package.json", "tools/catalog_list.json", "tools/catalog_put.json", "src/lifecycle.ts", "src/tools/catalog_list.ts",
		"src/tools/catalog_put.ts", "src/routes/catalog.ts", "src/routes/files.ts", "src/routes/search.ts"} {
		content, err := os.ReadFile(filepath.Join(filepath.FromSlash(shelf), filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		files["_packages/catalog/"+name] = string(content)
	}
	h := newRealHost(t, project(t, "catalog", files))
	var entries []struct {
		Tool, Route, Body, As string
		Args, Expect          json.RawMessage
	}
	if err := json.Unmarshal(expected, &entries); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		who := ada
		who.Role, who.Features = e.As, []string{"catalog.read"}
		if e.As == "owner" {
			who.Features = []string{"catalog.read", "catalog.write"}
		}
		var got []byte
		if e.Tool != "" {
			got, err = json.Marshal(h.CallTool(context.Background(), who, e.Tool, e.Args))
		} else {
			method, target, _ := strings.Cut(e.Route, " ")
			path, query, _ := strings.Cut(target, "?")
			r := h.CallRoute(context.Background(), who, dispatch.Request{Method: method, Path: path, RawQuery: query, Body: []byte(e.Body)})
			headers := map[string]string{}
			for name := range r.Header {
				headers[strings.ToLower(name)] = r.Header.Get(name)
			}
			var body any
			if json.Unmarshal(r.Body, &body) != nil {
				body = string(r.Body)
			}
			got, err = json.Marshal(map[string]any{"status": r.Status, "headers": headers, "body": body})
		}
		if err != nil {
			t.Fatal(err)
		}
		var have, want any
		if json.Unmarshal(got, &have) != nil || json.Unmarshal(e.Expect, &want) != nil {
			t.Fatal("no JSON")
		}
		if !within(have, want) {
			t.Errorf("%s%s as %s: got %s; want %s", e.Tool, e.Route, e.As, got, e.Expect)
		}
	}
}

// within reports whether a value has all that another one has.
func within(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		for name, value := range want {
			ok = ok && within(object[name], value)
		}
		return ok
	case []any:
		array, ok := have.([]any)
		ok = ok && len(array) == len(want)
		for i := range want {
			ok = ok && within(array[i], want[i])
		}
		return ok
	}
	return have == want
}
