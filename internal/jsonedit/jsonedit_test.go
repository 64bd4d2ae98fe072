package jsonedit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

func TestAppendString(t *testing.T) {
	for _, test := range []struct {
		name, in, want string
	}{
		{"inline list", `{"files": ["dist", "tools"], "x": 1}`, `{"files": ["dist", "tools", "skills"], "x": 1}`},
		{"inline list of one", `{"files": ["dist"]}`, `{"files": ["dist", "skills"]}`},
		{"compact list", `{"files":["dist","tools"]}`, `{"files":["dist","tools","skills"]}`},
		{"empty list", `{"files": []}`, `{"files": ["skills"]}`},
		{"a line each", "{\n\t\"files\": [\n\t\t\"dist\",\n\t\t\"tools\"\n\t]\n}\n", "{\n\t\"files\": [\n\t\t\"dist\",\n\t\t\"tools\",\n\t\t\"skills\"\n\t]\n}\n"},
		{"carriage returns", "{\r\n  \"files\": [\r\n    \"dist\"\r\n  ]\r\n}", "{\r\n  \"files\": [\r\n    \"dist\",\r\n    \"skills\"\r\n  ]\r\n}"},
		{"missing list", "{\n    \"name\": \"x\"\n}\n", "{\n    \"name\": \"x\",\n    \"files\": [\"skills\"]\n}\n"},
		{"empty object", "{}", "{\n  \"files\": [\"skills\"]\n}"},
		{"already there", `{"files": ["skills" ]  }`, `{"files": ["skills" ]  }`},
		{"already there, escaped", `{"files": ["\u0073kills"]}`, `{"files": ["\u0073kills"]}`},
		{"byte order mark", "\ufeff{\"files\": [\"a\"]}", "\ufeff{\"files\": [\"a\", \"skills\"]}"},
		{
			"comments and a trailing comma",
			"{\n  // what is shipped\n  \"files\": [\n    \"dist\", // built\n    \"tools\", // by hand\n  ],\n}\n",
			"{\n  // what is shipped\n  \"files\": [\n    \"dist\", // built\n    \"tools\", // by hand\n    \"skills\",\n  ],\n}\n",
		},
		{
			"a block comment at the end",
			"{\n  \"files\": [\n    \"dist\" /* built */\n  ]\n}\n",
			"{\n  \"files\": [\n    \"dist\", /* built */\n    \"skills\"\n  ]\n}\n",
		},
		{
			"a line comment at the end",
			"{\n  \"files\": [\n    \"dist\" // built\n  ]\n}\n",
			"{\n  \"files\": [\n    \"dist\", // built\n    \"skills\"\n  ]\n}\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := Parse([]byte(test.in))
			if err != nil {
				t.Fatal(err)
			}
			added, err := d.AppendString("skills", "files")
			if err != nil {
				t.Fatal(err)
			}
			if got := string(d.Bytes()); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if added != (test.in != test.want) {
				t.Errorf("added = %v", added)
			}
			again, err := d.AppendString("skills", "files")
			if err != nil || again {
				t.Errorf("the second time: %v, %v", again, err)
			}
		})
	}
}

func TestAppendObject(t *testing.T) {
	const value = `{ "id": "b", "title": "B" }`
	same := func(element []byte) bool {
		var feature struct{ ID string }
		return json.Unmarshal(element, &feature) == nil && feature.ID == "b"
	}
	for _, test := range []struct {
		name, in, want string
	}{
		{"after another", "{\n  \"n\": {\n    \"features\": [\n      { \"id\": \"a\" }\n    ]\n  }\n}", "{\n  \"n\": {\n    \"features\": [\n      { \"id\": \"a\" },\n      { \"id\": \"b\", \"title\": \"B\" }\n    ]\n  }\n}"},
		{"missing", "{\n  \"n\": {\n    \"id\": \"x\"\n  }\n}", "{\n  \"n\": {\n    \"id\": \"x\",\n    \"features\": [\n      { \"id\": \"b\", \"title\": \"B\" }\n    ]\n  }\n}"},
		{"there", `{"n": {"features": [{"title": "other", "id": "b"}]}}`, `{"n": {"features": [{"title": "other", "id": "b"}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := Parse([]byte(test.in))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Append(value, same, "n", "features"); err != nil {
				t.Fatal(err)
			}
			if got := string(d.Bytes()); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestSet(t *testing.T) {
	d, err := Parse([]byte("{\n  \"name\": \"x\",\n  \"neuralis\": { \"id\": \"x\" }\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if set, err := d.Set(`{ "type": "wasm" }`, "neuralis", "runtime"); !set || err != nil {
		t.Fatal(set, err)
	}
	if set, err := d.Set(`"other"`, "name"); set || err != nil {
		t.Fatal("an existing member was set", err)
	}
	want := "{\n  \"name\": \"x\",\n  \"neuralis\": { \"id\": \"x\", \"runtime\": { \"type\": \"wasm\" } }\n}\n"
	if got := string(d.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := d.Set(`1`, "name", "deeper"); err == nil || !strings.Contains(err.Error(), "name is not an object") {
		t.Errorf("through a string: %v", err)
	}
	if _, err := d.AppendString("a", "name"); err == nil || !strings.Contains(err.Error(), "name is not a list") {
		t.Errorf("appending to a string: %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, in := range []string{"", "[]", "{", `{"a":}`, "null", "{} {}"} {
		if _, err := Parse([]byte(in)); err == nil {
			t.Errorf("Parse(%q) accepted it", in)
		}
	}
}

// FuzzAppend checks that an edit of anything that parses gives something that
// parses, holds the addition, and is stable.
func FuzzAppend(f *testing.F) {
	for _, seed := range []string{`{}`, `{"files":["a",/*x*/"b",]}`, "{\n\t\"files\": [ // c\n\t\"a\" // d\n\t]}", "{/**/}", "{\"files\":[//\n]}", "{\"a\":1,//x\n}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		d, err := Parse(source)
		if err != nil {
			return
		}
		if got := d.Bytes(); string(got) != string(source) {
			t.Fatalf("unedited %q became %q", source, got)
		}
		if _, err := d.AppendString("skills", "files"); err != nil {
			return
		}
		edited := d.Bytes()
		if _, err := hujson.Parse(edited[len(d.bom):]); err != nil {
			t.Fatalf("%q became %q: %v", source, edited, err)
		}
		again, err := Parse(edited)
		if err != nil {
			t.Fatal(err)
		}
		if added, err := again.AppendString("skills", "files"); added || err != nil {
			t.Fatalf("%q became %q, in which the addition is not found", source, edited)
		}
	})
}
