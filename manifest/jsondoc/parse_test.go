package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// lines are problems as line:column-endColumn code: message (hint).
func lines(doc *Document, problems []Problem) []string {
	var all []string
	for _, p := range problems {
		span := doc.Span(p.Start, p.End)
		text := fmt.Sprintf("%d:%d", span.Line, span.Column)
		if span.EndColumn > 0 {
			text += fmt.Sprintf("-%d", span.EndColumn)
		}
		all = append(all, fmt.Sprintf("%s %s: %s", text, p.Code, p.Message))
	}
	return all
}

func TestParseFaults(t *testing.T) {
	tests := []struct {
		name, text string
		whole      bool // the text was read to its end
		want       []string
	}{
		{"empty", "", false, []string{"1:1 syntax: the file is empty"}},
		{"white space", " \n\t", false, []string{"2:2 syntax: the file is empty"}},
		{"text behind the end", "{} x", false, []string{"1:4-5 syntax: there is more text after the end of the JSON value, which begins with 'x'"}},
		{"closed twice", "{\"a\": 1}}", false, []string{"1:9-10 syntax: there is more text after the end of the JSON value, which begins with '}'"}},
		{"object open", "{\n  \"a\": {", false, []string{"2:9 syntax: the file ends inside the object that begins at line 2, column 8"}},
		{"array open", "[1,", false, []string{"1:4 syntax: the file ends inside the array that begins at line 1, column 1"}},
		{"array open behind value", "[1", false, []string{"1:3 syntax: the file ends inside the array that begins at line 1, column 1"}},
		{"colon missing", `{"a" 1}`, false, []string{`1:6-7 syntax: a colon is missing after "a": found '1'`}},
		{"colon missing at the end", `{"a"`, false, []string{`1:5 syntax: a colon is missing after "a": found the end of the file`}},
		{"value missing", `{"a": }`, false, []string{`1:7-8 syntax: a value is missing: found '}'`}},
		{"value missing at the end", `{"a":`, false, []string{`1:6 syntax: a value is missing: found the end of the file`}},
		{"comma missing", "{\"a\": 1\n\"b\": 2}", false, []string{`2:1-2 syntax: a comma or } is missing: found '"'`}},
		{"comma missing in array", `[1 2]`, false, []string{`1:4-5 syntax: a comma or ] is missing: found '2'`}},
		{"comma doubled", `[1,,2]`, false, []string{`1:4-5 syntax: a value is missing: found ','`}},
		{"comma first", `{,}`, false, []string{`1:2-3 syntax: a name in double quotes is missing: found ','`}},
		{"wrong bracket", `[1}`, false, []string{`1:3-4 syntax: a comma or ] is missing: found '}'`}},
		{"trailing commas", `{"a": [1, ], "b": {"c": 2,},}`, true, []string{
			"1:9-10 syntax: a comma stands before the closing ]",
			"1:26-27 syntax: a comma stands before the closing }",
			"1:28-29 syntax: a comma stands before the closing }"}},
		{"comments", "// a\n{/* b */} // c", true, []string{
			"1:1-5 syntax: JSON has no comments", "2:2-9 syntax: JSON has no comments", "2:11-15 syntax: JSON has no comments"}},
		{"comment open", "{} /* a", false, []string{"1:4-6 syntax: a comment is opened and never closed"}},
		{"slash alone", "/", false, []string{"1:1-2 syntax: a value is missing: found '/'"}},
		{"single quotes", `['a']`, false, []string{`1:2-3 syntax: a string begins with a single quote`}},
		{"name in single quotes", `{'a': 1}`, false, []string{`1:2-3 syntax: a name begins with a single quote`}},
		{"name without quotes", `{name: 1}`, false, []string{`1:2-6 syntax: the name name is not in double quotes`}},
		{"typographic quotes", `{“a”: 1}`, false, []string{`1:2-3 syntax: a name in double quotes is missing: found '“'`}},
		{"undefined", `[undefined]`, false, []string{`1:2-11 syntax: undefined is not JSON`}},
		{"NaN", `NaN`, false, []string{`1:1-4 syntax: NaN is not JSON`}},
		{"True", `[True]`, false, []string{`1:2-6 syntax: True is not JSON`}},
		{"word", `[yes]`, false, []string{`1:2-5 syntax: "yes" is no JSON value`}},
		{"word that begins well", `[nullable]`, false, []string{`1:2-10 syntax: "nullable" is no JSON value`}},
		{"very long word", strings.Repeat("x", 1000), false, []string{`1:1-1001 syntax: "` + strings.Repeat("x", 40) + `" is no JSON value`}},

		{"plus", `[+1]`, false, []string{"1:2-3 syntax: a number begins with '+'"}},
		{"point first", `[.5]`, false, []string{"1:2-3 syntax: a number begins with '.'"}},
		{"minus alone", `[-]`, false, []string{"1:2-3 syntax: a number is malformed"}},
		{"zero first", `[012]`, false, []string{"1:2-5 syntax: a number is malformed"}},
		{"point last", `[1.]`, false, []string{"1:2-4 syntax: a number is malformed"}},
		{"exponent empty", `[1e+]`, false, []string{"1:2-5 syntax: a number is malformed"}},
		{"hexadecimal", `[0x1F]`, false, []string{"1:2-6 syntax: a number is malformed"}},
		{"version", `[1.2.3]`, false, []string{"1:2-7 syntax: a number is malformed"}},
		{"unit", `[10px]`, false, []string{"1:2-6 syntax: a number is malformed"}},

		{"string open", `["a]`, false, []string{`1:2-3 syntax: a string is opened and never closed`}},
		{"string over lines", "[\"a\n\"]", false, []string{`1:2-4 syntax: a string does not end on its line`}},
		{"tab in string", "[\"a\tb\"]", true, []string{`1:4-5 syntax: a string holds the control character U+0009`}},
		{"NUL in string", "[\"a\x00b\"]", true, []string{`1:4-5 syntax: a string holds the control character U+0000`}},
		{"unknown escape", `["\x41"]`, false, []string{`1:3-4 syntax: a string holds an escape that JSON does not have: a backslash and 'x'`}},
		{"Windows path", `["C:\dir"]`, false, []string{`1:5-6 syntax: a string holds an escape that JSON does not have: a backslash and 'd'`}},
		{"escape at the end", `["\`, false, []string{`1:3-4 syntax: the file ends inside a string`}},
		{"short escape", `["\u12"]`, false, []string{`1:3-5 syntax: \u is not followed by four hexadecimal digits`}},

		{"not UTF-8", "[\"a\xff\xfeb\"]", true, []string{
			"1:4-5 encoding: a string holds the byte 0xFF, which is no UTF-8", "1:5-6 encoding: a string holds the byte 0xFE, which is no UTF-8"}},
		{"not UTF-8 between values", "[\xff]", false, []string{"1:2-3 syntax: a value is missing: found the byte 0xFF, which is no UTF-8"}},
		{"NUL between values", "[1,\x00]", false, []string{"1:4-5 syntax: a value is missing: found a NUL byte"}},
		{"high surrogate", `["\ud800"]`, true, []string{`1:3-9 encoding: \ud800 is half of a surrogate pair`}},
		{"low surrogate", `["\udc00a"]`, true, []string{`1:3-9 encoding: \udc00 is half of a surrogate pair`}},
		{"surrogates reversed", `["\udc00\ud800"]`, true, []string{
			`1:3-9 encoding: \udc00 is half of a surrogate pair`, `1:9-15 encoding: \ud800 is half of a surrogate pair`}},
		{"surrogate and letter", `["\ud800\u0041"]`, true, []string{`1:3-9 encoding: \ud800 is half of a surrogate pair`}},
		{"byte order mark", "\uFEFF{}", true, []string{`1:1 byte-order-mark: the file begins with a byte order mark`}},
		{"byte order mark and fault", "\uFEFF[x]", false, []string{
			`1:1 byte-order-mark: the file begins with a byte order mark`, `1:2-3 syntax: "x" is no JSON value`}},
		{"byte order mark inside", "[\uFEFF]", false, []string{"1:2-3 syntax: a value is missing: found '\\ufeff'"}},
		{"UTF-16 with mark", "\xff\xfe{\x00}\x00", false, []string{"1:1 encoding: the file is not UTF-8 text"}},
		{"UTF-16 without mark", "{\x00}\x00", false, []string{"1:1 encoding: the file is not UTF-8 text"}},

		{"twice", `{"a": 1, "b": 2, "a": 3}`, true, []string{`1:18-21 duplicate-key: "a" is there twice; the first one is at line 1, column 2`}},
		{"twice by escape", "{\"a\": 1,\n\"\\u0061\": 3}", true, []string{`2:1-9 duplicate-key: "a" is there twice; the first one is at line 1, column 2`}},
		{"thrice", `{"a": 1, "a": 2, "a": 3}`, true, []string{
			`1:10-13 duplicate-key: "a" is there twice; the first one is at line 1, column 2`,
			`1:18-21 duplicate-key: "a" is there twice; the first one is at line 1, column 2`}},
		{"twice in two objects", `[{"a": 1}, {"a": 2}]`, true, nil},

		{"columns in UTF-16", "[\"目😀\", x]", false, []string{`1:9-10 syntax: "x" is no JSON value`}},
		{"Windows lines", "[1,\r\n2,\r\nx]", false, []string{`3:1-2 syntax: "x" is no JSON value`}},
		{"old Mac lines", "[1,\r2,\rx]", false, []string{`3:1-2 syntax: "x" is no JSON value`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, problems := Parse([]byte(test.text), DefaultLimits())
			if got := lines(doc, problems); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if whole := doc.Root != nil; whole != test.whole {
				t.Errorf("read to its end: %t, want %t", whole, test.whole)
			}
		})
	}
}

func TestParseLimits(t *testing.T) {
	limits := Limits{MaxBytes: 1000, MaxDepth: 5, MaxValues: 20}
	tests := []struct {
		name, text, want string
	}{
		{"deep enough", `[[[[{}]]]]`, ""},
		{"too deep", `[[[[{"a":[]}]]]]`, "values are nested more than 5 deep"},
		{"beside each other", `[[],[],[],[],[],[],[]]`, ""},
		{"many enough", "[" + strings.Repeat("1,", 18) + "1]", ""},
		{"too many", "[" + strings.Repeat("1,", 19) + "1]", "there are more than 20 values"},
		{"long enough", `"` + strings.Repeat("a", 998) + `"`, ""},
		{"too long", `"` + strings.Repeat("a", 999) + `"`, "the file has 1001 bytes, more than the 1000 that are read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, problems := Parse([]byte(test.text), limits)
			switch {
			case test.want == "" && (len(problems) > 0 || doc.Root == nil):
				t.Errorf("got %v", problems)
			case test.want != "" && (len(problems) != 1 || problems[0].Code != CodeLimit || problems[0].Message != test.want || doc.Root != nil):
				t.Errorf("got %v, want %q", problems, test.want)
			}
		})
	}
}

// TestParseHostile has texts that make careless readers hang, overflow their stack or fill the memory.
func TestParseHostile(t *testing.T) {
	tests := []struct{ name, text string }{
		{"open arrays", strings.Repeat("[", 1<<20)},
		{"open objects", strings.Repeat(`{"a":`, 200_000)},
		{"empty arrays", "[" + strings.Repeat("[],", 300_000)},
		{"bad bytes", `"` + strings.Repeat("\xff", 1<<20-2) + `"`},
		{"surrogates", `"` + strings.Repeat(`\ud800`, 170_000) + `"`},
		{"one name", "{" + strings.Repeat(`"a":1,`, 90_000) + `"a":1}`},
		{"comments", strings.Repeat("/**/", 250_000)},
		{"open comments", strings.Repeat("/*", 500_000)},
		{"line feeds", strings.Repeat("\n", 1<<20)},
		{"digits", strings.Repeat("9", 1<<20)},
		{"word", strings.Repeat("a", 1<<20)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, problems := Parse([]byte(test.text), DefaultLimits())
			if len(problems) == 0 && doc.Root == nil || len(problems) > maxProblems {
				t.Errorf("%d problems", len(problems))
			}
			_ = lines(doc, problems)
		})
	}
}

func TestParseValues(t *testing.T) {
	const text = ` {"s": "a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00é😀\u0000", "n": [0, -0, 1.50, -1e3, 2E-7, 12345678901234567890],
		"b": [true, false, null], "o": {"": {}, "\u0061b": []}} `
	doc, problems := Parse([]byte(text), DefaultLimits())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var want any
	if err := decoder.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if got := doc.Root.Any(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
}

// FuzzParse compares with the reader in the standard library, which is laxer about the text of strings alone.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a": [1, -2.5e+3, true, false, null, "\ud83d\ude00\n"]}`, "\uFEFF{}", `{"a":1,"a":2}`, "// x\n[1,]", `["\ud800"]`, "\xff\xfe{\x00",
		"[\"\xff\"]", `{'a': 1}`, strings.Repeat("[", 300), "[\"a\tb\"]", `1.e5`, `{"a"`, "/*", "\"\\",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, problems := Parse(text, DefaultLimits())
		_ = lines(doc, problems)
		codes := map[Code]bool{}
		for i, p := range problems {
			codes[p.Code] = true
			if p.Start < 0 || p.End < p.Start || i > 0 && p.Start < problems[i-1].Start {
				t.Errorf("problem %d is at %d-%d", i, p.Start, p.End)
			}
		}
		if doc.Root == nil && len(problems) == 0 {
			t.Error("no value and no problem")
		}
		if codes[CodeLimit] || codes[CodeByteOrderMark] || len(problems) == maxProblems {
			return
		}
		wide := codes[CodeEncoding] && doc.Root == nil
		if valid := json.Valid(text); valid == (codes[CodeSyntax] || wide) {
			t.Fatalf("encoding/json says valid is %t, and the problems are %v", valid, problems)
		}
		if len(problems) > 0 {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := doc.Root.Any(); !reflect.DeepEqual(got, want) {
			t.Errorf("got %#v, want %#v", got, want)
		}
		checkPlaces(t, doc, doc.Root)
	})
}

// checkPlaces reads every value again from its place alone.
func checkPlaces(t *testing.T, doc *Document, v *Value) {
	again, problems := Parse(doc.Source[v.Start:v.End], DefaultLimits())
	if len(problems) > 0 || !reflect.DeepEqual(again.Root.Any(), v.Any()) {
		t.Errorf("at %d-%d there is %q, and it is read as %v %v", v.Start, v.End, doc.Source[v.Start:v.End], v.Any(), problems)
	}
	for _, item := range v.Items {
		checkPlaces(t, doc, item)
	}
	for _, m := range v.Members {
		if name, problems := Parse(doc.Source[m.Start:m.End], DefaultLimits()); len(problems) > 0 || name.Root.Text != m.Name {
			t.Errorf("the name %q is at %q", m.Name, doc.Source[m.Start:m.End])
		}
		checkPlaces(t, doc, m.Value)
	}
}
