package jsonmodel_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
	"github.com/neuralis-dev/neuralis/manifest/jsonmodel"
)

// everything has each kind of place that a model can have.
type everything struct {
	_        struct{}                   `model:"when=kind:big,require=inner.size"`
	Kind     string                     `json:"kind" model:"required,enum=big|small"`
	Word     string                     `json:"word,omitempty" model:"format=word"`
	Text     string                     `json:"text,omitempty" model:"nonempty"`
	Flag     bool                       `json:"flag,omitempty"`
	Maybe    *bool                      `json:"maybe,omitempty"`
	Count    int                        `json:"count,omitempty" model:"min=1,max=10"`
	Free     int64                      `json:"free,omitempty"`
	Ratio    float64                    `json:"ratio,omitempty" model:"min=0,max=1"`
	Any      json.RawMessage            `json:"any,omitempty"`
	Settings json.RawMessage            `json:"settings,omitempty" model:"kinds=object|boolean"`
	Words    []string                   `json:"words,omitempty" model:"nonempty,unique,format=word"`
	Counts   []int                      `json:"counts,omitempty" model:"max=3"`
	Groups   map[string][]string        `json:"groups,omitempty" model:"keys=word,format=word"`
	Schemas  map[string]json.RawMessage `json:"schemas,omitempty" model:"kinds=object"`
	Inner    inner                      `json:"inner,omitzero"`
	Pointer  *inner                     `json:"pointer,omitempty"`
	List     []inner                    `json:"list,omitempty"`
	Ignored  chan int                   `json:"-"`
}

type inner struct {
	// How large it is,
	// in [everything.Kind] units.
	Size int `json:"size,omitempty"`
	// What it
	// is called.
	Name string `json:"name" model:"required"`
}

func newModel() *jsonmodel.Model[everything] {
	return jsonmodel.Of[everything](jsonmodel.NewFormats(map[string]jsonmodel.Format{
		"word": {Pattern: `^[a-zä]+$`, MaxLength: 5, Except: []string{"no"}, Is: "a short word"},
	}))
}

func decode(t testing.TB, text string) (everything, *jsondoc.Document, []jsondoc.Problem) {
	t.Helper()
	doc, problems := jsondoc.Parse([]byte(text), jsondoc.DefaultLimits())
	if doc.Root == nil {
		t.Fatalf("%s: %v", text, problems)
	}
	var v everything
	return v, doc, newModel().Decode(doc, doc.Root, &v)
}

