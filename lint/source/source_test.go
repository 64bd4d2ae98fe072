package source_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/lint/source"
)

// places lists what visit picks, each with the author's place.
func places(t *testing.T, text string, pick func(*source.Node) string) []string {
	t.Helper()
	f, err := source.Parse("x.ts", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	f.Root.Walk(func(n *source.Node) bool {
		if name := pick(n); name != "" {
			line, column, end, ok := f.Place(n.Offset)
			found = append(found, fmt.Sprintf("%s %d:%d-%d %v", name, line, column, end, ok))
		}
		return true
	})
	return found
}

func TestPlaces(t *testing.T) {
	text := `import type { T } from 'x';
import fs, { readFile as rf } from 'node:fs';
interface A { b: string; Date: number }
const re = /a\/b'"/g, half = 4 / 2 / 1;
export const now: number = Date.now(); const ü = '𝄞'; const later = Date.now();
type Q = { Date: 1 };
export default async function run({ Date: a, b }: any, ctx: T): Promise<void> {
  const { data, config: { get } } = ctx as any;
  const x = { Date, now: Date.now(), 'k': ` + "`t${Date}t`" + ` };
  await ctx.data!.fileStore<A>('items').get((ctx as any).id);
  for (const Date of []) { Date.now(); }
  return new Date().getTime() as never;
}
class C { static s = Date; f = Date; #p = Date; m() { return this.#p ?? Date; } }
`
	got := places(t, text, func(n *source.Node) string {
		if n.Kind == source.Ident && strings.HasPrefix(n.Name, "Date") { // a local one gets a number
			if n.Binding.Global {
				return "global"
			}
			return "local"
		}
		return ""
	})
	want := []string{
		"global 5:28-32 true", "global 5:70-74 true",
		"global 9:15-19 true", "global 9:26-30 true", "global 9:47-51 true",
		"local 11:14-18 true", "local 11:28-32 true",
		"global 12:14-18 true",
		"global 14:22-26 true", "global 14:32-36 true", "global 14:43-47 true", "global 14:73-77 true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMembersAndCalls(t *testing.T) {
	text := `export default async (args: any, ctx: any) => {
  const key = await ctx.credentials
    .resolveCredential('acme.apiKey');
  ctx['config'].get("a");
};
`
	got := places(t, text, func(n *source.Node) string {
		if n.Kind == source.Call {
			path, _ := n.Callee().Path()
			arg, _ := n.Args()[0].Constant()
			return path + "(" + arg + ")"
		}
		return ""
	})
	want := []string{"ctx.credentials.resolveCredential(acme.apiKey) 3:6-23 true", "ctx.config.get(a) 4:17-20 true"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestImportsAndExports(t *testing.T) {
	text := `import type { T } from 'types';
import a, { b as c } from './a.ts';
import * as d from "d";
export { e as f, g } from './e.ts';
export * from './star.ts';
const pattern = 'items/:id';
function GET() {}
export { pattern, GET, c as again };
export const feature: string = 'x.read', { p, q: [r] } = a;
export class K {}
export async function POST() { await import('./later.ts'); return [a, c, d]; }
export default class {}
`
	f, err := source.Parse("x.ts", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var imports, exports []string
	for _, i := range f.Imports {
		line, column, _, _ := f.Place(i.Offset)
		imports = append(imports, fmt.Sprintf("%s %d:%d %v", i.Module, line, column, i.Dynamic))
	}
	for _, e := range f.Exports {
		line, column, _, _ := f.Place(e.Offset)
		text, _ := e.Value.Constant()
		exports = append(exports, fmt.Sprintf("%s %d:%d %s %v", e.Name, line, column, text, e.Value != nil))
	}
	slices.Sort(imports)
	slices.Sort(exports)
	wantImports := []string{"./a.ts 2:27 false", "./e.ts 4:27 false", "./later.ts 11:45 true", "./star.ts 5:15 false", "d 3:20 false"}
	wantExports := []string{
		"* 5:1  false", "GET 8:19  true", "K 10:14  true", "POST 11:23  true", "again 8:29  false", "default 12:8  true",
		"f 4:15  false", "feature 9:14 x.read true", "g 4:18  false", "p 9:44  false", "pattern 8:10 items/:id true", "r 9:51  false",
	}
	if !slices.Equal(imports, wantImports) {
		t.Errorf("imports\n%s\nwant\n%s", strings.Join(imports, "\n"), strings.Join(wantImports, "\n"))
	}
	if !slices.Equal(exports, wantExports) {
		t.Errorf("exports\n%s\nwant\n%s", strings.Join(exports, "\n"), strings.Join(wantExports, "\n"))
	}
}

func TestFault(t *testing.T) {
	_, err := source.Parse("x.ts", []byte("const a = 1;\nconst b = ;\n"))
	fault, ok := err.(*source.Fault)
	if !ok || fault.Line != 2 || fault.Column != 11 {
		t.Errorf("got %#v", err)
	}
}

// TestEveryNameHasItsPlace reads the TypeScript of the project itself: each name stands where the file has that name.
func TestEveryNameHasItsPlace(t *testing.T) {
	count := 0
	for _, dir := range []string{"../../build/guest/src", "../../examples/library/src", "../../examples/everything/src"} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".ts" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f, err := source.Parse(path, text)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return nil
			}
			lines := strings.Split(string(text), "\n")
			f.Root.Walk(func(n *source.Node) bool {
				if n.Kind != source.Ident && n.Kind != source.Member {
					return true
				}
				line, column, _, ok := f.Place(n.Offset)
				if !ok {
					return true // a helper of the compiler
				}
				count++
				if strings.Contains(lines[line-1], "enum ") {
					return true // becomes code of the compiler's own
				}
				units := []rune(lines[line-1])
				if at := string(units[min(len(units), column-1):]); !strings.HasPrefix(at, n.Name) && !strings.HasPrefix(at, strings.TrimRight(n.Name, "0123456789")) && !strings.HasPrefix(at, "'"+n.Name) {
					t.Errorf("%s:%d:%d: %q stands there, not %s", path, line, column, at, n.Name)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if count < 5000 {
		t.Errorf("only %d names were found", count)
	}
}
