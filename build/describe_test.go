package build

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/build/bundle"
	"github.com/neuralis-dev/neuralis/manifest"
)

// What the host's router would refuse is refused at the author's file.
func TestDescribedRoutes(t *testing.T) {
	pkg := &manifest.Package{RouteSources: []string{"src/routes/a.ts", "src/routes/b.ts"}, Tools: []manifest.Tool{{Name: "t", Source: "src/tools/t.ts"}, {Name: "bare"}}}
	const good = `{"pattern":"b","methods":["GET"],"source":"src/routes/b.ts"}`
	out := bundle.Output{Map: []byte(`{"version":3,"sources":["src/routes/a.ts","src/routes/b.ts"],"sourcesContent":["// a\nexport const pattern = p;\nexport const feature = f;","export const pattern = p;"],"names":[],"mappings":"AAAA"}`)}
	for _, tc := range []struct {
		name, tools, routes, place, want string // no want: there is nothing to say
	}{
		{"right", `["t"]`, `{"pattern":"a/:id","methods":["GET","PUT"],"feature":"a.read","source":"src/routes/a.ts"},` + good, "", ""},
		{"pattern", `["t"]`, `{"pattern":"../x","methods":["GET"],"source":"src/routes/a.ts"},` + good, "src/routes/a.ts:2:", `pattern "../x"`},
		{"feature", `["t"]`, `{"pattern":"a","methods":["GET"],"feature":"No Feature","source":"src/routes/a.ts"},` + good, "src/routes/a.ts:3:", `"No Feature"`},
		{"method", `["t"]`, `{"pattern":"a","methods":["TRACE"],"source":"src/routes/a.ts"},` + good, "src/routes/a.ts:2:", `unknown method "TRACE"`},
		{"no method", `["t"]`, `{"pattern":"a","methods":[],"source":"src/routes/a.ts"},` + good, "src/routes/a.ts:2:", "no method"},
		{"same paths", `["t"]`, good + `,{"pattern":"b","methods":["PUT"],"source":"src/routes/a.ts"}`, "src/routes/a.ts:2:", `the same paths as "b" in src/routes/b.ts`},
		{"foreign file", `["t"]`, `{"pattern":"a","methods":["GET"],"source":"src/routes/a.ts"},` + good + `,{"pattern":"admin","methods":["GET"],"source":"src/routes/admin.ts"}`, "", "none of its route files"},
		{"file twice", `["t"]`, `{"pattern":"a","methods":["GET"],"source":"src/routes/a.ts"},{"pattern":"c","methods":["GET"],"source":"src/routes/a.ts"},` + good, "", "two routes of src/routes/a.ts"},
		{"file left out", `["t"]`, good, "", "no route of src/routes/a.ts"},
		{"foreign tool", `["t","u"]`, `{"pattern":"a","methods":["GET"],"source":"src/routes/a.ts"},` + good, "", `the tool "u"`},
		{"tool left out", `[]`, `{"pattern":"a","methods":["GET"],"source":"src/routes/a.ts"},` + good, "", "no tool t"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			routes, diags := describedRoutes(pkg, json.RawMessage(fmt.Sprintf(`{"tools":%s,"routes":[%s]}`, tc.tools, tc.routes)), out)
			if tc.want == "" {
				if len(diags) > 0 || len(routes) != 2 {
					t.Errorf("got %v, %v", routes, diags)
				}
				return
			}
			if len(diags) != 1 || !strings.Contains(diags[0].Message, tc.want) || !strings.HasPrefix(diags[0].Error(), tc.place) || tc.place != "" && diags[0].Frame == "" {
				t.Errorf("got %+v, want %s %s", diags, tc.place, tc.want)
			}
		})
	}
	if _, diags := describedRoutes(pkg, json.RawMessage("[]"), out); !diags.HasErrors() {
		t.Error("no object, and no error")
	}
}

// Each of these went into routes.json, where the host refuses it.
func TestBuildRefusesPatterns(t *testing.T) {
	builder := New(Options{CacheDir: cacheDir})
	t.Cleanup(func() { builder.Close(context.Background()) })
	for _, pattern := range []string{"../x", "./x", "a?b", "a#b", "a b", "a\x00b", "${x}", "a/%2e%2e/b"} {
		t.Run(fmt.Sprintf("%q", pattern), func(t *testing.T) {
			text, _ := json.Marshal(pattern)
			pkg := errorPackage(t, "export default () => 1", map[string]string{"src/routes/r.ts": "// r\nexport const pattern = " + string(text) + ";\nexport const GET = () => ({ status: 204 });"})
			_, diags := builder.Build(t.Context(), pkg)
			if len(diags) == 0 {
				t.Fatal("it was built")
			}
			wantProblem{RuleShape, "src/routes/r.ts:2:", "pattern ", "> 2 |", "", nil}.check(t, diags[0])
		})
	}
}

