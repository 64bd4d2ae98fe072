package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/data"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/ports"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// toolFile is the tool of the packages here; a test may give other files too.
const toolFile = "src/tools/a.ts"

// wantProblem is what an author must be told.
type wantProblem struct {
	rule  string
	place string   // how Diagnostic.Error begins: file:line:column
	text  string   // part of the message
	frame string   // part of the marked line; empty when there can be no frame
	hint  string   // part of the hint
	notes []string // beginnings of all notes; nil when they do not matter
}

// check compares, and finds whatever an author has no use for.
func (w wantProblem) check(t *testing.T, d manifest.Diagnostic) {
	t.Helper()
	if d.Rule != w.rule || !strings.HasPrefix(d.Error(), w.place) || !strings.Contains(d.Message, w.text) || !strings.Contains(d.Hint, w.hint) {
		t.Errorf("got  [%s] %s (hint: %s)\nwant [%s] %s: %s (hint: %s)", d.Rule, d.Error(), d.Hint, w.rule, w.place, w.text, w.hint)
	}
	if w.frame != "" && !strings.Contains(d.Frame, "> ") || !strings.Contains(d.Frame, w.frame) {
		t.Errorf("the frame lacks %q:\n%s", w.frame, d.Frame)
	}
	var shown strings.Builder
	shown.WriteString(d.Error() + "\n" + d.Frame + d.Hint + "\n")
	for i, n := range d.Notes {
		shown.WriteString(n.String() + "\n")
		if w.notes != nil && (i >= len(w.notes) || !strings.HasPrefix(n.String(), w.notes[i])) {
			t.Errorf("note %d: %s", i+1, n)
		}
	}
	if w.notes != nil && len(d.Notes) != len(w.notes) {
		t.Errorf("%d notes, want %d:\n%s", len(d.Notes), len(w.notes), shown.String())
	}
	for _, inner := range []string{"dispatcher.ts", BundleName, "neuralis:", "__neuralis", "goroutine", "wasm error"} {
		if strings.Contains(shown.String(), inner) {
			t.Errorf("%q is ours and not the author's:\n%s", inner, shown.String())
		}
	}
}

func errorPackage(t *testing.T, tool string, files map[string]string) *manifest.Package {
	t.Helper()
	all := map[string]string{"package.json": extismSources["package.json"], toolFile: tool}
	maps.Copy(all, files)
	return writePackage(t, t.TempDir(), all)
}

func dependency(code string) map[string]string {
	return map[string]string{"node_modules/dep/package.json": `{"name":"dep","main":"lib/main.js"}`, "node_modules/dep/lib/main.js": code}
}

