package dispatch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/audit"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/limit"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// emptyModule is the smallest WebAssembly module.
const emptyModule = "\x00asm\x01\x00\x00\x00"

func writeFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tool is a tool file with a schema of its arguments and further members of x-neuralis.
func tool(schema, extension string) string {
	if schema != "" {
		schema += ","
	}
	if extension != "" {
		extension += ","
	}
	return `{"description":"A tool","type":"object",` + schema + `"x-neuralis":{` + extension + `"annotations":{"category":"read"}}}`
}

func pkg(id, more string) string {
	return fmt.Sprintf(`{"name":"@acme/%s","version":"1.0.0","neuralis":{"id":%q%s}}`, id, id, more)
}

const wasmType = `,"runtime":{"type":"wasm"}`

// fake is a package that answers what it is told to, and remembers what it was asked.
type fake struct {
	mu     sync.Mutex
	asked  []string
	result string
	answer *runtime.RouteAnswer
	err    error
	do     func(ctx context.Context)
}

func (f *fake) ask(ctx context.Context, format string, args ...any) {
	f.mu.Lock()
	f.asked = append(f.asked, fmt.Sprintf(format, args...))
	f.mu.Unlock()
	if f.do != nil {
		f.do(ctx)
	}
}

func (f *fake) CallTool(ctx context.Context, c runtime.ToolCall) (json.RawMessage, error) {
	f.ask(ctx, "%s%s", c.Name, c.Arguments)
	return json.RawMessage(f.result), f.err
}

func (f *fake) CallRoute(ctx context.Context, c runtime.RouteCall) (*runtime.RouteAnswer, error) {
	f.ask(ctx, "%s %s %v %v %v %s", c.Method, c.Pattern, c.Params, c.Query, c.Header, c.Body)
	return f.answer, f.err
}

func (f *fake) CallLifecycle(ctx context.Context, c runtime.LifecycleCall) (json.RawMessage, error) {
	f.ask(ctx, "%s.%s%s", c.Hook, c.Method, c.Args)
	return json.RawMessage(f.result), f.err
}

func (*fake) Health() runtime.Health      { return runtime.Health{Ready: true} }
func (*fake) Close(context.Context) error { return nil }

// stage is a dispatcher over packages in folders, all of them run by one fake.
type stage struct {
	*dispatch.Dispatcher
	fake     *fake
	limits   trust.Limits
	now      time.Time
	access   []audit.Access
	observed []dispatch.Observation
	panics   int
	catalog  *catalog.Catalog
}

// newStage makes one. The packages are in folders: builtin/x, _packages/x, or user/x, ada's own.
func newStage(t testing.TB, files map[string]string) *stage {
	t.Helper()
	project := t.TempDir()
	writeFiles(t, project, files)
	s := &stage{fake: &fake{result: `"done"`, answer: &runtime.RouteAnswer{Status: 200}}, limits: trust.DefaultLimits(trust.Untrusted), now: time.Unix(1e9, 0)}
	roots := catalog.Roots{ProjectRoot: project, Trust: map[string]trust.Tier{"trusted": trust.Trusted}}
	if _, err := os.Stat(filepath.Join(project, "builtin")); err == nil {
		roots.Builtins = []string{filepath.Join(project, "builtin")}
	}
	if _, err := os.Stat(filepath.Join(project, "user")); err == nil {
		roots.Sources = []catalog.Source{{ID: "own", Path: filepath.Join(project, "user"), RecognizesPackages: true, Scope: catalog.Scope{Kind: catalog.ScopeUser, Owner: "ada"}}}
	}
	s.catalog = catalog.Scan(context.Background(), roots)
	directory := dispatch.NewDirectory(s.catalog, nil)
	s.Dispatcher = dispatch.New(dispatch.Options{
		Directory: func() *dispatch.Directory { return directory },
		Hold: func(_ context.Context, e *catalog.Entry) (runtime.Package, func(), error) {
			if e.Module == "" {
				return nil, nil, nil
			}
			return s.fake, nil, nil
		},
		Limits:  func(trust.Tier) trust.Limits { return s.limits },
		Limiter: limit.New(func() time.Time { return s.now }),
		Audit:   func(_ context.Context, a audit.Access) { s.access = append(s.access, a) },
		Observe: func(o dispatch.Observation) { s.observed = append(s.observed, o) },
		Report:  func(context.Context, any, []byte) { s.panics++ },
		Now:     func() time.Time { return s.now },
	})
	return s
}

