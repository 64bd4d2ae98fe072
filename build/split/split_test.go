package split_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/build/split"
	"github.com/neuralis-dev/neuralis/build/wasm"
)

// filler makes a source of so many bytes that the bundler keeps.
func filler(name string, size int) string {
	return fmt.Sprintf("export const %s = %q;\n", name, strings.Repeat("x", size))
}

// program is a set of sources with every kind of dependency between them. Each writes down when it
// runs, so that a changed order shows.
var program = map[string]string{
	"src/entry.ts": `
		import { log } from './log';
		import * as tool from './tools/tool';
		import { even } from './circle/even';
		import { later } from './waits';
		import { Base } from './classes/base';
		import { Derived } from './classes/derived';
		import common from './common.cjs';
		import { big0 } from './big/b0'; import { big1 } from './big/b1'; import { big2 } from './big/b2'; import { big3 } from './big/b3';
		import data from './data.json';
		log('entry');
		const native = globalThis.__neuralis_native;
		native(16, () => {}, () => { native(1, JSON.stringify({
			order: log.seen, even: even(10), later, common: common.answer(), lazy: tool.twice(4), named: Object.keys(tool),
			classes: [new Derived().name(), new Derived() instanceof Base, Derived.name], sizes: [big0, big1, big2, big3].map((b) => b.length), data: data.n,
			live: [tool.count, tool.increment(), tool.count],
		})); return 0 }, () => {}, () => {});`,
	"src/log.ts": `export function log(what: string) { log.seen.push(what) } log.seen = [] as string[];`,
	"src/tools/tool.ts": `import { log } from '../log'; import { helper } from '../helper'; log('tool');
		export const twice = (n: number) => helper(n) * 2; export let count = 0; export function increment() { return ++count } export default class Tool {}`,
	"src/helper.ts":       `import { log } from './log'; log('helper'); export const helper = (n: number) => n + 1;`,
	"src/circle/even.ts":  `import { log } from '../log'; import { odd } from './odd'; log('even'); export const even = (n: number): boolean => n === 0 || odd(n - 1);`,
	"src/circle/odd.ts":   `import { log } from '../log'; import { even } from './even'; log('odd'); export const odd = (n: number): boolean => n !== 0 && even(n - 1);`,
	"src/waits.ts":        `import { log } from './log'; log('waits'); export const later = await Promise.resolve('later').then(async (v) => { await 0; await 0; return v }); log('waited');`,
	"src/classes/base.ts": `import { log } from '../log'; log('base'); export class Base { static self = new Base(); #secret = 'secret'; name() { return this.#secret } static { log('static block') } }`,
	"src/classes/derived.ts": `import { Base } from './base'; import { log } from '../log'; log('derived'); export class Derived extends Base { name() { return 'derived ' + super.name() } }
		const { a, ...rest } = { a: 1, b: 2 }; let [x = a, , y] = [undefined, 2, 3]; log(JSON.stringify([rest, x, y]));
		label: for (const k in { p: 1 }) { for (;;) continue label; }
		log(` + "`multi\n// src/no/marker.ts is text\nline ${`nested ${x}`}`" + `);`,
	"src/common.cjs": `const inner = require('./inner.cjs'); exports.answer = () => inner.value + 1;`,
	"src/inner.cjs":  `exports.value = 41;`,
	"src/data.json":  `{"n": 7}`,
	"src/big/b0.ts":  filler("big0", 40000) + `import { log } from '../log'; log('b0');`,
	"src/big/b1.ts":  filler("big1", 40001) + `import { log } from '../log'; log('b1');`,
	"src/big/b2.ts":  filler("big2", 40002) + `import { log } from '../log'; import { big0 } from './b0'; log('b2' + big0.length);`,
	"src/big/b3.ts":  filler("big3", 40003) + `import { log } from '../log'; log('b3');`,
}

func bundle(t *testing.T, sources map[string]string) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range sources {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: dir, EntryPoints: []string{"src/entry.ts"}, Bundle: true, Format: api.FormatESModule,
		Target: api.ES2023, Platform: api.PlatformBrowser, KeepNames: true, MinifySyntax: true,
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors[0].Text, result.Errors[0].Location)
	}
	return result.OutputFiles[0].Contents
}

func run(t *testing.T, c *wasm.Compiler, sources []wasm.Source, earlier *wasm.Earlier) (string, *wasm.Module) {
	t.Helper()
	m, err := c.Snapshot(context.Background(), sources, earlier, wasm.Identity{})
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Describe), m
}

func toSources(modules []split.Module) []wasm.Source {
	sources := make([]wasm.Source, len(modules))
	for i, m := range modules {
		sources[i] = wasm.Source{Name: m.Name, Code: m.Code}
	}
	return sources
}

