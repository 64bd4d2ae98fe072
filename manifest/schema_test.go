package manifest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
	"github.com/neuralis-dev/neuralis/manifest/jsonmodel"
)

var update = flag.Bool("update", false, "write the files that the tests compare with")

// renderSchemas makes the two documents of the model and of its comments. They are made by a test and
// embedded, as the comments are not there when a program runs.
func renderSchemas(comments map[string]string) (manifest, tool []byte) {
	const generated = "Generated from the Go model in package manifest. To make it again, run: go generate ./manifest"
	manifest = manifestModel().Schema(jsonmodel.Head{
		Title:       "Neuralis package manifest",
		Description: "What a package says about itself: the neuralis member of package.json, or all of neuralis.package.json.",
		Comment:     generated,
	}, comments)
	tool = toolModel().Schema(jsonmodel.Head{
		Title:       "Neuralis tool",
		Description: "A tool of a package: the JSON Schema of its arguments, and in x-neuralis what the platform needs to know.",
		Comment:     generated,
	}, comments)
	return manifest, tool
}

func TestSchemaFilesAreCurrent(t *testing.T) {
	comments, err := jsonmodel.Comments(".")
	if err != nil {
		t.Fatal(err)
	}
	manifestWant, toolWant := renderSchemas(comments)
	for file, want := range map[string][]byte{"schema/manifest.schema.json": manifestWant, "schema/tool.schema.json": toolWant} {
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s does not follow the model; run go generate ./manifest", file)
		}
	}
}

// compile makes a schema ready, as a foreign reader of it does.
func compile(t testing.TB, name string, text []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(name)
	if err != nil {
		t.Fatalf("%s is no JSON Schema: %v", name, err)
	}
	if schema.DraftVersion != 7 {
		t.Errorf("%s is of draft %d, want 7", name, schema.DraftVersion)
	}
	return schema
}

func manifestValidator(t *testing.T) *jsonschema.Schema {
	return compile(t, "manifest.schema.json", ManifestSchema())
}

func toolValidator(t *testing.T) *jsonschema.Schema {
	return compile(t, "tool.schema.json", ToolSchema())
}

