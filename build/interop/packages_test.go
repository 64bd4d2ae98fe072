package interop

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/build/wasm"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/npmci"
	"github.com/neuralis-dev/neuralis/manifest"
)

// shared is what all tests build and run with.
var shared struct {
	cacheDir string
	builder  *build.Builder
	core     image.Core
	engine   *sandbox.Engine
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		ctx := context.Background()
		dir, err := os.MkdirTemp("", "neuralis-interop-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		shared.cacheDir = dir
		compiler, err := wasm.New(ctx, wasm.Options{CacheDir: dir})
		if err != nil {
			panic(err)
		}
		shared.core = image.Core{Hash: compiler.Core().Core, Interrupt: compiler.Core().Interrupt}
		compiler.Close(ctx)
		shared.builder = build.New(build.Options{CacheDir: dir, Toolchain: "test"})
		defer shared.builder.Close(ctx)
		shared.engine = sandbox.NewEngine(sandbox.Options{CacheDir: dir, Cores: []image.Core{shared.core}})
		defer shared.engine.Close(ctx)
		return m.Run()
	}())
}

// catalogDir is the package that the project shares with its sisters, where their folder lies beside
// this one; a package of the same kind otherwise.
func catalogDir() string {
	if dir := filepath.FromSlash("../../../shared/cases/catalog"); exists(filepath.Join(dir, "package.json")) {
		return dir
	}
	return filepath.FromSlash("testdata/catalog")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// built is a package with its plug-in.
type built struct {
	*manifest.Package
	file string // of the plug-in
}

// buildCopy builds a copy of a package, so that the original stays as it is.
func buildCopy(t *testing.T, source string) built {
	t.Helper()
	if exists(filepath.Join(source, "package-lock.json")) {
		install(t, source)
	}
	dir := filepath.Join(t.TempDir(), "package")
	if err := copyPackage(source, dir); err != nil {
		t.Fatal(err)
	}
	pkg, diags := manifest.Load(dir)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	result, diags := shared.builder.Build(context.Background(), pkg)
	if result == nil {
		t.Fatal(diags)
	}
	return built{pkg, filepath.Join(result.Dir, build.ModuleFile)}
}

// copyPackage copies everything but what a build makes; node_modules is linked to.
func copyPackage(source, target string) error {
	source, err := filepath.Abs(source)
	if err != nil {
		return err
	}
	return filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		to := filepath.Join(target, rel)
		switch {
		case d.Name() == "node_modules":
			if err := os.Symlink(path, to); err != nil || !d.IsDir() {
				return err
			}
			return fs.SkipDir
		case path != source && build.IsOutput(d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}

// install runs npm ci in a folder, or skips the test where there is no npm.
func install(t *testing.T, dir string) {
	t.Helper()
	err := npmci.Install(context.Background(), dir, t.Output())
	if errors.Is(err, npmci.ErrNoNPM) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}
