package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/session"
)

// misbehave is a tool that ends as it is told to.
const misbehave = `
let calls = 0;
export default async function (args: { how?: string; n?: number }, ctx: any): Promise<any> {
  calls++;
  switch (args.how) {
    case 'loop': for (;;) {}
    case 'recurse': { const f = (n: number): number => f(n + 1) + 1; return f(0); }
    case 'memory': { const all: any[] = []; for (;;) all.push(new Uint8Array(1e6).fill(1)); }
    case 'throw': throw new TypeError('no ' + args.n);
    case 'undefined': throw undefined;
    case 'cycle': { const a: any = {}; a.a = a; return a; }
    case 'never': return new Promise(() => {});
    case 'host': return ctx.credentials.resolveCredential('x');
  }
  return { calls, args, user: ctx.session.userId };
}
`

func failure(t *testing.T, err error) *runtime.Failure {
	t.Helper()
	var f *runtime.Failure
	if !errors.As(err, &f) {
		t.Fatalf("got %v, no failure", err)
	}
	return f
}

func TestCallTool(t *testing.T) {
	pkg := load(t, runtime.WASMOptions{}, source(t, misbehave, nil))
	result, err := pkg.CallTool(context.Background(), runtime.ToolCall{Caller: runtime.Caller{Session: session.Session{UserID: "ada"}}, Name: "t", Arguments: json.RawMessage(`{"n":1}`)})
	if want := `{"calls":1,"args":{"n":1},"user":"ada"}`; err != nil || string(result) != want {
		t.Errorf("got %s, %v; want %s", result, err, want)
	}
	_, err = pkg.CallTool(context.Background(), runtime.ToolCall{Name: "other"})
	if f := failure(t, err); f.Kind != runtime.Handler || f.Code != "unknown-tool" {
		t.Errorf("got %+v", f)
	}
}