// schema is the model's schema, read by a foreign validator.
func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(newModel().Schema(jsonmodel.Head{Title: "Everything"}, nil)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("everything.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("everything.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestDecodeAndSchemaAgree(t *testing.T) {
	schema := schema(t)
	tests := []struct {
		name, members string
		want          string // the one message, or empty
	}{
		{"nothing else", ``, ""},
		{"unknown member", `"x": 1`, ""},
		{"format", `"word": "wörd"`, `word must be a short word, found "wörd"`},
		{"format with letters of two bytes", `"word": "ääääa"`, ""},
		{"format too long", `"word": "ääääaa"`, `word must be a short word, found "ääääaa"`},
		{"format except", `"word": "no"`, `word must be a short word, found "no"`},
		{"string number", `"word": 1`, "word must be a string, found a number"},
		{"string null", `"word": null`, "word must be a string, found null"},
		{"nonempty", `"text": ""`, "text must not be empty"},
		{"boolean", `"flag": true, "maybe": false`, ""},
		{"boolean string", `"flag": "true"`, "flag must be true or false, found a string"},
		{"boolean null", `"maybe": null`, "maybe must be true or false, found null"},
		{"integer", `"count": 10`, ""},
		{"integer with point", `"count": 2.0`, ""},
		{"integer with exponent", `"count": 1e1`, ""},
		{"integer with fraction", `"count": 1.5`, "count must be a whole number, found a number"},
		{"integer small", `"count": 0`, "count must be at least 1, found 0"},
		{"integer large", `"count": 11`, "count must be at most 10, found 11"},
		{"integer very large", `"count": 123456789012345678901234567890`, "count must be at most 10, found 123456789012345678901234567890"},
		{"integer string", `"count": "1"`, "count must be a whole number, found a string"},
		{"integer negative", `"free": -5`, ""},
		{"number", `"ratio": 0.5`, ""},
		{"number small", `"ratio": -0.1`, "ratio must be at least 0, found -0.1"},
		{"number large", `"ratio": 1.01`, "ratio must be at most 1, found 1.01"},
		{"any", `"any": null`, ""},
		{"raw object", `"settings": {"a": 1}`, ""},
		{"raw boolean", `"settings": true`, ""},
		{"raw array", `"settings": []`, "settings must be an object or a boolean, found an array"},
		{"array", `"words": ["a", "b"]`, ""},
		{"array empty", `"words": []`, "words must not be empty"},
		{"array twice", `"words": ["a", "a"]`, "words[1] is there twice"},
		{"array with bad element", `"words": ["a", "A"]`, `words[1] must be a short word, found "A"`},
		{"array object", `"words": {}`, "words must be an array, found an object"},
		{"array with bound", `"counts": [1, 4]`, "counts[1] must be at most 3, found 4"},
		{"map", `"groups": {"a": ["b"]}`, ""},
		{"map with bad name", `"groups": {"A": ["b"]}`, `the name "A" in groups must be a short word`},
		{"map with bad element", `"groups": {"a": ["b", ""]}`, `groups.a[1] must be a short word, found ""`},
		{"map array", `"groups": []`, "groups must be an object, found an array"},
		{"map of raw", `"schemas": {"a b": {}}`, ""},
		{"map of raw with bad element", `"schemas": {"a b": 1}`, `schemas["a b"] must be an object, found a number`},
		{"object", `"inner": {"name": "a"}`, ""},
		{"object without member", `"inner": {}`, "inner.name is missing"},
		{"pointer", `"pointer": {"name": "a", "size": 1}`, ""},
		{"pointer null", `"pointer": null`, "pointer must be an object, found null"},
		{"list", `"list": [{"name": "a"}, {"size": 1}]`, "list[1].name is missing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := `{"kind": "small"`
			if test.members != "" {
				text += ", " + test.members
			}
			text += "}"
			_, _, problems := decode(t, text)
			switch {
			case test.want == "" && len(problems) > 0, len(problems) > 1:
				t.Errorf("got %v", problems)
			case test.want != "" && (len(problems) == 0 || problems[0].Message != test.want):
				t.Errorf("got %v, want %q", problems, test.want)
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); (err == nil) != (test.want == "") {
				t.Errorf("schema: %v", err)
			}
		})
	}
}

func TestDecodeConditions(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		path       string
	}{
		{"met", `{"kind": "big", "inner": {"name": "a", "size": 1}}`, nil, ""},
		{"of no concern", `{"kind": "small"}`, nil, ""},
		{"outer missing", `{"kind": "big"}`, []string{`inner.size is missing, as kind is "big"`}, "/"},
		{"inner missing", `{"kind": "big", "inner": {"name": "a"}}`, []string{`inner.size is missing, as kind is "big"`}, `"inner"`},
		{"outer of another kind", `{"kind": "big", "inner": []}`, []string{`inner must be an object, found an array`}, "[]"},
		{"required missing", `{}`, []string{`kind is missing`}, "{"},
		{"enum", `{"kind": "huge"}`, []string{`kind must be one of "big", "small", found "huge"`}, `"huge"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, problems := decode(t, test.text)
			var got []string
			for _, p := range problems {
				got = append(got, p.Message)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if len(problems) == 1 && test.path != "/" {
				if at := test.text[problems[0].Start:problems[0].End]; at != test.path {
					t.Errorf("reported at %s, want %s", at, test.path)
				}
			}
		})
	}
}

func TestDecodeKeepsWhatIsRight(t *testing.T) {
	const text = `{"kind": "wrong", "word": "ok", "count": 99, "words": ["a", 1, "b"], "groups": {"a": ["b"], "c": ["b", 5], "D": []},
		"list": [{"name": "a"}, {"name": 5}, 7], "any": [1,  {"b": "\u0041"}], "pointer": {"name": "n"}, "maybe": false, "settings": {"x": 1, }}`
	doc, _ := jsondoc.Parse([]byte(text), jsondoc.DefaultLimits())
	var got everything
	problems := newModel().Decode(doc, doc.Root, &got)
	if len(problems) != 7 {
		t.Errorf("got %d problems: %v", len(problems), problems)
	}
	no := false
	want := everything{
		Word: "ok", Words: []string{"a", "b"}, Groups: map[string][]string{"a": {"b"}}, List: []inner{{Name: "a"}},
		Any: json.RawMessage(`[1,  {"b": "\u0041"}]`), Pointer: &inner{Name: "n"}, Maybe: &no,
		Settings: json.RawMessage(`{"x":1}`), // what was understood of text that is not JSON
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestDecodeReportsALimitedNumber(t *testing.T) {
	_, _, problems := decode(t, `{"kind": "small", "words": [`+strings.Repeat("1,", 10_000)+`1]}`)
	if len(problems) != 50 {
		t.Errorf("got %d problems", len(problems))
	}
}

func TestIntegersOfAbsurdSize(t *testing.T) {
	for _, text := range []string{"1e999999999", "-1e+999999999", "1e-999999999", "9" + strings.Repeat("0", 100_000), "1" + strings.Repeat("0", 500_000) + ".5"} {
		_, _, problems := decode(t, `{"kind": "small", "free": `+text+`}`)
		if len(problems) != 1 {
			t.Errorf("%.20s: %v", text, problems)
		}
	}
}

func TestDecodeBelowTheRoot(t *testing.T) {
	const text = `{"outer": [{"kind": "small", "words": 1}, {}]}`
	doc, _ := jsondoc.Parse([]byte(text), jsondoc.DefaultLimits())
	var v everything
	problems := newModel().Decode(doc, doc.Root.Get("outer").Items[0], &v, "outer", "0")
	if len(problems) != 1 || problems[0].Message != "outer[0].words must be an array, found a number" ||
		!reflect.DeepEqual(problems[0].Path, []string{"outer", "0", "words"}) {
		t.Errorf("got %+v", problems)
	}
}

func TestUnknown(t *testing.T) {
	const text = `{"kind": "small", "knd": 1, "list": [{"name": "a", "sise": 1}], "groups": {"any": []}, "any": {"x": 1}, "words": {"x": 1}}`
	doc, _ := jsondoc.Parse([]byte(text), jsondoc.DefaultLimits())
	var got []string
	for _, u := range newModel().Unknown(doc.Root, "top") {
		got = append(got, jsonmodel.Name(u.Path)+" at "+text[u.Member.Start:u.Member.End]+" of "+fmt.Sprint(len(u.Known)))
	}
	want := []string{`top.knd at "knd" of 17`, `top.list[0].sise at "sise" of 2`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSchemaBytes(t *testing.T) {
	comments, err := jsonmodel.Comments("testdata")
	if err != nil {
		t.Fatal(err)
	}
	type note struct {
		Text string `json:"text" model:"required,nonempty"`
		Page int    `json:"page,omitempty" model:"min=1"`
	}
	head := jsonmodel.Head{Title: "A <note>", Description: "d", Comment: "c"}
	got := jsonmodel.Of[note](jsonmodel.NewFormats(nil)).Schema(head, comments)
	want := `{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$comment": "c",
  "title": "A <note>",
  "description": "d",
  "type": "object",
  "properties": {
    "text": {
      "description": "What is noted, & where. See Note.Page for the number.",
      "type": "string",
      "minLength": 1
    },
    "page": {
      "type": "integer",
      "minimum": 1
    }
  },
  "required": [
    "text"
  ]
}
`
	if string(got) != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestCommentsOfBadSource(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := jsonmodel.Comments(dir); err == nil {
		t.Error("no error")
	}
}

func TestMistakesInTheModelPanic(t *testing.T) {
	panics := func(name string, of func()) {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			of()
		})
	}
	none := jsonmodel.NewFormats(nil)
	panics("unknown tag", func() {
		jsonmodel.Of[struct {
			A string `json:"a" model:"requird"`
		}](none)
	})
	panics("unknown format", func() {
		jsonmodel.Of[struct {
			A string `json:"a" model:"format=x"`
		}](none)
	})
	panics("bad bound", func() {
		jsonmodel.Of[struct {
			A int `json:"a" model:"min=x"`
		}](none)
	})
	panics("no name", func() { jsonmodel.Of[struct{ A int }](none) })
	panics("no place", func() {
		jsonmodel.Of[struct {
			A chan int `json:"a"`
		}](none)
	})
	panics("names of a map", func() {
		jsonmodel.Of[struct {
			A map[int]string `json:"a"`
		}](none)
	})
	panics("condition", func() {
		jsonmodel.Of[struct {
			_ struct{} `model:"when=a"`
		}](none)
	})
	panics("bad pattern", func() { jsonmodel.NewFormats(map[string]jsonmodel.Format{"a": {Pattern: "("}}) })
}

func ExampleModel_Decode() {
	type config struct {
		Port int    `json:"port" model:"required,min=1,max=65535"`
		Mode string `json:"mode,omitempty" model:"enum=fast|careful"`
	}
	model := jsonmodel.Of[config](jsonmodel.NewFormats(nil))
	doc, _ := jsondoc.Parse([]byte(`{ "port": 70000, "mode": "quick" }`), jsondoc.DefaultLimits())
	var c config
	for _, p := range model.Decode(doc, doc.Root, &c) {
		line, column := doc.Position(p.Start)
		fmt.Printf("%d:%d: %s\n", line, column, p.Message)
	}
	// Output:
	// 1:11: port must be at most 65535, found 70000
	// 1:26: mode must be one of "fast", "careful", found "quick"
}