// The guest's own checks come first, and their errors are at the author's file too.
func TestFaultsOfRoutesArePlaced(t *testing.T) {
	builder := New(Options{CacheDir: cacheDir})
	t.Cleanup(func() { builder.Close(context.Background()) })
	for _, tc := range []struct{ name, route, place, text string }{
		{"slash", "// r\nexport const pattern = '/b';\nexport const GET = () => 1;", "src/routes/r.ts:2:", "empty segment"},
		{"parameter", "// r\nexport const pattern = ':__proto__/:1';\nexport const GET = () => 1;", "src/routes/r.ts:2:", "without a valid name"},
		{"rest", "// r\nexport const GET = () => 1;\nexport const pattern = '*a/b';", "src/routes/r.ts:3:", "must come last"},
		{"twice", "// r\nexport const pattern = ':a/:a';\nexport const GET = () => 1;", "src/routes/r.ts:2:", "twice"},
		{"equal", "// r\nexport const pattern = 'q/:b';\nexport const GET = () => 1;", "src/routes/r.ts:2:", "the same paths"},
		{"feature", "// r\nexport const pattern = 'r';\nexport const feature = 3;\nexport const GET = () => 1;", "src/routes/r.ts:3:", `the export "feature"`},
		{"method", "// r\nexport const pattern = 'r';\nexport const GET = 3;", "src/routes/r.ts:3:", `the export "GET"`},
		{"no method", "// r\nexport const pattern = 'r';", "src/routes/r.ts:2:", "this one exports none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, diags := builder.Build(t.Context(), errorPackage(t, "export default () => 1", map[string]string{
				"src/routes/q.ts": "export const pattern = 'q/:a';\nexport const GET = () => 1;", "src/routes/r.ts": tc.route,
			}))
			if len(diags) == 0 {
				t.Fatal("it was built")
			}
			wantProblem{RuleShape, tc.place, tc.text, ">", "", []string{}}.check(t, diags[0])
		})
	}
}

// The table of routes says what the route files export, whatever an npm package does to the language.
func TestDescriptionIsNotForged(t *testing.T) {
	builder := New(Options{CacheDir: cacheDir})
	t.Cleanup(func() { builder.Close(context.Background()) })
	want := manifest.RouteTable{Version: manifest.RouteTableVersion, Routes: []manifest.Route{{Pattern: "items/:id", Methods: []string{"GET"}, Feature: "items.read", Source: "src/routes/r.ts"}}}
	forged := `{"tools":["a"],"routes":[{"pattern":"items/:id","methods":["GET"],"feature":"","source":"src/routes/r.ts"}],"lifecycle":[]}`
	for _, tc := range []struct{ name, attack string }{
		{"JSON.stringify", "JSON.stringify = () => forged;"},
		{"JSON.parse", "JSON.parse = () => ({ hook: 'describe', toString: () => forged });"},
		{"JSON", "globalThis.JSON = { stringify: () => forged, parse: () => ({}) };"},
		{"Promise.prototype.then", "const { then } = Promise.prototype; Promise.prototype.then = function (f, r) { return then.call(this, () => f(forged), r); };"},
		{"Promise.prototype.constructor", "Object.defineProperty(Promise.prototype, 'constructor', { value: class { constructor(f) { f(() => {}, () => {}); } then(f) { f(forged); } } });"},
		{"toJSON", "Object.prototype.toJSON = Array.prototype.toJSON = function () { return this.feature === undefined ? this : { ...this, feature: '' }; };"},
		{"toJSON of everything", "Object.prototype.toJSON = Array.prototype.toJSON = () => JSON.parse(forged);"},
		{"methods of lists", "for (const n of ['map', 'filter', 'sort', 'push', 'find', 'includes']) Array.prototype[n] = () => [];"},
		{"iterators", "Array.prototype[Symbol.iterator] = function* () {};"},
		{"setters", "for (const n of [0, 'feature', 'GET', 'tools', 'routes', 'error']) Object.defineProperty(Object.prototype, n, { get: () => undefined, set() {}, configurable: true });"},
		{"inherited exports", "Object.prototype.PUT = Object.prototype.DELETE = () => 1;"},
		{"Object", "Object.keys = () => []; Object.hasOwn = () => false; Object.setPrototypeOf = (x) => x; Reflect.apply = () => [];"},
		{"inherited text", "Object.prototype.text = forged;"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			files := dependency("const forged = " + fmt.Sprintf("%q", forged) + ";\n" + tc.attack)
			files["src/routes/r.ts"] = "import 'dep';\nexport const pattern = 'items/:id';\nexport const feature = 'items.read';\nexport const GET = () => ({ status: 204 });"
			result, diags := builder.Build(t.Context(), errorPackage(t, "export default () => 1", files))
			if result == nil {
				t.Fatal(diags)
			}
			if got := result.Routes.Bytes(); string(got) != string(want.Bytes()) {
				t.Errorf("got %s", got)
			}
		})
	}
}