func instance(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestSchemasAcceptTheCatalog(t *testing.T) {
	dir := filepath.Join("testdata", "catalog")
	text, err := os.ReadFile(filepath.Join(dir, PackageJSON))
	if err != nil {
		t.Fatal(err)
	}
	packageJSON := instance(t, text).(map[string]any)
	if err := manifestValidator(t).Validate(packageJSON[ManifestMember]); err != nil {
		t.Errorf("manifest: %v", err)
	}
	tools, err := filepath.Glob(filepath.Join(dir, "tools", "*.json"))
	if err != nil || len(tools) != 2 {
		t.Fatalf("tools: %v, %v", tools, err)
	}
	for _, file := range tools {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := toolValidator(t).Validate(instance(t, text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestSchemasDescribeEveryMember(t *testing.T) {
	var check func(t *testing.T, path string, schema map[string]any)
	check = func(t *testing.T, path string, schema map[string]any) {
		if properties, ok := schema["properties"].(map[string]any); ok {
			for name, inner := range properties {
				property := inner.(map[string]any)
				at := path + "/" + name
				if text, _ := property["description"].(string); text == "" || strings.Contains(text, "\n") {
					t.Errorf("%s: want a description on one line, got %q", at, text)
				}
				check(t, at, property)
			}
		}
		for _, name := range []string{"items", "additionalProperties"} {
			if inner, ok := schema[name].(map[string]any); ok {
				check(t, path, inner)
			}
		}
	}
	for name, text := range map[string][]byte{"manifest": ManifestSchema(), "tool": ToolSchema()} {
		t.Run(name, func(t *testing.T) {
			var schema map[string]any
			if err := json.Unmarshal(text, &schema); err != nil {
				t.Fatal(err)
			}
			check(t, "", schema)
		})
	}
}

// verdicts is a document, and whether it is good.
type verdicts []struct {
	name string
	good bool
	text string
}

// check asks the model and a foreign validator of the schema, and compares both with what is wanted.
func (vs verdicts) check(t *testing.T, schema *jsonschema.Schema, decode func(doc *jsondoc.Document) []jsondoc.Problem) {
	for _, v := range vs {
		t.Run(v.name, func(t *testing.T) {
			doc, problems := jsondoc.Parse([]byte(v.text), jsondoc.DefaultLimits())
			if len(problems) > 0 {
				t.Fatalf("the test's own JSON: %v", problems)
			}
			problems = decode(doc)
			if good := len(problems) == 0; good != v.good {
				t.Errorf("loader: good is %t, want %t: %v", good, v.good, problems)
			}
			err := schema.Validate(instance(t, []byte(v.text)))
			if good := err == nil; good != v.good {
				t.Errorf("schema: good is %t, want %t: %v", good, v.good, err)
			}
		})
	}
}

func TestLoaderAndSchemaAgreeOnManifests(t *testing.T) {
	long := strings.Repeat("a", 65)
	verdicts{
		{"empty", true, `{}`},
		{"unknown members", true, `{"future": {"a": 1}, "x-mine": null}`},
		{"no object", false, `[]`},
		{"null", false, `null`},

		{"id", true, `{"id": "catalog-2"}`},
		{"id of 64 characters", true, `{"id": "` + long[1:] + `"}`},
		{"id of 65 characters", false, `{"id": "` + long + `"}`},
		{"id in capitals", false, `{"id": "Catalog"}`},
		{"id with scope", false, `{"id": "@acme/catalog"}`},
		{"id with doubled hyphen", false, `{"id": "a--b"}`},
		{"id with hyphen at its end", false, `{"id": "a-"}`},
		{"id with line feed at its end", false, `{"id": "a\n"}`},
		{"id empty", false, `{"id": ""}`},
		{"id of a device", false, `{"id": "con"}`},
		{"id of a device with digit", false, `{"id": "lpt1"}`},
		{"id beginning like a device", true, `{"id": "console"}`},
		{"id number", false, `{"id": 7}`},
		{"id null", false, `{"id": null}`},

		{"texts", true, `{"$schema": "s", "name": "Catalog", "version": "1.2.0", "description": "…"}`},
		{"name number", false, `{"name": 1}`},
		{"version number", false, `{"version": 1.2}`},
		{"description array", false, `{"description": ["a"]}`},

		{"wasm", true, `{"runtime": {"type": "wasm"}}`},
		{"wasm with module", true, `{"runtime": {"type": "wasm", "entry": {"module": "dist/package.wasm"}}}`},
		{"wasm with module from here", true, `{"runtime": {"type": "wasm", "entry": {"module": "./dist/..a/.b/...wasm"}}}`},
		{"module outside", false, `{"runtime": {"type": "wasm", "entry": {"module": "../p.wasm"}}}`},
		{"module outside by a detour", false, `{"runtime": {"type": "wasm", "entry": {"module": "dist/../../p.wasm"}}}`},
		{"module absolute", false, `{"runtime": {"type": "wasm", "entry": {"module": "/p.wasm"}}}`},
		{"module with drive", false, `{"runtime": {"type": "wasm", "entry": {"module": "C:p.wasm"}}}`},
		{"module with backslash", false, `{"runtime": {"type": "wasm", "entry": {"module": "dist\\p.wasm"}}}`},
		{"module with NUL", false, `{"runtime": {"type": "wasm", "entry": {"module": "dist/\u0000.wasm"}}}`},
		{"module with line feed", false, `{"runtime": {"type": "wasm", "entry": {"module": "dist/a\n"}}}`},
		{"module empty", false, `{"runtime": {"type": "wasm", "entry": {"module": ""}}}`},
		{"node", true, `{"runtime": {"type": "node"}}`},
		{"mcp", true, `{"runtime": {"type": "mcp", "entry": {"command": "python3", "args": ["server.py", ""]}}}`},
		{"mcp without entry", false, `{"runtime": {"type": "mcp"}}`},
		{"mcp without command", false, `{"runtime": {"type": "mcp", "entry": {"args": []}}}`},
		{"mcp with empty command", false, `{"runtime": {"type": "mcp", "entry": {"command": ""}}}`},
		{"mcp with NUL in command", false, `{"runtime": {"type": "mcp", "entry": {"command": "a\u0000b"}}}`},
		{"mcp with entry of another kind", false, `{"runtime": {"type": "mcp", "entry": "python3"}}`},
		{"mcp with args of another kind", false, `{"runtime": {"type": "mcp", "entry": {"command": "a", "args": "b"}}}`},
		{"mcp with number in args", false, `{"runtime": {"type": "mcp", "entry": {"command": "a", "args": [1]}}}`},
		{"runtime unknown", false, `{"runtime": {"type": "python"}}`},
		{"runtime in capitals", false, `{"runtime": {"type": "WASM"}}`},
		{"runtime without type", false, `{"runtime": {}}`},
		{"runtime string", false, `{"runtime": "wasm"}`},

		{"requires", true, `{"requires": {"accessFeature": "catalog.use"}}`},
		{"requires empty", true, `{"requires": {}}`},
		{"requires with space", false, `{"requires": {"accessFeature": "catalog use"}}`},
		{"requires array", false, `{"requires": ["catalog.use"]}`},

		{"features", true, `{"features": [{"id": "catalog.read", "title": "Read", "description": "…"}, {"id": "x"}]}`},
		{"feature without id", false, `{"features": [{"title": "Read"}]}`},
		{"feature string", false, `{"features": ["catalog.read"]}`},
		{"feature with empty word", false, `{"features": [{"id": "catalog..read"}]}`},
		{"feature with dot at its end", false, `{"features": [{"id": "catalog."}]}`},
		{"features object", false, `{"features": {"id": "catalog.read"}}`},
		{"feature null", false, `{"features": [null]}`},

		{"grants", true, `{"defaultRoleGrants": {"member": ["catalog.read"], "owner": []}}`},
		{"grants of another kind", false, `{"defaultRoleGrants": {"member": "catalog.read"}}`},
		{"grants to a bad role", false, `{"defaultRoleGrants": {"a role": []}}`},
		{"grants of a bad feature", false, `{"defaultRoleGrants": {"member": ["*"]}}`},
		{"grants array", false, `{"defaultRoleGrants": []}`},

		{"provides", true, `{"provides": ["runtime", "oauth-callback:acme"]}`},
		{"provides nothing", true, `{"provides": []}`},
		{"provides twice", false, `{"provides": ["runtime", "runtime"]}`},
		{"provides with empty prefix", false, `{"provides": ["oauth-callback:"]}`},
		{"provides string", false, `{"provides": "runtime"}`},

		{"credentials", true, `{"credentials": [{"id": "acme.apiKey", "title": "Key", "scopes": ["agent", "project", "user", "global"]}]}`},
		{"credential of unknown scope", false, `{"credentials": [{"id": "acme.apiKey", "scopes": ["team"]}]}`},
		{"credential of one scope twice", false, `{"credentials": [{"id": "acme.apiKey", "scopes": ["user", "user"]}]}`},
		{"credential without id", false, `{"credentials": [{}]}`},

		{"setting", true, `{"configSettings": [{"key": "catalog.pageSize", "type": "integer", "default": 20, "envFallback": "CATALOG_PAGE_SIZE"}]}`},
		{"setting with null default", true, `{"configSettings": [{"key": "a", "type": "object", "default": null}]}`},
		{"setting without key", false, `{"configSettings": [{"type": "integer"}]}`},
		{"setting without type", false, `{"configSettings": [{"key": "a"}]}`},
		{"setting of unknown type", false, `{"configSettings": [{"key": "a", "type": "int"}]}`},
		{"setting with bad variable", false, `{"configSettings": [{"key": "a", "type": "string", "envFallback": "A-B"}]}`},

		{"connector", true, `{"connectors": [{"id": "acme", "type": "mcp", "transport": "http", "url": "https://acme.example/mcp"}]}`},
		{"connector that starts a program", true, `{"connectors": [{"id": "acme", "type": "mcp", "command": "x", "args": ["y"]}]}`},
		{"connector without type", false, `{"connectors": [{"id": "acme"}]}`},
		{"connector of unknown transport", false, `{"connectors": [{"id": "acme", "type": "mcp", "transport": "pigeon"}]}`},

		{"data", true, `{"dataLayout": [{"zone": "catalog", "dirs": ["items", "a/b/"], "perAgent": ["drafts"], "machineWritten": []}]}`},
		{"data without zone", false, `{"dataLayout": [{"dirs": ["items"]}]}`},
		{"data outside", false, `{"dataLayout": [{"zone": "catalog", "dirs": [".."]}]}`},
		{"data of here", false, `{"dataLayout": [{"zone": "catalog", "perAgent": ["."]}]}`},

		{"events and channels", true, `{"events": [{"name": "item.added", "feature": "a", "visible": false}], "channels": [{"name": "mail", "visible": true}]}`},
		{"event without name", false, `{"events": [{}]}`},
		{"event string", false, `{"events": ["item.added"]}`},
		{"event with bad visible", false, `{"events": [{"name": "a", "visible": "no"}]}`},
		{"channel without name", false, `{"channels": [{"title": "a"}]}`},

		{"hosts", true, `{"network": {"allowedHosts": ["api.acme.example", "*.acme.example", "*", "localhost", "10.0.0.1"]}}`},
		{"host with scheme", false, `{"network": {"allowedHosts": ["https://acme.example"]}}`},
		{"host with port", false, `{"network": {"allowedHosts": ["acme.example:443"]}}`},
		{"host with star inside", false, `{"network": {"allowedHosts": ["a.*.example"]}}`},
		{"hosts string", false, `{"network": {"allowedHosts": "acme.example"}}`},
	}.check(t, manifestValidator(t), func(doc *jsondoc.Document) []jsondoc.Problem {
		var m Manifest
		return manifestModel().Decode(doc, doc.Root, &m)
	})
}

func TestLoaderAndSchemaAgreeOnTools(t *testing.T) {
	const x = `"x-neuralis": {"annotations": {"category": "read"}}`
	verdicts{
		{"least", true, `{"type": "object", ` + x + `}`},
		{"whole", true, `{"$schema": "http://json-schema.org/draft-07/schema#", "title": "t", "description": "d", "type": "object",
			"properties": {"a": {"type": "string"}, "b": true}, "required": ["a"], "additionalProperties": false, "definitions": {},
			"x-neuralis": {"family": "catalog", "operation": "catalog.list", "transport": "embedded", "defaults": {"a": "x"}, "feature": "catalog.read",
			"annotations": {"title": "T", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false, "category": "read"}}}`},
		{"empty", false, `{}`},
		{"array", false, `[]`},
		{"no type", false, `{` + x + `}`},
		{"another type", false, `{"type": "string", ` + x + `}`},
		{"types", false, `{"type": ["object"], ` + x + `}`},
		{"no x-neuralis", false, `{"type": "object"}`},
		{"no annotations", false, `{"type": "object", "x-neuralis": {}}`},
		{"no category", false, `{"type": "object", "x-neuralis": {"annotations": {}}}`},
		{"empty category", false, `{"type": "object", "x-neuralis": {"annotations": {"category": ""}}}`},
		{"hint of another kind", false, `{"type": "object", "x-neuralis": {"annotations": {"category": "read", "readOnlyHint": "yes"}}}`},
		{"properties array", false, `{"type": "object", "properties": [], ` + x + `}`},
		{"property string", false, `{"type": "object", "properties": {"a": "string"}, ` + x + `}`},
		{"required string", false, `{"type": "object", "required": "a", ` + x + `}`},
		{"required twice", false, `{"type": "object", "required": ["a", "a"], ` + x + `}`},
		{"additionalProperties string", false, `{"type": "object", "additionalProperties": "no", ` + x + `}`},
		{"defaults array", false, `{"type": "object", "x-neuralis": {"defaults": [], "annotations": {"category": "read"}}}`},
		{"bad feature", false, `{"type": "object", "x-neuralis": {"feature": "", "annotations": {"category": "read"}}}`},
	}.check(t, toolValidator(t), func(doc *jsondoc.Document) []jsondoc.Problem {
		var f toolFile
		return toolModel().Decode(doc, doc.Root, &f)
	})
}
