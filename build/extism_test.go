package build

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/build/extismjs"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/sourcemap"
	"github.com/neuralis-dev/neuralis/manifest"
)

// extismEnv has a PATH with a stand-in for extism-js, which is this test program under another
// name. The real one could not be had where these tests were written; what it does with its
// arguments is its documentation's word.
func extismEnv(t *testing.T, more ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, extismjs.Program)); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	return append([]string{"PATH=" + dir}, more...)
}

const (
	fakeModule = "\x00asm\x01\x00\x00\x00"
	recordVar  = "FAKE_EXTISM_JS_RECORD"
	failVar    = "FAKE_EXTISM_JS_FAIL"
)

// fakeExtismJS writes down what it was given, as files in the folder that a variable names.
func fakeExtismJS(args []string) int {
	if message := os.Getenv(failVar); message != "" {
		os.Stderr.WriteString(message)
		return 3
	}
	record := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(os.Getenv(recordVar), name), data, 0o644); err != nil {
			panic(err)
		}
	}
	record("args", []byte(strings.Join(args, "\n")))
	for i, arg := range args {
		switch {
		case i > 0 && args[i-1] == "-o":
			if err := os.WriteFile(arg, []byte(fakeModule), 0o644); err != nil {
				panic(err)
			}
		default:
			if data, err := os.ReadFile(arg); err == nil {
				record(filepath.Base(arg), data)
			}
		}
	}
	return 0
}

// promiseTool notes in which order reactions run, and what promises settle with. Our own Promise must
// answer as the engine's does.
const promiseTool = `
	export default async function () {
		const log: string[] = [];
		const note = (label: string) => (value?: unknown) => { log.push(label + '=' + (value instanceof Error ? value.name : JSON.stringify(value))); return value; };
		const thenable = (value: unknown) => ({ then(resolve: any, reject: any) { log.push('then called'); resolve(value); reject('late'); resolve('later'); } });
		class Mine extends Promise<any> { tag = 'mine' }
		const self: any = Promise.withResolvers(); self.resolve(self.promise);
		const twice = new Promise((resolve, reject) => { resolve(1); reject(2); throw 3; });
		const bad: any = { get then() { throw new TypeError('getter'); } };
		const all = [
			Promise.resolve(1).then(note('a')).then(note('b')),
			twice.then(note('twice')),
			self.promise.catch(note('self')),
			Promise.resolve(thenable(5)).then(note('thenable')),
			Promise.resolve(bad).catch(note('getter')),
			new Promise((_, reject) => reject(new RangeError('r'))).then(note('never'), note('rejected')),
			Promise.reject(7).finally(note('finally')).catch(note('after finally')),
			Promise.resolve(8).finally(() => Promise.reject(9)).catch(note('finally rejects')),
			Promise.resolve(8).finally(() => 'ignored').then(note('finally passes')),
			Promise.all([1, Promise.resolve(2), thenable(3)]).then(note('all')),
			Promise.all([]).then(note('all of none')),
			Promise.all([1, Promise.reject('no')]).catch(note('all rejects')),
			Promise.all(3 as any).catch(note('all of a number')),
			Promise.allSettled([1, Promise.reject(2)]).then(note('allSettled')),
			Promise.any([Promise.reject(1), Promise.reject(2)]).catch((e: any) => note('any')([e.name, e.errors])),
			Promise.any([]).catch(note('any of none')),
			Promise.race([new Promise(() => {}), Promise.resolve('fast'), 'slow']).then(note('race')),
			(Promise as any).try((x: number) => { throw new Error(String(x)); }, 4).catch(note('try')),
			Mine.resolve(1).then(note('mine')),
			(async () => { try { await thenable(Promise.reject('inner')); } catch (e) { note('awaited')(e); } })(),
			(async () => { for await (const x of [Promise.resolve('x'), 'y']) note('of')(x); })(),
			Promise.resolve().then(() => { queueMicrotask(() => log.push('microtask')); }).then(note('after microtask')),
		];
		await Promise.allSettled(all);
		const errors = [() => (Promise as any)(), () => new (Promise as any)(1), () => Promise.prototype.then.call({} as any), () => Promise.resolve.call(undefined as any, 1)]
			.map((f) => { try { f(); return 'nothing'; } catch (e: any) { return e.name; } });
		return {
			log, errors, species: Mine.resolve(1).then(() => 1) instanceof Mine, same: Promise.resolve(all[0]) === all[0],
			tag: String(all[0]), name: Promise.name, length: [Promise.length, Promise.all.length, Promise.prototype.then.length, Promise.prototype.finally.length, Promise.resolve.length, Promise.reject.length],
			keys: Object.keys(Promise), enumerable: Object.keys(Promise.prototype),
		};
	}`

