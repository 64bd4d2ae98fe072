package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/image"
)

var session = map[string]any{"userId": "u", "projectId": "p", "role": "owner", "features": []string{"catalog.read", "catalog.write", "library.read", "library.manage"}}

// tool is a call of a tool; args are JSON.
func tool(name, args string) call {
	return call{sandbox.ExportTool, text(map[string]any{"tool": name, "args": json.RawMessage(args), "session": session})}
}

// route is a request, as "GET path?query".
func route(target, body string) call {
	method, rest, _ := strings.Cut(target, " ")
	path, rawQuery, _ := strings.Cut(rest, "?")
	query := map[string]string{}
	for pair := range strings.SplitSeq(rawQuery, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			query[name] = value
		}
	}
	return call{sandbox.ExportRoute, text(map[string]any{"method": method, "path": path, "query": query, "rawQuery": rawQuery, "headers": map[string]string{}, "rawBody": body, "session": session})}
}

func lifecycle(input string) call { return call{sandbox.ExportLifecycle, input} }

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func probe(what string, value any) call {
	return tool("probe", text(map[string]any{"what": what, "value": value}))
}

// everywhere runs calls in one instance of each host and demands the same outcomes. It returns them.
func everywhere(t *testing.T, pkg built, calls []call) []outcome {
	t.Helper()
	want := hosts["sandbox"](t, pkg.file, [][]call{calls})[0]
	for _, name := range []string{"go", "node"} {
		t.Run(name, func(t *testing.T) {
			got := hosts[name](t, pkg.file, [][]call{calls})[0]
			for i := range calls {
				if !sameOutcome(got[i], want[i]) {
					t.Errorf("call %d, %.200s\n%s: %.300s\nsandbox: %.300s", i, calls[i].Input, name, text(got[i]), text(want[i]))
				}
			}
		})
	}
	return want
}

// sameOutcome compares errors by their members, since a host may put words of its own around them.
func sameOutcome(a, b outcome) bool {
	if (a.Error == "") != (b.Error == "") {
		return false
	}
	if a.Error == "" {
		return a.OK == b.OK
	}
	x, y := sandbox.ParseGuestError(a.Error), sandbox.ParseGuestError(b.Error)
	return *x == *y
}

func TestProbe(t *testing.T) {
	pkg := buildCopy(t, "testdata/probe")
	megabyte := strings.Repeat("äb😀c", 200_000)
	table := []struct {
		name string
		call call
		want string // of the output; an error that has it where it begins with "!"
	}{
		{"echo", probe("echo", map[string]any{"a": []any{1, nil, true, "é"}}), `{"a":[1,null,true,"é"]}`},
		{"unicode", probe("length", "é😀\u0000\u2028\ufffd"), `[6,5,13]`},
		{"lone surrogate", call{sandbox.ExportTool, `{"tool":"probe","args":{"what":"length","value":"\ud800"},"session":{}}`}, `[1,1,3]`},
		{"a megabyte", probe("double", megabyte), text(megabyte + megabyte)},
		{"nothing", probe("nothing", nil), `null`},
		{"thrown", probe("thrown", nil), `!"message":"thrown é😀"`},
		{"rejected", probe("rejected", nil), `!"message":"rejected"`},
		{"no error object", probe("noError", nil), `!odd`},
		{"cycle", probe("cycle", nil), `!`},
		{"never settles", probe("pending", nil), `!`},
		{"promises and timers", probe("promises", nil), `["microtask","then","timer 0","timer 5","timer 20"]`},
		{"clock", probe("clock", nil), `[true,true]`},
		{"depth", probe("depth", 400), `400`},
		{"frames", probe("frames", nil), `[true,true,"number",true,true]`},
		{"digest", probe("digest", "abc"), ""},
		{"sorted", probe("sorted", []string{"b", "a", "ä", "B", "10", "9"}), ""},
		{"numbers", probe("numbers", nil), `[0.30000000000000004,1e+21,0,9007199254740992,5e-324,"123.5","1180591620717411303424"]`},
		{"a port", probe("data", nil), `null`},
		{"no such tool", tool("none", "{}"), `!none`},
		{"a route", route("POST echo/a%20b/c?x=1", "héllo"), ""},
		{"a binary body", route("GET echo/x", ""), ""},
		{"wrong method", route("PUT echo/x", ""), ""},
		{"no route", route("GET other", ""), ""},
		{"describe", lifecycle(`{"hook":"describe"}`), ""},
		{"not JSON", call{sandbox.ExportTool, "{"}, `!`},
		{"empty", call{sandbox.ExportTool, ""}, `!`},
		{"state is kept", probe("calls", nil), `1`},
		{"from call to call", probe("calls", nil), `2`},
	}
	calls := make([]call, len(table))
	for i, row := range table {
		calls[i] = row.call
	}
	for i, got := range everywhere(t, pkg, calls) {
		switch want, fails := strings.CutPrefix(table[i].want, "!"); {
		case fails && !strings.Contains(got.Error, want), !fails && got.Error != "", !fails && want != "" && got.OK != want:
			t.Errorf("%s: got %.300s; want %.300s", table[i].name, text(got), table[i].want)
		}
	}
}

