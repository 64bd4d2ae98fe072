package manifest

import (
	"reflect"
	"slices"
	"testing"
)

const tableText = `{
  "version": 1,
  "routes": [
    {
      "pattern": "catalog/:id",
      "methods": [
        "GET",
        "PUT"
      ],
      "feature": "catalog.read",
      "source": "src/routes/catalog.ts"
    },
    {
      "pattern": "o'hara/<&>",
      "methods": [
        "OPTIONS"
      ],
      "source": "src/routes/a.ts"
    }
  ]
}
`

func TestRouteTableBytes(t *testing.T) {
	table := RouteTable{Routes: []Route{
		{Pattern: "o'hara/<&>", Methods: []string{"OPTIONS"}, Source: "src/routes/a.ts"},
		{Pattern: "catalog/:id", Methods: []string{"PUT", "GET"}, Feature: "catalog.read", Source: "src/routes/catalog.ts"},
	}}
	if got := string(table.Bytes()); got != tableText {
		t.Errorf("got:\n%s", got)
	}
	slices.Reverse(table.Routes)
	if got := string(table.Bytes()); got != tableText {
		t.Errorf("in another order:\n%s", got)
	}
	if !slices.Equal(table.Routes[0].Methods, []string{"PUT", "GET"}) {
		t.Errorf("the caller's methods became %q", table.Routes[0].Methods)
	}
	if got, want := string(RouteTable{}.Bytes()), "{\n  \"version\": 1,\n  \"routes\": []\n}\n"; got != want {
		t.Errorf("empty: got %q, want %q", got, want)
	}
}

func TestParseRouteTable(t *testing.T) {
	want := RouteTable{Version: 1, Routes: []Route{
		{Pattern: "", Methods: []string{"GET"}, Source: "src/routes/root.ts"},
		{Pattern: "catalog/:id", Methods: []string{"GET", "PUT"}, Feature: "catalog.read", Source: "src/routes/catalog.ts"},
	}}
	got, diagnostics := ParseRouteTable("dist/routes.json", want.Bytes())
	if len(diagnostics) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, diagnostics)
	}
}

func TestParseRouteTableFaults(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"not JSON", `{`, []string{"r.json:1:2: the file ends inside the object that begins at line 1, column 1"}},
		{"empty object", `{}`, []string{"r.json:1:1: version is missing", "r.json:1:1: routes is missing"}},
		{"newer", `{"version": 2, "routes": []}`, []string{"r.json:1:13: version must be at most 1, found 2"}},
		{"wrong types", `{"version": 1, "routes": [{"pattern": 1, "methods": "GET", "source": "../x.ts"}]}`, []string{
			"r.json:1:39: routes[0].pattern must be a string, found a number",
			"r.json:1:53: routes[0].methods must be an array, found a string",
			`r.json:1:70: routes[0].source must be a path inside the package, with forward slashes and without ".." (such as dist/package.wasm), found "../x.ts"`}},
		{"methods", `{"version": 1, "routes": [{"pattern": "a", "methods": [], "source": "a.ts"}, {"pattern": "b", "methods": ["get"], "source": "b.ts"}]}`, []string{
			"r.json:1:55: routes[0].methods must not be empty",
			`r.json:1:107: routes[1].methods[0] must be one of "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", found "get"`}},
		{"patterns", `{"version": 1, "routes": [
{"pattern": "a/:x", "methods": ["GET"], "source": "a.ts"},
{"pattern": "/a", "methods": ["GET"], "source": "b.ts"},
{"pattern": "a/:y", "methods": ["PUT"], "source": "c.ts"}]}`, []string{
			`r.json:3:13: pattern "/a": it begins with a slash; patterns are relative to the package, so leave it out`,
			`r.json:4:13: pattern "a/:y" matches the same paths as "a/:x" in a.ts`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, diagnostics := ParseRouteTable("r.json", []byte(test.text))
			var got []string
			for _, d := range diagnostics {
				got = append(got, d.Error())
				if d.Severity != SeverityError {
					t.Errorf("%s is no error", d.Error())
				}
			}
			slices.Sort(got)
			slices.Sort(test.want)
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func FuzzRouteTable(f *testing.F) {
	f.Add([]byte(tableText))
	f.Add([]byte(`{"version": 1.0, "routes": [{"pattern": "a", "methods": ["PUT", "GET"], "source": "./a"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, diagnostics := ParseRouteTable("routes.json", text)
		if diagnostics.HasErrors() {
			return
		}
		if _, err := NewRouter(table.Routes); err != nil {
			t.Fatal(err)
		}
		again, diagnostics := ParseRouteTable("routes.json", table.Bytes())
		if len(diagnostics) > 0 || string(again.Bytes()) != string(table.Bytes()) {
			t.Errorf("written and read again: %v\n%s", diagnostics, table.Bytes())
		}
	})
}
