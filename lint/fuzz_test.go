package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/lint"
)

// FuzzRun gives the linter whatever there may be in the files of a package: no rule fails, and what is reported has a place
// that the file has.
func FuzzRun(f *testing.F) {
	f.Add(`{"name":"a","neuralis":{"runtime":{"type":"wasm"}}}`, `{"type":"object","x-neuralis":{"annotations":{"category":"read"}}}`, "export default () => Date.now();", "---\nname: a\ndescription: b\n---\n${MISSING:x}")
	f.Add(`{"neuralis":{"features":[{"id":1}],"lint":{"rules":[],"ignore":[{"rules":["x"]}]}}}`, `[]`, "const {a:[b=Math.random()]}=c; // neuralis-lint-disable-line x", "")
	f.Add(`{"neuralis":{"provides":["oauth-callback:a","mcp-server"],"connectors":[{"type":"mcp"}],"dataLayout":[{"dirs":["a","a/"]}]},"files":{}}`, `{"properties":{"a":{"default":1,"type":"string","$ref":"#/x"}},"type":"object","required":["b"]}`,
		"export const pattern = `a/${b}`; export {x as GET}; x.y`${/a/}`.z?.[1]", "---")
	f.Fuzz(func(t *testing.T, manifest, tool, code, skill string) {
		dir := t.TempDir()
		files := map[string]string{"package.json": manifest, "tools/a.json": tool, "src/tools/a.ts": code, "src/routes/a.ts": code, "src/lifecycle.ts": code, "skills/a/SKILL.md": skill}
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		report, err := lint.Run(t.Context(), []string{dir}, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range report.Packages[0].Diagnostics {
			if d.Rule == "internal-error" {
				t.Error(d.Message)
			}
			if lines := strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(files[d.File]), "\n") + 1; d.Line > lines || d.Line < 0 || d.Column < 0 || d.EndColumn != 0 && d.EndColumn < d.Column {
				t.Errorf("%s has %d lines, and %+v is beyond", d.File, lines, d)
			}
		}
		if _, err := lint.Apply(dir, report.Packages[0].Fixes); err != nil {
			t.Error(err)
		}
	})
}
