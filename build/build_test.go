package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/manifest"
)

func builderFor(t *testing.T, opts Options) *Builder {
	t.Helper()
	if opts.CacheDir == "" {
		opts.CacheDir = cacheDir
	}
	b := New(opts)
	t.Cleanup(func() { b.Close(context.Background()) })
	return b
}

func mustBuild(t *testing.T, b *Builder, pkg *manifest.Package) *Result {
	t.Helper()
	result, diags := b.Build(t.Context(), pkg)
	if result == nil || len(diags) > 0 {
		t.Fatalf("%v %s", diags, diags[0].Frame)
	}
	return result
}

// tree is the content of a folder by path; nil when there is none.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	var files map[string]string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if files == nil {
			files = map[string]string{}
		}
		rel, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

// distFiles are those of a sandboxed package: .neuralis-files is the list by which publishing knows its own.
const distFiles = ".neuralis-files package.wasm package.wasm.map routes.json"

func names(files map[string]string) string { return strings.Join(slices.Sorted(maps.Keys(files)), " ") }

func TestFailedBuildLeavesTheOldOne(t *testing.T) {
	b := builderFor(t, Options{})
	pkg := writePackage(t, t.TempDir(), extismSources)
	mustBuild(t, b, pkg)
	dist := filepath.Join(pkg.Dir, DefaultOut)
	good := tree(t, dist)
	if got := names(good); got != distFiles {
		t.Fatalf("dist has %s", got)
	}
	for _, tc := range []struct{ name, tool string }{
		{"syntax", "export default ("},
		{"import", "import 'nowhere'; export default () => 1"},
		{"exception", "throw new Error('x'); export default () => 1"},
		{"shape", "export const x = 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			writePackage(t, pkg.Dir, map[string]string{"src/tools/add.ts": tc.tool})
			if result, diags := b.Build(t.Context(), pkg); result != nil || !diags.HasErrors() {
				t.Fatalf("it was built: %v", diags)
			}
			if !maps.Equal(tree(t, dist), good) {
				t.Error("dist/ has changed")
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		writePackage(t, pkg.Dir, map[string]string{"src/tools/add.ts": "export default () => 1"})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if result, diags := b.Build(ctx, pkg); result != nil || !diags.HasErrors() {
			t.Fatalf("it was built: %v", diags)
		}
		if !maps.Equal(tree(t, dist), good) {
			t.Error("dist/ has changed")
		}
	})
	entries, err := os.ReadDir(pkg.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+DefaultOut) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestSameSourcesGiveTheSameBytes(t *testing.T) {
	for _, minify := range []bool{false, true} {
		t.Run(fmt.Sprintf("minify %v", minify), func(t *testing.T) {
			var first map[string]string
			for i, cache := range []string{"", t.TempDir(), cacheDir} {
				b := New(Options{CacheDir: cache, Minify: minify, Toolchain: "1.2.3"})
				pkg := writePackage(t, filepath.Join(t.TempDir(), strings.Repeat("x", 1+9*i)), extismSources)
				mustBuild(t, b, pkg)
				again := writePackage(t, pkg.Dir, nil)
				got := tree(t, mustBuild(t, b, again).Dir)
				b.Close(context.Background())
				if first == nil {
					first = got
				}
				for name := range got {
					if got[name] != first[name] {
						t.Errorf("build %d: %s differs", i+1, name)
					}
				}
				for name, text := range got {
					if strings.Contains(text, pkg.Dir) {
						t.Errorf("%s names the folder of the package", name)
					}
				}
			}
		})
	}
}

func TestOut(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "a", "b")
	for _, tc := range []struct {
		name, out string
		want      func(pkg string) string
	}{
		{"none", "", func(pkg string) string { return filepath.Join(pkg, "dist") }},
		{"relative", "out/put", func(pkg string) string { return filepath.Join(pkg, "out", "put") }},
		{"absolute", elsewhere, func(string) string { return elsewhere }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pkg := errorPackage(t, "export default () => 1", nil)
			result := mustBuild(t, builderFor(t, Options{Out: tc.out}), pkg)
			if result.Dir != tc.want(pkg.Dir) {
				t.Errorf("it went to %s", result.Dir)
			}
			if got := names(tree(t, result.Dir)); got != distFiles {
				t.Errorf("there is %s", got)
			}
			if _, err := os.Stat(filepath.Join(pkg.Dir, DefaultOut)); (err == nil) != (tc.out == "") {
				t.Errorf("dist/: %v", err)
			}
		})
	}
}

func TestNodePackageRunsInNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	pkg := writePackage(t, t.TempDir(), map[string]string{
		"package.json":       `{"name":"n","version":"1.0.0","type":"module","neuralis":{"id":"n","runtime":{"type":"node"}}}`,
		"src/tools/sum.ts":   "import { add } from '../lib/add.ts';\nimport os from 'node:os';\nexport default async ({ a, b }: { a: number; b: number }) => ({ sum: add(a, b), os: typeof os.cpus });",
		"src/lib/add.ts":     "export const add = (a: number, b: number): number => a + b;",
		"src/routes/item.ts": "export const pattern = 'items/:id';\nexport const feature = 'n.read';\nexport const GET = (req: any) => ({ status: 200, body: req.params.id });",
		"src/lifecycle.ts":   "export const init = () => ({ ok: true });",
	})
	result := mustBuild(t, builderFor(t, Options{}), pkg)
	for _, want := range []string{"src/tools/sum.js", "src/lib/add.js", "src/routes/item.js", "src/lifecycle.js", RoutesFile} {
		if !slices.ContainsFunc(result.Files, func(f File) bool { return f.Path == want }) {
			t.Errorf("there is no %s in %v", want, result.Files)
		}
	}
	if r := result.Routes.Routes; len(r) != 1 || r[0].Pattern != "items/:id" || r[0].Feature != "n.read" || r[0].Source != "src/routes/item.ts" {
		t.Errorf("routes: %+v", r)
	}
	if result.Module != nil {
		t.Errorf("a node package has a module: %+v", result.Module)
	}
	cmd := exec.Command(node, "--input-type=module", "-e", `
		const { default: sum } = await import('./dist/src/tools/sum.js');
		const { GET } = await import('./dist/src/routes/item.js');
		const { init } = await import('./dist/src/lifecycle.js');
		console.log(JSON.stringify([await sum({ a: 1, b: 2 }), GET({ params: { id: 'x' } }), init()]));`)
	cmd.Dir = pkg.Dir
	output, err := cmd.CombinedOutput()
	if got, want := strings.TrimSpace(string(output)), `[{"sum":3,"os":"function"},{"status":200,"body":"x"},{"ok":true}]`; err != nil || got != want {
		t.Errorf("%v, got %s, want %s", err, got, want)
	}
}

func TestDeclarativePackageIsOnlyChecked(t *testing.T) {
	started := false
	pkg := writePackage(t, t.TempDir(), map[string]string{
		"package.json":          `{"name":"d","neuralis":{"id":"d"}}`,
		"skills/greet/SKILL.md": "---\nname: greet\ndescription: How to greet.\n---\nHello.\n",
	})
	result := mustBuild(t, builderFor(t, Options{CacheDir: t.TempDir(), OnColdStart: func() { started = true }}), pkg)
	if len(result.Files) != 0 || started {
		t.Errorf("files %v, engine started: %v", result.Files, started)
	}
	if _, err := os.Stat(filepath.Join(pkg.Dir, DefaultOut)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dist/: %v", err)
	}
}

func TestManyPackagesShareOneEngine(t *testing.T) {
	var starts atomic.Int32
	b := builderFor(t, Options{CacheDir: t.TempDir(), OnColdStart: func() { starts.Add(1) }})
	const packages = 20
	root := t.TempDir()
	results := make([]*Result, packages)
	var group sync.WaitGroup
	for i := range packages {
		pkg := writePackage(t, filepath.Join(root, fmt.Sprint("p", i)), map[string]string{
			"package.json": extismSources["package.json"],
			toolFile:       fmt.Sprintf("const big = 'x'.repeat(%d); export default () => big.length", 1000*i),
		})
		group.Go(func() {
			result, diags := b.Build(context.Background(), pkg)
			if result == nil {
				t.Errorf("package %d: %v", i, diags)
				return
			}
			results[i] = result
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	if got := starts.Load(); got != 1 {
		t.Errorf("the engine was prepared %d times", got)
	}
	var core []byte
	for i, r := range results {
		module, err := os.ReadFile(filepath.Join(r.Dir, ModuleFile))
		if err != nil {
			t.Fatal(err)
		}
		code, _, _, err := image.Split(module)
		if err != nil {
			t.Fatal(err)
		}
		if core == nil {
			core = code
		}
		if !bytes.Equal(core, code) || r.Module.Core != results[0].Module.Core {
			t.Errorf("package %d has another core", i)
		}
	}
}

func TestStale(t *testing.T) {
	b := builderFor(t, Options{Toolchain: "1.0.0"})
	pkg := errorPackage(t, "export default () => 1", map[string]string{"node_modules/dep/package.json": `{"name":"dep"}`})
	want := func(reason string, toolchain string, want bool) {
		t.Helper()
		got, err := Stale(pkg, toolchain)
		if err != nil || got != want {
			t.Errorf("%s: stale %v, %v", reason, got, err)
		}
	}
	want("never built", "1.0.0", true)
	mustBuild(t, b, pkg)
	module := filepath.Join(pkg.Dir, DefaultOut, ModuleFile)
	built := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	touch := func(path string, at time.Time) {
		t.Helper()
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	touch(module, built)
	want("just built", "1.0.0", false)
	want("another toolchain", "1.0.1", true)

	later := built.Add(time.Second)
	for _, generated := range []string{"node_modules/dep/package.json", ".neuralis/tsconfig.json", "dist/routes.json"} {
		touch(filepath.Join(pkg.Dir, filepath.FromSlash(generated)), later)
	}
	want("generated files changed", "1.0.0", false)
	for _, source := range []string{toolFile, "package.json", "src/tools"} {
		path := filepath.Join(pkg.Dir, filepath.FromSlash(source))
		touch(path, later)
		want(source+" changed", "1.0.0", true)
		touch(path, built)
	}
	writePackage(t, pkg.Dir, map[string]string{"tools/new.json": `{"type":"object","x-neuralis":{"annotations":{"category":"read"}}}`})
	touch(filepath.Join(pkg.Dir, "tools/new.json"), later)
	want("a tool was added", "1.0.0", true)
	if err := os.RemoveAll(filepath.Join(pkg.Dir, "tools")); err != nil {
		t.Fatal(err)
	}
	want("as before", "1.0.0", false)

	// Another compiler's plug-in is not replaced because of its toolchain.
	if err := os.WriteFile(module, []byte(fakeModule), 0o644); err != nil {
		t.Fatal(err)
	}
	touch(module, built)
	want("a foreign plug-in", "1.0.0", false)
	if err := errors.Join(os.Remove(module), os.Mkdir(module, 0o755)); err != nil {
		t.Fatal(err)
	}
	want("no file", "1.0.0", true)
}
