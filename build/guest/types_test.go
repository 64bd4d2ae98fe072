package guest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/neuralis-dev/neuralis/internal/npmci"
)

// The TypeScript compiler, from npm, is the client that the declarations are for.
func typeScript(t *testing.T) (node, tsc string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir := filepath.Join("webtests", "b", "types")
	if err := npmci.Install(context.Background(), dir, io.Discard); errors.Is(err, npmci.ErrNoNPM) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return node, absolute(t, filepath.Join(dir, "node_modules", "typescript", "bin", "tsc"))
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTypes(t *testing.T) {
	node, tsc := typeScript(t)
	for _, c := range []struct {
		name    string
		include []string
		paths   map[string][]string
	}{
		{name: "an author's code", include: []string{"declarations/*.d.ts", "webtests/b/types/sample.ts"}},
		{name: "the catalog package", include: []string{"declarations/*.d.ts", "../../manifest/testdata/catalog/src/**/*.ts"}},
		{
			name:    "the guest's own sources",
			include: []string{"src/**/*.ts", "webtests/b/*.ts", "webtests/a/engine.d.ts"},
			paths:   map[string][]string{"neuralis:*": {absolute(t, "src") + "/*"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			include := make([]string, len(c.include))
			for i, pattern := range c.include {
				include[i] = filepath.ToSlash(absolute(t, pattern))
			}
			options := map[string]any{
				"target": "ES2023", "lib": []string{"ES2024"}, "module": "ESNext", "moduleResolution": "bundler",
				"strict": true, "noImplicitOverride": true, "skipLibCheck": false, "noEmit": true,
				"allowImportingTsExtensions": true, "types": []string{},
			}
			if c.paths != nil {
				options["paths"] = c.paths
				options["noUncheckedIndexedAccess"] = true
			}
			config, err := json.Marshal(map[string]any{"compilerOptions": options, "include": include})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "tsconfig.json")
			if err := os.WriteFile(file, config, 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(context.Background(), node, tsc, "-p", file).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
