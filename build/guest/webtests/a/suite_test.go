// Package webtests runs the suites for the guest's Web API modules. The suites are
// TypeScript and do not know where they run. Here they run in the engine itself,
// on a stand-in for the glue, and in Node where it is installed, where they also
// compare the modules with Node's own implementations on generated input.
package webtests

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	_ "github.com/nlnwa/whatwg-url/url" // a URL parser whose module carries the web-platform-tests data
)

// suites are the files in this folder that export run(report), by name.
var show = flag.Int("show", 40, "how many failures of a suite to print")

var suites = []string{"url", "encoding", "streams", "fetch", "buffer", "urlpattern"}

// result is what a suite prints: one line of JSON.
type result struct {
	Passed   int      `json:"passed"`
	Failures []string `json:"failures"`
	Answers  []string `json:"answers"` // of the suite same
}

func TestInNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	installPeers(t)
	for _, name := range suites {
		t.Run(name, func(t *testing.T) {
			check(t, runInNode(t, node, name))
		})
	}
}

func TestInEngine(t *testing.T) {
	engine := newEngine(t)
	for _, name := range suites {
		t.Run(name, func(t *testing.T) {
			out, err := engine.run(context.Background(), bundle(t, name, false))
			if err != nil {
				t.Fatal(err)
			}
			check(t, out)
		})
	}
}

// installPeers installs the npm packages the suites compare with, where they are missing.
func installPeers(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("..", "node_modules", ".package-lock.json")); err == nil {
		return
	}
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	install.Dir = ".."
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("installing what the suites compare with: %v\n%s", err, out)
	}
}

func stderr(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return ""
}

func check(t *testing.T, out []byte) {
	t.Helper()
	r := parse(t, out)
	for i, failure := range r.Failures {
		if i == *show {
			t.Errorf("… and %d more", len(r.Failures)-i)
			break
		}
		t.Error(failure)
	}
	if r.Passed == 0 {
		t.Error("no case ran")
	}
	t.Logf("%d passed, %d failed", r.Passed, len(r.Failures))
}

func parse(t *testing.T, out []byte) result {
	t.Helper()
	line := strings.TrimSpace(string(out))
	line = line[strings.LastIndexByte(line, '\n')+1:]
	var r result
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatalf("the suite printed no result: %v\n%s", err, out)
	}
	return r
}

// The engine must answer as Node does where no other implementation is at hand.
func TestSameInNodeAndEngine(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	installPeers(t)
	want := parse(t, runInNode(t, node, "same")).Answers
	out, err := newEngine(t).run(context.Background(), bundle(t, "same", false))
	if err != nil {
		t.Fatal(err)
	}
	got := parse(t, out).Answers
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%d answers in the engine, %d in Node", len(got), len(want))
	}
	failed := 0
	for i := range got {
		if got[i] == want[i] {
			continue
		}
		if failed++; failed <= *show {
			t.Errorf("engine %s\nNode   %s", got[i], want[i])
		}
	}
	t.Logf("%d passed, %d failed", len(got)-failed, failed)
}

func runInNode(t *testing.T, node, name string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".mjs")
	if err := os.WriteFile(file, bundle(t, name, true), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, file).Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr(err))
	}
	return out
}

// bundle makes one file of a suite and the modules it tests. Only in Node is
// there a peer to compare with.
func bundle(t *testing.T, name string, node bool) []byte {
	t.Helper()
	entry := fmt.Sprintf(`
import { run } from './%s.test.ts';
const report = { passed: 0, failures: [], peer: undefined };
const done = () => console.log(JSON.stringify({ passed: report.passed, failures: report.failures, answers: report.answers }));
const settled = (async () => run(report))().then(done, (e) => { report.failures.push('the suite ended early: ' + e + '\n' + e.stack); done(); });
`, name)
	if node {
		entry = "import * as whatwgURL from 'whatwg-url';\nimport { URLPattern as urlPatternPolyfill } from 'urlpattern-polyfill';\n" + strings.Replace(entry, "peer: undefined", "peer: { ...__peer, whatwgURL, urlPatternPolyfill }", 1)
	}
	options := api.BuildOptions{
		Stdin:    &api.StdinOptions{Contents: entry, ResolveDir: ".", Sourcefile: name + ".entry.ts", Loader: api.LoaderTS},
		Bundle:   true,
		Format:   api.FormatESModule,
		Target:   api.ES2024,
		Charset:  api.CharsetUTF8,
		LogLevel: api.LogLevelSilent,
		Plugins:  []api.Plugin{modules(dataFolder(t))},
	}
	if node {
		options.Platform = api.PlatformNode
		options.Banner = map[string]string{"js": nodeBanner}
	}
	built := api.Build(options)
	for _, message := range built.Errors {
		t.Errorf("bundle: %+v %s", message.Location, message.Text)
	}
	if t.Failed() {
		t.FailNow()
	}
	return built.OutputFiles[0].Contents
}