var extismSources = map[string]string{
	"package.json":     `{"name":"shop","version":"1.0.0","neuralis":{"id":"shop","runtime":{"type":"wasm","entry":{"module":"dist/package.wasm"}}}}`,
	"src/tools/add.ts": `export default ({ a, b }: { a: number; b: number }) => ({ sum: a + b });`,
	"src/tools/wait.ts": `
		async function* numbers() { for (let i = 0; i < 3; i++) { await new Promise((done) => setTimeout(done, 5)); yield i; } }
		export default async function (args: unknown, ctx: any) {
			const order: string[] = [];
			setTimeout(() => order.push('timer'), 0);
			queueMicrotask(() => order.push('microtask'));
			await null;
			order.push('await');
			for await (const n of numbers()) order.push(String(n));
			const settled = await Promise.allSettled([Promise.reject(new Error('no')), 1, (async () => { throw new TypeError('x'); })()]);
			const { default: lazy } = await import('../lazy.ts');
			return { order, settled: settled.map((s: any) => s.status), lazy, any: await Promise.any([Promise.reject(1), 2]) };
		}`,
	"src/lazy.ts": `export default 'lazy';`,
	"src/tools/fail.ts": `
		import { check } from '../check.ts';
		export default async function fail(args: { how?: string }) {
			await null;
			return check(args.how);
		}`,
	"src/check.ts": `export function check(how?: string) {
			if (how === 'never') return new Promise(() => {});
			throw new RangeError('not ' + how);
		}`,
	"src/tools/host.ts": `
		import { Var } from '@neuralis/package-system/pdk-guest';
		export default async function (args: unknown, ctx: any) {
			console.warn('careful', { a: 1 });
			Promise.reject(new Error('lost'));
			const stored = await ctx.data.fileStore('things').get('one');
			const response = await fetch('https://api.example/x', { method: 'POST', body: 'é' });
			Var.set('seen', 'yes');
			const seen = Var.getString('seen');
			Var.delete('seen');
			return {
				stored, status: response.status, json: await response.json(), seen, gone: Var.getString('seen'),
				random: crypto.getRandomValues(new Uint8Array(4)).length, id: crypto.randomUUID().length,
				own: (async () => {})() instanceof Promise, state: ctx.state,
			};
		}`,
	"src/lifecycle.ts":      `export async function init() { await null; return { ready: true }; }`,
	"src/tools/promises.ts": promiseTool,
	"src/routes/item.ts": `
		export const pattern = 'items/:id';
		export async function GET(req: any) { return { status: 200, body: { id: req.params.id, q: req.query.q } }; }`,
}

func writePackage(t *testing.T, dir string, files map[string]string) *manifest.Package {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pkg, diags := manifest.Load(dir)
	if pkg == nil || diags.HasErrors() {
		t.Fatal(diags)
	}
	return pkg
}

// asyncCode is what the engine of extism-js would run too late.
var asyncCode = regexp.MustCompile(`\basync\s*(?:function|\(|\w+\s*(?:=>|\())|[^\w.]await\s+[\w(]`)

