package ports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/credentials"
	"github.com/neuralis-dev/neuralis/host/data"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/outbound"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// world is a host of one package, that remembers what it was asked.
type world struct {
	lines []string
	asked []string
}

func (w *world) Log(_ context.Context, level logs.Level, message string, fields json.RawMessage, call logs.Call) {
	w.lines = append(w.lines, fmt.Sprintf("%s %s%s (%s%s %s)", level, message, fields, call.Tool, call.Route, call.Request))
}

func (w *world) Resolve(who session.Session, id string) (credentials.Secret, bool) {
	if id != "acme.key" {
		return credentials.Secret{}, false
	}
	return credentials.NewSecret("s3cret of " + who.UserID), true
}

func (w *world) CallRoute(_ context.Context, who session.Session, r dispatch.Request) dispatch.Response {
	w.asked = append(w.asked, fmt.Sprintf("%s %s?%s %v %q by %s for %s", r.Method, r.Path, r.RawQuery, r.Header, r.Body, who.CallerID, who.UserID))
	body := []byte(`{"a":1}`)
	if r.Path == "bytes" {
		body = []byte{0xff}
	}
	return dispatch.Response{Status: 201, Header: http.Header{"X-A": {"1", "2"}}, Body: body}
}

func (w *world) CallAPI(_ context.Context, who session.Session, id, method string, args json.RawMessage) (json.RawMessage, *dispatch.Error) {
	w.asked = append(w.asked, fmt.Sprintf("%s.%s%s by %s (%s) for %s %v", id, method, args, who.CallerID, who.CallerTrust, who.UserID, who.Features))
	if id == "none" {
		return nil, &dispatch.Error{Code: dispatch.CodeUnknownPackage, Message: "there is no package"}
	}
	return json.RawMessage(`[1]`), nil
}

var ada = session.Session{UserID: "ada", ProjectID: "shop", Features: []string{"a.read"}}

func (w *world) pkg(t *testing.T, tier trust.Tier) Package {
	t.Helper()
	store, err := data.Open(filepath.Join(t.TempDir(), "p"), data.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) json.RawMessage { return json.RawMessage(s) }
	return Package{
		ID: "p", Tier: tier, Limits: trust.DefaultLimits(tier), Data: store, Log: w, Credentials: w, Others: w,
		Settings: []manifest.ConfigSetting{
			{Key: "given", Type: "integer", Default: text(`1`), EnvFallback: "GIVEN"},
			{Key: "wrong", Type: "integer"},
			{Key: "env", Type: "integer", Default: text(`1`), EnvFallback: "NUMBER"},
			{Key: "envtext", Type: "string", EnvFallback: "NUMBER"},
			{Key: "envwrong", Type: "boolean", EnvFallback: "NUMBER"},
			{Key: "default", Type: "array", Default: text(`[1]`), EnvFallback: "UNSET"},
			{Key: "nothing", Type: "object"},
		},
		Value: func(key string) (json.RawMessage, bool) {
			v, ok := map[string]json.RawMessage{"given": text(`7`), "wrong": text(`"x"`), "undeclared": text(`1`)}[key]
			return v, ok
		},
		Getenv: func(name string) string { return map[string]string{"NUMBER": "42", "GIVEN": "43"}[name] },
	}
}

// rows asks and compares, in one call.
func rows(t *testing.T, p runtime.Ports, all [][2]string) {
	t.Helper()
	for _, row := range all {
		if got := string(p.Answer(context.Background(), []byte(row[0]))); got != row[1] && !(strings.HasSuffix(row[1], "…") && strings.HasPrefix(got, strings.TrimSuffix(row[1], "…"))) {
			t.Errorf("%s\ngot  %s\nwant %s", row[0], got, row[1])
		}
	}
}

func failed(code string) string { return `{"ok":null,"error":{"code":"` + code + `","message":"…` }

