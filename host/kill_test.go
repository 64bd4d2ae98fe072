package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/internal/image"
)

// The tests below kill hosts. Such a host is in this test program, started again with its task in the environment and,
// as arguments, the folder of the project and that of the cache.
const taskVariable = "HOST_TEST_TASK"

const (
	killedCalls   = 500 // how many calls a host makes that nobody kills
	killedBatch   = 10  // how often a call writes to a record and to a log of lines
	killedRecords = 5
)

// writer is a package that writes, and can tell whether what it finds was written whole.
func writer() files {
	return files{
		"package.json":      pkg("writer", wasm),
		"tools/writer.json": tool("", ""),
		"src/tools/writer.ts": `
// A value that shows when it is torn or mixed.
const value = (n: number) => ({ n, fill: String.fromCharCode(97 + n % 26).repeat(n % 10 ? n % 100 : n % 5000), last: n });
const check = (v: any) => JSON.stringify(v) === JSON.stringify(value(v.n)) ? v.n : 'torn';

export default async function (args: any, ctx: any): Promise<any> {
  const items = ctx.data.fileStore('items');
  const lines = ctx.data.jsonlAppender({ maxBytes: 200_000, keep: 1000 });
  switch (args.do) {
    case 'write': {
      let next: any;
      for (let i = 0; i < args.times; i++) {
        next = await items.update(args.id, (old: any) => value((old?.n ?? 0) + 1));
        await lines.append('lines', value(args.line + i));
      }
      ctx.logger.info('wrote', { id: args.id, n: next.n });
      return next.n;
    }
    case 'count': {
      for (let i = 0; i < args.times; i++) {
        await items.update('count', (old: any) => (old ?? 0) + 1);
        await lines.append('counted', { by: args.by, i: args.line + i });
      }
      return 'counted';
    }
    case 'read': return check(await items.get(args.id) ?? value(0));
    case 'lines': return JSON.stringify((await lines.readNewest('lines', args.count)).map(check).reverse());
    case 'counts': return JSON.stringify([await items.get('count'), (await lines.readNewest('counted', 1e6)).length]);
  }
}`,
	}
}

// openAt opens a host of a project for a task, as another process does.
func openAt(project, cache string) (*host.Host, error) {
	c, err := config.Default(project)
	if err != nil {
		return nil, err
	}
	unlimited := 0
	c.Limits.Untrusted.ToolsPerMinute = &unlimited
	module, err := os.ReadFile(filepath.Join(project, "_packages", "writer", "dist", "package.wasm"))
	if err != nil {
		return nil, err
	}
	meta, err := image.ReadMeta(module)
	if err != nil {
		return nil, err
	}
	return host.Open(context.Background(), host.Options{Config: c, CacheDir: cache, VolatileData: true, Cores: []image.Core{{Hash: meta.Core, Interrupt: meta.Interrupt}}})
}

func ask(h *host.Host, format string, arguments ...any) (string, error) {
	r := h.CallTool(context.Background(), ada, "writer", json.RawMessage(fmt.Sprintf(format, arguments...)))
	if r.Err != nil {
		return "", r.Err
	}
	return toolText(r), nil
}

