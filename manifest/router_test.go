package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParsePattern(t *testing.T) {
	tests := []struct {
		pattern, shape string
		params         []string
	}{
		{"", "", nil},
		{"catalog", "catalog", nil},
		{"catalog/:id", "catalog/:", []string{"id"}},
		{":a/b/:c_2/*Rest", ":/b/:/*", []string{"a", "c_2", "Rest"}},
		{"*all", "*", []string{"all"}},
		{"a-b_c.d~e!$&',;=@/...", "a-b_c.d~e!$&',;=@/...", nil},
		{"目录/é", "目录/é", nil},
		{strings.TrimSuffix(strings.Repeat("a/", 32), "/"), strings.TrimSuffix(strings.Repeat("a/", 32), "/"), nil},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			p, err := ParsePattern(test.pattern)
			if err != nil {
				t.Fatal(err)
			}
			if p.String() != test.pattern || p.Shape() != test.shape || !slices.Equal(p.Params(), test.params) {
				t.Errorf("got %q %q %q", p.String(), p.Shape(), p.Params())
			}
		})
	}
}

func TestParsePatternFaults(t *testing.T) {
	tests := []struct{ name, pattern, want string }{
		{"slash first", "/a", `pattern "/a": it begins with a slash; patterns are relative to the package, so leave it out`},
		{"slash last", "a/", `pattern "a/": it ends with a slash; leave it out`},
		{"slash alone", "/", `pattern "/": it begins with a slash; patterns are relative to the package, so leave it out`},
		{"empty segment", "a//b", `pattern "a//b": it has an empty segment; remove the doubled slash`},
		{"this folder", "a/./b", `pattern "a/./b": the segment "." means another path; write that path`},
		{"folder above", "..", `pattern "..": the segment ".." means another path; write that path`},
		{"param in a segment", "a/b:c", `pattern "a/b:c": ':' in the middle of the segment "b:c": a parameter is a whole segment`},
		{"star in a segment", "a/b*", `pattern "a/b*": '*' in the middle of the segment "b*": a parameter is a whole segment`},
		{"rest inside", "*a/b", `pattern "*a/b": *a stands for the rest of a path, so nothing can follow it`},
		{"param twice", ":a/:a", `pattern ":a/:a": the parameter a is there twice`},
		{"param and rest of one name", ":a/*a", `pattern ":a/*a": the parameter a is there twice`},
		{"param without name", "a/:", `pattern "a/:": a name is missing after :, as in :path`},
		{"rest without name", "a/*", `pattern "a/*": a name is missing after *, as in *path`},
		{"param with digit", ":1", `pattern ":1": the parameter ":1" must be named with ASCII letters, digits and _, and not begin with a digit`},
		{"param with hyphen", ":a-b", `pattern ":a-b": the parameter ":a-b" must be named with ASCII letters, digits and _, and not begin with a digit`},
		{"optional param", ":a?", `pattern ":a?": the parameter ":a?" must be named with ASCII letters, digits and _, and not begin with a digit`},
		{"param of JavaScript", ":__proto__", `pattern ":__proto__": the parameter ":__proto__" has a name that JavaScript gives a meaning; choose another`},
		{"braces", "{id}", `pattern "{id}": the segment "{id}" has '{', which a pattern cannot have`},
		{"group", "(a|b)", `pattern "(a|b)": the segment "(a|b)" has '(', which a pattern cannot have`},
		{"query", "a?b", `pattern "a?b": the segment "a?b" has '?', which a pattern cannot have`},
		{"fragment", "a#b", `pattern "a#b": the segment "a#b" has '#', which a pattern cannot have`},
		{"percent", "a%20b", `pattern "a%20b": the segment "a%20b" has '%', which a pattern cannot have`},
		{"space", "a b", `pattern "a b": the segment "a b" has ' ', which a pattern cannot have`},
		{"backslash", `a\b`, `pattern "a\\b": the segment "a\\b" has '\\', which a pattern cannot have`},
		{"NUL", "a\x00", `pattern "a\x00": the segment "a\x00" has '\x00', which a pattern cannot have`},
		{"no UTF-8", "a\xff", `pattern "a\xff": it is not UTF-8 text`},
		{"long", strings.Repeat("a", 513), `pattern "` + strings.Repeat("a", 60) + `…": it is longer than 512 bytes`},
		{"many", strings.TrimSuffix(strings.Repeat("a/", 33), "/"), `pattern "` + strings.Repeat("a/", 30) + `…": it has more than 32 segments`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := ParsePattern(test.pattern); err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// routerCases is testdata/router.json, which is for every implementation of the router.
type routerCases struct {
	Routes []struct {
		Pattern string
		Methods []string
		Invalid bool
	}
	Cases []struct {
		Name, Request, Pattern, Method string
		Params                         map[string]string
		Status                         int
		Allow                          []string
	}
}

func readRouterCases(t testing.TB) (routerCases, []Route) {
	t.Helper()
	text, err := os.ReadFile("testdata/router.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases routerCases
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	var routes []Route
	for i, r := range cases.Routes {
		if !r.Invalid {
			routes = append(routes, Route{Pattern: r.Pattern, Methods: r.Methods, Source: fmt.Sprintf("src/routes/%d.ts", i)})
		} else if _, err := ParsePattern(r.Pattern); err == nil {
			t.Errorf("the pattern %q is accepted", r.Pattern)
		}
	}
	return cases, routes
}

func TestRouter(t *testing.T) {
	cases, routes := readRouterCases(t)
	reversed := slices.Clone(routes)
	slices.Reverse(reversed)
	for order, routes := range map[string][]Route{"in order": routes, "reversed": reversed} {
		t.Run(order, func(t *testing.T) {
			router, err := NewRouter(routes)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases.Cases {
				t.Run(c.Name, func(t *testing.T) {
					method, path, _ := strings.Cut(c.Request, " ")
					for _, path := range []string{path, "/" + path} {
						match, result := router.Match(method, path)
						switch {
						case c.Status == 404:
							if result != NotFound || match.Params != nil {
								t.Errorf("%q: got %v, %+v", path, result, match)
							}
						case c.Status == 405:
							if result != MethodNotAllowed || !slices.Equal(match.Allowed, c.Allow) || match.Params != nil {
								t.Errorf("%q: got %v, %+v", path, result, match)
							}
						default:
							if c.Method == "" {
								c.Method = method
							}
							if result != Matched || match.Route.Pattern != c.Pattern || match.Method != c.Method || !maps.Equal(match.Params, c.Params) {
								t.Errorf("%q: got %v, %+v", path, result, match)
							}
						}
					}
				})
			}
		})
	}
}

func TestNewRouterFaults(t *testing.T) {
	get := []string{"GET"}
	tests := []struct {
		name   string
		routes []Route
		want   []string
	}{
		{"none", nil, nil},
		{"same shape in two places", []Route{{Pattern: "a/:b/c", Methods: get}, {Pattern: "x/:b/c", Methods: get}}, nil},
		{"equal", []Route{{Pattern: "a/b", Methods: get, Source: "1.ts"}, {Pattern: "a/b", Methods: []string{"PUT"}, Source: "2.ts"}},
			[]string{`2.ts: pattern "a/b" matches the same paths as "a/b" in 1.ts; change one of them`}},
		{"equal params", []Route{{Pattern: "a/:b", Methods: get, Source: "1.ts"}, {Pattern: "a/:c", Methods: get, Source: "2.ts"}},
			[]string{`2.ts: pattern "a/:c" matches the same paths as "a/:b" in 1.ts; change one of them`}},
		{"equal rests", []Route{{Pattern: "*b", Methods: get, Source: "1.ts"}, {Pattern: "*c", Methods: get, Source: "2.ts"}},
			[]string{`2.ts: pattern "*c" matches the same paths as "*b" in 1.ts; change one of them`}},
		{"roots", []Route{{Pattern: "", Methods: get, Source: "1.ts"}, {Pattern: "", Methods: get, Source: "2.ts"}},
			[]string{`2.ts: pattern "" matches the same paths as "" in 1.ts; change one of them`}},
		{"several", []Route{{Pattern: "/a", Methods: get, Source: "1.ts"}, {Pattern: "a", Source: "2.ts"}, {Pattern: "b", Methods: []string{"get"}, Source: "3.ts"}, {Pattern: "c", Methods: []string{"GET", "GET"}, Source: "4.ts"}},
			[]string{
				`1.ts: pattern "/a": it begins with a slash; patterns are relative to the package, so leave it out`,
				`2.ts: pattern "a": the route handles no method`,
				`3.ts: pattern "b": unknown method "get"; there are GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS`,
				`4.ts: pattern "c": the method GET is there twice`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			router, err := NewRouter(test.routes)
			var got []string
			if err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if !slices.Equal(got, test.want) || (router == nil) != (test.want != nil) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestRouterIsLinear has patterns in which a careless search tries every combination.
func TestRouterIsLinear(t *testing.T) {
	var routes []Route
	for i := range 12 { // all ways to begin with a or :p, and an end that never comes
		for bits := range 1 << min(i, 6) {
			var parts []string
			for j := range i {
				if bits>>j&1 == 1 {
					parts = append(parts, "a")
				} else {
					parts = append(parts, fmt.Sprintf(":p%d", j))
				}
			}
			routes = append(routes, Route{Pattern: strings.Join(append(parts, "end"), "/"), Methods: []string{"GET"}, Source: "x.ts"})
		}
	}
	router, err := NewRouter(routes)
	if err != nil {
		t.Fatal(err)
	}
	if _, result := router.Match("GET", strings.Repeat("a/", 10)+"b"); result != NotFound {
		t.Error(result)
	}
	if _, result := router.Match("GET", strings.Repeat("a/", 100_000)+"b"); result != NotFound {
		t.Error(result)
	}
}

func TestRouterKeepsItsOwn(t *testing.T) {
	routes := []Route{{Pattern: "a", Methods: []string{"PUT", "GET"}, Source: "a.ts"}}
	router, err := NewRouter(routes)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(routes[0].Methods, []string{"PUT", "GET"}) {
		t.Errorf("the caller's methods became %q", routes[0].Methods)
	}
	routes[0].Methods[0] = "DELETE"
	match, _ := router.Match("GET", "a")
	match.Route.Methods[0], match.Allowed[0] = "X", "Y"
	if match, result := router.Match("GET", "a"); result != Matched || !reflect.DeepEqual(match.Route.Methods, []string{"GET", "PUT"}) {
		t.Errorf("got %v, %+v", result, match)
	}
}

// FuzzRouter compares the search with trying all patterns one after the other.
func FuzzRouter(f *testing.F) {
	cases, routes := readRouterCases(f)
	var patterns []string
	for _, r := range routes {
		patterns = append(patterns, r.Pattern)
	}
	for _, c := range cases.Cases {
		_, path, _ := strings.Cut(c.Request, " ")
		f.Add(strings.Join(patterns, "\n"), path)
	}
	f.Fuzz(func(t *testing.T, list, path string) {
		var routes []Route
		seen := map[string]bool{}
		for _, text := range strings.Split(list, "\n") {
			p, err := ParsePattern(text)
			if err != nil || seen[p.Shape()] {
				continue
			}
			seen[p.Shape()] = true
			routes = append(routes, Route{Pattern: text, Methods: []string{"GET"}, Source: "x.ts"})
		}
		router, err := NewRouter(routes)
		if err != nil {
			t.Fatal(err)
		}
		got, result := router.Match("GET", path)
		want, params, found := search(routes, path)
		if found != (result == Matched) || found && (got.Route.Pattern != want || !maps.Equal(got.Params, params)) {
			t.Errorf("%q in %q: got %v %+v, want %q %v", path, list, result, got, want, params)
		}
		for name, value := range got.Params {
			if value == "" || strings.ContainsRune(value, 0) || dotted(value) {
				t.Errorf("%s is %q", name, value)
			}
		}
	})
}

// search is the router's rule word for word.
func search(routes []Route, path string) (pattern string, params map[string]string, found bool) {
	segments, ok := splitPath(path)
	if !ok {
		return "", nil, false
	}
	var best Pattern
	for _, r := range routes {
		p, err := ParsePattern(r.Pattern)
		if err != nil {
			continue
		}
		values, ok := matchOne(p, segments)
		if ok && (!found || moreSpecific(p, best)) {
			best, params, found = p, values, true
		}
	}
	return best.String(), params, found
}

func matchOne(p Pattern, segments []string) (map[string]string, bool) {
	params := map[string]string{}
	for i, s := range p.segments {
		switch {
		case i >= len(segments), s.kind == segmentLiteral && s.text != segments[i]:
			return nil, false
		case s.kind == segmentParam:
			params[s.text] = segments[i]
		case s.kind == segmentRest:
			params[s.text] = strings.Join(segments[i:], "/")
			return params, true
		}
	}
	return params, len(p.segments) == len(segments)
}

func moreSpecific(a, b Pattern) bool {
	for i := range a.segments {
		if a.segments[i].kind != b.segments[i].kind {
			return a.segments[i].kind < b.segments[i].kind
		}
	}
	return false
}