func (s *stage) tool(who session.Session, name, args string) dispatch.Result {
	return s.CallTool(context.Background(), who, name, json.RawMessage(args))
}

func (s *stage) route(who session.Session, target string) dispatch.Response {
	method, path, _ := strings.Cut(target, " ")
	return s.CallRoute(context.Background(), who, dispatch.Request{Method: method, Path: path})
}

func codeOf(e *dispatch.Error) dispatch.Code {
	if e == nil {
		return ""
	}
	return e.Code
}

var (
	nobody = session.Session{}
	ada    = session.Session{UserID: "ada", ProjectID: "shop", Role: "member", Features: []string{"a.read", "a.use"}}
)

var oneTool = map[string]string{
	"_packages/a/package.json":      pkg("a", wasmType+`,"requires":{"accessFeature":"a.use"}`),
	"_packages/a/dist/package.wasm": emptyModule,
	"_packages/a/tools/t.json":      tool(`"properties":{"n":{"type":"integer","default":3}},"additionalProperties":false`, `"feature":"a.read"`),
	"_packages/a/tools/bad.json":    tool(`"properties":{"n":{"$ref":"other.json"}}`, ""),
	"_packages/a/tools/broken.json": `{"description":"x"`,
	"_packages/a/src/tools/free.ts": "export default () => 1",
}

func TestToolOrder(t *testing.T) {
	for _, test := range []struct {
		name string
		who  session.Session
		tool string
		args string
		code dispatch.Code
		in   string // the message
	}{
		{"fits", ada, "t", `{}`, "", "done"},
		{"not found", ada, "nope", `{}`, dispatch.CodeUnknownTool, `no tool \"nope\"`},
		{"without access", nobody, "t", `{"x":1}`, dispatch.CodeFeatureRequired, "needs the feature a.use"},
		{"without feature", session.Session{Features: []string{"a.use"}}, "t", `{"x":1}`, dispatch.CodeFeatureRequired, "needs the feature a.read"},
		{"wrong arguments", ada, "t", `{"x":1,"n":"y"}`, dispatch.CodeInvalidArguments, "/n got string, want integer; /x is not an argument"},
		{"no JSON", ada, "t", `{`, dispatch.CodeInvalidArguments, "not JSON"},
		{"a schema that cannot be used", ada, "bad", `{}`, dispatch.CodeSchemaUnavailable, "not followed"},
		{"a schema that cannot be used, and wrong arguments", ada, "bad", `{`, dispatch.CodeSchemaUnavailable, "not followed"},
		{"a schema that is no JSON", ada, "broken", `{}`, dispatch.CodeSchemaUnavailable, "faults"},
		{"no schema", ada, "free", `{"anything":[1]}`, "", "done"},
		{"no schema and no JSON", ada, "free", `{"anything":[1}`, dispatch.CodeInvalidArguments, "not JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, oneTool)
			r := s.tool(test.who, test.tool, test.args)
			if codeOf(r.Err) != test.code || r.IsError != (test.code != "") || len(r.Content) != 1 || !strings.Contains(string(r.Content[0]), test.in) {
				text, _ := json.Marshal(r)
				t.Errorf("got %s", text)
			}
			if called := len(s.fake.asked) > 0; called != (test.code == "") {
				t.Errorf("the package was called: %q", s.fake.asked)
			}
			var told struct {
				Error struct{ Code, Message string }
			}
			if test.code != "" && (json.Unmarshal(r.StructuredContent, &told) != nil || told.Error.Code != string(test.code) || told.Error.Message == "") {
				t.Errorf("structured: %s", r.StructuredContent)
			}
			if len(s.observed) != 1 || s.observed[0].Code != test.code {
				t.Errorf("observed %+v", s.observed)
			}
		})
	}
}

func TestDefaultsReachTheHandler(t *testing.T) {
	s := newStage(t, oneTool)
	s.tool(ada, "t", ` {} `)
	s.tool(ada, "t", ` {"n": 4} `)
	s.tool(ada, "free", ``)
	if got := strings.Join(s.fake.asked, " "); got != `t{"n":3} t{"n": 4} free{}` {
		t.Errorf("got %s", got)
	}
}

