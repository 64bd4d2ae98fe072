package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// keeper is a package that stores what it is told to, where it is told to.
func keeper() files {
	return files{
		"package.json":      pkg("keeper", wasm),
		"tools/keeper.json": tool("", ""),
		"src/tools/keeper.ts": `
export default async function (args: any, ctx: any): Promise<any> {
  const lines = ctx.data.jsonlAppender({ keep: 5, maxBytes: 1e6 });
  const store = () => ctx.data.fileStore(args.store ?? 's');
  switch (args.do) {
    case 'path': return ctx.data.dataPath(args.path);
    case 'append': await lines.append(args.path, args.value ?? 1); return 'done';
    case 'newest': return JSON.stringify(await lines.readNewest(args.path, 10));
    case 'put': await store().put(args.id, args.value ?? 1); return 'done';
    case 'get': return JSON.stringify(await store().get(args.id));
    case 'list': return JSON.stringify(await store().list());
    case 'count': return String(await store().update(args.id, (old: any) => (old ?? 0) + 1));
    case 'many': for (let i = 0; i < 50; i++) { await lines.append(args.path, i); await ctx.data.fileStore(args.path).put('r', i); } return 'done';
  }
  throw new Error('do what?');
}`,
	}
}

// No path leads out of the package's folder, and no path leads to another place on one system than on others.
func TestPaths(t *testing.T) {
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0}}}`, map[string]files{"_packages/keeper": keeper()}).open()
	root := w.at("_data/packages/keeper")
	for _, path := range []string{
		"..", "../x", "a/../../x", "a/b/../../../x", "/etc/passwd", "/", "", "a\x00b", "\\x", "..\\x", "a\\..\\..\\x", "C:/x", "C:x", "//server/share/x",
		"con", "CON", "nul.txt", "a/aux", "com1", "lpt9.log", "a.", "a ", "a./b", "x:stream", "a<b", "a|b", "a?b", "a*b", "a\"b", "a\nb", "a\x7fb",
		strings.Repeat("x", 300), strings.Repeat("d/", 3000) + "x", ".x.neuralis-lock", "\u202e/../x",
	} {
		t.Run(fmt.Sprintf("%.20q", path), func(t *testing.T) {
			for _, do := range []string{"path", "append", "newest"} {
				got := w.tool(ada, "keeper", fmt.Sprintf(`{"do":%q,"path":%s}`, do, jsonString(path)))
				if path == "\u202e/../x" {
					// Odd, and in the folder all the same.
					continue
				}
				if !strings.HasPrefix(got, "handler-error: HostError: ") || strings.Contains(got, w.dir) {
					t.Errorf("%s: %.200s", do, got)
				}
			}
		})
	}
	var strange []string
	must(t, filepath.WalkDir(w.dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasPrefix(filepath.Base(path), "x") {
			strange = append(strange, path)
		}
		return err
	}))
	if len(strange) > 1 || len(strange) == 1 && filepath.Dir(strange[0]) != root {
		t.Errorf("written: %v", strange)
	}

	// Ids are any text, and names that a file system may take for one are two records.
	for i, id := range []string{"a", "A", "ä", "Ä", "a\u0308", "straße", "STRASSE", "ı", "i", "İ", "con", "CON", "..", "../x", "/", "a/b", "a\\b", "a:b", ".", " ", "x.", "\u0000", "😀"} {
		if got := w.tool(ada, "keeper", fmt.Sprintf(`{"do":"put","id":%s,"value":%d}`, jsonString(id), i)); got != "done" && !strings.HasPrefix(got, "handler-error: ") {
			t.Errorf("%q: %s", id, got)
		} else if got == "done" {
			defer func() {
				if got := w.tool(ada, "keeper", fmt.Sprintf(`{"do":"get","id":%s}`, jsonString(id))); got != fmt.Sprint(i) {
					t.Errorf("%q is %s, and not %d", id, got, i)
				}
			}()
		} else if id != "" {
			t.Errorf("the id %q is refused: %s", id, got)
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, "s"))
	must(t, err)
	folded := map[string]string{}
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if other, ok := folded[name]; ok {
			t.Errorf("%s and %s are one file on some systems", e.Name(), other)
		}
		folded[name] = e.Name()
	}
}

func jsonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r == '"' || r == '\\' || r < ' ' || r == 0x7f {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// While a package writes, somebody swaps its folders for links that lead out. Nothing is written outside.
func TestLinksThatAreSwapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need privileges there")
	}
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0}}}`, map[string]files{"_packages/keeper": keeper()}).open()
	outside := w.at("outside")
	must(t, os.MkdirAll(outside, 0o755))
	must(t, os.WriteFile(filepath.Join(outside, "lines"), nil, 0o644))
	root := w.at("_data/packages/keeper")
	must(t, os.MkdirAll(filepath.Join(root, "deep"), 0o755))
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			deep, away := filepath.Join(root, "deep"), filepath.Join(root, "away")
			_ = os.Rename(deep, away)
			_ = os.Symlink(outside, deep)
			runtime.Gosched()
			_ = os.Remove(deep)
			_ = os.Rename(away, deep)
			// And a file in it.
			lines := filepath.Join(root, "deep", "lines")
			_ = os.Remove(lines)
			_ = os.Symlink(filepath.Join(outside, "lines"), lines)
		}
	})
	var writers sync.WaitGroup
	for range 3 {
		writers.Go(func() {
			for range 10 {
				// It may fail, in a way that it can be told.
				if got := w.tool(ada, "keeper", `{"do":"many","path":"deep/lines"}`); got != "done" && !strings.HasPrefix(got, "handler-error: HostError: ") {
					t.Errorf("got %s", got)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	all.Wait()
	entries, err := os.ReadDir(outside)
	must(t, err)
	if content, err := os.ReadFile(filepath.Join(outside, "lines")); len(entries) != 1 || len(content) != 0 || err != nil {
		t.Errorf("written outside: %v %.100s %v", entries, content, err)
	}
}

// What is in the way is reported, stays as it is, and keeps nothing else from working.
func TestSomethingInTheWay(t *testing.T) {
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0}}}`, map[string]files{"_packages/keeper": keeper(), "_packages/plain": {
		"package.json": pkg("plain", wasm), "src/routes/r.ts": "export const pattern = 'r'; export const GET = () => ({ status: 200, body: 'here' });",
	}}).open()
	root := w.at("_data/packages/keeper")
	must(t, os.MkdirAll(filepath.Join(root, "lines"), 0o755))       // a folder where a file should be
	must(t, os.MkdirAll(filepath.Join(root, "s", "r.json"), 0o755)) // and a record
	must(t, os.WriteFile(filepath.Join(root, "file"), nil, 0o644))  // a file where a folder should be
	must(t, os.WriteFile(filepath.Join(root, "s", "torn.json"), []byte(`{"a":`), 0o644))
	must(t, os.MkdirAll(w.at("_data/logs/keeper.jsonl"), 0o755)) // and where the host writes
	must(t, os.WriteFile(w.at("_data/audit"), nil, 0o644))
	for args, want := range map[string]string{
		`{"do":"append","path":"lines"}`:       "handler-error: HostError: open lines: there is a folder",
		`{"do":"put","id":"r"}`:                "handler-error: HostError: ",
		`{"do":"get","id":"r"}`:                "handler-error: HostError: ",
		`{"do":"append","path":"file/lines"}`:  "handler-error: HostError: ",
		`{"do":"put","store":"file","id":"r"}`: "handler-error: HostError: ",
		`{"do":"get","id":"torn"}`:             "handler-error: HostError: ",
		`{"do":"put","id":"torn"}`:             "handler-error: HostError: ",
		`{"do":"count","id":"torn"}`:           "handler-error: HostError: ",
		`{"do":"put","id":"other"}`:            "done",
		`{"do":"append","path":"other"}`:       "done",
		`{"do":"nothing"}`:                     "handler-error: Error: do what?",
	} {
		got := w.tool(ada, "keeper", args)
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", args, got)
		}
		if strings.Contains(got, w.dir) {
			t.Errorf("%s: the answer tells where the host is: %s", args, got)
		}
	}
	if content, err := os.ReadFile(filepath.Join(root, "s", "torn.json")); string(content) != `{"a":` {
		t.Errorf("what was torn is %s, %v", content, err)
	}
	// The answer is there although the audit and the log cannot be written, and the operator knows.
	for range 2 {
		if got := w.route(ada, "plain/r"); got != "200 here" {
			t.Error(got)
		}
	}
	if text := w.log.String(); !strings.Contains(text, "an access cannot be written to the audit log") {
		t.Errorf("the operator is not told: %s", text)
	}
}
