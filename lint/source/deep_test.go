package source_test

import (
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/lint/source"
)

// Each of these would end the program with a stack that overflows.
func TestDeepNesting(t *testing.T) {
	for _, piece := range []string{"(", "[", "{", "!", "a=>", "if(x)", "a+", "`${", "a?", "a.b(", "new ", "-~", "x=", "{a:", "async(", "<T>", "await ", "function(){"} {
		n := 1 << 20 / len(piece)
		t.Log(piece)
		_, _ = source.Parse("x.ts", []byte(strings.Repeat(piece, n)+"1"))
	}
}