func TestRateLimit(t *testing.T) {
	s := newStage(t, oneTool)
	s.limits.ToolsPerMinute = 2
	// What a caller may not do counts for nothing; arguments that do not fit count.
	for range 5 {
		s.tool(nobody, "t", `{}`)
	}
	for i, want := range []dispatch.Code{dispatch.CodeInvalidArguments, "", dispatch.CodeRateLimited} {
		if got := codeOf(s.tool(ada, "t", []string{`{"x":1}`, `{}`, `{`}[i]).Err); got != want {
			t.Errorf("call %d: %q", i, got)
		}
	}
	s.now = s.now.Add(20*time.Second + 1)
	r := s.tool(ada, "free", `{}`)
	if codeOf(r.Err) != dispatch.CodeRateLimited || !strings.Contains(string(r.StructuredContent), `"retryAfter":40`) {
		t.Errorf("got %s", r.StructuredContent)
	}
	s.now = s.now.Add(40 * time.Second)
	if r := s.tool(ada, "t", `{}`); r.IsError {
		t.Errorf("got %s", r.StructuredContent)
	}
}

func TestRateLimitUnderConcurrency(t *testing.T) {
	s := newStage(t, oneTool)
	s.limits.ToolsPerMinute = 60
	d := s.Dispatcher
	var group sync.WaitGroup
	var mu sync.Mutex
	codes := map[dispatch.Code]int{}
	// The stage's own notes are not for many goroutines.
	directory := dispatch.NewDirectory(s.catalog, nil)
	d = dispatch.New(dispatch.Options{
		Directory: func() *dispatch.Directory { return directory },
		Hold:      func(context.Context, *catalog.Entry) (runtime.Package, func(), error) { return s.fake, nil, nil },
		Limits:    func(trust.Tier) trust.Limits { return s.limits },
		Limiter:   limit.New(func() time.Time { return s.now }),
	})
	for range 1000 {
		group.Go(func() {
			r := d.CallTool(context.Background(), ada, "t", nil)
			mu.Lock()
			defer mu.Unlock()
			codes[codeOf(r.Err)]++
		})
	}
	group.Wait()
	if codes[""] != 60 || codes[dispatch.CodeRateLimited] != 940 {
		t.Errorf("got %v", codes)
	}
}

func TestRuntimeUnavailable(t *testing.T) {
	s := newStage(t, map[string]string{
		"_packages/n/package.json":     pkg("n", `,"runtime":{"type":"node"}`),
		"_packages/n/tools/t.json":     tool("", ""),
		"_packages/n/dist/routes.json": `{"version":1,"routes":[{"pattern":"n","methods":["GET"],"source":"src/routes/n.ts"}]}`,
		"_packages/w/package.json":     pkg("w", wasmType),
		"_packages/w/tools/u.json":     tool("", ""),
	})
	r := s.tool(nobody, "t", `{}`)
	if codeOf(r.Err) != dispatch.CodeRuntimeUnavailable || r.Err.Reason != string(trust.ReasonUntrustedNode) {
		t.Errorf("got %+v", r.Err)
	}
	if response := s.route(nobody, "GET n"); response.Status != http.StatusServiceUnavailable || codeOf(response.Err) != dispatch.CodeRuntimeUnavailable {
		t.Errorf("got %+v", response)
	}
	s.fake.err = &runtime.Failure{Kind: runtime.Unavailable, Message: "it is gone"}
	if r := s.tool(nobody, "u", `{}`); codeOf(r.Err) != dispatch.CodeRuntimeUnavailable {
		t.Errorf("got %+v", r.Err)
	}
}

func TestFailures(t *testing.T) {
	s := newStage(t, oneTool)
	s.limits.ToolsPerMinute = 0
	for _, test := range []struct {
		err    error
		code   dispatch.Code
		reason string
	}{
		{&runtime.Failure{Kind: runtime.Deadline}, dispatch.CodeDeadlineExceeded, ""},
		{&runtime.Failure{Kind: runtime.Cancelled}, dispatch.CodeCancelled, ""},
		{&runtime.Failure{Kind: runtime.Memory}, dispatch.CodeOutOfMemory, ""},
		{&runtime.Failure{Kind: runtime.TooLarge}, dispatch.CodeInvalidArguments, ""},
		{&runtime.Failure{Kind: runtime.Stopped}, dispatch.CodeHandlerError, "stopped"},
		{&runtime.Failure{Kind: runtime.Handler, Code: "handler-error", File: "src/tools/t.ts", Line: 2, Column: 3}, dispatch.CodeHandlerError, ""},
		{&runtime.Failure{Kind: runtime.Handler, Code: "never-settled"}, dispatch.CodeHandlerError, "never-settled"},
		{&runtime.Failure{Kind: runtime.Handler, Code: "unknown-tool"}, dispatch.CodeRuntimeUnavailable, "unknown-tool"},
		{errors.New("anything"), dispatch.CodeInternal, ""},
	} {
		s.fake.err = test.err
		r := s.tool(ada, "t", `{}`)
		if codeOf(r.Err) != test.code || r.Err.Reason != test.reason {
			t.Errorf("%+v: got %+v", test.err, r.Err)
		}
	}
}

