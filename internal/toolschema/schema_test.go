package toolschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/manifest"
)

func document(t testing.TB, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name, schema string
		want         []string // line:column and the beginning of the message, for each fault
	}{
		{"good", `{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)\\p{L}+$","format":"email"}},"required":["a"]}`, nil},
		{"references within", `{"definitions":{"n":{"type":"number"}},"properties":{"a":{"$ref":"#/definitions/n"},"b":{"$ref":"#"}}}`, nil},
		{"2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"prefixItems":[{}]}}}`, nil},

		{"a pattern", "{\n \"properties\": {\n  \"a\": { \"pattern\": \"(\" }\n }\n}", []string{`3:21 "(" is no regular expression`}},
		{"a pattern of Perl", `{"properties":{"a":{"pattern":"\\Aa"}}}`, []string{`1:31 "\\Aa" is no regular expression`}},
		{"patterns of names", "{\n \"patternProperties\": { \"[a\": {} }\n}", []string{`2:25 "[a" is no regular expression`}},
		{"a pattern in a part that is referred to", `{"definitions":{"x/y":{"pattern":"("}},"properties":{"a":{"$ref":"#/definitions/x~1y"}}}`, []string{`1:34 "(" is no regular expression`}},
		{"a number", "{\"properties\": {\n  \"a\": { \"minimum\": \"x\" } } }", []string{`2:21 "properties.a.minimum" is no JSON Schema: got string, want number`}},
		{"a type", `{"properties":{"a":{"type":"strin"}}}`, []string{`1:28 "properties.a.type" is no JSON Schema: value must be one of 'array', 'boolean'`}},
		{"two faults", `{"properties":{"a":{"type":"strin"},"b":{"maxLength":-1}}}`, []string{`1:28 `, `1:54 "properties.b.maxLength" is no JSON Schema`}},
		{"a flag of draft-04", `{"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`, []string{`1:52 "properties.a.exclusiveMinimum" is no JSON Schema: got boolean, want number`}},
		{"required of draft-03", `{"properties":{"a":{"required":true}}}`, []string{`1:32 "properties.a.required" is no JSON Schema: got boolean, want array`}},
		{"a file", `{"properties":{"ok":{"$ref":"#"},"a":{"$ref":"file:///etc/passwd"}}}`, []string{`1:46 "file:///etc/passwd" leads out of the file: references to other files and to the network are not followed`}},
		{"a file beside it", `{"properties":{"a":{"$ref":"other.json#/x"}}}`, []string{`1:28 "other.json#/x" leads out of the file`}},
		{"the network", `{"properties":{"a":{"items":[{"$ref":"http://schemas.example/x.json"}]}}}`, []string{`1:38 "http://schemas.example/x.json" leads out of the file`}},
		{"relative to a name", `{"properties":{"a":{"$id":"http://schemas.example/","properties":{"b":{"$ref":"y.json"}}}}}`, []string{`1:79 "y.json" leads out of the file`}},
		{"no such part", `{"properties":{"a":{"$ref":"#/definitions/no%20ne"}}}`, []string{`1:28 "#/definitions/no%20ne" leads to nothing in this schema`}},
		{"no such anchor", `{"properties":{"a":{"$ref":"#none"}}}`, []string{`1:28 "#none" leads to nothing in this schema`}},
		{"another dialect", "{\n\"$schema\": \"https://schemas.example/dialect\" }", []string{`2:12 "https://schemas.example/dialect" is no draft of JSON Schema`}},
		{"no dialect at all", `{"$schema":"%%%"}`, []string{`1:12 "%%%" is no draft of JSON Schema`}},
		{"too many parts", `{"properties":{` + manyProperties(maxParts) + `}}`, []string{`1:1 the schema cannot be used: it has more than 5000 objects and arrays`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			diags := Check(manifest.Tool{Name: "t", File: "tools/t.json", Schema: json.RawMessage(test.schema)})
			if len(diags) != len(test.want) {
				t.Fatalf("got %d faults: %v", len(diags), diags)
			}
			for i, d := range diags {
				got := fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Message)
				if !strings.HasPrefix(got, test.want[i]) || d.Rule != manifest.RuleToolSchema || d.File != "tools/t.json" || d.Hint == "" || d.Frame == "" {
					t.Errorf("got %s (%+v)\nwant %s", got, d, test.want[i])
				}
			}
		})
	}
	for name, tool := range map[string]manifest.Tool{
		"no schema":  {Name: "t"},
		"told of":    {Name: "t", Invalid: true, Schema: json.RawMessage(`{"type":1}`)},
		"unreadable": {Name: "t", Schema: json.RawMessage(`{`)},
	} {
		if diags := Check(tool); diags != nil {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

func manyProperties(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	return strings.Join(all, ",")
}

func TestAsManyPartsAsAllowed(t *testing.T) {
	s, err := Compile(document(t, `{"properties":{`+manyProperties(maxParts-2)+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(map[string]any{"p0": "x"}); err != nil {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	s, err := Compile(document(t, `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]},"b":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var wrong *jsonschema.ValidationError
	if err := s.Validate(document(t, `{"b":1}`)); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
	for range 2 {
		if err := s.Validate(document(t, strings.Repeat(`{"a":`, 60)+`{}`+strings.Repeat(`}`, 60))); !errors.Is(err, ErrTooLong) {
			t.Errorf("got %v", err)
		}
		if err := s.Validate(document(t, `{"b":"x"}`)); err != nil {
			t.Errorf("the count begins anew: %v", err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{"type":"object"}`, `{"$ref":"#/definitions/a","definitions":{"a":{"pattern":"["}}}`, `{"$schema":"x","$id":"y"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		for _, d := range Check(manifest.Tool{Name: "t", File: "tools/t.json", Schema: schema}) {
			if d.Line < 1 || d.Message == "" {
				t.Errorf("%+v", d)
			}
		}
	})
}