func TestBuildErrors(t *testing.T) {
	builder := New(Options{CacheDir: cacheDir})
	t.Cleanup(func() { builder.Close(context.Background()) })
	atBuild := "while the package is built"
	for _, tc := range []struct {
		name, tool string
		files      map[string]string
		want       wantProblem
	}{
		{name: "syntax", tool: "export default function () {\n  const x = ;\n}",
			want: wantProblem{"syntax-error", "src/tools/a.ts:2:13", "Unexpected \";\"", "> 2 |   const x = ;", "", nil}},
		{name: "missing file", tool: "import x from '../lib/x.ts';\nexport default () => x",
			want: wantProblem{"missing-import", "src/tools/a.ts:1:15", `cannot find "../lib/x.ts"`, "> 1 | import x", "spelling", nil}},
		{name: "missing npm package", tool: "import x from 'zod';\nexport default () => x",
			want: wantProblem{"missing-import", "src/tools/a.ts:1:15", `cannot find the npm package "zod"`, "> 1 |", "npm install zod", nil}},
		{name: "node built-in through a chain", tool: "import { x } from '../x';\nexport default () => x",
			files: map[string]string{"src/x.ts": "import fs from 'node:fs';\nexport const x = fs;"},
			want:  wantProblem{"node-builtin", "src/x.ts:1:16", `"node:fs"`, "> 1 | import fs", "ctx.data", []string{"src/tools/a.ts:1:19: imports ../x", "src/x.ts:1:16: imports node:fs"}}},
		{name: "node built-in in an npm package", tool: "import x from 'dep';\nexport default () => x", files: dependency("module.exports = require('fs');"),
			want: wantProblem{"node-builtin", "node_modules/dep/lib/main.js:1:26", `"fs"`, "> 1 |", "the npm package dep is written for Node.js", []string{"src/tools/a.ts:1:15: imports dep", "node_modules/dep/lib/main.js:1:26: imports fs"}}},
		{name: "exception", tool: "const rates: any = JSON.parse('{}');\nexport const low = rates.euro.low;\nexport default () => low",
			want: wantProblem{RuleEvaluation, "src/tools/a.ts:2:31", "TypeError: cannot read property 'low' of undefined", "> 2 |", atBuild, nil}},
		{name: "exception in an imported module", tool: "import { y } from '../y';\nexport default () => y",
			files: map[string]string{"src/y.ts": "function make(): number {\n  throw new RangeError('no y');\n}\nexport const y = make();"},
			want:  wantProblem{RuleEvaluation, "src/y.ts:2:13", "RangeError: no y", "> 2 |   throw", atBuild, []string{"src/y.ts:2:13: in make", "src/y.ts:4:18"}}},
		{name: "exception in an npm package", tool: "import x from 'dep';\nexport default () => x", files: dependency("module.exports = 1;\nfrobnicate();"),
			want: wantProblem{RuleEvaluation, "src/tools/a.ts:1:15", "ReferenceError: frobnicate is not defined", "> 1 |", "frobnicate is neither declared", []string{"node_modules/dep/lib/main.js:2:1: at top level", "src/tools/a.ts:1:15"}}},
		{name: "rejected top-level await", tool: "const x = await load();\nasync function load() {\n  await null;\n  throw new Error('not loaded');\n}\nexport default () => x",
			want: wantProblem{RuleEvaluation, "src/tools/a.ts:4:13", "Error: not loaded", "> 4 |", atBuild, []string{"src/tools/a.ts:4:13: in load"}}},
		{name: "top-level await that never settles", tool: "import '../z';\nexport default () => 1", files: map[string]string{"src/z.ts": "const x = 1;\nawait new Promise(() => {});"},
			want: wantProblem{RulePending, "src/z.ts:2:1", "a top-level await never settled", "> 2 | await", "into init (src/lifecycle.ts) or into a handler", []string{"src/z.ts:2:1: awaits"}}},
		{name: "top-level await of a timer", tool: "await new Promise((r) => setTimeout(r, 10));\nexport default () => 1",
			want: wantProblem{RulePending, "src/tools/a.ts:1:1", "never settled", "> 1 | await", "", nil}},
		{name: "fetch", tool: "const r = await fetch('https://x.example');\nexport default () => r.status",
			want: wantProblem{RuleEvaluation, "src/tools/a.ts:1:17", "move it from the top level of the module into a handler or into init", "> 1 |", atBuild, []string{"src/tools/a.ts:1:17"}}},
		{name: "call of the host", tool: "import { Config } from '@neuralis/package-system/pdk-guest';\nconst r = Config.get('x');\nexport default () => r",
			want: wantProblem{RuleEvaluation, "src/tools/a.ts:2:18", "this needs the host", "> 2 |", atBuild, []string{"src/tools/a.ts:2:18"}}},
		{name: "no Error thrown", tool: "throw 'text';\nexport default () => 1",
			want: wantProblem{RuleEvaluation, "", `threw "text"`, "", "throw an Error", nil}},
		{name: "recursion", tool: "function f(n: number): number {\n  return f(n + 1) + 1;\n}\nf(0);\nexport default () => 1",
			want: wantProblem{RuleEvaluation, "src/tools/a.ts:2:", "Maximum call stack size exceeded", "> 2 |", "calls itself", []string{"src/tools/a.ts:2:16: in f (32 times)"}}},
		{name: "memory", tool: "const all: any[] = [];\nfor (;;) all.push(new Uint8Array(1e8).fill(1));\nexport default () => 1;",
			want: wantProblem{RuleEvaluation, "src/tools/a.ts:2:", "out of memory", "> 2 |", atBuild, nil}},
		{name: "tool without a handler", tool: "export const x = 1;",
			want: wantProblem{RuleShape, "src/tools/a.ts:1:1", "the default export must be a function", "> 1 |", "", []string{}}},
		{name: "route without a pattern", tool: "export default () => 1;", files: map[string]string{"src/routes/r.ts": "\nexport const pattern = 3;\nexport const GET = () => 1;"},
			want: wantProblem{RuleShape, "src/routes/r.ts:2:1", `the export "pattern" must be a string`, "> 2 |", "", []string{}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			result, diags := builder.Build(t.Context(), errorPackage(t, tc.tool, tc.files))
			if result != nil || len(diags) == 0 {
				t.Fatalf("it was built: %v", diags)
			}
			tc.want.check(t, diags[0])
		})
	}
}

