package build

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

// layered is a package whose bundle is cut into stages: libraries, and a tool that uses them. The numbers are in
// what the tool and one of the libraries do.
func layered(t *testing.T, dir string, tool, library int) *manifest.Package {
	files := map[string]string{
		"package.json": `{"name":"layered","version":"1.0.0","neuralis":{"id":"layered","name":"Layered","runtime":{"type":"wasm"}}}`,
		"tools/greet.json": `{"title":"greet","description":"Greet","type":"object",
			"x-neuralis":{"family":"greet","operation":"greet","transport":"embedded","defaults":{},"annotations":{"title":"Greet","readOnlyHint":true,"category":"read"}}}`,
	}
	var imports, uses strings.Builder
	for n := range 8 {
		number := n
		if n == 5 {
			number = library
		}
		files[fmt.Sprintf("src/lib%d/a.ts", n)] = fmt.Sprintf("export const made%d = [Date.now(), Math.random(), %d];\nexport const text%d = %q;\n",
			n, number, n, strings.Repeat("x", 30_000))
		fmt.Fprintf(&imports, "import { made%d, text%d } from '../lib%d/a.ts';\n", n, n, n)
		fmt.Fprintf(&uses, "made%d, text%d.length, ", n, n)
	}
	files["src/tools/greet.ts"] = imports.String() + fmt.Sprintf("console.log('evaluated');\nexport default () => [%d, %s];\n", tool, uses.String())
	return writePackage(t, dir, files)
}

// A build that could use what an earlier one left makes the files that one without it makes.
func TestKeptChangesNothing(t *testing.T) {
	cold := func(tool, library int) map[string]string {
		dir := t.TempDir()
		mustBuild(t, builderFor(t, Options{}), layered(t, dir, tool, library)) // another folder: nothing is kept for it
		return tree(t, filepath.Join(dir, "dist"))
	}
	dir := t.TempDir()
	b := builderFor(t, Options{})
	folder := b.keptFolder(&manifest.Package{Dir: dir})
	for _, step := range []struct {
		name          string
		tool, library int
		before        func(t *testing.T)
	}{
		{"the first", 1, 1, nil},
		{"nothing changed", 1, 1, nil},
		{"a tool changed", 2, 1, nil},
		{"a library changed", 2, 2, nil},
		{"it changed again", 2, 3, nil},
		{"and was changed back, with the tool", 1, 1, nil},
		{"without the memory", 3, 1, func(t *testing.T) { remove(t, folder, keptMemory) }},
		{"without the pieces", 3, 2, func(t *testing.T) { remove(t, folder, keptPieces) }},
		{"without what was before", 3, 3, func(t *testing.T) { remove(t, folder, keptBefore) }},
		{"with damaged memory", 4, 3, func(t *testing.T) { damage(t, folder, keptMemory) }},
		{"with damaged pieces", 4, 4, func(t *testing.T) { damage(t, folder, keptPieces) }},
		{"with damage before", 4, 5, func(t *testing.T) { damage(t, folder, keptBefore) }},
	} {
		t.Run(step.name, func(t *testing.T) {
			if step.before != nil {
				step.before(t)
			}
			result := mustBuild(t, b, layered(t, dir, step.tool, step.library))
			got, want := tree(t, filepath.Join(dir, "dist")), cold(step.tool, step.library)
			if !maps.Equal(got, want) {
				t.Error("it is not what it is in a new folder")
			}
			if len(result.Logs) != 1 {
				t.Errorf("it said %v", result.Logs)
			}
			names := slices.Sorted(maps.Keys(tree(t, folder)))
			if !slices.Equal(names, []string{keptBefore, keptMemory, keptPieces}) {
				t.Errorf("kept are %v", names)
			}
		})
	}
}

func remove(t *testing.T, folder, name string) {
	if err := os.Remove(filepath.Join(folder, name)); err != nil {
		t.Fatal(err)
	}
}

func damage(t *testing.T, folder, name string) {
	file := filepath.Join(folder, name)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// What a build left for the next one is as if it were not there when it is no file.
func TestRecallReadsFilesOnly(t *testing.T) {
	folder := t.TempDir()
	writeKept(folder, keptPieces, kept{Core: "core"})
	if k := recall(folder); k.Core != "core" {
		t.Errorf("got %+v", k)
	}
	for _, target := range []string{folder, os.DevNull, filepath.Join(folder, "none")} {
		other := t.TempDir()
		if err := os.Symlink(target, filepath.Join(other, keptPieces)); err != nil {
			t.Skip(err)
		}
		if k := recall(other); k.Core != "" || k.Names != nil {
			t.Errorf("%s: %+v", target, k)
		}
	}
}
