package bundle

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name, tool string
		files      map[string]string
		rule       string
		at         string // file:line:column
		message    string
		hint       string
		frame      string
		notes      []string
	}{
		{
			name: "syntax error", tool: "export default () => {\n\tconst é😀x = ;\n};", rule: RuleSyntax, at: "src/tools/t.ts:2:9",
		},
		{
			name: "syntax error behind wide characters", tool: "const s = '😀é'; const x = ;", rule: RuleSyntax, at: "src/tools/t.ts:1:28",
			message: `Unexpected ";"`, frame: "> 1 | const s = '😀é'; const x = ;\n    |                            ^\n",
		},
		{
			name: "missing file", tool: "import { a } from './nowhere';\nexport default a;", rule: RuleMissingImport, at: "src/tools/t.ts:1:19",
			message: `cannot find "./nowhere" from src/tools/t.ts`, hint: "relative to the file",
		},
		{
			name: "missing package", tool: "import { z } from 'zod';\nexport default z;", rule: RuleMissingImport, at: "src/tools/t.ts:1:19",
			message: `cannot find the npm package "zod"`, hint: "did you forget `npm install zod`?",
		},
		{
			name: "missing scoped package", tool: "export default () => import('@acme/lib/deep/x.js');", rule: RuleMissingImport, at: "src/tools/t.ts:1:29",
			message: `cannot find the npm package "@acme/lib"`, hint: "npm install @acme/lib",
		},
		{
			name: "package not installed", tool: "import 'zod';", files: map[string]string{"package.json": `{"devDependencies":{"zod":"4"}}`},
			rule: RuleMissingImport, message: `cannot find the npm package "zod"`, hint: "package.json lists it, but",
		},
		{
			name: "path that a package does not export", tool: "import 'lib/inner';",
			files: map[string]string{"node_modules/lib/package.json": `{"name":"lib","exports":"./index.js"}`, "node_modules/lib/index.js": ""},
			rule:  RuleMissingImport, message: `the npm package "lib" has no "lib/inner" that the sandbox can use`, hint: "exports field",
		},
		{
			name: "missing name", tool: "import { b } from '../a';\nexport default b;", files: map[string]string{"src/a.ts": "export const a = 1;"},
			rule: RuleMissingExport, at: "src/tools/t.ts:1:10", message: `No matching export in "src/a.ts" for import "b"`, hint: "import type",
		},
		{
			name: "built-in", tool: "import { readFile } from 'node:fs/promises';\nexport default readFile;", rule: RuleNodeBuiltin, at: "src/tools/t.ts:1:26",
			message: `the Node.js module "node:fs/promises" does not exist in the sandbox`, hint: "ctx.data",
		},
		{
			name: "built-in through a package", tool: "import { run } from '../mid';\nexport default run;",
			files: map[string]string{
				"src/mid.ts":                    "// imports 'tool'\nexport { run } from \"tool\";",
				"node_modules/tool/index.js":    "exports.run = require('./lib/exec');",
				"node_modules/tool/lib/exec.js": "\nmodule.exports = require('child_process').exec;",
			},
			rule: RuleNodeBuiltin, at: "node_modules/tool/lib/exec.js:2:26", hint: "the npm package tool is written for Node.js",
			notes: []string{
				"src/tools/t.ts:1:21: imports ../mid", "src/mid.ts:2:21: imports tool",
				"node_modules/tool/index.js:1:23: imports ./lib/exec", "node_modules/tool/lib/exec.js:2:26: imports child_process",
			},
		},
		{
			name: "unknown module of ours", tool: "import '@neuralis/package-system/nothing';", rule: RuleMissingImport,
			message: `there is no module "@neuralis/package-system/nothing"`, hint: "pdk-guest",
		},
		{
			name: "address", tool: "import 'https://cdn.example/x.js';", rule: RuleMissingImport, at: "src/tools/t.ts:1:8",
			message: "nothing is loaded from the network",
		},
		{
			name: "picture", tool: "import logo from '../logo.png';\nexport default logo;", files: map[string]string{"src/logo.png": "PNG"}, rule: RuleFileKind,
			at: "src/tools/t.ts:1:18", hint: ".json and text",
		},
		{
			name: "text outside", tool: "\nimport secret from '../../../outside.txt';\nexport default secret;", rule: RuleOutsideImport, at: "src/tools/t.ts:2:20",
			message: "the import leaves the package folder: it leads to ../outside.txt", hint: "move the file into the package",
		},
		{
			name: "code through a link", tool: "import '../link/code';", rule: RuleOutsideImport, at: "src/tools/t.ts:1:8", message: "it leads to ../elsewhere/code.ts",
		},
		{
			name: "missing handler", tool: "import './gone';", rule: RuleMissingImport,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := writeFiles(t, t.TempDir(), map[string]string{"outside.txt": "secret", "elsewhere/code.ts": "export {};"})
			dir := writeFiles(t, filepath.Join(root, "p"), map[string]string{"package.json": "{}", "src/tools/t.ts": test.tool})
			writeFiles(t, dir, test.files)
			if err := os.Symlink(filepath.Join(root, "elsewhere"), filepath.Join(dir, "src", "link")); err != nil {
				t.Skip(err)
			}
			pkg := &manifest.Package{Dir: dir, Tools: []manifest.Tool{{Name: "t", Source: "src/tools/t.ts"}}}
			out, diags := Bundle(context.Background(), Input{Package: pkg})
			if len(diags) != 1 || out.Code != nil {
				t.Fatalf("%d bytes and the diagnostics %v", len(out.Code), diags)
			}
			d := diags[0]
			if d.Rule != test.rule || d.Severity != manifest.SeverityError {
				t.Errorf("rule %s, severity %s; want %s", d.Rule, d.Severity, test.rule)
			}
			if at := strings.TrimSuffix(d.Error(), ": "+d.Message); test.at != "" && at != test.at {
				t.Errorf("at %s, want %s", at, test.at)
			}
			if !strings.Contains(d.Message, test.message) {
				t.Errorf("message %q, want %q", d.Message, test.message)
			}
			if !strings.Contains(d.Hint, test.hint) {
				t.Errorf("hint %q, want %q", d.Hint, test.hint)
			}
			if test.frame != "" && d.Frame != test.frame || d.Line > 0 && d.Frame == "" {
				t.Errorf("frame\n%swant\n%s", d.Frame, test.frame)
			}
			var notes []string
			for _, note := range d.Notes {
				notes = append(notes, note.String())
			}
			if got, want := strings.Join(notes, "\n"), strings.Join(test.notes, "\n"); got != want {
				t.Errorf("notes\n%s\nwant\n%s", got, want)
			}
			if strings.Contains(d.Message+d.Hint, "esbuild") || strings.Contains(d.Error(), root) {
				t.Errorf("says what an author has no use for: %v", d)
			}
		})
	}
}