// Numbers drawn at build time are the same everywhere; those drawn later never are.
func TestRandomness(t *testing.T) {
	pkg := buildCopy(t, "testdata/probe")
	for name, host := range hosts {
		t.Run(name, func(t *testing.T) {
			outcomes := host(t, pkg.file, [][]call{{probe("random", nil), probe("random", nil)}, {probe("random", nil)}})
			var drawn [3][]any
			for i, o := range append(outcomes[0], outcomes[1]...) {
				if err := json.Unmarshal([]byte(o.OK), &drawn[i]); err != nil || len(drawn[i]) != 3 {
					t.Fatalf("got %+v", o)
				}
			}
			for column := range 3 {
				a, b, c := drawn[0][column], drawn[1][column], drawn[2][column]
				if same := a == b || a == c || b == c; same != (column == 0) {
					t.Errorf("column %d: %v, %v, %v", column, a, b, c)
				}
			}
		})
	}
}

// Recursion without end is a RangeError that harms nothing, where the engine's stack ends first. In Node
// V8's may: then the call fails, and the instance refuses all others.
func TestRecursion(t *testing.T) {
	pkg := buildCopy(t, "testdata/probe")
	for name, host := range hosts {
		t.Run(name, func(t *testing.T) {
			got := host(t, pkg.file, [][]call{{probe("recursion", nil), probe("echo", 1), probe("recursion", nil), probe("echo", 2)}})[0]
			if guest := sandbox.ParseGuestError(got[0].Error); guest != nil && guest.Name == "RangeError" {
				if got[1].OK != "1" || got[2].Error == "" || got[3].OK != "2" {
					t.Errorf("after an error that was caught: %+v", got[1:])
				}
				return
			}
			t.Logf("the host's own stack ended first: %s", got[0].Error)
			if name != "node" || got[0].Error == "" {
				t.Errorf("got %+v", got[0])
			}
			for _, o := range got[1:] {
				if o.Error == "" {
					t.Errorf("an instance that was cut off answers %s", o.OK)
				}
			}
		})
	}
}

// expectation is an entry of expected.json.
type expectation struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Route  string          `json:"route"`
	Body   string          `json:"body"`
	As     string          `json:"as"`
	Expect map[string]any  `json:"expect"`
}

// hosts answer these, without asking the package: what it expects of them is not tested here.
func (e expectation) isTheHosts() bool {
	if e.Expect["status"] == 403.0 {
		return true
	}
	structured, _ := e.Expect["structuredContent"].(map[string]any)
	_, coded := structured["error"]
	return e.Expect["isError"] == true && coded
}

