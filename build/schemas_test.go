package build

import (
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

// A tool whose schema a host could not use is told of in packages of every kind, where it stands in its file.
func TestSchemasAreCompiled(t *testing.T) {
	const tool = `{
  "type": "object",
  "properties": { "a": { "type": "string", "pattern": "(" } },
  "x-neuralis": { "annotations": { "category": "read" } }
}`
	for name, runtime := range map[string]string{
		"declarative": `{}`,
		"wasm":        `{"runtime":{"type":"wasm","entry":{"module":"dist/package.wasm"}}}`,
		"node":        `{"runtime":{"type":"node"}}`,
		"mcp":         `{"runtime":{"type":"mcp","entry":{"command":"server"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"package.json": `{"name":"p","version":"1.0.0","neuralis":` + runtime + `}`, "tools/a.json": tool}
			if name == "wasm" || name == "node" {
				files[toolFile] = `export default () => broken(`
			}
			pkg := writePackage(t, t.TempDir(), files)
			result, diags := builderFor(t, Options{}).Build(t.Context(), pkg)
			if result != nil || len(diags) == 0 {
				t.Fatalf("it was built: %v", diags)
			}
			wantProblem{
				rule: manifest.RuleToolSchema, place: "tools/a.json:3:55: ", text: `"(" is no regular expression`, frame: `"pattern": "("`, hint: "JavaScript",
			}.check(t, diags[0])
			if toldOfCode := len(diags) > 1 && strings.HasPrefix(diags[1].File, toolFile); toldOfCode != (len(files) == 3) {
				t.Errorf("what is wrong with the code is told besides: %v", diags)
			}
		})
	}
}
