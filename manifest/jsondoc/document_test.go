package jsondoc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

func TestLookup(t *testing.T) {
	const text = `{"a": {"b/c": [10, {"~d": 20}], "": 30}, "a": {"b/c": [11, {"~d": 21}], "": 31}, "0": 40}`
	doc, _ := jsondoc.Parse([]byte(text), jsondoc.DefaultLimits())
	tests := []struct {
		name, pointer string
		found         bool
		value, key    string
	}{
		{"root", "", true, text, ""},
		{"last of two", "/a/", true, "31", `""`},
		{"escapes", "/a/b~1c/1/~0d", true, "21", `"~d"`},
		{"element", "/a/b~1c/0", true, "11", ""},
		{"digit as name", "/0", true, "40", `"0"`},
		{"missing member", "/a/x/y", false, `{"b/c": [11, {"~d": 21}], "": 31}`, `"a"`},
		{"missing element", "/a/b~1c/2", false, `[11, {"~d": 21}]`, `"b/c"`},
		{"element with sign", "/a/b~1c/+1", false, `[11, {"~d": 21}]`, `"b/c"`},
		{"element with zero", "/a/b~1c/01", false, `[11, {"~d": 21}]`, `"b/c"`},
		{"element negative", "/a/b~1c/-1", false, `[11, {"~d": 21}]`, `"b/c"`},
		{"below a number", "/0/1", false, "40", `"0"`},
		{"no slash", "a", false, text, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			place := doc.Lookup(test.pointer)
			if place.Found != test.found {
				t.Errorf("found is %t", place.Found)
			}
			if got := text[place.Value.Start:place.Value.End]; got != test.value {
				t.Errorf("value is %s, want %s", got, test.value)
			}
			key := ""
			if place.Key != nil {
				key = text[place.Key.Start:place.Key.End]
			}
			if key != test.key {
				t.Errorf("key is %s, want %s", key, test.key)
			}
		})
	}
}

func TestLookupWithoutRoot(t *testing.T) {
	doc, _ := jsondoc.Parse([]byte("{"), jsondoc.DefaultLimits())
	if place := doc.Lookup("/a"); place.Found || place.Value != nil {
		t.Errorf("got %+v", place)
	}
	if got, want := doc.KeySpan("/a"), (jsondoc.Span{Line: 1, Column: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPointer(t *testing.T) {
	if got, want := jsondoc.Pointer("a/b", "~", "0", ""), "/a~1b/~0/0/"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := jsondoc.Pointer(); got != "" {
		t.Errorf("got %q, want the root", got)
	}
}

func TestPosition(t *testing.T) {
	text := "\uFEFFa😀\xff\r\nb\rc\n"
	doc := jsondoc.Text([]byte(text))
	tests := []struct {
		name                 string
		offset, line, column int
	}{
		{"before the text", -5, 1, 1},
		{"in the byte order mark", 1, 1, 1},
		{"first", 3, 1, 1},
		{"behind a letter", 4, 1, 2},
		{"behind a pair", 8, 1, 4},
		{"behind a bad byte", 9, 1, 5},
		{"second line", strings.Index(text, "b"), 2, 1},
		{"third line", strings.Index(text, "c"), 3, 1},
		{"at the end", len(text), 4, 1},
		{"behind the end", 1000, 4, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if line, column := doc.Position(test.offset); line != test.line || column != test.column {
				t.Errorf("got %d:%d, want %d:%d", line, column, test.line, test.column)
			}
		})
	}
}

func TestSpan(t *testing.T) {
	doc := jsondoc.Text([]byte("abc\ndef"))
	for _, test := range []struct {
		name       string
		start, end int
		want       jsondoc.Span
	}{
		{"in a line", 1, 3, jsondoc.Span{Line: 1, Column: 2, EndColumn: 4}},
		{"over lines", 1, 5, jsondoc.Span{Line: 1, Column: 2}},
		{"empty", 2, 2, jsondoc.Span{Line: 1, Column: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := doc.Span(test.start, test.end); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestNilValue(t *testing.T) {
	var v *jsondoc.Value
	if v.Get("a").Get("b") != nil || v.Any() != nil {
		t.Error("nothing has something in it")
	}
}

func ExampleParse() {
	doc, problems := jsondoc.Parse([]byte("{\n  \"name\": \"Catalog\",\n  \"name\": \"Shop\",\n}"), jsondoc.DefaultLimits())
	for _, p := range problems {
		line, column := doc.Position(p.Start)
		fmt.Printf("%d:%d: %s; %s\n", line, column, p.Message, p.Hint)
	}
	// Output:
	// 3:3: "name" is there twice; the first one is at line 2, column 3; remove one of them
	// 3:17: a comma stands before the closing }; remove the comma
}

func ExampleDocument_ValueSpan() {
	doc, _ := jsondoc.Parse([]byte("{\n  \"features\": [{ \"id\": \"catalog.read\" }]\n}"), jsondoc.DefaultLimits())
	fmt.Printf("%+v\n", doc.ValueSpan("/features/0/id"))
	fmt.Printf("%+v\n", doc.KeySpan("/features"))
	// Output:
	// {Line:2 Column:24 EndColumn:38}
	// {Line:2 Column:3 EndColumn:13}
}