func TestOptionalUseOfNodeBuilds(t *testing.T) {
	bundleOf(t, Input{Package: onePackage(t, "import x from 'x'; import { Buffer } from 'node:buffer'; import * as b from 'buffer'; export default () => [x, Buffer, b];", map[string]string{
		"node_modules/x/package.json": `{"name":"x","main":"node.js","browser":{"./node.js":"./browser.js","crypto":false}}`,
		"node_modules/x/node.js":      "module.exports = require('fs');",
		"node_modules/x/browser.js":   "const c = require('crypto'); let os; try { os = require('os'); } catch {} module.exports = [c, os];",
	})})
}

func TestWarningsDoNotFail(t *testing.T) {
	out, diags := Bundle(context.Background(), Input{Package: onePackage(t, "export default (x: number) => {\n  return\n    x === -0;\n};", nil)})
	if len(out.Code) == 0 || len(diags) == 0 || diags.HasErrors() || diags[0].Rule != RuleSuspicious || diags[0].Line == 0 {
		t.Errorf("%d bytes, %v", len(out.Code), diags)
	}
}

func TestEveryBuiltinHasAdvice(t *testing.T) {
	for _, name := range builtins {
		if builtinHint(name) == "" {
			t.Errorf("no advice for %s", name)
		}
	}
	for name := range builtinHints {
		if !isBuiltin(name) && name != "test" {
			t.Errorf("advice for %s, which is no built-in", name)
		}
	}
}
