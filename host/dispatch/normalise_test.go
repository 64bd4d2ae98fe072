package dispatch

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestNormalise(t *testing.T) {
	for _, test := range []struct{ name, raw, want string }{
		{"nothing", `null`, `{"content":[]}`},
		{"a string", ` "a\"<é" `, `{"content":[{"type":"text","text":"a\"<é"}]}`},
		{"a number", `1e3`, `{"content":[{"type":"text","text":"1e3"}]}`},
		{"a truth", `true`, `{"content":[{"type":"text","text":"true"}]}`},
		{"an array", `[1,"x"]`, `{"content":[{"type":"text","text":"[1,\"x\"]"}]}`},
		{"an object", `{"a":{"b":"<"}}`, `{"content":[{"type":"text","text":"{\"a\":{\"b\":\"<\"}}"}],"structuredContent":{"a":{"b":"<"}}}`},
		{"text", `{"content":[{"type":"text","text":"x","annotations":{"priority":1}}]}`, `{"content":[{"type":"text","text":"x","annotations":{"priority":1}}]}`},
		{"all types", `{"content":[{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"audio","data":"AA==","mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"a:b","text":"x"}}]}`,
			`{"content":[{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"audio","data":"AA==","mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"a:b","text":"x"}}]}`},
		{"other types", `{"content":[{"type":"resource_link","uri":"a:b"},{"type":"text","text":"x"},{"type":"x-own"}]}`, `{"content":[{"type":"text","text":"x"}]}`},
		{"only other types", `{"content":[{"type":"x-own"}]}`, `{"content":[]}`},
		{"the rest of a result", `{"content":[],"structuredContent":{"a":1},"isError":true,"_meta":{"b":2},"other":3}`, `{"content":[],"structuredContent":{"a":1},"isError":true,"_meta":{"b":2}}`},
		{"structured content alone", `{"structuredContent":{"a":1}}`, `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`},
		{"no structured content", `{"content":[],"structuredContent":null,"isError":false}`, `{"content":[]}`},
		{"a content that is none", `{"content":"x"}`, `{"content":[{"type":"text","text":"{\"content\":\"x\"}"}],"structuredContent":{"content":"x"}}`},
		{"contents that are none", `{"content":[1]}`, `{"content":[{"type":"text","text":"{\"content\":[1]}"}],"structuredContent":{"content":[1]}}`},
		{"Content", `{"Content":[{"type":"text","text":"x"}]}`, `{"content":[{"type":"text","text":"{\"Content\":[{\"type\":\"text\",\"text\":\"x\"}]}"}],"structuredContent":{"Content":[{"type":"text","text":"x"}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, fault := normalise(json.RawMessage(test.raw))
			got, err := json.Marshal(r)
			if fault != nil || err != nil {
				t.Fatal(fault, err)
			}
			var want, have any
			if json.Unmarshal([]byte(test.want), &want) != nil || json.Unmarshal(got, &have) != nil {
				t.Fatalf("no JSON: %s", got)
			}
			if text, _ := encode(have); string(text) != mustEncode(t, want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func mustEncode(t *testing.T, v any) string {
	t.Helper()
	text, err := encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Blocks are passed on byte for byte.
func TestNormaliseKeepsBlocks(t *testing.T) {
	const block = `{ "type" : "text",  "text": "\u00e9<", "z": 1.50, "a": 2 }`
	r, err := normalise(json.RawMessage(`{"content":[` + block + `]}`))
	if err != nil || len(r.Content) != 1 || string(r.Content[0]) != block {
		t.Errorf("got %s, %v", r.Content, err)
	}
}

func TestNormaliseRefuses(t *testing.T) {
	for raw, message := range map[string]string{
		``:                                       "no JSON",
		`{`:                                      "no JSON",
		`NaN`:                                    "no JSON",
		`{"content":[{"type":"text","text":5}]}`: "content[0], of the type text, has no text in text",
		`{"content":[{"type":"text","text":""},{"type":"image","data":""}]}`: "content[1], of the type image, has no text in mimeType",
		`{"content":[{"type":"resource","resource":"x"}]}`:                   "has no object in resource",
	} {
		if r, err := normalise(json.RawMessage(raw)); err == nil || err.Code != CodeHandlerError || !strings.Contains(err.Message, message) {
			t.Errorf("%s: got %+v, %v", raw, r, err)
		}
	}
}

func TestForModel(t *testing.T) {
	r, err := normalise(json.RawMessage(`{"content":[{"type":"text","text":"about _meta"},{"type":"text","text":"x","_meta":{"a":1}},` +
		`{"type":"resource","resource":{"uri":"a:b","text":"<","\u005fmeta":1}}],"structuredContent":{"_meta":"the package's own"},"_meta":{"b":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(r.ForModel())
	const want = `{"content":[{"type":"text","text":"about _meta"},{"text":"x","type":"text"},{"resource":{"text":"<","uri":"a:b"},"type":"resource"}],"structuredContent":{"_meta":"the package's own"}}`
	if strings.ReplaceAll(string(text), `\u003c`, "<") != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if len(r.Meta) == 0 || !strings.Contains(string(r.Content[1]), "_meta") {
		t.Error("the result itself was changed")
	}
}

func FuzzNormalise(f *testing.F) {
	for _, seed := range []string{`null`, `{"content":[{"type":"text","text":"x"}]}`, `{"structuredContent":{}}`, `[1]`, `{"content":[{"type":"resource","resource":{}}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := normalise(raw)
		if err != nil {
			return
		}
		for _, one := range []Result{r, r.ForModel()} {
			if text, err := json.Marshal(one); err != nil || !json.Valid(text) {
				t.Errorf("%q became %q, %v", raw, text, err)
			}
		}
	})
}
