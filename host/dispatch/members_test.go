package dispatch

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzMembers compares the parts that are found with those that the standard library finds.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, ` { } `, `{"a":1}`, `{"a" : [1, {"b":"}"}] , "c":null}`, `[1,"a\"b",[[]],{}, -1.5e3 ,true]`, `{"a\u0062":"\\","ab":2,"":{}}`,
		`{"content":[{"type":"text","text":"x,]}"}],"isError":false}`, `[ "\\\"" ]`, `{"\"":"\""}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimSpace(text)
		if !json.Valid(text) {
			return
		}
		switch text[0] {
		case '{':
			var want map[string]json.RawMessage
			if err := json.Unmarshal(text, &want); err != nil {
				return
			}
			got := objectOf(text)
			if len(got) != len(want) {
				t.Fatalf("got %q, want %q", got, want)
			}
			for name, value := range want {
				if !bytes.Equal(got[name], value) {
					t.Errorf("%q is %q, not %q", name, got[name], value)
				}
			}
		case '[':
			var want []json.RawMessage
			if err := json.Unmarshal(text, &want); err != nil {
				return
			}
			got := arrayOf(text)
			if len(got) != len(want) {
				t.Fatalf("got %q, want %q", got, want)
			}
			for i := range want {
				if !bytes.Equal(got[i], want[i]) {
					t.Errorf("%d is %q, not %q", i, got[i], want[i])
				}
			}
		}
	})
}