func TestData(t *testing.T) {
	w := &world{}
	p := New(w.pkg(t, trust.Untrusted))(runtime.Caller{Session: ada})
	defer p.Close()
	rows(t, p, [][2]string{
		{`{"op":"store.get","store":"s","id":"a"}`, `{"ok":null}`},
		{`{"op":"store.exists","store":"s","id":"a"}`, `{"ok":false}`},
		{`{"op":"store.list","store":"s"}`, `{"ok":[]}`},
		{`{"op":"store.delete","store":"s","id":"a"}`, `{"ok":false}`},
		{`{"op":"store.put","store":"s","id":"B","value":{"n":2}}`, `{"ok":null}`},
		{`{"op":"store.put","store":"s","id":"a","value":1}`, `{"ok":null}`},
		{`{"op":"store.get","store":"s","id":"B"}`, `{"ok":{"n":2}}`},
		{`{"op":"store.begin","store":"s","id":"a"}`, `{"ok":{"lock":1,"value":1}}`},
		{`{"op":"store.begin","store":"s","id":"new"}`, `{"ok":{"lock":2,"value":null}}`},
		{`{"op":"store.commit","lock":1,"value":7}`, `{"ok":null}`},
		{`{"op":"store.abort","lock":2}`, `{"ok":null}`},
		{`{"op":"store.commit","lock":1,"value":8}`, failed("no-lock")},
		{`{"op":"store.get","store":"s","id":"a"}`, `{"ok":7}`},
		{`{"op":"store.exists","store":"s","id":"new"}`, `{"ok":false}`},
		{`{"op":"store.delete","store":"s","id":"a"}`, `{"ok":true}`},
		{`{"op":"store.put","store":"s","id":"a"}`, failed("invalid-value")},
		{`{"op":"store.get","store":"../s","id":"a"}`, failed("invalid-path")},
		{`{"op":"store.get","store":"s","id":""}`, failed("invalid-id")},
		{`{"op":"data.readNewest","path":"log.jsonl","n":5}`, `{"ok":[]}`},
		{`{"op":"data.append","path":"log.jsonl","value":1}`, `{"ok":null}`},
		{`{"op":"data.append","path":"log.jsonl","value":null,"maxBytes":1e99,"keep":0}`, `{"ok":null}`},
		{`{"op":"data.readNewest","path":"log.jsonl","n":1e99}`, `{"ok":[null,1]}`},
		{`{"op":"data.readNewest","path":"log.jsonl","n":-1}`, `{"ok":[]}`},
		{`{"op":"data.append","path":"/etc/x","value":1}`, failed("invalid-path")},
		{`{"op":"data.path","rel":"../x"}`, failed("invalid-path")},
		{`{"op":"data.append","path":1}`, failed("invalid-request")},
		{`{"op":"store.no","store":"s"}`, failed("unsupported")},
		{`{`, failed("invalid-request")},
		{`[]`, failed("invalid-request")},
		{`{}`, failed("unsupported")},
	})
}

// What could not fit into the package's memory is not read.
func TestAnswersThatThePackageCouldNotTake(t *testing.T) {
	w := &world{}
	pkg := w.pkg(t, trust.Untrusted)
	pkg.Limits.MemoryMiB = 8
	p := New(pkg)(runtime.Caller{Session: ada})
	defer p.Close()
	value := strings.Repeat("x", 1<<20-100)
	put := func(id string) [2]string {
		return [2]string{`{"op":"store.put","store":"s","id":"` + id + `","value":"` + value + `"}`, `{"ok":null}`}
	}
	add := [2]string{`{"op":"data.append","path":"log.jsonl","value":"` + value + `"}`, `{"ok":null}`}
	rows(t, p, [][2]string{
		put("a"), put("b"), {`{"op":"store.list","store":"s"}`, `{"ok":["` + value + `","` + value + `"]}`},
		put("c"), {`{"op":"store.list","store":"s"}`, failed("too-large")},
		add, add, {`{"op":"data.readNewest","path":"log.jsonl","n":5}`, `{"ok":["` + value + `","` + value + `"]}`},
		add, {`{"op":"data.readNewest","path":"log.jsonl","n":5}`, failed("too-large")},
		{`{"op":"data.readNewest","path":"log.jsonl","n":2}`, `{"ok":["` + value + `","` + value + `"]}`},
	})
}

// What a call holds when it ends is free for the next one.
func TestLocksOfACallThatDied(t *testing.T) {
	w := &world{}
	calls := New(w.pkg(t, trust.Untrusted))
	first := calls(runtime.Caller{})
	rows(t, first, [][2]string{
		{`{"op":"store.put","store":"s","id":"a","value":1}`, `{"ok":null}`},
		{`{"op":"store.begin","store":"s","id":"a"}`, `{"ok":{"lock":1,"value":1}}`},
	})
	first.Close()
	second := calls(runtime.Caller{})
	defer second.Close()
	rows(t, second, [][2]string{
		{`{"op":"store.commit","lock":1,"value":9}`, failed("no-lock")},
		{`{"op":"store.begin","store":"s","id":"a"}`, `{"ok":{"lock":1,"value":1}}`},
	})
}

