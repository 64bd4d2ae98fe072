package toolschema

import (
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern      string
		match, other []string
	}{
		{`^[a-z0-9-]{1,40}$`, []string{"a-1", strings.Repeat("a", 40)}, []string{"", "NOT OK", "a\n", strings.Repeat("a", 41)}},
		{`a`, []string{"bab"}, []string{"b"}},
		{`^.$`, []string{"x", "é", "😀", "\u0085"}, []string{"\n", "\r", "\u2028", "\u2029", "xx"}},
		{`^\s$`, []string{" ", "\t", "\n", "\v", "\u00a0", "\ufeff", "\u3000"}, []string{"x", "\u0085", "\u200b"}},
		{`^\S$`, []string{"x", "\u0085"}, []string{" ", "\u00a0"}},
		{`^[^\s]$`, []string{"x"}, []string{"\u2003"}},
		{`^[\S]$`, []string{"x"}, []string{"\u2003"}},
		{`^\d\D\w\W$`, []string{"1a_-"}, []string{"٣a_-", "1aé-x"}},
		{`^[\d-z]+$`, []string{"1-z"}, []string{"a"}},
		{`^[a\-z]+$`, []string{"a-z"}, []string{"b"}},
		{`^[-a]+$`, []string{"-a"}, []string{"b"}},
		{`^[a-]+$`, []string{"-a"}, []string{"b"}},
		{`^[[:alpha:]]$`, []string{":]", "a]", "[]"}, []string{"b]", "x"}},
		{`^[^]$`, []string{"x", "\n"}, []string{"", "xx"}},
		{`^[]$`, nil, []string{"", "x"}},
		{`^\u00e9\x41\u{1F600}\ud83d\ude00$`, []string{"éA😀😀"}, []string{"eA😀😀"}},
		{`^\cJ\0\t$`, []string{"\n\x00\t"}, []string{"J0t"}},
		{`^\p{L}\p{Lu}\p{Script=Greek}\P{N}\p{Uppercase_Letter}$`, []string{"éÉαxÀ"}, []string{"1ÉαxÀ", "éÉα1À"}},
		{`^(?<year>\d{4})-(?:\d\d)$`, []string{"2026-01"}, []string{"26-01"}},
		{`^a{2}b{1,}c{0,1}?$`, []string{"aabbb", "aabc"}, []string{"abc", "aab{1,}"}},
		{`^a{,2}$`, []string{"a{,2}"}, []string{"aa"}},
		{`^\$\.\/\-\{\}x{$`, []string{"$./-{}x{"}, nil},
		{`\bfoo\b`, []string{"a foo b"}, []string{"food"}},
		{`^(?!admin)[a-z]+$`, []string{"user"}, []string{"administrator"}},
		{`(?<=a)b`, []string{"ab"}, []string{"cb"}},
		{`^(a+)\1$`, []string{"aaaa"}, []string{"aaa"}},
		{`^a{1500}$`, []string{strings.Repeat("a", 1500)}, []string{"a"}},
		{`^x{20}}$`, []string{strings.Repeat("x", 20) + "}"}, nil},
		{`^(a|a)*$`, []string{strings.Repeat("a", 5000)}, []string{strings.Repeat("a", 5000) + "b"}},
	} {
		t.Run(test.pattern, func(t *testing.T) {
			re, err := compilePattern(test.pattern)
			if err != nil {
				t.Fatal(err)
			}
			if re.String() != test.pattern {
				t.Errorf("it calls itself %q", re)
			}
			for _, text := range test.match {
				if !re.MatchString(text) {
					t.Errorf("does not match %q", text)
				}
			}
			for _, text := range test.other {
				if re.MatchString(text) {
					t.Errorf("matches %q", text)
				}
			}
		})
	}
}

func TestPatternsThatAreNone(t *testing.T) {
	for _, pattern := range []string{`(`, `)`, `[a`, `\`, `[\`, `a**`, `*`, `\q`, `[z-a]`, `\u{110000}`, `\x1`, `\cé`, `\p{Nonsense_Name}`, `\p`, "\xff", `(?<a`, `(?!` + strings.Repeat("(", 5000)} {
		if re, err := compilePattern(pattern); err == nil {
			t.Errorf("%q compiles to %v", pattern, re)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, seed := range []string{`^[a-z0-9-]{1,40}$`, `(?!a)b`, `[^]\u{1F600}`, `\p{L}+`, `a{2,}?`} {
		f.Add(seed, "text")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if translated, err := translate(pattern); err == nil {
			if re, err := compilePattern(pattern); err == nil {
				if p, ok := re.(linearPattern); ok && p.Regexp.String() != translated {
					t.Errorf("%q is %q", pattern, p.Regexp)
				}
			}
		}
	})
}
