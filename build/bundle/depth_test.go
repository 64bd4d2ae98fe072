package bundle

import (
	"bytes"
	"context"
	"strings"
	"testing"

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

// What only looks deep is not refused.
func TestNotDeep(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"strings", `"((((((((((!!!!!!!!!!\"[["` + "+'{{{{{{{{{{\\'{'"},
		{"comments", "/* (((((((((((( */ a // ((((((((((((((("},
		{"statements", "a = !b;"},
		{"calls", "f(!a, (b) => [c]);"},
		{"sums", "a + b - c * d / e + "},
		{"conditions", "a ? b : c;\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if at := nestedBeyond(bytes.Repeat([]byte(tc.text+"\n"), 1000), 10); at >= 0 {
				t.Errorf("refused at %d", at)
			}
		})
	}
}
