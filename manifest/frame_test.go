package manifest

import (
	"strings"
	"testing"
)

func TestFrame(t *testing.T) {
	tests := []struct {
		name                    string
		source                  string
		line, column, endColumn int
		want                    string
	}{
		{"middle", "one\ntwo\nthree\nfour\nfive\nsix\n", 3, 2, 4, "" +
			"  1 | one\n  2 | two\n> 3 | three\n    |  ^^\n  4 | four\n  5 | five\n"},
		{"first", "one\ntwo\nthree\nfour", 1, 1, 0, "" +
			"> 1 | one\n    | ^\n  2 | two\n  3 | three\n"},
		{"last", "one\ntwo\n", 2, 3, 4, "" +
			"  1 | one\n> 2 | two\n    |   ^\n"},
		{"behind the end of the text", "one\n", 2, 1, 0, "" +
			"  1 | one\n> 2 |\n    | ^\n"},
		{"behind the end of the line", "one", 1, 99, 120, "" +
			"> 1 | one\n    |    ^\n"},
		{"no column", "one\ntwo", 1, 0, 0, "" +
			"> 1 | one\n  2 | two\n"},
		{"numbers of two widths", strings.Repeat("x\n", 12), 10, 1, 2, "" +
			"   8 | x\n   9 | x\n> 10 | x\n     | ^\n  11 | x\n  12 | x\n"},
		{"tabs", "\tif x\t{", 1, 2, 4, "" +
			"> 1 |     if x    {\n    |     ^^\n"},
		{"tab is meant", "a\tb", 1, 2, 3, "" +
			"> 1 | a   b\n    |  ^^^\n"},
		{"wide", "目录 = 1", 1, 2, 3, "" +
			"> 1 | 目录 = 1\n    |   ^^\n"},
		{"behind surrogates", "'😀' x", 1, 6, 7, "" +
			"> 1 | '😀' x\n    |      ^\n"},
		{"combining", "e\u0301x", 1, 3, 4, "" +
			"> 1 | e\u0301x\n    |  ^\n"},
		{"Windows", "one\r\ntwo\r\n", 2, 1, 4, "" +
			"  1 | one\n> 2 | two\n    | ^^^\n"},
		{"old Mac", "one\rtwo\rthree", 2, 1, 4, "" +
			"  1 | one\n> 2 | two\n    | ^^^\n  3 | three\n"},
		{"byte order mark", "\uFEFFone", 1, 1, 4, "" +
			"> 1 | one\n    | ^^^\n"},
		{"terminal escapes", "a\x1b[31mb\u202ec", 1, 2, 3, "" +
			"> 1 | a\uFFFD[31mb\uFFFDc\n    |  ^\n"},
		{"not UTF-8", "a\xffb", 1, 3, 4, "" +
			"> 1 | a\uFFFDb\n    |   ^\n"},
		{"line 0", "one", 0, 1, 2, ""},
		{"no such line", "one", 3, 1, 2, ""},
		{"empty", "", 1, 1, 0, "> 1 |\n    | ^\n"},
		{"long line", strings.Repeat("a", 200) + "HERE" + strings.Repeat("b", 200), 1, 201, 205, "" +
			"> 1 | …" + strings.Repeat("a", 59) + "HERE" + strings.Repeat("b", 55) + "…\n    | " + strings.Repeat(" ", 60) + "^^^^\n"},
		{"very long line", strings.Repeat("ä", 1<<20) + "HERE" + strings.Repeat("b", 1<<20), 1, 1<<20 + 1, 1<<20 + 5, "" +
			"> 1 | …" + strings.Repeat("ä", 59) + "HERE" + strings.Repeat("b", 55) + "…\n    | " + strings.Repeat(" ", 60) + "^^^^\n"},
		{"long context", strings.Repeat("a", 1<<20) + "\nHERE", 2, 1, 5, "" +
			"  1 | " + strings.Repeat("a", 119) + "…\n> 2 | HERE\n    | ^^^^\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Frame([]byte(test.source), test.line, test.column, test.endColumn); got != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("a\tb\r\nc"), 1, 2, 3)
	f.Add([]byte("目录\u202e\xff"), 1, 9, 0)
	f.Add([]byte(strings.Repeat("x", 9000)), 1, 5000, 8000)
	f.Fuzz(func(t *testing.T, source []byte, line, column, endColumn int) {
		frame := Frame(source, line, column, endColumn)
		if strings.ContainsAny(frame, "\x1b\x00\t\r\u202e") {
			t.Errorf("the frame would act on a terminal: %q", frame)
		}
		if len(frame) > 32<<10 {
			t.Errorf("the frame has %d bytes", len(frame))
		}
	})
}
