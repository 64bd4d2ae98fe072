package bundle

import (
	"context"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

const routeText = "export const pattern = 'a';\nexport function GET() { return 1; }\n"

func TestTranspileRunsInNode(t *testing.T) {
	for _, test := range []struct{ name, packageJSON string }{
		{"modules", `{"name":"p","type":"module"}`},
		{"no type", `{"name":"p"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := writeFiles(t, t.TempDir(), map[string]string{
				"package.json": test.packageJSON,
				"src/tools/t.ts": `
					import { readFileSync } from 'node:fs';
					import path from 'path';
					import type { PdkContext } from '@neuralis/package-system/pdk-guest';
					import { price } from '../lib/price.ts';
					import { tax } from '../lib/tax.js';
					import { deep } from '../lib/deep';
					import odd from '../lib/o d#d?.ts';
					import rates from '../rates.json' with { type: 'json' };
					import lib from 'lib';
					export * from '../lib/price';
					enum Kind { a = 'A' }
					export default async (args: { n: number }, _ctx: PdkContext) => {
						const late = await import('../lib/late.ts');
						return [price(args.n), tax, deep, odd, rates.eur, lib, late.late, Kind.a, path.basename(import.meta.url), typeof readFileSync];
					};`,
				"src/lib/price.ts":           "export const price = (n: number): string => n.toFixed(2);",
				"src/lib/tax.ts":             "export const tax = 'tax';",
				"src/lib/deep/index.ts":      "export { deep } from './inner.mjs';",
				"src/lib/deep/inner.mts":     "export const deep = 'deep';",
				"src/lib/o d#d?.ts":          "export default 'odd';",
				"src/lib/late.ts":            "export const late = 'laté';",
				"src/lib/late.test.ts":       "import 'nowhere';",
				"src/types.d.ts":             "declare const x: number;",
				"src/rates.json":             `{"eur": 1.5}`,
				"node_modules/lib/index.mjs": "export default 'lib';", "node_modules/lib/package.json": `{"name":"lib","exports":"./index.mjs"}`,
				"src/routes/a.ts": routeText,
			})
			pkg := &manifest.Package{Dir: dir, Runtime: manifest.RuntimeNode, RouteSources: []string{"src/routes/a.ts"}, TestSources: []string{"src/lib/late.test.ts"}}
			out, diags := Transpile(context.Background(), pkg)
			if len(diags) > 0 {
				t.Fatalf("%v\n%s", diags, diags[0].Frame)
			}
			files := map[string]string{}
			for _, file := range out.Files {
				files[file.Path] = string(file.Contents)
				if strings.Contains(string(file.Contents), dir) {
					t.Errorf("%s names the package folder", file.Path)
				}
			}
			if _, ok := files["dist/src/lib/late.test.js"]; ok {
				t.Error("a test was compiled")
			}
			if !strings.Contains(files["dist/src/tools/t.js.map"], `"../../../src/tools/t.ts"`) {
				t.Errorf("the map does not name the source: %s", files["dist/src/tools/t.js.map"])
			}
			writeFiles(t, dir, files)
			script := "const m = await import('./dist/src/tools/t.js'); console.log(JSON.stringify([await m.default({ n: 2 }), Object.keys(m)]))"
			cmd := exec.Command("node", "--input-type=module", "-e", script)
			cmd.Dir = dir
			got, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("node: %v\n%s\n%s", err, got, files["dist/src/tools/t.js"])
			}
			want := `[["2.00","tax","deep","odd",1.5,"lib","laté","A","t.js","function"],["default","price"]]`
			if strings.TrimSpace(string(got)) != want {
				t.Errorf("got  %swant %s", got, want)
			}
			wantRoutes := manifest.RouteTable{Version: 1, Routes: []manifest.Route{{Pattern: "a", Methods: []string{"GET"}, Source: "src/routes/a.ts"}}}
			if !reflect.DeepEqual(out.Routes, wantRoutes) {
				t.Errorf("routes %+v, want %+v", out.Routes, wantRoutes)
			}
		})
	}
}

func TestTranspileFaults(t *testing.T) {
	for _, test := range []struct{ name, text, rule, at string }{
		{"syntax", "const x = ;", RuleSyntax, "src/tools/t.ts:1:11"},
		{"missing file", "\nimport './nowhere.js';", RuleMissingImport, "src/tools/t.ts:2:8"},
		{"missing package", "import 'zod';", RuleMissingImport, "src/tools/t.ts:1:8"},
		{"outside the package", "import '../../../outside.ts';", RuleOutsideImport, "src/tools/t.ts:1:8"},
		{"outside src", "import '../../lib/x.ts';", RuleOutsideImport, "src/tools/t.ts:1:8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := writeFiles(t, t.TempDir(), map[string]string{"outside.ts": "", "p/package.json": "{}", "p/lib/x.ts": "", "p/src/tools/t.ts": test.text})
			out, diags := Transpile(context.Background(), &manifest.Package{Dir: filepath.Join(root, "p")})
			if len(diags) != 1 || len(out.Files) > 0 {
				t.Fatalf("%d files, %v", len(out.Files), diags)
			}
			if at := strings.TrimSuffix(diags[0].Error(), ": "+diags[0].Message); diags[0].Rule != test.rule || at != test.at || diags[0].Hint == "" && test.rule != RuleSyntax {
				t.Errorf("got %s at %s with hint %q; want %s at %s", diags[0].Rule, at, diags[0].Hint, test.rule, test.at)
			}
		})
	}
}

func TestTranspileWithoutSources(t *testing.T) {
	dir := writeFiles(t, t.TempDir(), map[string]string{"package.json": "{}"})
	out, diags := Transpile(context.Background(), &manifest.Package{Dir: dir})
	if len(diags) > 0 || len(out.Files) > 0 || out.Routes.Version != 1 || out.Routes.Routes == nil {
		t.Errorf("%+v, %v", out, diags)
	}
}

func TestReadRoutes(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       manifest.Route
		fault      string // the diagnostic as one line
	}{
		{"literals", "export const pattern = 'items/:id';\nexport const feature: string = \"items.read\";\nexport async function GET(req: any) { return req as never; }\nexport const POST = () => {};",
			manifest.Route{Pattern: "items/:id", Feature: "items.read", Methods: []string{"GET", "POST"}}, ""},
		{"types and templates", "export const pattern = `files/*path` as const;\nexport const feature = 'f' satisfies string;\nexport let DELETE = 1;",
			manifest.Route{Pattern: "files/*path", Feature: "f", Methods: []string{"DELETE"}}, ""},
		{"constants and lists", "const base = 'a/b', p = base;\nfunction handle() {}\nconst read = 'r';\nexport { p as pattern, read as feature, handle as GET, handle as HEAD };\nexport { PUT, other as PATCH } from './elsewhere';",
			manifest.Route{Pattern: "a/b", Feature: "r", Methods: []string{"GET", "HEAD", "PATCH", "PUT"}}, ""},
		{"escapes", `export const pattern = 'caf\u00e9/it\'s/"q"/\x41';` + "\nexport function OPTIONS() {}",
			manifest.Route{Pattern: `café/it's/"q"/A`, Methods: []string{"OPTIONS"}}, ""},
		{"computed pattern", "const base = process.env.BASE;\nexport const pattern = base + '/:id';\nexport function GET() {}", manifest.Route{},
			"src/routes/r.ts:2:24: the pattern of a route must be a string literal"},
		{"template with a hole", "export const x = 1, pattern = `a/${x}`;\nexport function GET() {}", manifest.Route{},
			"src/routes/r.ts: the pattern of a route must be a string literal"},
		{"computed feature", "export const pattern = 'a';\n\n  export const feature = String('x');\nexport function GET() {}", manifest.Route{},
			"src/routes/r.ts:3:26: the feature of a route must be a string literal"},
		{"pattern from elsewhere", "export { pattern } from './shared';\nexport function GET() {}", manifest.Route{},
			"src/routes/r.ts: the pattern of a route must be a string literal"},
		{"variable", "export let pattern = 'a';\nexport function GET() {}", manifest.Route{Pattern: "a", Methods: []string{"GET"}}, ""},
		{"constant that names itself", "const a = b, b = a;\nexport { a as pattern };\nexport function GET() {}", manifest.Route{},
			"src/routes/r.ts: the pattern of a route must be a string literal"},
		{"no pattern", "export function GET() {}", manifest.Route{}, "src/routes/r.ts: a route must export its pattern"},
		{"no method", "export const pattern = 'a';\nexport default function GET() {}\nfunction POST() {}", manifest.Route{},
			"src/routes/r.ts: a route must export a handler for at least one method"},
		{"syntax", "export const pattern = ;", manifest.Route{}, "src/routes/r.ts:1:24: Unexpected \";\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := writeFiles(t, t.TempDir(), map[string]string{"src/routes/r.ts": test.text})
			table, diags := readRoutes(sourceReader{dir: dir}, []string{"src/routes/r.ts"})
			if test.fault != "" {
				if len(diags) != 1 || diags[0].Error() != test.fault || len(table.Routes) > 0 {
					t.Fatalf("got %v, want %s", diags, test.fault)
				}
				return
			}
			test.want.Source = "src/routes/r.ts"
			if len(diags) > 0 || len(table.Routes) != 1 || !reflect.DeepEqual(table.Routes[0], test.want) {
				t.Errorf("got %+v, %v; want %+v", table.Routes, diags, test.want)
			}
		})
	}
}