func TestPanics(t *testing.T) {
	s := newStage(t, oneTool)
	s.fake.do = func(context.Context) { panic("secret words") }
	r := s.tool(ada, "t", `{}`)
	if codeOf(r.Err) != dispatch.CodeInternal || strings.Contains(string(r.StructuredContent), "secret") || s.panics != 1 {
		t.Errorf("got %s, %d panics", r.StructuredContent, s.panics)
	}
}

func TestResultSize(t *testing.T) {
	s := newStage(t, oneTool)
	s.limits.MaxResultBytes = 1000
	for _, test := range []struct {
		result string
		code   dispatch.Code
	}{
		{`"` + strings.Repeat("x", 900) + `"`, ""},
		{`"` + strings.Repeat("x", 999) + `"`, dispatch.CodeResultTooLarge},
		{`{"a":"` + strings.Repeat("x", 900) + `"}`, dispatch.CodeResultTooLarge}, // it would be there twice
		{`{"content":[],"a":"` + strings.Repeat("x", 1000) + `"}`, dispatch.CodeResultTooLarge},
	} {
		s.fake.result = test.result
		if r := s.tool(ada, "t", `{}`); codeOf(r.Err) != test.code {
			t.Errorf("%.20s: got %+v", test.result, r.Err)
		}
	}
}

func TestDeadline(t *testing.T) {
	s := newStage(t, oneTool)
	var left time.Duration
	s.fake.do = func(ctx context.Context) {
		deadline, _ := ctx.Deadline()
		left = time.Until(deadline)
	}
	s.tool(ada, "t", `{}`)
	if left <= 0 || left > 10*time.Second {
		t.Errorf("the call may take %s", left)
	}
}

// Whoever cannot see a package of ada's is told the same as of one that is not there.
func TestHiddenPackages(t *testing.T) {
	s := newStage(t, map[string]string{
		"user/own/package.json":      pkg("own", wasmType),
		"user/own/dist/package.wasm": emptyModule,
		"user/own/dist/routes.json":  `{"version":1,"routes":[{"pattern":"own/:id","methods":["GET"],"source":"src/routes/x.ts"}]}`,
		"user/own/tools/mine.json":   tool("", ""),
	})
	if r := s.tool(ada, "mine", ""); r.IsError {
		t.Errorf("its owner: %s", r.StructuredContent)
	}
	if r := s.route(ada, "GET own/1"); r.Status != 200 {
		t.Errorf("its owner: %+v", r)
	}
	eve := session.Session{UserID: "eve", Features: ada.Features}
	hidden, absent := s.tool(eve, "mine", ""), s.tool(eve, "mine2", "")
	if strings.ReplaceAll(string(hidden.StructuredContent), "mine", "mine2") != string(absent.StructuredContent) {
		t.Errorf("%s and %s", hidden.StructuredContent, absent.StructuredContent)
	}
	if r := s.route(eve, "POST own/1"); r.Status != 404 {
		t.Errorf("got %+v", r)
	}
	if _, err := s.CallAPI(context.Background(), eve, "own", "m", nil); codeOf(err) != dispatch.CodeUnknownPackage {
		t.Errorf("got %v", err)
	}
	if len(s.access) != 1 || s.access[0].Package != "user/ada/own" {
		t.Errorf("the audit has %+v", s.access)
	}
}

func routes(list ...string) string {
	var all []string
	for _, r := range list {
		method, rest, _ := strings.Cut(r, " ")
		pattern, feature, _ := strings.Cut(rest, " ")
		if feature != "" {
			feature = fmt.Sprintf(`"feature":%q,`, feature)
		}
		all = append(all, fmt.Sprintf(`{"pattern":%q,"methods":[%q],%s"source":"src/routes/x.ts"}`, pattern, method, feature))
	}
	return `{"version":1,"routes":[` + strings.Join(all, ",") + `]}`
}