func TestExtismJS(t *testing.T) {
	record := t.TempDir()
	builder := New(Options{Compiler: CompilerExtismJS, CacheDir: cacheDir, Environ: extismEnv(t, recordVar+"="+record)})
	t.Cleanup(func() { builder.Close(context.Background()) })
	pkg := writePackage(t, t.TempDir(), extismSources)
	result, diags := builder.Build(t.Context(), pkg)
	if len(diags) > 0 {
		t.Fatal(diags, diags[0].Frame)
	}
	read := func(dir, name string) []byte {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if got, want := string(read(record, "args")), "package.js\n-i\npackage.d.ts\n-o\npackage.wasm"; got != want {
		t.Errorf("arguments %q, want %q", got, want)
	}
	for _, want := range []string{"declare module 'main'", "export function handleTool(): I32;", "export function handleRoute(): I32;",
		"export function handleLifecycle(): I32;", "declare module 'extism:host'", "interface user", "neuralis_host(ptr: I64): I64;"} {
		if !strings.Contains(string(read(record, "package.d.ts")), want) {
			t.Errorf("the interface lacks %q", want)
		}
	}
	if got := string(read(result.Dir, ModuleFile)); got != fakeModule {
		t.Errorf("package.wasm is not the compiler's: %q", got)
	}
	if len(result.Routes.Routes) != 1 || result.Routes.Routes[0].Pattern != "items/:id" {
		t.Errorf("routes: %+v", result.Routes)
	}
	if result.Module.Engine != extismjs.Program || result.Module.ModuleSize != len(fakeModule) {
		t.Errorf("module: %+v", result.Module)
	}
	if code := string(read(record, "package.js")); asyncCode.MatchString(code) || !strings.Contains(code, "module.exports") {
		t.Errorf("the bundle has async functions, or exports nothing:\n%.300s", code)
	}
	t.Run("in Node", func(t *testing.T) {
		runOnFakePDK(t, filepath.Join(record, "package.js"), read(result.Dir, MapFile), callBuiltin(t, "promises"))
	})
}

// callBuiltin calls a tool of the same sources in our own sandbox.
func callBuiltin(t *testing.T, tool string) string {
	t.Helper()
	pkg := writePackage(t, t.TempDir(), extismSources)
	builder := New(Options{CacheDir: cacheDir})
	defer builder.Close(context.Background())
	engine := sandbox.NewEngine(sandbox.Options{CacheDir: cacheDir})
	t.Cleanup(func() { engine.Close(context.Background()) })
	output, err := startPackage(t, engine, builder, pkg, io.Discard).CallTool(t.Context(), runtime.ToolCall{Name: tool})
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(output, &value); err != nil {
		t.Fatal(err)
	}
	sorted, _ := json.Marshal(value)
	return string(sorted)
}

// runOnFakePDK makes calls of a bundle in testdata/js-pdk.cjs.
func runOnFakePDK(t *testing.T, bundle string, sourceMap []byte, promises string) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	calls := []struct {
		name, export, input, want string
		failure                   sandbox.GuestError // instead of want
		place                     string             // of the failure, in the author's files
		requests, logs            string
	}{
		{name: "a tool", export: "handleTool", input: `{"tool":"add","args":{"a":1,"b":2},"session":{}}`, want: `{"sum":3}`},
		{name: "timers, async iteration, imports", export: "handleTool", input: `{"tool":"wait"}`,
			want: `{"any":2,"lazy":"lazy","order":["microtask","await","timer","0","1","2"],"settled":["rejected","fulfilled","rejected"]}`},
		{name: "promises", export: "handleTool", input: `{"tool":"promises"}`, want: promises},
		{name: "a route", export: "handleRoute", input: `{"method":"GET","path":"items/a%20b","query":{"q":"x"},"headers":{},"rawBody":"","session":{}}`,
			want: `{"body":"{\"id\":\"a b\",\"q\":\"x\"}","headers":{"content-type":"application/json; charset=utf-8"},"status":200}`},
		{name: "what the package has", export: "handleLifecycle", input: `{"hook":"describe"}`,
			want: `{"lifecycle":["init"],"routes":[{"feature":"","methods":["GET"],"pattern":"items/:id","source":"src/routes/item.ts"}],"tools":["add","fail","host","promises","wait"]}`},
		{name: "an exception", export: "handleTool", input: `{"tool":"fail","args":{"how":"good"}}`,
			failure: sandbox.GuestError{Name: "RangeError", Message: "not good", Code: "handler-error"}, place: "src/check.ts:3:"},
		{name: "never settles", export: "handleTool", input: `{"tool":"fail","args":{"how":"never"}}`,
			failure: sandbox.GuestError{Name: "Error", Message: "the tool fail never settles", Code: "never-settled"}},
		{name: "after failures", export: "handleTool", input: `{"tool":"add","args":{"a":1,"b":2}}`, want: `{"sum":3}`},
		{name: "the host", export: "handleTool", input: `{"tool":"host"}`,
			want:     `{"gone":null,"id":36,"json":{"path":"é"},"own":true,"random":4,"seen":"yes","state":{"ready":true},"status":201,"stored":{"from":"store"}}`,
			requests: `"url":"https://api.example/x","method":"POST"`, logs: `unhandled rejection: Error: lost`},
	}
	var input bytes.Buffer
	type call struct {
		Export string `json:"export"`
		Input  string `json:"input"`
	}
	var list []call
	for _, c := range calls {
		list = append(list, call{c.export, c.input})
	}
	if err := json.NewEncoder(&input).Encode(list); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, filepath.Join("testdata", "js-pdk.cjs"), bundle)
	cmd.Stdin, cmd.Stderr = &input, os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []struct {
		Exports  []string
		Leaked   []string
		Output   any
		Error    string
		Requests json.RawMessage
		Logs     []string
	}
	if err := json.Unmarshal(output, &outcomes); err != nil {
		t.Fatal(err)
	}
	if len(outcomes[0].Leaked) > 0 {
		t.Errorf("the bundle left globals: %q", outcomes[0].Leaked)
	}
	if got := strings.Join(outcomes[0].Exports, " "); got != "handleLifecycle handleRoute handleTool" {
		t.Errorf("exports %q", got)
	}
	m, err := sourcemap.Parse(sourceMap)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			outcome := outcomes[i+1]
			if c.failure.Name == "" {
				got, _ := json.Marshal(outcome.Output)
				if string(got) != c.want || outcome.Error != "" {
					t.Errorf("got %s %s\nwant %s", got, outcome.Error, c.want)
				}
			} else {
				got := sandbox.ParseGuestError(outcome.Error)
				if got == nil || got.Name != c.failure.Name || !strings.HasPrefix(got.Message, c.failure.Message) || got.Code != c.failure.Code {
					t.Fatalf("got %+v from %q", got, outcome.Error)
				}
				d := m.Diagnostic(BundleName, sourcemap.Thrown{Name: got.Name, Message: got.Message, Stack: got.Stack})
				if !strings.HasPrefix(d.Error(), c.place) {
					t.Errorf("it is placed at %s\n%s", d.Error(), got.Stack)
				}
			}
			if !strings.Contains(string(outcome.Requests), c.requests) {
				t.Errorf("requests %s", outcome.Requests)
			}
			if !strings.Contains(strings.Join(outcome.Logs, "\n"), c.logs) {
				t.Errorf("logs %q", outcome.Logs)
			}
		})
	}
}

