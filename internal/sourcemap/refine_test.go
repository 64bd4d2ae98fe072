package sourcemap

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestFailedReads(t *testing.T) {
	for _, test := range []struct {
		name, source, message string
		line, column          int
	}{
		{"method", "const a = f();\nreturn list.map(g);", "cannot read property 'map' of undefined", 2, 13},
		{"not a longer name", "f();\na.mapped;\na.map;", "cannot read property 'map' of null", 3, 3},
		{"chain over lines", "f()\n  .list\n  .first;", "cannot read property 'first' of undefined", 3, 4},
		{"in brackets", "f();\na['x y'];", "cannot read property 'x y' of undefined", 2, 4},
		{"computed", "f();\na[0][i];", "cannot read property '7' of undefined", 2, 2},
		{"named read after a computed one", "f();\nb[0];\na.x;", "cannot read property 'x' of undefined", 3, 3},
		{"destructuring", "f();\nconst { a, x } = y;", "cannot read property 'x' of undefined", 2, 12},
		{"nothing to take apart", "f();\nconst { x } = y;", "Cannot convert undefined or null to object", 2, 7},
		{"iteration", "f();\nfor (const x of list) g(x);", "cannot read property 'Symbol.iterator' of undefined", 2, 17},
		{"spread", "f();\nreturn [...list];", "cannot read property 'Symbol.iterator' of undefined", 2, 9},
		{"beyond ASCII", "f('é😀'); list.map(g);", "cannot read property 'map' of undefined", 1, 16},
		{"not there", "f();\ng();", "cannot read property 'x' of undefined", 1, 1},
		{"a call", "f();\na.x();", "not a function", 1, 1},
		{"a strange name", "f();\na['(['];", "cannot read property '([' of undefined", 2, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			content, _ := json.Marshal(test.source)
			m, err := Parse([]byte(fmt.Sprintf(`{"version":3,"sources":["src/a.ts"],"sourcesContent":[%s],"names":[],"mappings":"AAAA"}`, content)))
			if err != nil {
				t.Fatal(err)
			}
			d := m.Diagnostic("p.js", Thrown{Name: "TypeError", Message: test.message, Stack: "at f (p.js:1:0)\n"})
			if d.Line != test.line || d.Column != test.column {
				t.Errorf("got %d:%d, want %d:%d", d.Line, d.Column, test.line, test.column)
			}
		})
	}
}

func TestAtExport(t *testing.T) {
	for _, test := range []struct {
		name, source, export string
		line, column         int
	}{
		{"default", "// x\nexport default () => 1", "default", 2, 1},
		{"as default", "const f = 1;\nexport { f as default };", "default", 2, 1},
		{"function", "export async function GET() {}", "GET", 1, 1},
		{"const", "export const GETTER = 1;\n  export const GET = 1;", "GET", 2, 3},
		{"not there", "\n\nconst x = 1", "default", 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			content, _ := json.Marshal(test.source)
			m, err := Parse([]byte(fmt.Sprintf(`{"version":3,"sources":["src/a.ts","neuralis:runtime"],"sourcesContent":[%s,""],"names":[],"mappings":"ACAA"}`, content)))
			if err != nil {
				t.Fatal(err)
			}
			d := m.Diagnostic("p.js", Thrown{Name: "Error", Stack: "at call (p.js:1:0)\nat x (native)\n"})
			m.AtExport(&d, "src/a.ts", test.export)
			if d.File != "src/a.ts" || d.Line != test.line || d.Column != test.column || d.Frame == "" || len(d.Notes) != 0 {
				t.Errorf("got %+v", d)
			}
		})
	}
}