func TestLocksAreBounded(t *testing.T) {
	w := &world{}
	p := New(w.pkg(t, trust.Untrusted))(runtime.Caller{})
	defer p.Close()
	for i := range maxLocks {
		rows(t, p, [][2]string{{fmt.Sprintf(`{"op":"store.begin","store":"s","id":"%d"}`, i), fmt.Sprintf(`{"ok":{"lock":%d,"value":null}}`, i+1)}})
	}
	rows(t, p, [][2]string{
		{`{"op":"store.begin","store":"s","id":"x"}`, failed("locked")},
		{`{"op":"store.abort","lock":3}`, `{"ok":null}`},
		{`{"op":"store.begin","store":"s","id":"x"}`, `{"ok":{"lock":17,"value":null}}`},
	})
}

func TestConfig(t *testing.T) {
	w := &world{}
	p := New(w.pkg(t, trust.FirstParty))(runtime.Caller{})
	rows(t, p, [][2]string{
		{`{"op":"config.get","key":"given"}`, `{"ok":7}`},
		{`{"op":"config.get","key":"wrong"}`, failed("invalid-config")},
		{`{"op":"config.get","key":"env"}`, `{"ok":42}`},
		{`{"op":"config.get","key":"envtext"}`, `{"ok":"42"}`},
		{`{"op":"config.get","key":"envwrong"}`, failed("invalid-config")},
		{`{"op":"config.get","key":"default"}`, `{"ok":[1]}`},
		{`{"op":"config.get","key":"nothing"}`, `{"ok":null}`},
		{`{"op":"config.get","key":"undeclared"}`, failed("unknown-config")},
		{`{"op":"config.get","key":"NUMBER"}`, failed("unknown-config")},
	})
	for _, tier := range []trust.Tier{trust.Trusted, trust.Untrusted, ""} {
		rows(t, New(w.pkg(t, tier))(runtime.Caller{}), [][2]string{
			{`{"op":"config.get","key":"given"}`, failed("denied")},
			{`{"op":"config.get","key":"undeclared"}`, failed("denied")},
		})
	}
}

func TestTypesOfSettings(t *testing.T) {
	for _, test := range []struct {
		kind, text string
		want       bool
	}{
		{"string", `"x"`, true}, {"string", `1`, false}, {"boolean", ` true`, true}, {"boolean", `yes`, false}, {"array", `[]`, true}, {"array", `{}`, false},
		{"object", `{}`, true}, {"object", `null`, false}, {"integer", `1.0`, true}, {"integer", `1.5`, false}, {"integer", `"1"`, false}, {"integer", `null`, false},
		{"number", `1.5`, true}, {"number", `true`, false}, {"number", `1e999`, false}, {"number", ``, false},
	} {
		if got := isOf(test.kind, json.RawMessage(test.text)); got != test.want {
			t.Errorf("%s is a %s: %t", test.text, test.kind, got)
		}
	}
}

func TestCredentials(t *testing.T) {
	w := &world{}
	rows(t, New(w.pkg(t, trust.Untrusted))(runtime.Caller{Session: ada}), [][2]string{
		{`{"op":"credentials.resolve","id":"acme.key"}`, `{"ok":"s3cret of ada"}`},
		{`{"op":"credentials.resolve","id":"other"}`, `{"ok":null}`},
	})
}

