package main

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
)

// files are a package's files: path with slashes -> content.
type files map[string]string

func (f files) write(dir string) error {
	for name, content := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// oneTool is the package of most benchmarks. The number lands in the answer, so that each run has a
// source of its own.
func oneTool(name string, number int) files {
	return files{
		"package.json": fmt.Sprintf(`{
  "name": %q, "version": "1.0.0", "files": ["dist", "tools"],
  "neuralis": { "id": %q, "name": "Greet", "description": "Greets people", "runtime": { "type": "wasm" } }
}
`, name, name),
		"tools/greet.json": `{
  "title": "greet", "description": "Greet a person by name",
  "type": "object",
  "properties": { "name": { "type": "string", "description": "Whom to greet" } },
  "required": ["name"], "additionalProperties": false,
  "x-neuralis": {
    "family": "greet", "operation": "greet", "transport": "embedded", "defaults": {},
    "annotations": { "title": "Greet", "readOnlyHint": true, "category": "read" }
  }
}
`,
		"src/tools/greet.ts": greetSource(number),
	}
}

func greetSource(number int) string {
	return fmt.Sprintf("export default function (args: { name: string }) {\n  return `Hello, ${args.name}! (%d)`;\n}\n", number)
}

// peerGreet is the same function in the peer's terms.
func peerGreet(number int) files {
	return files{
		"greet.wit": "package bench:greet;\n\nworld greet {\n    export greet: func(name: string) -> string;\n}\n",
		"greet.js":  fmt.Sprintf("export function greet(name) {\n  return `Hello, ${name}! (%d)`;\n}\n", number),
	}
}

// callSource is a handler as section "calls" of the promises describes it: asynchronous, JSON in and out,
// and one call to the host.
const callSource = `import type { PdkContext } from '@neuralis/package-system/pdk-guest';

export default async function (args: { name: string }, ctx: PdkContext) {
  const key = await ctx.credentials.resolveCredential('greet.key');
  return { content: [{ type: 'text', text: 'Hello, ' + args.name + '!' }], structuredContent: { name: args.name, key: key ?? null } };
}
`

// large is a package whose bundle is about the given number of bytes: modules of functions, classes and
// tables as an application has them, every one of which is reachable, so that none is shaken off.
func large(bytes int) files {
	f := oneTool("large", 0)
	random := rand.New(rand.NewSource(1)) // any fixed seed: the same package on every machine
	var imports, entries strings.Builder
	for total, n := 0, 0; total < bytes; n++ {
		module := largeModule(random, n)
		f[fmt.Sprintf("src/lib/module%d.ts", n)] = module
		total += len(module)
		fmt.Fprintf(&imports, "import * as module%d from '../lib/module%d.ts';\n", n, n)
		fmt.Fprintf(&entries, "  module%d,\n", n)
	}
	f["src/lib/all.ts"] = strings.ReplaceAll(imports.String(), "'../lib/", "'./") +
		"\nexport const modules = [\n" + entries.String() + "];\n"
	f["src/tools/greet.ts"] = largeGreet(0)
	return f
}

// largeGreet reaches all modules through a name known only at run time.
func largeGreet(number int) string {
	return fmt.Sprintf(`import { modules } from '../lib/all.ts';

export default function (args: { name: string }) {
  const all = modules as unknown as Record<string, (value: number) => number>[];
  const found = all.find((module) => args.name in module);
  return found ? found[args.name](%d) : 'Hello, ' + args.name + '! (%d)';
}
`, number, number)
}

var largeWords = strings.Fields(`account amount balance buffer cache catalog change client column
	counter currency customer date delivery detail discount entry event factor field filter group header index invoice item
	label limit list margin message month node number offset option order owner page parcel payment price product quantity
	query range rate record region report result row score section source state status stock sum table target token total unit
	value vendor version weight window year`)

func largeModule(random *rand.Rand, n int) string {
	word := func() string { return largeWords[random.Intn(len(largeWords))] }
	title := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	var b strings.Builder
	fmt.Fprintf(&b, "// Module %d of the large package.\n\n", n)
	fmt.Fprintf(&b, "const rows: { id: string; name: string; price: number; tags: string[] }[] = [\n")
	for i := range 40 {
		fmt.Fprintf(&b, "  { id: '%s-%d', name: '%s %s', price: %d.%02d, tags: ['%s', '%s'] },\n",
			word(), i, title(word()), word(), random.Intn(1000), random.Intn(100), word(), word())
	}
	b.WriteString("];\n\n")
	for i := range 30 {
		name := fmt.Sprintf("%s%s%d", word(), title(word()), n*100+i)
		x, y := word(), title(word())
		fmt.Fprintf(&b, `export function %[1]s(value: number): number {
  const %[2]s%[3]s = rows.filter((row) => row.price > value && row.tags.includes('%[2]s'));
  let total = %[4]d;
  for (const row of %[2]s%[3]s) {
    if (row.name.startsWith('%[3]s')) total += row.price * %[5]d;
    else if (row.id.length %% %[6]d === 0) total -= row.price / (value + %[5]d);
    else total = Math.max(total, row.tags.length);
  }
  if (total < 0) throw new RangeError('%[2]s: the total of %[1]s is ' + total);
  return Math.round(total * 100) / 100;
}

`, name, x, y, random.Intn(100), random.Intn(9)+2, random.Intn(7)+2)
	}
	fmt.Fprintf(&b, `export class %[1]sIndex%[2]d {
  #items = new Map(rows.map((row) => [row.id, row]));
  get(id: string) { return this.#items.get(id); }
  *[Symbol.iterator]() { yield* this.#items.values(); }
  toJSON() { return Object.fromEntries(this.#items); }
}
`, title(word()), n)
	return b.String()
}