func TestCallErrors(t *testing.T) {
	engine := sandbox.NewEngine(sandbox.Options{CacheDir: cacheDir})
	t.Cleanup(func() { engine.Close(context.Background()) })
	builders := map[bool]*Builder{}
	for _, minify := range []bool{false, true} {
		builders[minify] = New(Options{CacheDir: cacheDir, Minify: minify})
		t.Cleanup(func() { builders[minify].Close(context.Background()) })
	}
	helper := map[string]string{"src/h.ts": "export async function h() {\n  await 0;\n  return inner();\n}\nfunction inner() {\n  throw new Error('inside');\n}"}
	for _, tc := range []struct {
		name, tool string
		files      map[string]string
		want       wantProblem
	}{
		{name: "exception", tool: "export default function () {\n  throw new TypeError('no');\n}",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:2:13", "TypeError: no", "> 2 |   throw", "", []string{"src/tools/a.ts:2:13: in default"}}},
		{name: "read of undefined", tool: "export default (args: any) => {\n  const list = args.items;\n  return list.map(String);\n}",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:3:15", "cannot read property 'map' of undefined", "> 3 |", "", nil}},
		{name: "async exception", tool: "export default async function () {\n  await null;\n  throw new TypeError('no');\n}",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:3:13", "TypeError: no", "> 3 |   throw", "", []string{"src/tools/a.ts:3:13: in default"}}},
		{name: "helper module", tool: "import { h } from '../h';\nexport default async function run() {\n  return await h();\n}", files: helper,
			want: wantProblem{"uncaught-exception", "src/h.ts:6:13", "Error: inside", "> 6 |   throw", "", []string{"src/h.ts:6:13: in inner", "src/h.ts:3:10: in h"}}},
		{name: "npm package", tool: "import x from 'dep';\nexport default () => {\n  return x.parse('{');\n}", files: dependency("exports.parse = function parse(s) {\n  return JSON.parse(s);\n};"),
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:3:12", "SyntaxError: ", "> 3 |", "", []string{"at parse (native)", "node_modules/dep/lib/main.js:2:21: in parse", "src/tools/a.ts:3:12: in default"}}},
		{name: "rejected promise", tool: "export default () =>\n  Promise.reject(new Error('rejected'));",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:2:22", "Error: rejected", "> 2 |", "", nil}},
		{name: "no Error thrown", tool: "\nexport default () => { throw { status: 404 } }",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:2:1", `the tool a threw something that is not an Error but {"status":404}`, "> 2 |", "throw an Error", []string{}}},
		{name: "rejected with no Error", tool: "export default () => Promise.reject('text')",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:1:1", `not an Error but "text"`, "> 1 |", "throw an Error", []string{}}},
		{name: "cause", tool: "export default () => {\n  try {\n    JSON.parse('{');\n  } catch (e) {\n    throw new Error('config', { cause: e });\n  }\n}",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:5:15", "Error: config", "> 5 |", "", []string{"Error: config", "src/tools/a.ts:5:15", "Caused by: SyntaxError", "at parse (native)", "src/tools/a.ts:3:10"}}},
		{name: "several errors", tool: "export default () =>\n  Promise.any([1, 2].map((n) => Promise.reject(new Error('no ' + n))))",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:2:66", "AggregateError", "> 2 |", "", nil}},
		{name: "never settles", tool: "\nexport default () => new Promise(() => {})",
			want: wantProblem{"never-settled", "src/tools/a.ts:2:1: the tool a never settles", "", "> 2 |", "", []string{}}},
		{name: "cycle", tool: "export default () => {\n  const a: any = { b: {} };\n  a.b.c = a;\n  return a;\n}",
			want: wantProblem{"invalid-result", "src/tools/a.ts:1:1: the tool a", "result.b.c is the same object as result, a cycle", "> 1 |", "", []string{}}},
		{name: "BigInt", tool: "export default () => ({ a: [1, 2n] })",
			want: wantProblem{"invalid-result", "src/tools/a.ts:1:1", "result.a[1] is a BigInt (2n)", "> 1 |", "", []string{}}},
		{name: "function", tool: "export default () => () => 1",
			want: wantProblem{"invalid-result", "src/tools/a.ts:1:1", "returned a function", "> 1 |", "", []string{}}},
		{name: "toJSON that throws", tool: "export default () => ({\n  toJSON() {\n    throw new Error('not today');\n  },\n})",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:3:15", "Error: not today", "> 3 |", "", nil}},
		{name: "init", tool: "export default () => 1", files: map[string]string{"src/lifecycle.ts": "export function init() {\n  throw new Error('no start');\n}"},
			want: wantProblem{"init-failed", "src/lifecycle.ts:2:13: init in src/lifecycle.ts failed: no start", "", "> 2 |", "", nil}},
		{name: "init throws no Error", tool: "export default () => 1", files: map[string]string{"src/lifecycle.ts": "\nexport const init = async () => { throw 'no start'; }"},
			want: wantProblem{"init-failed", "src/lifecycle.ts:2:1", "no start", "> 2 |", "", nil}},
		{name: "recursion", tool: "export default function run() {\n  return down(0);\n}\nfunction down(n: number): number {\n  return down(n + 1) + 1;\n}",
			want: wantProblem{"uncaught-exception", "src/tools/a.ts:5:", "Maximum call stack size exceeded", "> 5 |", "calls itself", []string{"src/tools/a.ts:5:19: in down (32 times)"}}},
		{name: "memory", tool: "export default function run() {\n  const all: any[] = [];\n  for (;;) all.push(new Uint8Array(1e8).fill(1));\n}",
			want: wantProblem{runtime.RuleMemory, "src/tools/a.ts:3:", "out of memory", "> 3 |", "", nil}},
	} {
		for minify, builder := range builders {
			name := tc.name
			if minify {
				name += ", minified"
			}
			t.Run(name, func(t *testing.T) {
				want := tc.want
				if minify {
					want.notes = nil // functions may have been put into each other
				}
				pkg := errorPackage(t, tc.tool, tc.files)
				want.check(t, failureOf(t.Context(), t, startPackage(t, engine, builder, pkg, io.Discard)))
			})
		}
	}
}

// packageLog is a log of a package that is written to, a line each.
type packageLog struct{ to io.Writer }

func (l packageLog) Log(_ context.Context, _ logs.Level, message string, _ json.RawMessage, _ logs.Call) {
	fmt.Fprintln(l.to, message)
}

// startPackage builds a package and makes it ready to be called, with data of its own.
func startPackage(t *testing.T, engine *sandbox.Engine, builder *Builder, pkg *manifest.Package, log io.Writer) runtime.Package {
	t.Helper()
	result, diags := builder.Build(t.Context(), pkg)
	if result == nil {
		t.Fatal(diags, diags[0].Frame)
	}
	store, err := data.Open(t.TempDir(), data.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	limits := trust.DefaultLimits(trust.FirstParty)
	loaded, err := runtime.NewWASM(engine, runtime.WASMOptions{}).Load(t.Context(), runtime.Source{
		ID: pkg.ID, Package: pkg, Dir: result.Dir, Module: ModuleFile, Limits: limits,
		Ports: ports.New(ports.Package{ID: pkg.ID, Tier: trust.FirstParty, Limits: limits, Data: store, Log: packageLog{log}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { loaded.Close(context.Background()) })
	return loaded
}

// problem is what the author is told of a call that has to fail.
func failureOf(ctx context.Context, t *testing.T, loaded runtime.Package) manifest.Diagnostic {
	t.Helper()
	_, err := loaded.CallTool(ctx, runtime.ToolCall{Caller: runtime.Caller{Tool: "a"}, Name: "a"})
	var failure *runtime.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("the call ended with %v", err)
	}
	return failure.Diagnostic()
}

// collector ends a call when the package logs something, after a garbage collection. That stops the world,
// which an engine that never calls its host would keep standing: a test that hangs has found one.
type collector struct{ cancel context.CancelCauseFunc }

func (c collector) Write(p []byte) (int, error) {
	go func() {
		goruntime.GC()
		c.cancel(errors.New("it took too long"))
	}()
	return len(p), nil
}

// A call that is ended tells where it was.
func TestInterrupted(t *testing.T) {
	builder := New(Options{CacheDir: cacheDir})
	t.Cleanup(func() { builder.Close(context.Background()) })
	engine := sandbox.NewEngine(sandbox.Options{CacheDir: cacheDir})
	t.Cleanup(func() { engine.Close(context.Background()) })
	for _, tc := range []struct {
		name, tool string
		files      map[string]string
		want       wantProblem
	}{
		{name: "loop in a helper", tool: "import { spin } from '../spin';\nexport default () => {\n  console.log('go');\n  return spin();\n}",
			files: map[string]string{"src/spin.ts": "export function spin() {\n  let n = 0;\n  for (;;) {\n    n += work(n);\n  }\n}\nfunction work(n: number) {\n  return n % 2;\n}"},
			want:  wantProblem{place: "src/spin.ts:", frame: ">"}},
		{name: "loop after an await", tool: "export default async () => {\n  await null;\n  console.log('go');\n  for (;;) {\n    Math.max(1, 2);\n  }\n}",
			want: wantProblem{place: "src/tools/a.ts:", frame: "for (;;)", hint: "in a loop that follows"}},
		{name: "loop of awaits", tool: "export default async () => {\n  console.log('go');\n  for (;;) await step();\n}\nasync function step() { await 0; }",
			want: wantProblem{place: "src/tools/a.ts:", frame: ">"}},
		{name: "loop that catches", tool: "export default () => {\n  console.log('go');\n  for (;;) {\n    try { for (;;) Math.max(1, 2); } catch {}\n  }\n}",
			want: wantProblem{place: "src/tools/a.ts:2:", frame: "for (;;)", hint: "in a loop that follows"}},
		{name: "regular expression", tool: "export default () => {\n  console.log('go');\n  return /^(a+)+$/.test('a'.repeat(60) + 'b');\n}",
			want: wantProblem{place: "src/tools/a.ts:3:", frame: "> 3 |"}},
		{name: "loop in the engine", tool: "export default () => {\n  console.log('go');\n  return new Array(2 ** 32 - 1).indexOf(1);\n}",
			want: wantProblem{place: "src/tools/a.ts:1:1", frame: "> 1 |"}},
		{name: "sleep", tool: "export default async () => {\n  console.log('go');\n  await new Promise((done) => setTimeout(done, 1e8));\n}",
			want: wantProblem{place: "src/tools/a.ts:", frame: ">"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			pkg := errorPackage(t, tc.tool, tc.files)
			tc.want.rule, tc.want.text = runtime.RuleCancelled, "the call was cancelled: it took too long"
			tc.want.check(t, failureOf(ctx, t, startPackage(t, engine, builder, pkg, collector{cancel})))
		})
	}
}