// nodeBanner keeps Node's own classes for comparison, and lends Node 20 the ECMAScript
// 2026 methods that the engine has.
const nodeBanner = `
import * as __buffer from 'node:buffer';
const __peer = Object.fromEntries(["URL", "URLSearchParams", "TextDecoder", "TextEncoder", "atob", "btoa", "Headers", "Request", "Response", "FormData", "ReadableStream", "Blob", "File", "Buffer"].map((name) => [name, globalThis[name]]));
{
  const B = __buffer.Buffer;
  const define = (target, name, value) => { if (!target[name]) Object.defineProperty(target, name, { value, configurable: true, writable: true }); };
  define(Uint8Array.prototype, 'toBase64', function (o = {}) {
    const url = o.alphabet === 'base64url';
    const text = B.from(this).toString(url ? 'base64url' : 'base64');
    return o.omitPadding ? text.replace(/=+$/, '') : text;
  });
  define(Uint8Array, 'fromBase64', (s, o = {}) => new Uint8Array(B.from(s, 'base64')));
  define(Uint8Array.prototype, 'toHex', function () { return B.prototype.hexSlice.call(this, 0, this.length); });
  define(Promise, 'withResolvers', function () {
    const all = {};
    all.promise = new this((resolve, reject) => Object.assign(all, { resolve, reject }));
    return all;
  });
  define(Uint8Array, 'fromHex', (s) => { if (s.length % 2 || /[^0-9a-f]/i.test(s)) throw new SyntaxError('hex'); return new Uint8Array(B.from(s, 'hex')); });
}
`

// modules resolves what the suites import: virtual names to the guest's sources,
// the native door to a stand-in, testdata:<file> to a JSON file or null.
func modules(data string) api.Plugin {
	return api.Plugin{Name: "modules", Setup: func(build api.PluginBuild) {
		here, err := filepath.Abs(".")
		if err != nil {
			panic(err)
		}
		build.OnResolve(api.OnResolveOptions{Filter: `^\.\.?/(.*/)?native(\.ts)?$`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: filepath.Join(here, "native.ts")}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: "^neuralis:"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			name := strings.TrimPrefix(args.Path, "neuralis:")
			if name == "native" {
				return api.OnResolveResult{Path: filepath.Join(here, "native.ts")}, nil
			}
			return api.OnResolveResult{Path: filepath.Join(here, "..", "..", "src", filepath.FromSlash(name)+".ts")}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: "^testdata:"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: strings.TrimPrefix(args.Path, "testdata:"), Namespace: "testdata"}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: "^node:"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: args.Path, External: true}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "testdata"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			content, err := os.ReadFile(filepath.Join(data, args.Path))
			if err != nil {
				content = []byte("null")
			}
			text := string(content)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJSON}, nil
		})
	}}
}

// dataFolder is the folder of web-platform-tests data in the module cache.
func dataFolder(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/nlnwa/whatwg-url").Output()
	if err != nil {
		t.Fatalf("finding the web-platform-tests data: %v\n%s", err, stderr(err))
	}
	return filepath.Join(strings.TrimSpace(string(out)), "testdata")
}

func TestTypes(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	installPeers(t)
	check := exec.Command("node", filepath.Join("node_modules", "typescript", "bin", "tsc"), "-p", ".")
	check.Dir = ".."
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, out)
	}
}