func TestExtismJSProblems(t *testing.T) {
	for _, tc := range []struct {
		name          string
		environ       func(*testing.T) []string
		tool          string
		message, hint string
	}{
		{"not installed", func(t *testing.T) []string { return []string{"PATH=" + t.TempDir()} }, "", "extism-js is not in the PATH", "extism/js-pdk"},
		{"no PATH", func(*testing.T) []string { return nil }, "", "extism-js is not in the PATH", "binaryen"},
		{"it fails", func(t *testing.T) []string { return extismEnv(t, failVar+"=Failed to execute wasm-merge.") }, "", "exit status 3\nFailed to execute wasm-merge.", "binaryen"},
		{"a top-level await", func(t *testing.T) []string { return extismEnv(t, recordVar+"="+t.TempDir()) }, "await null; export default () => 1", "top-level await", "--compiler builtin"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			files := map[string]string{"package.json": extismSources["package.json"], "src/tools/a.ts": "export default () => 1;"}
			if tc.tool != "" {
				files["src/tools/a.ts"] = tc.tool
			}
			pkg := writePackage(t, t.TempDir(), files)
			builder := New(Options{Compiler: CompilerExtismJS, CacheDir: cacheDir, Environ: tc.environ(t)})
			defer builder.Close(context.Background())
			result, diags := builder.Build(t.Context(), pkg)
			if result != nil || len(diags) != 1 {
				t.Fatalf("got %v %v", result, diags)
			}
			if d := diags[0]; d.Rule != RuleCompiler || !strings.Contains(d.Message, tc.message) || !strings.Contains(d.Hint, tc.hint) {
				t.Errorf("got %+v", d)
			}
			if _, err := os.Stat(filepath.Join(pkg.Dir, DefaultOut)); err == nil {
				t.Error("a failed build made dist/")
			}
		})
	}
}
