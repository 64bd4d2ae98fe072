package typegen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/internal/npmci"
	"github.com/neuralis-dev/neuralis/manifest"
)

// compilers are the TypeScript compilers to check with: the current one, and the last that
// was written in TypeScript, which editors still run.
var compilers = map[string]string{"TypeScript 7": "typescript/bin/tsc", "TypeScript 5": "typescript5/bin/tsc"}

// check runs a compiler in a package folder and returns what it says.
func check(t *testing.T, compiler, dir string) string {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join("testdata", "tsc"))
	if err != nil {
		t.Fatal(err)
	}
	if err := npmci.Install(context.Background(), modules, os.Stderr); errors.Is(err, npmci.ErrNoNPM) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", filepath.Join(modules, "node_modules", filepath.FromSlash(compilers[compiler])), "-p", ".", "--pretty", "false")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func generate(t *testing.T, pkg *manifest.Package) {
	t.Helper()
	if _, err := Generate(pkg); err != nil {
		t.Fatal(err)
	}
}

var schemaCases = []struct {
	name           string
	schema         string
	accept, refuse []string
}{
	{"closed object", `{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}},"required":["id"],"additionalProperties":false}`,
		[]string{`{"id":"a"}`, `{"id":"a","n":1}`}, []string{`{}`, `{"id":1}`, `{"id":"a","x":1}`, `{"id":"a","n":"1"}`, `null`, `"a"`}},
	{"open object", `{"type":"object","properties":{"id":{"type":"string"}}}`,
		[]string{`{}`, `{"id":"a","x":[1]}`}, []string{`{"id":1}`, `1`}},
	{"typed others", `{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":{"type":"number"}}`,
		[]string{`{"id":"a","x":1}`}, []string{`{"id":"a","x":true}`, `{"id":1}`}},
	{"map", `{"type":"object","additionalProperties":{"type":"array","items":{"type":"boolean"}}}`,
		[]string{`{}`, `{"a":[true]}`}, []string{`{"a":true}`, `{"a":[1]}`}},
	{"patterns", `{"type":"object","patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`,
		[]string{`{"x-a":"b"}`}, []string{`{"x-a":1}`}},
	{"empty object", `{"type":"object","additionalProperties":false}`, []string{`{}`}, []string{`{"a":1}`, `1`}},
	{"required and not described", `{"type":"object","required":["a"]}`, []string{`{"a":1,"b":2}`}, []string{`{"b":2}`}},
	{"primitives", `{"type":"object","required":["s","b","z"],"properties":{"s":{"type":"string"},"b":{"type":"boolean"},"z":{"type":"null"}}}`,
		[]string{`{"s":"","b":true,"z":null}`}, []string{`{"s":"","b":true,"z":0}`, `{"s":null,"b":true,"z":null}`}},
	{"several types", `{"type":["string","number","null"]}`, []string{`"a"`, `1`, `null`}, []string{`true`, `{}`}},
	{"list", `{"type":"array","items":{"type":["string","null"]}}`, []string{`[]`, `["a",null]`}, []string{`[1]`, `"a"`}},
	{"list of anything", `{"type":"array"}`, []string{`[1,"a",{}]`}, []string{`{}`}},
	{"empty list", `{"type":"array","items":false}`, []string{`[]`}, []string{`[1]`}},
	{"tuple", `{"type":"array","items":[{"type":"string"},{"type":"number"}],"minItems":2,"additionalItems":false}`,
		[]string{`["a",1]`}, []string{`["a"]`, `["a",1,2]`, `[1,"a"]`}},
	{"tuple with optional parts and a rest", `{"type":"array","items":[{"type":"string"},{"type":["number","null"]}],"minItems":1,"additionalItems":{"type":"boolean"}}`,
		[]string{`["a"]`, `["a",1]`, `["a",null,true,false]`}, []string{`[]`, `["a",1,1]`}},
	{"tuple of later drafts", `{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"number"},"minItems":1}`,
		[]string{`["a"]`, `["a",1,2]`}, []string{`["a","b"]`, `[]`}},
	{"bounded tuple", `{"type":"array","items":[{"type":"string"},{"type":"string"}],"minItems":1,"maxItems":1}`, []string{`["a"]`}, []string{`[]`, `["a","b"]`}},
	{"enum", `{"enum":["a",1,null,true,{"k":[1]},-2.5]}`, []string{`"a"`, `1`, `null`, `true`, `{"k":[1]}`, `-2.5`}, []string{`"b"`, `2`, `false`, `{"k":[2]}`}},
	{"enum within a type", `{"type":"string","enum":["a","b",1]}`, []string{`"a"`, `"b"`}, []string{`1`, `"c"`}},
	{"const", `{"const":"it's \"so\"\n"}`, []string{`"it's \"so\"\n"`}, []string{`"it's"`}},
	{"oneOf with tags", `{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"number"}},"required":["kind","x"],"additionalProperties":false},{"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"],"additionalProperties":false}]}`,
		[]string{`{"kind":"a","x":1}`, `{"kind":"b"}`}, []string{`{"kind":"a"}`, `{"kind":"c"}`, `{"kind":"b","x":1}`}},
	{"anyOf", `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`, []string{`"a"`, `["a"]`}, []string{`1`, `[1]`}},
	{"anyOf that only restricts", `{"type":"string","anyOf":[{"format":"email"},{"pattern":"^a"}]}`, []string{`"a"`}, []string{`1`}},
	{"allOf", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"number"}},"required":["b"]}]}`,
		[]string{`{"a":"x","b":1}`}, []string{`{"a":"x"}`, `{"a":"x","b":"y"}`}},
	{"one of two is required", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"additionalProperties":false,"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
		[]string{`{"a":"x"}`, `{"b":"x"}`, `{"a":"x","b":"y"}`}, []string{`{}`, `{"a":1}`}},
	{"reference", `{"type":"object","properties":{"p":{"$ref":"#/definitions/point"}},"required":["p"],"definitions":{"point":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}}}`,
		[]string{`{"p":{"x":1}}`}, []string{`{"p":{}}`, `{"p":1}`}},
	{"recursive", `{"$ref":"#/definitions/node","definitions":{"node":{"type":"object","properties":{"v":{"type":"number"},"next":{"$ref":"#/definitions/node"},"kids":{"type":"array","items":{"$ref":"#/definitions/node"}}},"required":["v"],"additionalProperties":false}}}`,
		[]string{`{"v":1,"next":{"v":2},"kids":[{"v":3,"kids":[]}]}`}, []string{`{"v":1,"next":{}}`, `{"v":1,"kids":[{"v":"x"}]}`}},
	{"itself", `{"type":"object","properties":{"again":{"$ref":"#"}},"additionalProperties":false}`, []string{`{"again":{"again":{}}}`}, []string{`{"again":1}`}},
	{"any JSON", `{"$ref":"#/$defs/json","$defs":{"json":{"anyOf":[{"type":["string","number","boolean","null"]},{"type":"array","items":{"$ref":"#/$defs/json"}},{"type":"object","additionalProperties":{"$ref":"#/$defs/json"}}]}}}`,
		[]string{`{"a":[1,null,{"b":"c"}]}`, `"a"`}, nil},
	{"circle without an end", `{"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/b"},"b":{"anyOf":[{"$ref":"#/definitions/a"}]}}}`, []string{`1`, `{}`}, nil},
	{"escaped reference", `{"$ref":"#/definitions/a~1b%20c","definitions":{"a/b c":{"type":"string"}}}`, []string{`"a"`}, []string{`1`}},
	{"reference out of the file", `{"$ref":"https://schemas.example/x.json#/*/a"}`, []string{`1`, `{}`}, nil},
	{"nullable", `{"type":"string","nullable":true}`, []string{`"a"`, `null`}, []string{`1`}},
	{"property names", `{"type":"object","properties":{"a-b":{"type":"string"},"class":{"type":"string"},"it's":{"type":"string"},"1":{"type":"string"},"":{"type":"string"},"日本":{"type":"string"}},"required":["a-b","it's","日本"],"additionalProperties":false}`,
		[]string{`{"a-b":"","it's":"","日本":"","1":"","":"","class":""}`}, []string{`{"a-b":"","it's":""}`, `{"a-b":1,"it's":"","日本":""}`}},
	{"comments that try to end", `{"type":"object","description":"a */ b\n* c\r\u2028d","properties":{"a":{"type":"string","pattern":"^*/$","default":"*/","description":"/* */"}},"additionalProperties":false}`,
		[]string{`{"a":"b"}`}, []string{`{"a":1}`}},
	{"always", `true`, []string{`1`, `null`}, nil},
	{"never", `{"type":"object","properties":{"a":false},"additionalProperties":false}`, []string{`{}`}, []string{`{"a":1}`}},
	{"keywords nobody knows", `{"frobnicate":{"type":"string"},"type":"object","properties":{"a":{"$comment":"x"}},"additionalProperties":false}`, []string{`{"a":1}`, `{"a":{}}`}, []string{`{"b":1}`}},
	{"unknown type", `{"type":"date"}`, []string{`1`, `"a"`}, nil},
	{"type left out", `{"properties":{"a":{"items":{"type":"string"}}},"additionalProperties":false}`, []string{`{"a":["x"]}`}, []string{`{"a":"x"}`, `1`}},
}

func TestTypesOfSchemas(t *testing.T) {
	dir := t.TempDir()
	pkg := &manifest.Package{Dir: dir, Runtime: manifest.RuntimeWASM}
	var values strings.Builder
	values.WriteString("import type { ToolArgs } from '@neuralis/package-system/pdk-guest';\nimport type { Case0Args } from '../.neuralis/tools';\n")
	values.WriteString("export const same: Case0Args = {} as ToolArgs<'case_0'>;\n")
	lines := map[int]string{}
	add := func(name, code string) {
		values.WriteString(code)
		lines[strings.Count(values.String(), "\n")] = name
	}
	count := 0
	for i, test := range schemaCases {
		tool := fmt.Sprintf("case_%d", i)
		pkg.Tools = append(pkg.Tools, manifest.Tool{Name: tool, File: "tools/" + tool + ".json", Schema: json.RawMessage(test.schema)})
		for _, value := range test.accept {
			count++
			add(test.name+" accepts "+value, fmt.Sprintf("export const v%d: ToolArgs<'%s'> = %s;\n", count, tool, value))
		}
		for _, value := range test.refuse {
			count++
			add(test.name+" refuses "+value, fmt.Sprintf("// @ts-expect-error\nexport const v%d: ToolArgs<'%s'> = %s;\n", count, tool, value))
		}
	}
	generate(t, pkg)
	writeFile(t, dir, "src/values.ts", values.String())
	writeFile(t, dir, "tsconfig.json", `{ "extends": "./.neuralis/tsconfig.json", "compilerOptions": { "skipLibCheck": false } }`)
	for compiler := range compilers {
		t.Run(compiler, func(t *testing.T) {
			for _, line := range strings.Split(strings.TrimSpace(check(t, compiler, dir)), "\n") {
				var at int
				if n, _ := fmt.Sscanf(line, "src/values.ts(%d,", &at); n == 1 {
					name := lines[at]
					if name == "" {
						name = lines[at+1]
					}
					t.Errorf("not so: %s\n%s", name, line)
				} else if line != "" {
					t.Error(line)
				}
			}
			if t.Failed() {
				text, _ := os.ReadFile(filepath.Join(dir, ".neuralis", "tools.d.ts"))
				t.Logf("%s", text)
			}
		})
	}
}

const listSchema = `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"additionalProperties":false}`

func TestHandlersAreChecked(t *testing.T) {
	for _, test := range []struct {
		name, tool, route, lifecycle string
		want                         []string // parts of what the compiler says; none means that all is well
	}{
		{name: "annotated by hand", tool: "import type { PdkContext } from '@neuralis/package-system/pdk-guest';\nexport default async function (args: { query?: string; limit?: number }, ctx: PdkContext) { ctx.logger.info(args.query ?? ''); return { content: [] }; }"},
		{name: "by the generated type", tool: "import type { ToolArgs, ToolHandler } from '@neuralis/package-system/pdk-guest';\nexport default ((args) => args.limit ?? 10) satisfies ToolHandler<ToolArgs<'list'>>;"},
		{name: "by the exported type", tool: "import type { ListArgs } from '../../.neuralis/tools';\nexport default (args: ListArgs) => args.query?.length ?? new URL('https://a.example').href;"},
		{name: "takes nothing", tool: "export default () => 1;"},
		{name: "reads text", tool: "import note from '../note.md';\nexport default () => note.length;"},
		{name: "wrong type", tool: "export default (args: { query?: number }) => args;", want: []string{".neuralis/check.ts(", "'string' is not assignable to type 'number'"}},
		{name: "asks for more than the schema requires", tool: "export default (args: { query: string }) => args;", want: []string{".neuralis/check.ts(", "query"}},
		{name: "no default export", tool: "export const list = () => 1;", want: []string{".neuralis/check.ts(", "default"}},
		{name: "not a function", tool: "export default 5;", want: []string{".neuralis/check.ts("}},
		{name: "uses an argument the schema does not have", tool: "import type { ListArgs } from '../../.neuralis/tools';\nexport default (args: ListArgs) => args.lmit;", want: []string{"src/tools/list.ts(2,", "lmit"}},
		{name: "uses the DOM", tool: "export default () => document.title;", want: []string{"src/tools/list.ts(1,", "document"}},
		{name: "route without a pattern", route: "export const GET = () => ({ status: 200 });", want: []string{".neuralis/check.ts(", "pattern"}},
		{name: "route with a wrong answer", route: "export const pattern = 'a'; export const GET = () => ({ status: '200' });", want: []string{".neuralis/check.ts(", "GET"}},
		{name: "lifecycle without init", lifecycle: "export const start = () => {};", want: []string{".neuralis/check.ts(", "init"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			pkg := &manifest.Package{
				Dir: dir, Runtime: manifest.RuntimeWASM, Lifecycle: "src/lifecycle.ts", RouteSources: []string{"src/routes/r.ts"},
				Tools: []manifest.Tool{
					{Name: "free", Source: "src/tools/free.ts"},
					{Name: "list", File: "tools/list.json", Source: "src/tools/list.ts", Schema: json.RawMessage(listSchema)},
				},
			}
			write := func(name, given, good string) {
				if given == "" {
					given = good
				}
				writeFile(t, dir, name, given)
			}
			write("src/tools/list.ts", test.tool, "export default () => 1;")
			write("src/tools/free.ts", "", "export default (args: { a: number }) => args.a;")
			write("src/routes/r.ts", test.route, "import type { RouteRequest } from '@neuralis/package-system/pdk-guest';\nexport const pattern = 'a/:id';\nexport async function GET(req: RouteRequest) { return { status: 200, headers: { a: 'b' }, body: req.params.id }; }")
			write("src/lifecycle.ts", test.lifecycle, "import type { PackageInitContext } from '@neuralis/package-system';\nexport async function init(ctx: PackageInitContext) { return { items: ctx.data.fileStore('items') }; }")
			write("src/note.md", "", "# note")
			// An include of the author's own must not take the declarations away.
			writeFile(t, dir, "tsconfig.json", `{ "extends": "./.neuralis/tsconfig.json", "include": ["src"], "compilerOptions": { "noUnusedLocals": true, "exactOptionalPropertyTypes": true } }`)
			generate(t, pkg)
			got := check(t, "TypeScript 7", dir)
			if len(test.want) == 0 && got != "" {
				t.Errorf("the compiler says\n%s", got)
			}
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("the compiler says\n%swithout %q", got, want)
				}
			}
		})
	}
}