// perform is what a started host does.
func perform(task string) int {
	if err := performTask(task, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func performTask(task, project, cache string) error {
	h, err := openAt(project, cache)
	if err != nil {
		return err
	}
	defer h.Close(context.Background())
	if by, ok := strings.CutPrefix(task, "count "); ok {
		for i := range 20 {
			if _, err := ask(h, `{"do":"count","times":%d,"by":%q,"line":%d}`, killedBatch, by, i*killedBatch); err != nil {
				return err
			}
		}
		return nil
	}
	newest, err := ask(h, `{"do":"lines","count":1}`)
	if err != nil {
		return err
	}
	line, _ := strconv.Atoi(strings.Trim(newest, "[]"))
	for i := range killedCalls {
		id := fmt.Sprint("r", i%killedRecords)
		n, err := ask(h, `{"do":"write","id":%q,"times":%d,"line":%d}`, id, killedBatch, line+1)
		if err != nil {
			return err
		}
		line += killedBatch
		fmt.Println(id, n, line) // the answer is there, so all of it must be
	}
	return nil
}

// start starts a host with a task.
func start(t *testing.T, task, project string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	command := exec.Command(program, project, shared.cache)
	command.Env = append(os.Environ(), taskVariable+"="+task)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() {
		if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		_ = command.Wait()
	})
	return command, bufio.NewScanner(output)
}

// A host is killed in the middle of its writes, again and again. The next one finds all that was answered, and nothing
// torn.
func TestKills(t *testing.T) {
	rounds := 4
	if testing.Short() {
		rounds = 2
	}
	w := newWorld(t, "", map[string]files{"_packages/writer": writer()})
	records, lines, writes := map[string]int{}, 0, 0 // what was answered
	for round := range rounds {
		random := rand.New(rand.NewPCG(uint64(round), 1))
		command, output := start(t, "write", w.dir)
		read := func() {
			var id string
			var n, line int
			// The last one may be torn itself.
			if _, err := fmt.Sscanf(output.Text(), "%s %d %d", &id, &n, &line); err == nil && n > records[id] && line > lines {
				records[id], lines = n, line
				writes += 2 * killedBatch
			}
		}
		for range 1 + random.IntN(killedCalls/5) {
			if !output.Scan() {
				t.Fatal("the host ended by itself")
			}
			read()
		}
		must(t, command.Process.Kill())
		for output.Scan() { // what it had answered before it was killed
			read()
		}
		_ = command.Wait()

		h, err := openAt(w.dir, shared.cache)
		must(t, err)
		for i := range killedRecords {
			id := fmt.Sprint("r", i)
			got, err := ask(h, `{"do":"read","id":%q}`, id)
			must(t, err)
			n, err := strconv.Atoi(got)
			if err != nil || n < records[id] || n > records[id]+killedBatch {
				t.Fatalf("round %d: the record %s is %s, and %d was answered", round, id, got, records[id])
			}
			records[id] = n
		}
		got, err := ask(h, `{"do":"lines","count":%d}`, 2*killedBatch)
		must(t, err)
		var numbers []int
		must(t, json.Unmarshal([]byte(got), &numbers)) // a word would say what was torn
		last := numbers[len(numbers)-1]
		if last < lines || last > lines+killedBatch {
			t.Fatalf("round %d: there are %d lines, and %d were answered", round, last, lines)
		}
		for i, n := range numbers {
			if n != last-len(numbers)+1+i {
				t.Fatalf("round %d: the last of %d lines are %v", round, last, numbers)
			}
		}
		lines = last
		must(t, h.Close(t.Context()))
		numbered(t, w.at("_data/packages/writer/lines"), lines)
		for _, pattern := range []string{"_data/packages/writer/lines*", "_data/logs/writer.jsonl*"} {
			paths, err := filepath.Glob(w.at(pattern))
			must(t, err)
			for _, path := range paths {
				linesParse(t, path)
			}
		}
	}
	t.Logf("%d writes were answered in %d lives", writes, rounds)
}

// numbered looks whether a file and its generations have the lines from 1 to last, each once.
func numbered(t *testing.T, path string, last int) {
	t.Helper()
	next := 1
	generations, err := filepath.Glob(path + ".*")
	must(t, err)
	for i := len(generations); i >= 0; i-- {
		name := path
		if i > 0 {
			name = fmt.Sprint(path, ".", i)
		}
		text, err := os.ReadFile(name)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			var v struct{ N int }
			if strings.HasSuffix(line, "(torn)\n") || !strings.HasSuffix(line, "\n") {
				continue
			}
			if err := json.Unmarshal([]byte(line), &v); err != nil || v.N != next {
				t.Fatalf("%s: line %d is %.100q", name, next, line)
			}
			next++
		}
	}
	if next != last+1 {
		t.Fatalf("%s has %d lines, and not %d", path, next-1, last)
	}
}

// linesParse looks whether the lines of a file are JSON, but for those that say that they are not whole.
func linesParse(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasSuffix(line, "\n") && !strings.HasSuffix(line, "(torn)\n") && !json.Valid([]byte(line)) {
			t.Fatalf("%s: %.200q", path, line)
		}
	}
}

// Two hosts on one dataDir, each in its process, and a third one here: no update is lost.
func TestHostsOnOneDataDir(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/writer": writer()})
	var all sync.WaitGroup
	for _, by := range []string{"first", "second"} {
		command, output := start(t, "count "+by, w.dir)
		all.Go(func() {
			for output.Scan() {
			}
			if err := command.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	h, err := openAt(w.dir, shared.cache)
	must(t, err)
	for i := range 20 {
		if _, err := ask(h, `{"do":"count","times":%d,"by":"third","line":%d}`, killedBatch, i*killedBatch); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	got, err := ask(h, `{"do":"counts"}`)
	must(t, err)
	if want := fmt.Sprintf("[%d,%d]", 3*20*killedBatch, 3*20*killedBatch); got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
	text, err := os.ReadFile(w.at("_data/packages/writer/counted"))
	must(t, err)
	next := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var v struct {
			By string
			I  int
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil || v.I != next[v.By] {
			t.Fatalf("%s: the next one of %s is %d, %v", line, v.By, next[v.By], err)
		}
		next[v.By]++
	}
	must(t, h.Close(t.Context()))
}
