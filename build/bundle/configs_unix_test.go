//go:build unix

package bundle

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestConfigsAreNotNestedDeeply(t *testing.T) {
	for file, tool := range map[string]string{
		"tsconfig.json": `export default () => 1`, "src/package.json": `export default () => 1`, "node_modules/dep/package.json": `import x from 'dep'; export default () => x`,
	} {
		pkg := onePackage(t, tool, map[string]string{file: strings.Repeat("[", 1<<20), "node_modules/dep/index.js": "export default 1"})
		if _, diags := Bundle(context.Background(), Input{Package: pkg}); !diags.HasErrors() || !strings.Contains(diags[0].Message, "levels deep") {
			t.Errorf("%s: got %v", file, diags)
		}
	}
}

// The bundler reads the configuration of every folder that it comes through, and would wait for the writer of a pipe.
func TestConfigsAreRegularFiles(t *testing.T) {
	const dep = `import x from 'dep'; export default () => x`
	files := map[string]string{
		"node_modules/dep/index.js": `export default 1`, "node_modules/@s/dep/sub/index.js": `export default 1`,
		"node_modules/main/package.json": `{"main":"sub/deep/index.js"}`, "node_modules/main/sub/deep/index.js": `export default 1`,
		"node_modules/star/package.json": `{"exports":{"./*":"./lib/*/index.js"}}`, "node_modules/star/lib/a/index.js": `export default 1`,
		"src/lib/index.ts": `export default 1`, "tsconfig.json": "{ // of the editor\n \"extends\": [\"./base\", \"./gone.json\"], }", "deep/er/file": "",
	}
	for _, tc := range []struct{ name, file, tool, want, at string }{
		{"tsconfig.json", "src/tsconfig.json", `export default () => 1`, "tsconfig.json is no regular file", "src/tsconfig.json"},
		{"package.json of a folder", "src/lib/package.json", `export default () => 1`, "package.json is no regular file", "src/lib/package.json"},
		{"package.json of another folder", "deep/er/package.json", `export default () => 1`, "package.json is no regular file", "deep/er/package.json"},
		{"above", "../tsconfig.json", `export default () => 1`, "tsconfig.json is no regular file", "../tsconfig.json"},
		{"extended", "base", `export default () => 1`, "base is no regular file", "base"},
		{"extended, with its extension", "base.json", `export default () => 1`, "base.json is no regular file", "base.json"},
		{"package.json of an npm package", "node_modules/dep/package.json", dep, "node_modules/dep/package.json is no regular file", "src/tools/t.ts"},
		{"package.json in an npm package", "node_modules/@s/dep/sub/package.json", `import x from '@s/dep/sub'; export default () => x`, "node_modules/@s/dep/sub/package.json is no regular file", "src/tools/t.ts"},
		{"package.json that a main leads to", "node_modules/main/sub/package.json", `import x from 'main'; export default () => x`, "node_modules/main/sub/package.json is no regular file", "src/tools/t.ts"},
		{"package.json that exports lead to", "node_modules/star/lib/a/package.json", `import x from 'star/a'; export default () => x`, "node_modules/star/lib/a/package.json is no regular file", "src/tools/t.ts"},
		{"package.json of a relative import", "node_modules/main/sub/package.json", `import x from '../../node_modules/main/sub/deep/index.js'; export default () => x`, "node_modules/main/sub/package.json is no regular file", "src/tools/t.ts"},
		{"tsconfig.json of a linked package", "../linked/lib/tsconfig.json", `import x from 'linked'; export default () => x`, "../linked/lib/tsconfig.json is no regular file", "src/tools/t.ts"},
		{"jsconfig.json", "src/jsconfig.json", `export default () => 1`, "jsconfig.json is no regular file", "src/jsconfig.json"},
		{"a manifest of Yarn", ".pnp.cjs", `export default () => 1`, ".pnp.cjs is no regular file", ".pnp.cjs"},
		{"an npm package that nothing imports", "node_modules/dep/package.json", `export default () => 1`, "", ""},
		{"index of a folder", "src/odd/index.ts", `import '../odd'; export default () => 1`, "src/odd/index.ts is no regular file", "src/tools/t.ts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pkg := onePackage(t, tc.tool, files)
			// Within a folder of its own, so that the one above belongs to the test.
			inner := filepath.Join(t.TempDir(), "p")
			if err := os.Rename(pkg.Dir, inner); err != nil {
				t.Fatal(err)
			}
			pkg.Dir = inner
			writeFiles(t, filepath.Dir(inner), map[string]string{"linked/package.json": `{"main":"lib/index.js"}`, "linked/lib/index.js": `export default 1`})
			if err := os.Symlink(filepath.Join("..", "..", "linked"), filepath.Join(inner, "node_modules", "linked")); err != nil {
				t.Skip(err)
			}
			path := filepath.Join(pkg.Dir, filepath.FromSlash(tc.file))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip(err)
			}
			_, diags := Bundle(context.Background(), Input{Package: pkg})
			if tc.want == "" {
				if diags.HasErrors() {
					t.Error(diags)
				}
				return
			}
			if !diags.HasErrors() || !strings.Contains(diags[0].Message, tc.want) || diags[0].File != tc.at || diags[0].Line == 0 {
				t.Errorf("got %+v", diags)
			}
			if strings.Contains(tc.file, "odd") {
				return // not bundled into node packages
			}
			if _, diags := Transpile(context.Background(), pkg); !diags.HasErrors() || !strings.Contains(diags[0].Message, tc.want) {
				t.Errorf("as a node package: %+v", diags)
			}
		})
	}
}
