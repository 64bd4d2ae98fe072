package jsliteral

import "testing"

func TestString(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain", "a/b.ts", `'a/b.ts'`},
		{"quotes", `'"` + "`", `'\'"` + "`'"},
		{"backslash", `a\b`, `'a\\b'`},
		{"line ends", "a\nb\rc\u2028d\u2029", `'a\nb\rc\u2028d\u2029'`},
		{"controls", "\x00\x1b\x7f\ufeff", `'\u0000\u001b\u007f\ufeff'`},
		{"not UTF-8", "a\xffb", `'a\ufffdb'`},
		{"beyond the BMP", "😀", `'😀'`},
		{"empty", "", `''`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := String(test.in); got != test.want {
				t.Errorf("String(%q) = %s, want %s", test.in, got, test.want)
			}
		})
	}
}

func TestProperty(t *testing.T) {
	for in, want := range map[string]string{
		"id": "id", "$a_1": "$a_1", "class": "class", "1a": `'1a'`, "a-b": `'a-b'`, "": `''`, "é": `'é'`, "__proto__": `'__proto__'`,
	} {
		if got := Property(in); got != want {
			t.Errorf("Property(%q) = %s, want %s", in, got, want)
		}
	}
}
