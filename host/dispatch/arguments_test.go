package dispatch

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

func TestReadArguments(t *testing.T) {
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for _, test := range []struct {
		name, args string
		want       string // the arguments passed on; else
		path       string
		message    string
	}{
		{"nothing", ``, `{}`, "", ""},
		{"null", ` null `, `{}`, "", ""},
		{"an object", ` {"a": 1} `, `{"a": 1}`, "", ""},
		{"twice the same name", `{"a":1,"a":2}`, `{"a":1,"a":2}`, "", ""},
		{"a pair of surrogates", `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d\ude00"}`, "", ""},
		{"an escaped backslash", `{"a":"\\ud83d"}`, `{"a":"\\ud83d"}`, "", ""},
		{"200 levels", deep(199), deep(199), "", ""},
		{"no JSON", `{"a":`, "", "", "they end too early"},
		{"no JSON either", `{a:1}`, "", "", "at byte 2"},
		{"NaN", `{"a":NaN}`, "", "", "not JSON: invalid character 'N'"},
		{"Infinity", `{"a":-Infinity}`, "", "", "not JSON"},
		{"two values", `{} {}`, "", "", "something follows"},
		{"an array", `[1]`, "", "", "not a JSON object"},
		{"a string", `"x"`, "", "", "not a JSON object"},
		{"10,000 levels", deep(10_000), "", "", "more than 200 levels"},
		{"unclosed levels", strings.Repeat("[", 10_000_000/2), "", "", "more than 200 levels"},
		{"10 MB", `{"a":"` + strings.Repeat("x", 10<<20) + `"}`, "", "", "at most 8388608 are allowed"},
		{"a high surrogate", `{"a":"\ud83d"}`, "", "", "half of a surrogate pair"},
		{"a low surrogate", `{"a":"x\uDE00"}`, "", "", "at byte 8 is half"},
		{"two high ones", `{"a":"\ud83d\ud83d"}`, "", "", "half of a surrogate pair"},
		{"half of an escape", `{"a":"\ud8`, "", "", "not JSON"},
		{"no UTF-8", "{\"a\":\"\xff\"}", "", "", "not UTF-8"},
		{"__proto__", `{"a":[{"__proto__":{}}]}`, "", "/a/0/__proto__", "the name __proto__ is not allowed"},
		{"__proto__ with an escape", `{"\u005f_proto__":1}`, "", "/__proto__", "the name __proto__ is not allowed"},
		{"a number without end", `{"a~/b":1e999999999}`, "", "/a~0~1b", "out of range"},
		{"a number too large", `{"a":1e309}`, "", "/a", "out of range"},
		{"a number too small", `{"a":1e-999999999999}`, "", "/a", "out of range"},
		{"a number too long", `{"a":` + strings.Repeat("1", 2000) + `}`, "", "/a", "more than 1000 digits"},
	} {
		t.Run(test.name, func(t *testing.T) {
			raw, _, err := readArguments(json.RawMessage(test.args), DefaultMaxArgumentBytes)
			if test.message == "" {
				if err != nil || string(raw) != test.want {
					t.Errorf("got %s, %v", raw, err)
				}
				return
			}
			if err == nil {
				t.Fatalf("got %.100s", raw)
			}
			if err.Code != CodeInvalidArguments || !strings.Contains(err.Message, test.message) || strings.Join(err.Paths, " ") != test.path || len(err.Message) > 500 {
				t.Errorf("got %+v", err)
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":"\ud83d\ude00"}`, `{"__proto__":1}`, `{"a":1e5}`, `[`, `{"a":"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		raw, value, err := readArguments(args, 1<<16)
		if (err == nil) != (value != nil) {
			t.Fatalf("%v and %v", value, err)
		}
		if err == nil && !json.Valid(raw) {
			t.Errorf("%q was passed on", raw)
		}
	})
}

func toolOf(schema string) *manifest.Tool {
	return &manifest.Tool{Name: "t", File: "tools/t.json", Schema: json.RawMessage(schema)}
}

// check reads arguments and checks them.
func check(t *testing.T, s *schema, args string) (string, *Error) {
	t.Helper()
	raw, value, err := readArguments(json.RawMessage(args), DefaultMaxArgumentBytes)
	if err != nil {
		return "", err
	}
	if unusable := s.usable(); unusable != nil {
		t.Fatal(unusable)
	}
	raw, err = s.check(raw, value)
	return string(raw), err
}

func TestSchemas(t *testing.T) {
	for _, test := range []struct {
		name, schema, args string
		want               string // the arguments passed on; else
		paths              string
		message            string
	}{
		{"fits", `{"properties":{"a":{"type":"string"}}}`, `{"a": "x"}`, `{"a": "x"}`, "", ""},
		{"wrong type", `{"properties":{"a":{"type":"string"}}}`, `{"a":1}`, "", "/a", "/a got number, want string"},
		{"several", `{"properties":{"a":{"type":"string"},"b":{"items":{"type":"integer"}}},"required":["c"],"additionalProperties":false}`, `{"a":1,"b":[1,1.5],"x":1}`,
			"", "/a /b/1 /c /x", "/c is missing; /x is not an argument that is known here"},
		{"draft-07 without $schema", `{"properties":{"a":{"items":[{"type":"string"}],"additionalItems":false}}}`, `{"a":["x",1]}`, "", "/a", "additionalItem"},
		{"2020-12 with it", `{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"prefixItems":[{"type":"string"}],"items":false}}}`, `{"a":["x",1]}`, "", "/a/1", "false schema"},
		{"formats count", `{"properties":{"a":{"format":"email"},"d":{"format":"date-time"}}}`, `{"a":"x","d":"2026-01-01T00:00:00Z"}`, "", "/a", "email"},
		{"formats count in 2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"format":"ipv4"}}}`, `{"a":"x"}`, "", "/a", "ipv4"},
		{"unknown formats do not", `{"properties":{"a":{"format":"colour"}}}`, `{"a":"x"}`, `{"a":"x"}`, "", ""},
		{"patterns", `{"properties":{"a":{"pattern":"^[a-z]+$"}}}`, `{"a":"NOT OK"}`, "", "/a", "/a does not match the pattern ^[a-z]+$"},
		{"patterns of ECMAScript", `{"properties":{"a":{"pattern":"^(?!x)\\S+$"}}}`, `{"a":"xy"}`, "", "/a", "pattern"},
		{"any of", `{"properties":{"a":{"anyOf":[{"type":"string"},{"properties":{"b":{"type":"null"}},"type":"object"}]}}}`, `{"a":{"b":1}}`, "", "/a /a/b", "want null"},
		{"names", `{"propertyNames":{"pattern":"^a"}}`, `{"b":1}`, "", "/b", "name that is not allowed"},
		{"large integers", `{"properties":{"a":{"type":"integer","maximum":9007199254740993}}}`, `{"a":9007199254740993}`, `{"a":9007199254740993}`, "", ""},
		{"multiples", `{"properties":{"a":{"multipleOf":0.01}}}`, `{"a":19.99}`, `{"a":19.99}`, "", ""},
		{"references", `{"definitions":{"n":{"type":"number"}},"properties":{"a":{"$ref":"#/definitions/n"}}}`, `{"a":"x"}`, "", "/a", "want number"},
		{"false", `false`, `{}`, "", "", "false schema"},

		{"default", `{"properties":{"a":{"default":10},"b":{"default":null}}}`, `{}`, `{"a":10,"b":null}`, "", ""},
		{"default and given", `{"properties":{"a":{"default":10}}}`, `{"a":1}`, `{"a":1}`, "", ""},
		{"default of what is required", `{"properties":{"a":{"default":"é<"}},"required":["a"]}`, `{}`, `{"a":"é<"}`, "", ""},
		{"defaults within", `{"properties":{"a":{"properties":{"b":{"default":1}}},"c":{"items":{"properties":{"d":{"default":2}}}}}}`, `{"a":{},"c":[{},{"d":3},4]}`, `{"a":{"b":1},"c":[{"d":2},{"d":3},4]}`, "", ""},
		{"defaults of what is not there", `{"properties":{"a":{"properties":{"b":{"default":1}}}}}`, `{}`, `{}`, "", ""},
		{"defaults of defaults", `{"properties":{"a":{"default":{},"properties":{"b":{"default":1}}}}}`, `{}`, `{"a":{"b":1}}`, "", ""},
		{"defaults of all of", `{"allOf":[{"properties":{"a":{"default":1}}}]}`, `{}`, `{"a":1}`, "", ""},
		{"no defaults of any of", `{"anyOf":[{"properties":{"a":{"default":1}}}]}`, `{}`, `{}`, "", ""},
		{"defaults by reference", `{"definitions":{"n":{"properties":{"v":{"default":0},"next":{"$ref":"#/definitions/n"}}}},"properties":{"a":{"$ref":"#/definitions/n"}}}`, `{"a":{"next":{"next":{"v":1}}}}`, `{"a":{"next":{"next":{"v":1},"v":0},"v":0}}`, "", ""},
		{"a default that does not fit", `{"properties":{"a":{"type":"string","default":1}}}`, `{}`, "", "/a", "want string"},
		{"defaults around a circle", `{"$ref":"#"}`, `{}`, "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSchema(toolOf(test.schema))
			if strings.Contains(test.name, "circle") {
				if s.usable() == nil {
					check(t, s, test.args) // whatever it says, it comes to an end
				}
				return
			}
			got, err := check(t, s, test.args)
			if test.message == "" {
				if err != nil || got != test.want {
					t.Errorf("got %s, %v; want %s", got, err, test.want)
				}
				return
			}
			if err == nil {
				t.Fatalf("got %s", got)
			}
			if strings.Join(err.Paths, " ") != test.paths || !strings.Contains(err.Message, test.message) {
				t.Errorf("got %q: %s", err.Paths, err.Message)
			}
		})
	}
}

func TestExtraDefaults(t *testing.T) {
	tool := toolOf(`{"properties":{"a":{"default":1},"b":{"default":1}}}`)
	tool.Extension.Defaults = json.RawMessage(`{"a":2,"c":[3]}`)
	s := newSchema(tool)
	for range 2 {
		if got, err := check(t, s, `{}`); err != nil || got != `{"a":2,"b":1,"c":[3]}` {
			t.Errorf("got %s, %v", got, err)
		}
	}
}

func TestSchemasThatCannotBeUsed(t *testing.T) {
	for _, test := range []struct{ name, schema, message string }{
		{"no schema", `{"type":"nothing"}`, "type"},
		{"no JSON", `{`, "no JSON"},
		{"the network", `{"$ref":"https://schemas.example/x.json"}`, "not followed"},
		{"a file", `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "not followed"},
		{"a file beside it", `{"properties":{"a":{"$ref":"other.json"}}}`, "not followed"},
		{"another dialect", `{"$schema":"https://schemas.example/dialect"}`, "not followed"},
		{"no such part", `{"properties":{"a":{"$ref":"#/definitions/none"}}}`, "none"},
		{"a pattern that is none", `{"properties":{"a":{"pattern":"("}}}`, "("},
		{"no text", ``, "faults"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tool := toolOf(test.schema)
			if test.schema == "" {
				tool.Schema = nil
			}
			err := newSchema(tool).usable()
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A schema whose cost doubles with each level of the arguments, and a pattern that tries every possibility.
func TestCheckingHasAnEnd(t *testing.T) {
	for name, test := range map[string]struct{ schema, args string }{
		"doubling": {`{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, strings.Repeat(`{"a":`, 60) + `{}` + strings.Repeat(`}`, 60)},
		"doubling without depth": {`{"definitions":{` +
			`"0":{"type":"object"},` + func() string {
			var all []string
			for i := range 40 {
				ref := `{"$ref":"#/definitions/` + itoa(i) + `"}`
				all = append(all, `"`+itoa(i+1)+`":{"allOf":[`+ref+`,`+ref+`]}`)
			}
			return strings.Join(all, ",")
		}() + `},"allOf":[{"$ref":"#/definitions/40"}]}`, `{}`},
		"trying": {`{"properties":{"a":{"pattern":"^(?!x)((a|aa)+)+$"}}}`, `{"a":"` + strings.Repeat("a", 60) + `b"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSchema(toolOf(test.schema))
			for range 2 {
				if got, err := check(t, s, test.args); err == nil || !strings.Contains(err.Message, "takes too long") {
					t.Errorf("got %s, %v", got, err)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	s := newSchema(toolOf(`{"type":"object","properties":{"name":{"type":"string","maxLength":100},"limit":{"type":"integer","minimum":1,"default":10}},"required":["name"],"additionalProperties":false}`))
	if err := s.usable(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		raw, value, _ := readArguments(json.RawMessage(`{"name":"Ada"}`), 1<<20)
		if _, err := s.check(raw, value); err != nil {
			b.Fatal(err)
		}
	}
}
