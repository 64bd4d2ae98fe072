package guest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// guestSources lets esbuild read this package's sources by the names packages use.
func guestSources() api.Plugin {
	const namespace = "neuralis"
	return api.Plugin{Name: "guest-sources", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			importer := ""
			if args.Namespace == namespace {
				importer = args.Importer
			}
			file, ok := Resolve(importer, args.Path)
			if !ok {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: file, Namespace: namespace}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: namespace}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			source, err := files.ReadFile("src/" + args.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			text := string(source)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderTS}, nil
		})
	}}
}

// bundle makes one ES module of a test file and the guest sources it imports.
func bundle(t *testing.T, entry string) []byte {
	t.Helper()
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{entry},
		Bundle:      true,
		Format:      api.FormatESModule,
		Platform:    api.PlatformNeutral,
		Target:      api.ES2023,
		Sourcemap:   api.SourceMapInline,
		Plugins:     []api.Plugin{guestSources()},
		LogLevel:    api.LogLevelSilent,
	})
	for _, message := range result.Errors {
		at := ""
		if message.Location != nil {
			at = message.Location.File
		}
		t.Fatalf("bundling %s: %s: %s", entry, at, message.Text)
	}
	return result.OutputFiles[0].Contents
}

func testFiles(t *testing.T) []string {
	t.Helper()
	entries, err := filepath.Glob("webtests/b/*.test.ts")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	return entries
}

// TestInNode runs every test file below webtests/b in Node, with a native function made
// there. The same files run in the real engine elsewhere.
func TestInNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed; the same tests run in the engine")
	}
	runner := absolute(t, "webtests/b/node.mjs")
	for _, entry := range testFiles(t) {
		t.Run(filepath.Base(entry), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "bundle.mjs")
			if err := os.WriteFile(file, bundle(t, entry), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(context.Background(), node, "--enable-source-maps", runner, file).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
