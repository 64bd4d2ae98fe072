package bundle

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/internal/nesting"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Each of these ended the whole program with a stack that overflowed, or took minutes.
func TestDeepNesting(t *testing.T) {
	for _, tc := range []struct{ name, before, after string }{
		{"negations", "!", ""},
		{"negations apart", "! ", ""},
		{"signs", "- ", ""},
		{"brackets", "(", ")"},
		{"lists", "[", "]"},
		{"objects", "{a:", "}"},
		{"arrows", "a=>", ""},
		{"conditions", "a?b:", ""},
		{"assignments", "a=", ""},
		{"words", "typeof ", ""},
		{"templates", "`${", "}`"},
		{"calls", "a.b().", "b"},
		{"calls of results", "a()(", ")"},
		{"members", "a?.b?.", "c"},
		{"operators", "a && ", ""},
		{"commas", "a, ", ""},
		{"sums", "a + ", ""},
		{"assertions", "", " as any"},
		{"tagged templates", "", "``"},
		{"indexes", "", "[0]"},
		{"statements", "{ if (a) ", ""},
	} {
		text := "// a\nexport default () => " + strings.Repeat(tc.before, 200_000) + "1" + strings.Repeat(tc.after, 200_000)
		for name, pkg := range map[string]*manifest.Package{
			"tool":   onePackage(t, text, nil),
			"import": onePackage(t, "import '../x.js'; export default () => 1", map[string]string{"src/x.js": text}),
		} {
			t.Run(tc.name+", "+name, func(t *testing.T) {
				file := map[string]string{"tool": "src/tools/t.ts", "import": "src/x.js"}[name]
				for target, build := range map[string]func() manifest.Diagnostics{
					"sandbox": func() manifest.Diagnostics {
						_, diags := Bundle(context.Background(), Input{Package: pkg})
						return diags
					},
					"node": func() manifest.Diagnostics {
						_, diags := Transpile(context.Background(), pkg)
						return diags
					},
				} {
					diags := build()
					if len(diags) != 1 || diags[0].Rule != RuleSyntax || diags[0].File != file || diags[0].Line != 2 || !strings.Contains(diags[0].Message, "nested") {
						t.Errorf("%s: got %d diagnostics", target, len(diags))
						for _, d := range diags {
							t.Errorf("[%s] %.200s", d.Rule, d.Error())
						}
						continue
					}
					if len(diags[0].Frame) > 4096 {
						t.Errorf("%s: a frame of %d bytes", target, len(diags[0].Frame))
					}
				}
			})
		}
	}
}

// Statements within statements need no brackets.
func TestDeepStatements(t *testing.T) {
	for _, chain := range []string{
		"if (a) ", "if (a)\n", "if (a); else ", "if (a) {} else ", "for (;;) ", "for (const x of a)\n", "while (a) ", "do ", "with (a) ", "a: ", "case 1: ",
		"a, ", "\n.b()", "\n?.b", "x => ", "else if (a) ", "<a><b>",
	} {
		for _, before := range []string{"", "export default () => {\n", "switch (1) {\n"} {
			text := before + strings.Repeat(chain, 100_000)
			if at, _ := nesting.Beyond([]byte(text), maxNesting, maxChain, true); at < 0 {
				t.Errorf("%q behind %q passes", chain, before)
			}
		}
	}
}

// What only looks deep is not refused.
func TestNotDeep(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"strings", `"((((((((((!!!!!!!!!!\"[["` + "+'{{{{{{{{{{\\'{'"},
		{"comments", "/* (((((((((((( */ a // ((((((((((((((("},
		{"statements", "a = !b;"},
		{"calls", "f(!a, (b) => [c]);"},
		{"sums", "a + b - c * d / e;"},
		{"conditions", "a ? b : c;\n"},
		{"no semicolons", "const a = b.c(d)\nlet e = !f\ng()\nif (h) i\nelse j"},
		{"functions", "function a(b,c){return b}class D{e(){}get f(){return 1}}"},
		{"declarations", "var a=1,b=function(){},c={d:1,e:[1,2]},f=/[/'\"`]/g.test(c);"},
		{"members", "@a() private b: string\n#c = 1\n"},
		{"regular expressions", "a = /[(/]\\/\"((`/.test(b) / 2; c(/{{{{/g);"},
		{"templates", "a = `((((((((((${b} don't stop here ${`{{{{`} [[`;"},
		{"cases", "case 1: a(); break;"},
		{"comments", "// it's `here (((\na() // (((\n/* `( */"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := bytes.Repeat([]byte(tc.text+"\n"), 1000)
			if at, _ := nesting.Beyond(text, 20, 60, true); at >= 0 {
				t.Errorf("refused at %d: %.100q", at, text[max(0, at-50):])
			}
		})
	}
	for _, data := range []string{`[` + strings.Repeat(`1.5, "a", {"b": [null]}, `, 1000) + `1]`, `{` + strings.Repeat(`"a": {"b": -1}, `, 1000) + `"c": 1}`} {
		for _, text := range []string{data, "export default " + data, "module.exports = " + data, "f(" + data + ")"} {
			if at, _ := nesting.Beyond([]byte(text), 20, 60, strings.Trim(text[:1], "[{") != ""); at >= 0 {
				t.Errorf("%.50s is refused at %d", text, at)
			}
		}
	}
}
