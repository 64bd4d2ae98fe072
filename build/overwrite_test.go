package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What somebody wrote is not replaced by what a build makes of a file of the same name, unless it lies in dist/; after
// the first build that made the file, it is output like any other.
func TestOutputSparesWhatSomebodyWrote(t *testing.T) {
	pkg := writePackage(t, t.TempDir(), map[string]string{
		"package.json":         `{"name":"p","version":"1.0.0","neuralis":{"runtime":{"type":"node"}}}`,
		"src/tools/a.ts":       `export default (): number => 1;`,
		"lib/src/tools/a.js":   `by hand`,
		"lib/src/tools/own.js": `by hand`,
	})
	written := filepath.Join(pkg.Dir, "lib", "src", "tools", "a.js")
	read := func(file string) string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	b := builderFor(t, Options{Out: "lib"})
	before := tree(t, pkg.Dir)
	result, diags := b.Build(t.Context(), pkg)
	if result != nil || len(diags) != 1 || diags[0].Rule != RuleOutput || !strings.Contains(filepath.ToSlash(diags[0].Message), "src/tools/a.js is in the way") {
		t.Fatalf("got %v", diags)
	}
	for path, text := range before {
		if got := read(filepath.Join(pkg.Dir, filepath.FromSlash(path))); got != text {
			t.Errorf("%s now holds %q", path, got)
		}
	}
	if err := os.Remove(written); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, b, pkg)
	mustBuild(t, b, pkg)
	if !strings.Contains(read(written), "() => 1") || read(filepath.Join(filepath.Dir(written), "own.js")) != "by hand" {
		t.Error("the output is not there, or a file beside it is not what it was")
	}

	// The package's own folder is none to build into, whatever is in it.
	result, diags = builderFor(t, Options{Out: "."}).Build(t.Context(), pkg)
	if result != nil || len(diags) != 1 || diags[0].Rule != RuleOutput {
		t.Errorf("--out .: %v", diags)
	}
}