func TestPiecesDoWhatTheBundleDoes(t *testing.T) {
	ctx := context.Background()
	c, err := wasm.New(ctx, wasm.Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)

	code := bundle(t, program)
	want, _ := run(t, c, []wasm.Source{{Name: "package.js", Code: code}}, nil)
	if !strings.Contains(want, `"even":true`) {
		t.Fatal("the program itself is wrong:", want)
	}
	modules, known, ok := split.Bundle(code, "package.js", nil)
	if !ok || len(modules) < 6 {
		t.Fatalf("%v, %d pieces", ok, len(modules))
	}
	got, module := run(t, c, toSources(modules), nil)
	if got != want {
		t.Errorf("in pieces\n%s\nwhole\n%s", got, want)
	}

	// The lines of modules lead to those of the bundle.
	lines := bytes.Split(code, []byte("\n"))
	for _, m := range modules {
		own := bytes.Split(m.Code, []byte("\n"))
		for n, run := range m.Lines {
			end := len(own) - 1
			if n+1 < len(m.Lines) {
				end = m.Lines[n+1].At - 1
			}
			for at := run.At; at <= end; at++ {
				if !bytes.HasSuffix(own[at-1], lines[run.Bundle+at-run.At-1]) {
					t.Fatalf("%s line %d is %q, line %d of the bundle %q", m.Name, at, own[at-1], run.Bundle+at-run.At, lines[run.Bundle+at-run.At-1])
				}
			}
		}
	}

	// Another build with one source changed: all other pieces are known, and the result is the same
	// as without having known them.
	changed := map[string]string{}
	for name, text := range program {
		changed[name] = text
	}
	changed["src/helper.ts"] = strings.Replace(program["src/helper.ts"], "n + 1", "n + 2", 1)
	code = bundle(t, changed)
	again, _, ok := split.Bundle(code, "package.js", known)
	if !ok {
		t.Fatal("not cut again")
	}
	fresh, _, _ := split.Bundle(code, "package.js", nil)
	if a, b := fmt.Sprint(again), fmt.Sprint(fresh); a != b {
		t.Error("what was known changed the pieces")
	}
	differ := 0
	for i, s := range toSources(again) {
		if i < len(modules) && !bytes.Equal(s.Code, modules[i].Code) {
			differ++
		}
	}
	if differ != 1 {
		t.Errorf("%d pieces changed with one source", differ)
	}
	a, first := run(t, c, toSources(again), &wasm.Earlier{Keys: module.Keys, Bytecode: func([]wasm.Key) wasm.Bytecode { return module.Bytecode }})
	b, second := run(t, c, toSources(again), nil)
	if a != b || !strings.Contains(a, `"lazy":12`) || !bytes.Equal(first.WASM, second.WASM) {
		t.Errorf("with known bytecode\n%s\nwithout\n%s", a, b)
	}
}

func TestRefused(t *testing.T) {
	pad := filler("pad", split.Threshold)
	for _, tc := range []struct{ name, code string }{
		{"small", "// src/a.ts\nconst a = 1;\n// src/b.ts\nconst b = a;\n"},
		{"no markers", pad},
		{"direct eval", "// src/a.ts\nconst a = eval('1');\n// src/b.ts\n" + strings.ReplaceAll(pad, "export ", "")},
		{"imports", "// src/a.ts\nimport x from 'y';\n// src/b.ts\n" + strings.ReplaceAll(pad, "export ", "")},
		{"broken", "// src/a.ts\nconst a = `;\n// src/b.ts\nlet b;\n" + strings.ReplaceAll(pad, "export ", "")},
		{"a marker inside of text", "// src/a.ts\nconst a = `\n// src/b.ts\n`; const b = {\n// src/lib/c.ts\n};\n" + strings.ReplaceAll(pad, "export ", "")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if modules, _, ok := split.Bundle([]byte(tc.code), "package.js", nil); ok {
				t.Errorf("cut into %d", len(modules))
			}
		})
	}
}

func FuzzBundle(f *testing.F) {
	f.Add("// src/a.ts\nvar a = 1;\n", "// node_modules/x/y.js\nvar b = a;\n")
	f.Add("var a_exports = {};\n__export(a_exports, { b: () => b });\n", "// src/b.ts\nvar b = a_exports;\n")
	pad := strings.Replace(filler("pad", split.Threshold), "export ", "", 1)
	f.Fuzz(func(t *testing.T, a, b string) {
		modules, _, ok := split.Bundle([]byte(a+"\n// src/m.ts\n"+b+"\n// src/tools/n.ts\n"+pad), "p", nil)
		if ok && len(modules) < 2 {
			t.Error("cut into fewer than two")
		}
		_, _ = json.Marshal(modules)
	})
}