func TestEnds(t *testing.T) {
	pkg := load(t, runtime.WASMOptions{MaxInstances: 1}, source(t, misbehave, nil))
	discarded := uint64(0)
	for _, test := range []struct {
		how     string
		kind    runtime.Kind
		message string
		line    int
		lost    bool
	}{
		{"loop", runtime.Deadline, "longer than 100ms", 0, true},
		{"recurse", runtime.Handler, "RangeError", 7, false},
		{"memory", runtime.Memory, "ran out of memory", 0, true},
		{"throw", runtime.Handler, "TypeError: no 7", 9, false},
		{"undefined", runtime.Handler, "not an Error but undefined", 0, false},
		{"cycle", runtime.Handler, "cycle", 0, false},
		{"never", runtime.Handler, "never settles", 0, false},
	} {
		t.Run(test.how, func(t *testing.T) {
			limit := time.Minute
			if test.how == "loop" {
				limit = 100 * time.Millisecond
			}
			ctx, cancel := runtime.WithDeadline(context.Background(), limit)
			defer cancel()
			_, err := call(ctx, pkg, fmt.Sprintf(`{"how":%q,"n":7}`, test.how))
			f := failure(t, err)
			if f.Kind != test.kind || !strings.Contains(f.Message, test.message) {
				t.Errorf("got %s: %s", f.Kind, f.Message)
			}
			if test.line > 0 && (f.File != "src/tools/t.ts" || f.Line != test.line) {
				t.Errorf("it is said to be in %s:%d", f.File, f.Line)
			}
			if test.line > 0 && !strings.Contains(f.Stack, fmt.Sprintf("src/tools/t.ts:%d:", test.line)) {
				t.Errorf("the stack is %q", f.Stack)
			}
			if test.lost {
				discarded++
			}
			if h := pkg.Health(); h.Discarded != discarded {
				t.Errorf("%d instances were discarded; want %d", h.Discarded, discarded)
			}
			// The next caller notices nothing.
			if result, err := call(context.Background(), pkg, `{}`); err != nil || !strings.Contains(result, `"calls":`) {
				t.Errorf("got %s, %v", result, err)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	pkg := load(t, runtime.WASMOptions{}, source(t, misbehave, nil))
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errors.New("nobody listens")) })
	_, err := call(ctx, pkg, `{"how":"loop"}`)
	if f := failure(t, err); f.Kind != runtime.Cancelled || !strings.Contains(f.Message, "nobody listens") {
		t.Errorf("got %+v", f)
	}
	_, err = call(ctx, pkg, `{}`)
	if f := failure(t, err); f.Kind != runtime.Cancelled {
		t.Errorf("got %+v", f)
	}
}

func TestLargeInput(t *testing.T) {
	pkg := load(t, runtime.WASMOptions{}, source(t, misbehave, nil))
	_, err := call(context.Background(), pkg, `"`+strings.Repeat("x", 80<<20)+`"`)
	if f := failure(t, err); f.Kind != runtime.TooLarge {
		t.Errorf("got %+v", f)
	}
}

func TestRoutesAndLifecycle(t *testing.T) {
	src := source(t, misbehave, map[string]string{
		"src/routes/echo.ts": `
export const pattern = 'echo/:id/*rest';
export const POST = (req: any, ctx: any) => ({ status: 201, headers: { 'X-One': 'a', 'set-cookie': ['a=1', 'b=2'] },
  body: { params: req.params, query: req.query, raw: req.rawQuery, type: req.headers['content-type'], body: req.body, state: ctx.state } });
export const PUT = (req: any) => ({ status: 200, body: req.bodyBytes });
export const DELETE = () => ({ status: 204 });
`,
		"src/lifecycle.ts": `
export const init = () => ({ made: 1 });
export const provisionProject = (state: any, id: string) => ({ state, id });
export const api = (state: any) => ({ add: (a: number, b: number) => a + b + state.made });
`,
	})
	pkg := load(t, runtime.WASMOptions{}, src)
	ctx := context.Background()
	request := runtime.RouteCall{Method: "POST", Path: "echo/a%20b/c/d", RawQuery: "q=1&q=2", Query: map[string]string{"q": "1"},
		Header: map[string]string{"content-type": "application/json"}, Body: []byte(`{"é":1}`),
		Pattern: "echo/:id/*rest", Params: map[string]string{"id": "a b", "rest": "c/d"}}
	answer, err := pkg.CallRoute(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"params":{"id":"a b","rest":"c/d"},"query":{"q":"1"},"raw":"q=1&q=2","type":"application/json","body":{"é":1},"state":{"made":1}}`; string(answer.Body) != want {
		t.Errorf("got  %s\nwant %s", answer.Body, want)
	}
	if got := fmt.Sprint(answer.Status, answer.Header); got != "201 map[content-type:[application/json; charset=utf-8] set-cookie:[a=1 b=2] x-one:[a]]" {
		t.Errorf("got %s", got)
	}
	request.Method, request.Body = "PUT", []byte{0xff, 0, 0xfe}
	request.Header = nil
	if answer, err = pkg.CallRoute(ctx, request); err != nil || string(answer.Body) != "\xff\x00\xfe" {
		t.Errorf("got %+v, %v", answer, err)
	}
	request.Method, request.Body = "DELETE", nil
	if answer, err = pkg.CallRoute(ctx, request); err != nil || answer.Status != 204 || len(answer.Body) != 0 {
		t.Errorf("got %+v, %v", answer, err)
	}
	for _, test := range []struct {
		call runtime.LifecycleCall
		want string
	}{
		{runtime.LifecycleCall{Hook: "provisionProject", Args: json.RawMessage(`["x"]`)}, `{"state":{"made":1},"id":"x"}`},
		{runtime.LifecycleCall{Hook: "stop"}, `null`},
		{runtime.LifecycleCall{Hook: "api", Method: "add", Args: json.RawMessage(`[1,2]`)}, `4`},
	} {
		if got, err := pkg.CallLifecycle(ctx, test.call); err != nil || string(got) != test.want {
			t.Errorf("%+v: got %s, %v", test.call, got, err)
		}
	}
}

func TestManyCallers(t *testing.T) {
	pkg := load(t, runtime.WASMOptions{MaxInstances: 3}, source(t, misbehave, nil))
	var group sync.WaitGroup
	for n := range 1000 {
		group.Go(func() {
			if got, err := call(context.Background(), pkg, fmt.Sprintf(`{"n":%d}`, n)); err != nil || !strings.Contains(got, fmt.Sprintf(`"args":{"n":%d}`, n)) {
				t.Errorf("call %d: %s, %v", n, got, err)
			}
		})
	}
	group.Wait()
	if h := pkg.Health(); h.Instances > 3 || h.Started > 3 || h.Idle != h.Instances || h.Waiting != 0 || h.Discarded != 0 {
		t.Errorf("got %+v", h)
	}
}

func TestIdleInstancesAreDropped(t *testing.T) {
	c := &clock{at: time.Unix(1e9, 0)}
	pkg := load(t, runtime.WASMOptions{Now: c.now, IdleAfter: time.Minute}, source(t, misbehave, nil))
	look := func(want int) {
		t.Helper()
		pkg.(runtime.Idler).Idle()
		if h := pkg.Health(); h.Instances != want || h.Idle != want {
			t.Errorf("got %+v, want %d instances", h, want)
		}
	}
	look(0)
	if _, err := call(context.Background(), pkg, `{}`); err != nil {
		t.Fatal(err)
	}
	c.advance(time.Minute - 1)
	look(1)
	c.advance(1)
	look(0)
	// A new one begins anew.
	if got, err := call(context.Background(), pkg, `{}`); err != nil || !strings.Contains(got, `"calls":1`) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestWaitingEndsWithTheCall(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	src := source(t, misbehave, nil)
	src.Ports = func(runtime.Caller) runtime.Ports {
		return portsFunc(func(context.Context, []byte) []byte {
			close(inside)
			<-leave
			return []byte(`{"ok":"done"}`)
		})
	}
	pkg := load(t, runtime.WASMOptions{MaxInstances: 1}, src)
	first := make(chan error)
	go func() {
		_, err := call(context.Background(), pkg, `{"how":"host"}`)
		first <- err
	}()
	<-inside
	ctx, cancel := runtime.WithDeadline(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := call(ctx, pkg, `{}`)
	if f := failure(t, err); f.Kind != runtime.Deadline || !strings.Contains(f.Message, "it waited for one of 1 calls") {
		t.Errorf("got %+v", f)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// portsFunc is a host that answers with a function.
type portsFunc func(ctx context.Context, request []byte) []byte

func (f portsFunc) Answer(ctx context.Context, request []byte) []byte { return f(ctx, request) }
func (portsFunc) Log(context.Context, int, string)                    {}
func (portsFunc) Close()                                              {}

// A package that calls itself while it answers would wait for itself, if it had to wait.
func TestNestedCallsDoNotWait(t *testing.T) {
	src := source(t, misbehave, nil)
	var pkg runtime.Package
	depth := 0
	src.Ports = func(runtime.Caller) runtime.Ports {
		return portsFunc(func(ctx context.Context, _ []byte) []byte {
			if depth++; depth == 4 {
				return []byte(`{"ok":"bottom"}`)
			}
			result, err := call(ctx, pkg, `{"how":"host"}`)
			if err != nil {
				t.Error(err)
			}
			return []byte(`{"ok":` + result + `}`)
		})
	}
	pkg = load(t, runtime.WASMOptions{MaxInstances: 1}, src)
	if got, err := call(context.Background(), pkg, `{"how":"host"}`); err != nil || got != `"bottom"` {
		t.Errorf("got %s, %v", got, err)
	}
	if h := pkg.Health(); h.Instances != 1 || h.Idle != 1 || h.Started != 4 || h.Discarded != 0 {
		t.Errorf("got %+v", h)
	}
}

func TestHostThatPanics(t *testing.T) {
	src := source(t, misbehave, nil)
	src.Ports = func(runtime.Caller) runtime.Ports {
		return portsFunc(func(context.Context, []byte) []byte { panic("the host is broken") })
	}
	pkg := load(t, runtime.WASMOptions{MaxInstances: 1}, src)
	_, err := call(context.Background(), pkg, `{"how":"host"}`)
	if f := failure(t, err); f.Kind != runtime.Stopped {
		t.Errorf("got %+v", f)
	}
	if _, err := call(context.Background(), pkg, `{}`); err != nil {
		t.Error(err)
	}
}

func TestLoadFailures(t *testing.T) {
	good := source(t, misbehave, nil)
	for _, test := range []struct {
		name   string
		change func(src *runtime.Source)
		want   string
	}{
		{"no folder", func(s *runtime.Source) { s.Dir = filepath.Join(s.Dir, "none") }, "cannot be read"},
		{"no module", func(s *runtime.Source) { s.Module = "dist/none.wasm" }, "cannot be read"},
		{"outside", func(s *runtime.Source) { s.Module = "../package.wasm" }, "cannot be read"},
		{"another file", func(s *runtime.Source) { s.Hash = strings.Repeat("0", 64) }, "look for packages again"},
		{"no WebAssembly", func(s *runtime.Source) { s.Module = "package.json" }, "cannot be loaded"},
		{"no memory for it", func(s *runtime.Source) { s.Limits.MemoryMiB = 1 }, "cannot be loaded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := good
			test.change(&src)
			_, err := runtime.NewWASM(shared.engine(), runtime.WASMOptions{}).Load(context.Background(), src)
			if f := failure(t, err); f.Kind != runtime.Unavailable || !strings.Contains(f.Message, test.want) {
				t.Errorf("got %+v", f)
			}
		})
	}
}

// The name of the bundle is the builder's to choose, which a host does not import.
func TestBundleName(t *testing.T) {
	src := source(t, misbehave, nil)
	if err := os.Remove(filepath.Join(src.Dir, "dist", build.MapFile)); err != nil {
		t.Fatal(err)
	}
	_, err := call(context.Background(), load(t, runtime.WASMOptions{}, src), `{"how":"throw"}`)
	if f := failure(t, err); !strings.Contains(f.Stack, build.BundleName) {
		t.Errorf("without a map, the stack is %q", f.Stack)
	}
}