// readExpectations reads expected.json.
func readExpectations(t *testing.T) (all []expectation) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(catalogDir(), "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// expectations are those that a package meets by itself.
func expectations(t *testing.T) (own []expectation) {
	t.Helper()
	for _, e := range readExpectations(t) {
		if !e.isTheHosts() {
			own = append(own, e)
		}
	}
	if len(own) < 8 {
		t.Fatalf("only %d expectations are the package's own", len(own))
	}
	return own
}

// The host answers all of them, in order.
func TestCatalogAnswersAsExpected(t *testing.T) {
	ctx := context.Background()
	pkg := buildCopy(t, catalogDir())
	c, err := config.Standalone(pkg.Package.Dir)
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.Open(ctx, host.Options{Config: c, Packages: []string{pkg.Package.Dir}, CacheDir: shared.cacheDir, Cores: []image.Core{shared.core}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(ctx)
	for _, e := range readExpectations(t) {
		var got any
		who := h.SessionAs(e.As)
		if e.Tool != "" {
			if err := json.Unmarshal([]byte(text(h.CallTool(ctx, who, e.Tool, e.Args))), &got); err != nil {
				t.Fatal(err)
			}
		} else {
			method, target, _ := strings.Cut(e.Route, " ")
			path, query, _ := strings.Cut(target, "?")
			got = asJSON(t, h.CallRoute(ctx, who, dispatch.Request{Method: method, Path: path, RawQuery: query, Body: []byte(e.Body)}))
		}
		if missing := contains(got, any(e.Expect), "answer"); missing != "" {
			t.Errorf("%s%s: %s", e.Tool, e.Route, missing)
		}
	}
}

// asJSON is a response as expected.json writes it: bodies of JSON are values, names of headers in lower case.
func asJSON(t *testing.T, response dispatch.Response) any {
	t.Helper()
	headers := map[string]any{}
	for name, values := range response.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	var body any
	if json.Unmarshal(response.Body, &body) != nil {
		body = string(response.Body)
	}
	return map[string]any{"status": float64(response.Status), "headers": headers, "body": body}
}

// contains says what of want is not in got: objects may have more members, all else is equal.
func contains(got, want any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %v, not an object", at, got)
		}
		for key, value := range want {
			if missing := contains(object[key], value, at+"."+key); missing != "" {
				return missing
			}
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%s is %v, not %v", at, got, want)
		}
		for i := range want {
			if missing := contains(list[i], want[i], fmt.Sprintf("%s[%d]", at, i)); missing != "" {
				return missing
			}
		}
	default:
		if got != want {
			return fmt.Sprintf("%s is %v, not %v", at, got, want)
		}
	}
	return ""
}

func TestCatalogEverywhere(t *testing.T) {
	pkg := buildCopy(t, catalogDir())
	calls := []call{lifecycle(`{"hook":"describe"}`)}
	for _, e := range expectations(t) {
		if e.Tool != "" {
			calls = append(calls, tool(e.Tool, string(e.Args)))
		} else {
			calls = append(calls, route(e.Route, e.Body))
		}
	}
	everywhere(t, pkg, calls)
}

func TestExamplesEverywhere(t *testing.T) {
	for _, tc := range []struct {
		name  string
		calls []call
	}{
		{"greet", []call{tool("greet", `{"name":"Ada"}`), tool("greet", `{"name":"Ünïcode 😀"}`)}},
		{"library", []call{
			tool("library_add", `{"id":"b1","title":"Émile","author":"R"}`), tool("library_add", `{"id":"b1","title":"Émile","author":"Rousseau"}`),
			tool("library_search", `{"query":"émile"}`), tool("library_return", `{"id":"b1"}`), tool("library_return", `{"id":"b2"}`),
			route("GET books/b1", ""), route("GET books", ""), route("GET books/export.csv", ""), route("DELETE books/b1", ""), route("GET books/b1", ""),
		}},
		{"feedback", []call{tool("feedback_summary", `{}`), lifecycle(`{"hook":"describe"}`)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			everywhere(t, buildCopy(t, filepath.Join("..", "..", "examples", tc.name)), tc.calls)
		})
	}
}

// A host runs packages of its own toolchain fast only when it knows their core.
func TestCoreIsKnown(t *testing.T) {
	for _, c := range image.Cores() {
		if c == shared.core {
			return
		}
	}
	t.Errorf("the linker makes a core that internal/image/cores.txt does not have; write there, in place of the last line if that says unreleased:\n%s %d unreleased",
		shared.core.Hash, shared.core.Interrupt)
}
