package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/lint"
)

const packageWith = `-- package.json --
{ "name": "@acme/demo", "version": "1.0.0", "neuralis": { "id": "demo", "runtime": { "type": "wasm" }%s } }
-- tools/list.json --
{
  "description": "List what there is in the shop",
  "type": "object",
  "additionalProperties": false,
  "x-neuralis": { "annotations": { "category": "read" } }
}
`

// rulesOf are the rules and lines of what is found.
func rulesOf(t *testing.T, dir string, o lint.Options) (found []string, p lint.Package) {
	t.Helper()
	report, err := lint.Run(t.Context(), []string{dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Packages[0].Diagnostics {
		found = append(found, fmt.Sprintf("%s:%d %s %s", d.File, d.Line, d.Severity, d.Rule))
	}
	return found, report.Packages[0]
}

func TestIgnores(t *testing.T) {
	tool := func(body string) string { return "-- src/tools/list.ts --\n" + body }
	const after = "export default () => ({ content: [], at });\n"
	for _, tc := range []struct {
		name, lint, files string
		want              []string
		suppressed        int
	}{
		{"nothing", "", tool("const at = Date.now();\n" + after), []string{"src/tools/list.ts:1 warning sandbox-frozen"}, 0},
		{"next line", "", tool("// neuralis-lint-disable-next-line sandbox-frozen -- on purpose\nconst at = Date.now();\n" + after), nil, 1},
		{"block comment", "", tool("/* neuralis-lint-disable-next-line sandbox-frozen */\nconst at = Date.now();\n" + after), nil, 1},
		{"same line", "", tool("const at = Date.now(); // neuralis-lint-disable-line sandbox-frozen\n" + after), nil, 1},
		{"file", "", tool("const at = Date.now();\n" + after + "// neuralis-lint-disable-file sandbox-frozen, sandbox-api\n"), []string{"src/tools/list.ts:3 warning unused-ignore"}, 1},
		{"another rule", "", tool("// neuralis-lint-disable-next-line sandbox-api\nconst at = Date.now();\n" + after),
			[]string{"src/tools/list.ts:1 warning unused-ignore", "src/tools/list.ts:2 warning sandbox-frozen"}, 0},
		{"no rule", "", tool("const at = Date.now(); // neuralis-lint-disable-line\n" + after),
			[]string{"src/tools/list.ts:1 warning sandbox-frozen", "src/tools/list.ts:1 warning unused-ignore"}, 0},
		{"misspelt rule", "", tool("const at = Date.now(); // neuralis-lint-disable-line sandbox-frosen\n" + after),
			[]string{"src/tools/list.ts:1 warning sandbox-frozen", "src/tools/list.ts:1 error lint-settings"}, 0},
		{"severity in the manifest", `, "lint": { "rules": { "sandbox-frozen": "error" } }`, tool("const at = Date.now();\n" + after), []string{"src/tools/list.ts:1 error sandbox-frozen"}, 0},
		{"the manifest before the file", `, "lint": { "rules": { "sandbox-frozen": "info" } }`, tool("const at = Date.now();\n"+after) + "-- .neuralis-lint.json --\n{ \"rules\": { \"sandbox-frozen\": \"off\" } }\n",
			[]string{"src/tools/list.ts:1 info sandbox-frozen"}, 0},
		{"off", `, "lint": { "rules": { "sandbox-frozen": "off" } }`, tool("const at = Date.now();\n" + after), nil, 1},
		{"files", "", tool("const at = Date.now();\n"+after) + "-- .neuralis-lint.json --\n{ \"ignore\": [{ \"rules\": [\"sandbox-frozen\"], \"files\": [\"src/**\"], \"reason\": \"ours\" }] }\n", nil, 1},
		{"other files", "", tool("const at = Date.now();\n"+after) + "-- .neuralis-lint.json --\n{ \"ignore\": [{ \"rules\": [\"sandbox-frozen\"], \"files\": [\"src/lib/**\"] }] }\n",
			[]string{".neuralis-lint.json:1 warning unused-ignore", "src/tools/list.ts:1 warning sandbox-frozen"}, 0},
		{"an ignore of everything", "", tool("const at = 1;\n"+after) + "-- .neuralis-lint.json --\n{ \"ignore\": [{ \"files\": [\"src/**\"] }] }\n", []string{".neuralis-lint.json:1 error lint-settings"}, 0},
		{"in a string", "", tool("const at = [`\n// ordinary text about neuralis-lint-disable-next-line\n`, Date.now()];\n" + after), []string{"src/tools/list.ts:3 warning sandbox-frozen"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, _ := unpack(t, fmt.Sprintf(packageWith, tc.lint)+tc.files)
			found, p := rulesOf(t, dir, lint.Options{})
			if !slices.Equal(found, tc.want) || p.Suppressed != tc.suppressed {
				t.Errorf("found %q, %d suppressed, want %q, %d", found, p.Suppressed, tc.want, tc.suppressed)
			}
		})
	}
}

func TestProjects(t *testing.T) {
	dir, _ := unpack(t, `-- .neuralis-lint.json --
{ "rules": { "feature-unused": "error", "no-such": "off" }, "ignore": [{ "rules": ["package-version"] }] }
-- _packages/a/neuralis.package.json --
{ "id": "twin", "version": "1", "features": [{ "id": "twin.read" }], "runtime": { "type": "mcp", "entry": { "command": "run" } } }
-- _packages/a/tools/look.json --
{ "type": "object", "description": "Look at what there is", "additionalProperties": false, "x-neuralis": { "annotations": { "category": "read" } } }
-- _packages/b/neuralis.package.json --
{ "id": "twin", "features": [{ "id": "b.read" }] }
-- _packages/c/neuralis.package.json --
{ "id": "c", "runtime": { "type": "mcp", "entry": { "command": "run" } }, "lint": { "standing": "first-party" } }
-- _packages/c/tools/look.json --
{ "type": "object", "description": "Look at what there is", "additionalProperties": false, "x-neuralis": { "annotations": { "category": "read" } } }
`)
	var dirs []string
	for _, name := range []string{"a", "b", "c"} {
		dirs = append(dirs, filepath.Join(dir, "_packages", name))
	}
	report, err := lint.Run(t.Context(), dirs, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, d := range report.All(dir) {
		found = append(found, fmt.Sprintf("%s:%d:%d %s %s", d.File, d.Line, d.Column, d.Severity, d.Rule))
	}
	want := []string{
		".neuralis-lint.json:1:41 error lint-settings",
		"_packages/a/neuralis.package.json:1:91 warning runtime-denied",
		"_packages/b/neuralis.package.json:1:9 error duplicate-id",
		"_packages/b/neuralis.package.json:1:38 error feature-unused",
		"_packages/c/tools/look.json:1:1 warning duplicate-tool",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

func TestBaseline(t *testing.T) {
	dir, _ := unpack(t, fmt.Sprintf(packageWith, "")+"-- src/tools/list.ts --\nconst at = [Date.now(), Date.now()];\nexport default () => ({ content: [], at });\n")
	report, err := lint.Run(t.Context(), []string{dir}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := lint.WriteBaseline(report, filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := lint.ReadBaseline(data, filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	if found, p := rulesOf(t, dir, lint.Options{Baseline: baseline}); len(found) != 0 || p.Known != 2 {
		t.Errorf("found %q, %d known", found, p.Known)
	}
	// A third one is new, and lines may move.
	if err := os.WriteFile(filepath.Join(dir, "src/tools/list.ts"), []byte("\nconst at = [Date.now(), Date.now(), Date.now()];\nexport default () => ({ content: [], at });\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if found, p := rulesOf(t, dir, lint.Options{Baseline: baseline}); len(found) != 1 || p.Known != 2 {
		t.Errorf("found %q, %d known", found, p.Known)
	}
	for _, bad := range []string{"", "[]", `{"version":2}`} {
		if _, err := lint.ReadBaseline([]byte(bad), dir); err == nil {
			t.Errorf("%q is taken for a baseline", bad)
		}
	}
}

// TestOrder runs many packages at a time, again and again.
func TestOrder(t *testing.T) {
	var dirs []string
	for i := range 12 {
		dir, _ := unpack(t, fmt.Sprintf(packageWith, fmt.Sprintf(`, "features": [{ "id": "demo.f%d" }], "provides": ["mcp-server"], "version": "1"`, i))+
			"-- src/tools/list.ts --\nconst at = [Date.now(), Intl];\nexport default () => ({ content: [], at });\n-- src/tools/broken.ts --\nexport default (\n")
		dirs = append(dirs, dir)
	}
	first, err := lint.Run(t.Context(), dirs, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(first.Packages[0].Diagnostics); n != 6 {
		t.Errorf("%d findings: %v", n, first.Packages[0].Diagnostics)
	}
	for range 5 {
		again, err := lint.Run(t.Context(), dirs, lint.Options{})
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Fatalf("two runs differ (%v)", err)
		}
	}
}