func TestCallRoute(t *testing.T) {
	w := &world{}
	p := New(w.pkg(t, trust.Trusted))(runtime.Caller{Session: ada})
	rows(t, p, [][2]string{
		{`{"op":"route.call","method":"get","path":"a/b?x=1","query":{"q":"é &"},"headers":{"x-h":"v"}}`, `{"ok":{"body":"{\"a\":1}","headers":{"x-a":"1, 2"},"status":201}}`},
		{`{"op":"route.call","method":"PUT","path":"bytes","bodyBase64":"/w=="}`, `{"ok":{"bodyBase64":"/w==","headers":{"x-a":"1, 2"},"status":201}}`},
		{`{"op":"route.call","method":"PUT","path":"bytes","bodyBase64":"!"}`, failed("invalid-request")},
	})
	want := `GET a/b?x=1&q=%C3%A9+%26 map[X-H:[v]] "" by p for ada|PUT bytes? map[] "\xff" by p for ada`
	if got := strings.Join(w.asked, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	w.asked = nil
	rows(t, New(w.pkg(t, trust.Untrusted))(runtime.Caller{Session: ada}), [][2]string{{`{"op":"route.call","method":"GET","path":"a"}`, failed("denied")}})
	if len(w.asked) != 0 {
		t.Errorf("an untrusted package called %s", w.asked)
	}
}

func TestCallAPI(t *testing.T) {
	w := &world{}
	p := New(w.pkg(t, trust.Trusted))(runtime.Caller{Session: ada})
	const own = `"session":{"userId":"ada","projectId":"shop","features":["everything"],"callerTrust":"first-party"}`
	rows(t, p, [][2]string{
		{`{"op":"api.call","package":"q","method":"m","args":[1],` + own + `}`, `{"ok":[1]}`},
		{`{"op":"api.call","package":"none","method":"m","args":[],` + own + `}`, failed("unknown-package")},
		{`{"op":"api.call","package":"q","method":"m","args":[]}`, failed("denied")},
		{`{"op":"api.call","package":"q","method":"m","args":[],"session":null}`, failed("denied")},
		{`{"op":"api.call","package":"q","method":"m","args":[],"session":{}}`, failed("denied")},
		{`{"op":"api.call","package":"q","method":"m","args":[],"session":{"userId":"eve","projectId":"shop"}}`, failed("denied")},
	})
	// What the guest says of the session is not believed.
	if len(w.asked) != 2 || w.asked[0] != "q.m[1] by p (trusted) for ada [a.read]" {
		t.Errorf("got %q", w.asked)
	}
	w.asked = nil
	rows(t, New(w.pkg(t, trust.Trusted))(runtime.Caller{}), [][2]string{{`{"op":"api.call","package":"q","method":"m","args":[],"session":{}}`, failed("denied")}})
	rows(t, New(w.pkg(t, trust.Untrusted))(runtime.Caller{Session: ada}), [][2]string{{`{"op":"api.call","package":"q","method":"m","args":[],` + own + `}`, failed("denied")}})
	if len(w.asked) != 0 {
		t.Errorf("got %q", w.asked)
	}
}

func TestLogs(t *testing.T) {
	w := &world{}
	p := New(w.pkg(t, trust.Untrusted))(runtime.Caller{Tool: "t", Request: "r1"})
	rows(t, p, [][2]string{{`{"op":"log","level":"info","message":"a","fields":{"n":1}}`, `{"ok":null}`}})
	p.Log(context.Background(), 4, "b")
	p.Close()
	if got := strings.Join(w.lines, "|"); got != `info a{"n":1} (t r1)|error b (t r1)` {
		t.Errorf("got %s", got)
	}
}

func TestLogFlood(t *testing.T) {
	w := &world{}
	p := New(w.pkg(t, trust.Untrusted))(runtime.Caller{Tool: "t"})
	for range 10_000 {
		p.Answer(context.Background(), []byte(`{"op":"log","level":"info","message":"a"}`))
		p.Log(context.Background(), 2, "b")
	}
	p.Close()
	if len(w.lines) != maxLines+1 || !strings.Contains(w.lines[maxLines], "logged 20000 lines") {
		t.Errorf("%d lines, the last %q", len(w.lines), w.lines[len(w.lines)-1])
	}
}

func TestEndedCalls(t *testing.T) {
	w := &world{}
	p := New(w.pkg(t, trust.Untrusted))(runtime.Caller{Session: ada})
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	for _, row := range [][2]string{
		{`{"op":"timer.sleep","ms":1e300}`, `{"ok":null,"cancelled":"enough"}`},
		{`{"op":"timer.sleep","ms":-1}`, `{"ok":null,"cancelled":"enough"}`},
		{`{"op":"credentials.resolve","id":"acme.key"}`, `{"ok":"s3cret of ada","cancelled":"enough"}`},
		{`{"op":"store.list","store":"s"}`, `{"ok":[],"cancelled":"enough"}`},
		{`{"op":"no"}`, `{"ok":null,"error":{"code":"unsupported","message":"this host has no operation \"no\""},"cancelled":"enough"}`},
	} {
		if got := string(p.Answer(ctx, []byte(row[0]))); got != row[1] {
			t.Errorf("%s\ngot  %s\nwant %s", row[0], got, row[1])
		}
	}
	rows(t, p, [][2]string{{`{"op":"timer.sleep"}`, `{"ok":null}`}})
}

func TestNetwork(t *testing.T) {
	w := &world{}
	pkg := w.pkg(t, trust.Trusted)
	pkg.HTTP = &outbound.Client{AllowedHosts: []string{"api.example"}}
	rows(t, New(pkg)(runtime.Caller{}), [][2]string{{`{"op":"http.request","url":"http://other.example/"}`, failed("host-not-allowed")}})
	pkg.Tier, pkg.Limits = trust.Untrusted, trust.DefaultLimits(trust.Untrusted)
	rows(t, New(pkg)(runtime.Caller{}), [][2]string{{`{"op":"http.request","url":"http://api.example/"}`, failed("host-not-allowed")}})
}

// client is an MCP client that can sample.
type client struct{ told []string }

func (*client) Offers() runtime.Offers { return runtime.Offers{Sample: true} }
func (c *client) Progress(_ context.Context, progress float64, total *float64, message string) error {
	c.told = append(c.told, fmt.Sprint(progress, *total, message))
	return nil
}
func (c *client) Log(_ context.Context, level string, data json.RawMessage, logger string) error {
	c.told = append(c.told, fmt.Sprint(level, string(data), logger))
	return nil
}
func (*client) Sample(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
	return params, nil
}
func (*client) Elicit(context.Context, json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("asked what it does not offer")
}

func TestMCP(t *testing.T) {
	w, c := &world{}, &client{}
	calls := New(w.pkg(t, trust.Untrusted))
	rows(t, calls(runtime.Caller{Client: c}), [][2]string{
		{`{"op":"mcp.progress","progress":1,"total":2,"message":"m"}`, `{"ok":null}`},
		{`{"op":"mcp.log","level":"info","data":{"a":1},"logger":"l"}`, `{"ok":null}`},
		{`{"op":"mcp.sample","params":{"p":1}}`, `{"ok":{"p":1}}`},
		{`{"op":"mcp.elicit","params":{}}`, failed("unsupported")},
	})
	if got := strings.Join(c.told, "|"); got != `1 2 m|info{"a":1}l` && got != `1 2m|info{"a":1}l` {
		t.Errorf("got %s", got)
	}
	rows(t, calls(runtime.Caller{}), [][2]string{
		{`{"op":"mcp.progress","progress":1}`, failed("unsupported")},
		{`{"op":"mcp.sample","params":{}}`, failed("unsupported")},
	})
}

func TestHostWithoutAnything(t *testing.T) {
	p := New(Package{ID: "p", Tier: trust.FirstParty, Limits: trust.DefaultLimits(trust.FirstParty)})(runtime.Caller{Session: ada})
	defer p.Close()
	rows(t, p, [][2]string{
		{`{"op":"data.path","rel":"a"}`, failed("unsupported")},
		{`{"op":"store.list","store":"a"}`, failed("unsupported")},
		{`{"op":"credentials.resolve","id":"a"}`, `{"ok":null}`},
		{`{"op":"log","level":"info","message":"a"}`, `{"ok":null}`},
		{`{"op":"config.get","key":"a"}`, failed("unknown-config")},
		{`{"op":"route.call","method":"GET","path":"a"}`, failed("unsupported")},
		{`{"op":"http.request","url":"http://a.example/"}`, failed("host-not-allowed")},
	})
}

type brokenResolver struct{}

func (brokenResolver) Resolve(session.Session, string) (credentials.Secret, bool) { panic("broken") }

func TestPanicsAreAnswers(t *testing.T) {
	reported := 0
	p := New(Package{ID: "p", Credentials: brokenResolver{}, Report: func(context.Context, any, []byte) { reported++ }})(runtime.Caller{})
	rows(t, p, [][2]string{{`{"op":"credentials.resolve","id":"a"}`, `{"ok":null,"error":{"code":"host-error","message":"the host failed; its log says more"}}`}})
	if reported != 1 {
		t.Errorf("reported %d times", reported)
	}
}
