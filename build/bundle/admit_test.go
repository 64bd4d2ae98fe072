package bundle

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

func TestAdmit(t *testing.T) {
	for _, tc := range []struct {
		name, tool string
		files      map[string]string
		rule, want string // of the error; empty when the package builds
	}{
		{"a file of the package", "export { default } from '../lib.ts'", map[string]string{"src/lib.ts": "export default () => 1"}, "", ""},
		{"an npm package", "export { default } from 'good'", map[string]string{"node_modules/good/index.js": "export default () => 1"}, "", ""},
		{"a linked package", "export { default } from 'linked'", nil, "", ""},
		{"by tsconfig baseUrl", "export { default } from 'cred.txt'", map[string]string{"tsconfig.json": `{"compilerOptions":{"baseUrl":"../home"}}`}, RuleOutsideImport, "../home/cred.txt"},
		{"by tsconfig paths", "export { default } from 'zz'", map[string]string{"tsconfig.json": `{"compilerOptions":{"paths":{"zz":["../home/cred.txt"]}}}`}, RuleOutsideImport, "../home/cred.txt"},
		{"from an npm package", "export { default } from 'evil'", map[string]string{"node_modules/evil/index.js": "export { default } from '../../../home/cred.txt'"}, RuleOutsideImport, "../home/cred.txt"},
		{"main that leads out", "export { default } from 'evil'", map[string]string{"node_modules/evil/package.json": `{"main":"../../../home/code.js"}`}, RuleOutsideImport, "../home/code.js"},
		{"a link to everything", "export { default } from 'root/home/cred.txt'", nil, RuleOutsideImport, "home/cred.txt"},
		{"the sandbox's own", "import { native } from 'neuralis:native'; export default () => native", nil, "", "cannot import \"neuralis:native\""},
		{"the sandbox's own, from npm", "export { default } from 'evil'", map[string]string{"node_modules/evil/index.js": "export { native as default } from 'neuralis:native'"}, "", "cannot import \"neuralis:native\""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := writeFiles(t, t.TempDir(), map[string]string{
				"home/cred.txt": "secret", "home/code.js": "export default () => 1",
				"workspace/linked/package.json": `{"name":"linked","main":"index.js"}`, "workspace/linked/index.js": "export default () => 1",
			})
			dir := writeFiles(t, filepath.Join(root, "p"), map[string]string{"package.json": "{}", "src/tools/t.ts": tc.tool, "node_modules/.keep": ""})
			writeFiles(t, dir, tc.files)
			for name, target := range map[string]string{"linked": filepath.Join(root, "workspace", "linked"), "root": root} {
				if err := os.Symlink(target, filepath.Join(dir, "node_modules", name)); err != nil {
					t.Skip(err)
				}
			}
			_, diags := Bundle(context.Background(), Input{Package: &manifest.Package{Dir: dir, Tools: []manifest.Tool{{Name: "t", Source: "src/tools/t.ts"}}}})
			if tc.want == "" {
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				return
			}
			if !diags.HasErrors() {
				t.Fatal("built")
			}
			d := diags[0]
			if !strings.Contains(d.Message, tc.want) || tc.rule != "" && d.Rule != tc.rule || strings.Contains(d.Frame, "secret") {
				t.Errorf("got %+v", d)
			}
		})
	}
}
