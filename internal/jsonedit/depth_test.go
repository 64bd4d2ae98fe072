package jsonedit

import (
	"errors"
	"strings"
	"testing"
)

func TestDeepDocuments(t *testing.T) {
	nested := func(n int) []byte {
		return []byte(`{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`)
	}
	for n, deep := range map[int]bool{1: false, maxDepth - 1: false, maxDepth: true, 1 << 20: true} {
		if _, err := Parse(nested(n)); errors.Is(err, errTooDeep) != deep || !deep && err != nil {
			t.Errorf("%d levels: %v", n, err)
		}
		if _, err := Standard(nested(n)); errors.Is(err, errTooDeep) != deep || !deep && err != nil {
			t.Errorf("%d levels: %v", n, err)
		}
	}
	if _, err := Parse([]byte(`{"a":` + strings.Repeat("[", 1<<20))); !errors.Is(err, errTooDeep) {
		t.Errorf("an open end: %v", err)
	}
	if _, err := Parse([]byte(`{"a":"` + strings.Repeat("[", 2*maxDepth) + `\"["}`)); err != nil {
		t.Errorf("in a string: %v", err)
	}
	if got, err := Standard([]byte("{ // c\n \"a\": [1,], }")); err != nil || strings.Contains(string(got), "//") {
		t.Errorf("%s, %v", got, err)
	}
}