var manyRoutes = map[string]string{
	"builtin/core/package.json":           pkg("core", wasmType),
	"builtin/core/dist/package.wasm":      emptyModule,
	"builtin/core/dist/routes.json":       routes("GET core/:id"),
	"_packages/trusted/package.json":      pkg("trusted", wasmType),
	"_packages/trusted/dist/package.wasm": emptyModule,
	"_packages/trusted/dist/routes.json":  routes("GET shop/:id", "GET files/*rest"),
	"_packages/a/package.json":            pkg("a", wasmType+`,"requires":{"accessFeature":"a.use"}`),
	"_packages/a/dist/package.wasm":       emptyModule,
	"_packages/a/dist/routes.json":        routes("GET core/secret", "GET shop/sale", "GET a/:x a.read", "PUT a/:x/y", "GET same/:one"),
	"_packages/b/package.json":            pkg("b", wasmType),
	"_packages/b/dist/package.wasm":       emptyModule,
	"_packages/b/dist/routes.json":        routes("GET a/special", "GET same/:other", "GET same/:other/b"),
}

func TestRouteMatching(t *testing.T) {
	for _, test := range []struct {
		target string
		who    session.Session
		status int
		code   dispatch.Code
		asked  string
	}{
		{"GET core/secret", ada, 200, "", "GET core/:id map[id:secret]"}, // not the untrusted package's, though that is more specific
		{"GET shop/sale", ada, 200, "", "GET shop/:id map[id:sale]"},
		{"GET /shop/x", ada, 200, "", "GET shop/:id map[id:x]"},
		{"GET a/1", ada, 200, "", "GET a/:x map[x:1]"},
		{"HEAD a/1", ada, 200, "", "HEAD a/:x map[x:1]"},
		{"GET a/special", ada, 200, "", "GET a/special map[]"}, // of two that are trusted alike
		{"GET same/1", ada, 200, "", "GET same/:one map[one:1]"},
		{"GET same/1/b", ada, 200, "", "GET same/:other/b map[other:1]"},
		{"GET a/b%20c%2Fd", ada, 200, "", "GET a/:x map[x:b c/d]"},
		{"GET a/1", nobody, 403, dispatch.CodeFeatureRequired, ""},
		{"GET a/1", session.Session{Features: []string{"a.use"}}, 403, dispatch.CodeFeatureRequired, ""},
		{"PUT a/1/y", session.Session{Features: []string{"a.read"}}, 403, dispatch.CodeFeatureRequired, ""},
		{"POST a/1", ada, 405, dispatch.CodeMethodNotAllowed, ""},
		// With the id of the package in front, which is how they are told apart.
		{"GET core/core/x", ada, 200, "", "GET core/:id map[id:x]"},
		{"GET a/core/secret", ada, 200, "", "GET core/secret map[]"},
		{"GET a/shop/sale", ada, 200, "", "GET shop/sale map[]"},
		{"GET b/same/1", ada, 200, "", "GET same/:other map[other:1]"},
		{"GET a/same/1", ada, 200, "", "GET same/:one map[one:1]"},
		{"GET %61/same/1", ada, 200, "", "GET same/:one map[one:1]"},
		{"POST a/same/1", ada, 405, dispatch.CodeMethodNotAllowed, ""},
		{"GET a/shop/none", ada, 404, dispatch.CodeNotFound, ""},
		{"GET none/same/1", ada, 404, dispatch.CodeNotFound, ""},
		{"GET a", ada, 404, dispatch.CodeNotFound, ""},
		{"GET ../a/1", ada, 404, dispatch.CodeNotFound, ""},
		{"GET a/%2e%2e", ada, 404, dispatch.CodeNotFound, ""},
		{"GET a/%00", ada, 404, dispatch.CodeNotFound, ""},
		{"", ada, 404, dispatch.CodeNotFound, ""},
	} {
		t.Run(test.target+" "+test.who.UserID, func(t *testing.T) {
			s := newStage(t, manyRoutes)
			r := s.route(test.who, test.target)
			if r.Status != test.status || codeOf(r.Err) != test.code {
				t.Errorf("got %d %v", r.Status, r.Err)
			}
			if got := strings.Join(s.fake.asked, "|"); !strings.HasPrefix(got, test.asked) || test.asked == "" && got != "" {
				t.Errorf("the package was asked %q", got)
			}
			if test.code != "" && !strings.Contains(string(r.Body), `"code":"`+string(test.code)) {
				t.Errorf("the body is %s", r.Body)
			}
			if test.status == 405 && r.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("the headers are %v", r.Header)
			}
		})
	}
}

