package devserver

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/config"
)

var shared struct {
	cache   string
	builder *build.Builder
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "neuralis-devserver-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		shared.cache = dir
		shared.builder = build.New(build.Options{CacheDir: dir})
		defer shared.builder.Close(context.Background())
		return m.Run()
	}())
}

// desk is a project that somebody works on.
type desk struct {
	testing.TB
	dir     string
	host    *host.Host
	project *Project
	events  *Events
	changed int
}

func newDesk(t testing.TB, files map[string]string) *desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{TB: t, dir: dir, events: NewEvents(nil)}
	d.put(files)
	c, err := config.Default(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d.host, err = host.Open(t.Context(), host.Options{Config: c, CacheDir: shared.cache, VolatileData: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.host.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	d.project = NewProject(ProjectOptions{Host: d.host, Builder: shared.builder, Events: d.events, Changed: func() { d.changed++ },
		Show: func(dir string) string { return filepath.Base(dir) }})
	t.Cleanup(d.project.Close)
	return d
}

// put writes files; one without text is removed.
func (d *desk) put(files map[string]string) {
	d.Helper()
	for name, text := range files {
		path := filepath.Join(d.dir, filepath.FromSlash(name))
		if text == "" {
			// A build may be writing types into a folder that goes.
			err := os.RemoveAll(path)
			for tries := 0; err != nil && tries < 1000; tries++ {
				err = os.RemoveAll(path)
			}
			if err != nil {
				d.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			d.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			d.Fatal(err)
		}
	}
}

// save writes files and looks at what became of them, and returns the kinds of the events.
func (d *desk) save(files map[string]string, paths ...string) string {
	d.Helper()
	last := d.events.Last()
	d.put(files)
	for i, path := range paths {
		paths[i] = filepath.Join(d.dir, filepath.FromSlash(path))
	}
	if err := d.project.Refresh(d.Context(), paths); err != nil {
		d.Fatal(err)
	}
	missed, _, stop := d.events.Subscribe(last)
	stop()
	var kinds []string
	for _, e := range missed {
		kinds = append(kinds, string(e.Kind)+" "+e.Package+strings.Join(slices.Concat(e.Added, e.Removed, e.Changed), "+"))
	}
	return strings.Join(kinds, ", ")
}

func (d *desk) call(tool string) string {
	d.Helper()
	r := d.host.CallTool(d.Context(), d.host.SessionAs("owner", "*"), tool, nil)
	if r.Err != nil {
		return string(r.Err.Code)
	}
	var block struct{ Text string }
	if err := json.Unmarshal(r.Content[0], &block); err != nil {
		d.Fatal(err)
	}
	return block.Text
}

const wasmPackage = `{"name":"shop","version":"1.0.0","neuralis":{"runtime":{"type":"wasm"}}}`

// sequence is the text of a tool that answers with a text.
func answering(text string) string { return "export default () => '" + text + "';" }

func TestSaves(t *testing.T) {
	d := newDesk(t, map[string]string{
		"_packages/shop/package.json":   wasmPackage,
		"_packages/shop/src/tools/a.ts": answering("one"),
	})
	steps := []struct {
		name   string
		files  map[string]string
		paths  []string
		events string
		tool   string
		answer string
	}{
		{"the first look", nil, nil, "built shop, changed shop", "a", "one"},
		{"nothing", nil, nil, "", "a", "one"},
		{"a save", map[string]string{"_packages/shop/src/tools/a.ts": answering("two")}, []string{"_packages/shop/src/tools/a.ts"}, "built shop, changed shop", "a", "two"},
		{"a broken save", map[string]string{"_packages/shop/src/tools/a.ts": "export default ("}, []string{"_packages/shop"}, "broken shop", "a", "two"},
		{"the same again", nil, []string{"_packages/shop"}, "broken shop", "a", "two"},
		{"as it was", map[string]string{"_packages/shop/src/tools/a.ts": answering("two")}, []string{"_packages/shop"}, "built shop", "a", "two"},
		{"a broken manifest", map[string]string{"_packages/shop/package.json": "{"}, []string{"_packages/shop"}, "broken shop", "a", "two"},
		{"code meanwhile", map[string]string{"_packages/shop/src/tools/a.ts": answering("three")}, []string{"_packages/shop"}, "broken shop", "a", "two"},
		{"mended", map[string]string{"_packages/shop/package.json": wasmPackage}, []string{"_packages/shop"}, "built shop, changed shop", "a", "three"},
		{"a schema", map[string]string{"_packages/shop/tools/a.json": `{"type":"object","required":["x"],"properties":{"x":{}},"x-neuralis":{"annotations":{"category":"read"}}}`},
			[]string{"_packages/shop/tools/a.json"}, "changed shop", "a", "invalid-arguments"},
		{"a broken schema", map[string]string{"_packages/shop/tools/a.json": `{"type":`}, []string{"_packages/shop/tools/a.json"}, "broken shop", "a", "invalid-arguments"},
		{"no schema", map[string]string{"_packages/shop/tools/a.json": ""}, []string{"_packages/shop/tools"}, "mended shop, changed shop", "a", "three"},
		{"another tool", map[string]string{"_packages/shop/src/tools/b.ts": answering("b")}, []string{"_packages/shop/src"}, "built shop, changed shop", "b", "b"},
		{"a tool less", map[string]string{"_packages/shop/src/tools/a.ts": ""}, []string{"_packages/shop/src"}, "built shop, changed shop", "a", "unknown-tool"},
		{"another package", map[string]string{"_packages/two/package.json": strings.ReplaceAll(wasmPackage, "shop", "two"), "_packages/two/src/tools/c.ts": answering("c")},
			[]string{"_packages/two"}, "changed two, built two, changed two", "c", "c"},
		{"that is renamed", map[string]string{"_packages/two/package.json": strings.ReplaceAll(wasmPackage, "shop", "zwei")}, nil, "built zwei, changed zwei+two", "c", "c"},
		{"a skill", map[string]string{"_packages/two/skills/s/SKILL.md": "---\nname: s\ndescription: does s\n---\nDo s."}, []string{"_packages/two/skills/s/SKILL.md"}, "changed zwei", "c", "c"},
		{"a file that no code reads", map[string]string{"_packages/two/dev.log": "x"}, []string{"_packages/two/dev.log"}, "", "c", "c"},
		{"a package less", map[string]string{"_packages/two": ""}, nil, "changed zwei", "c", "unknown-tool"},
	}
	for _, step := range steps {
		if got := d.save(step.files, step.paths...); got != step.events {
			t.Errorf("%s: the events are %q, not %q", step.name, got, step.events)
		}
		if got := d.call(step.tool); got != step.answer {
			t.Errorf("%s: %s answers %q, not %q", step.name, step.tool, got, step.answer)
		}
	}
	if problems := d.project.Problems(); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
}