func TestRouteRateLimit(t *testing.T) {
	s := newStage(t, manyRoutes)
	s.limits.RoutesPerMinute = 1
	s.route(ada, "GET a/1")
	r := s.route(ada, "GET a/1")
	if r.Status != 429 || r.Header.Get("Retry-After") != "60" {
		t.Errorf("got %+v", r)
	}
	s.limits.ToolsPerMinute = 1
	if _, err := s.CallAPI(context.Background(), ada, "a", "m", nil); err != nil {
		t.Errorf("tools and routes are counted together: %v", err)
	}
}

func TestAudit(t *testing.T) {
	s := newStage(t, manyRoutes)
	s.limits.RoutesPerMinute = 2
	ctx := dispatch.WithRequest(context.Background(), "r1")
	get := func(who session.Session, path string) {
		s.CallRoute(ctx, who, dispatch.Request{Method: "GET", Path: path})
	}
	get(ada, "core/1") // first-party
	get(ada, "none")
	get(ada, "shop/1")
	get(nobody, "a/1")
	get(ada, "a/1")
	s.fake.do = func(context.Context) { panic("x") }
	get(ada, "a/2")
	get(ada, "a/3")
	var got []string
	for _, a := range s.access {
		got = append(got, fmt.Sprintf("%s %s %s %s %s %d %s %s %s", a.Package, a.Tier, a.Method, a.Path, a.Pattern, a.Status, a.Code, a.Caller.UserID, a.Request))
	}
	want := []string{
		"trusted trusted GET shop/1 shop/:id 200  ada r1",
		"a untrusted GET a/1 a/:x 403 feature-required  r1",
		"a untrusted GET a/1 a/:x 200  ada r1",
		"a untrusted GET a/2 a/:x 500  ada r1",
		"a untrusted GET a/3 a/:x 429 rate-limited ada r1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRouteHeaders(t *testing.T) {
	s := newStage(t, manyRoutes)
	s.fake.answer = &runtime.RouteAnswer{Status: 201, Header: map[string][]string{"x-a": {"1"}, "set-cookie": {"a", "b"}, "transfer-encoding": {"chunked"}, "Content-Length": {"9"}}, Body: []byte("x")}
	r := s.CallRoute(context.Background(), ada, dispatch.Request{Method: "GET", Path: "a/1", RawQuery: "q=caf%C3%A9+x&q=2&bad=%zz", Body: []byte("body"),
		Header: http.Header{"X-Custom": {"1", "2"}, "Authorization": {"Bearer of the host"}, "Cookie": {"session"}, "Connection": {"close"}}})
	if got := fmt.Sprint(r.Status, r.Header, string(r.Body)); got != "201 map[Set-Cookie:[a b] X-A:[1]]x" {
		t.Errorf("got %s", got)
	}
	if got := s.fake.asked[0]; got != "GET a/:x map[x:1] map[q:café x] map[x-custom:1, 2] body" {
		t.Errorf("the package was asked %s", got)
	}
	for size, want := range map[int]dispatch.Code{64<<10 - 5: "", 64<<10 - 4: dispatch.CodeResultTooLarge, 5 << 20: dispatch.CodeResultTooLarge} {
		s.fake.answer.Header = map[string][]string{"x": {strings.Repeat("v", size)}}
		if r := s.route(ada, "GET a/1"); codeOf(r.Err) != want {
			t.Errorf("a header of %d bytes: %v", size, r.Err)
		}
	}
	s.limits.MaxResultBytes = 1
	s.fake.answer.Body = []byte("xx")
	if r := s.route(ada, "GET a/1"); codeOf(r.Err) != dispatch.CodeResultTooLarge {
		t.Errorf("got %+v", r)
	}
}

func TestAPI(t *testing.T) {
	s := newStage(t, manyRoutes)
	s.fake.result = `[1]`
	call := func(who session.Session, id string) (string, dispatch.Code) {
		result, err := s.CallAPI(context.Background(), who, id, "m", json.RawMessage(`[2]`))
		return string(result), codeOf(err)
	}
	if got, code := call(ada, "a"); got != "[1]" || code != "" || s.fake.asked[0] != "api.m[2]" {
		t.Errorf("got %s, %s, asked %q", got, code, s.fake.asked)
	}
	if _, code := call(nobody, "a"); code != dispatch.CodeFeatureRequired {
		t.Errorf("got %s", code)
	}
	if _, code := call(ada, "none"); code != dispatch.CodeUnknownPackage {
		t.Errorf("got %s", code)
	}
	s.fake.err = &runtime.Failure{Kind: runtime.Handler, Code: "unknown-hook"}
	if _, code := call(ada, "b"); code != dispatch.CodeUnknownMethod {
		t.Errorf("got %s", code)
	}
}

func TestDepth(t *testing.T) {
	s := newStage(t, manyRoutes)
	s.limits.RoutesPerMinute = 0
	var innermost dispatch.Response
	s.fake.do = func(ctx context.Context) {
		r := s.CallRoute(ctx, ada, dispatch.Request{Method: "GET", Path: "a/1"})
		if r.Err != nil {
			innermost = r
		}
	}
	if r := s.route(ada, "GET a/1"); r.Status != 200 {
		t.Errorf("got %+v", r)
	}
	if codeOf(innermost.Err) != dispatch.CodeCallDepth || innermost.Status != http.StatusLoopDetected || len(s.fake.asked) != dispatch.DefaultMaxDepth+1 {
		t.Errorf("after %d calls: %+v", len(s.fake.asked), innermost)
	}
}

func TestCodes(t *testing.T) {
	seen := map[dispatch.Code]bool{}
	for _, c := range dispatch.Codes() {
		if seen[c] || c.Status() < 400 || c.Status() > 599 {
			t.Errorf("%s: status %d, twice: %t", c, c.Status(), seen[c])
		}
		seen[c] = true
	}
}

// A call passes the gates of the version that answers it, whatever happens in between.
func TestReplacedWhileFound(t *testing.T) {
	closed := newStage(t, map[string]string{
		"_packages/a/package.json": pkg("a", wasmType+`,"requires":{"accessFeature":"a.more"}`), "_packages/a/tools/t.json": tool("", ""),
		"_packages/a/dist/package.wasm": emptyModule, "_packages/a/dist/routes.json": routes("GET r"),
	})
	open := newStage(t, map[string]string{
		"_packages/a/package.json": pkg("a", wasmType), "_packages/a/tools/t.json": tool("", ""),
		"_packages/a/dist/package.wasm": emptyModule, "_packages/a/dist/routes.json": routes("GET r"),
	})
	old, next := dispatch.NewDirectory(open.catalog, nil), dispatch.NewDirectory(closed.catalog, nil)
	for _, test := range []struct {
		name string
		next *dispatch.Directory
		want dispatch.Code
	}{
		{"by one with a gate", next, dispatch.CodeFeatureRequired},
		{"by nothing", dispatch.NewDirectory(nil, nil), "gone"},
		{"and not yet there", old, dispatch.CodeRuntimeUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			now, held := old, 0
			d := dispatch.New(dispatch.Options{
				Directory: func() *dispatch.Directory { return now },
				Limits:    trust.DefaultLimits,
				Hold: func(_ context.Context, e *catalog.Entry) (runtime.Package, func(), error) {
					if now == old {
						now = test.next
						return nil, nil, dispatch.ErrReplaced
					}
					held++
					return open.fake, func() { held-- }, nil
				},
			})
			r := d.CallTool(t.Context(), ada, "t", nil)
			if want := test.want; codeOf(r.Err) != want && !(want == "gone" && codeOf(r.Err) == dispatch.CodeUnknownTool) {
				t.Errorf("a tool: %v", r.Err)
			}
			now = old
			if r := d.CallRoute(t.Context(), ada, dispatch.Request{Method: "GET", Path: "a/r"}); codeOf(r.Err) != test.want && !(test.want == "gone" && codeOf(r.Err) == dispatch.CodeNotFound) {
				t.Errorf("a route: %v", r.Err)
			}
			now = old
			if _, err := d.CallAPI(t.Context(), ada, "a", "m", nil); codeOf(err) != test.want && !(test.want == "gone" && codeOf(err) == dispatch.CodeUnknownPackage) {
				t.Errorf("an API: %v", err)
			}
			if held != 0 {
				t.Errorf("%d versions are still held", held)
			}
		})
	}
}
