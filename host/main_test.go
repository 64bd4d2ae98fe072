package host_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/manifest"
)

// What the tests share: a builder, the cache of machine code, and packages that are built already.
var shared struct {
	builder *build.Builder
	cache   string
	core    image.Core

	mu    sync.Mutex
	built map[string]string // folders, by what is in them
}

func TestMain(m *testing.M) {
	if task := os.Getenv(taskVariable); task != "" {
		os.Exit(perform(task))
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "neuralis-host-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		shared.cache, shared.built = dir, map[string]string{}
		shared.builder = build.New(build.Options{CacheDir: dir})
		defer shared.builder.Close(context.Background())
		return m.Run()
	}())
}

// files are the texts of files by their slash-separated paths.
type files map[string]string

func (f files) write(dir string) error {
	for name, text := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pkg is a package.json with further members of the manifest.
func pkg(id, more string) string {
	return fmt.Sprintf(`{"name":"@acme/%s","version":"1.0.0","neuralis":{"id":%q%s}}`, id, id, more)
}

const wasm = `,"runtime":{"type":"wasm"}`

// tool is a tool file with a schema of its arguments and further members of x-neuralis.
func tool(schema, extension string) string {
	if schema != "" {
		schema += ","
	}
	if extension != "" {
		extension += ","
	}
	return `{"description":"A tool","type":"object",` + schema + `"x-neuralis":{` + extension + `"annotations":{"category":"read"}}}`
}

// says is a package with one tool, of the package's name, that answers a text. It has come without its sources, so that
// the same module does for all of them.
func says(id, text string) files {
	return files{
		"package.json":          strings.Replace(pkg(id, wasm), "1.0.0", "1.0.0+"+hex.EncodeToString([]byte(text)), 1),
		"tools/" + id + ".json": saying(text, false, ""),
	}
}

// waits is the same, but the tool logs "waiting" before it answers.
func waits(id, text string) files {
	f := says(id, text)
	f["tools/"+id+".json"] = saying(text, true, "")
	return f
}

// wholeTool is a package that says makes, with its sources, for those that have more of them.
func wholeTool(id, text string) files {
	return files{
		"package.json":            pkg(id, wasm),
		"tools/" + id + ".json":   tool("", ""),
		"src/tools/" + id + ".ts": fmt.Sprintf("export default () => %q;", text),
	}
}

func saying(text string, waits bool, more string) string {
	return tool(fmt.Sprintf(`"properties":{"text":{"default":%q},"waits":{"default":%t}}`, text, waits)+more, "")
}

// sayers are the names that such a tool can have.
var sayers = []string{"a", "b", "c", "core", "drop", "good", "helper", "n", "notes", "plain", "shop", "garbage"}

// sayer is the package whose module does for all.
func sayer() files {
	f := files{"package.json": pkg("sayer", wasm)}
	for _, name := range sayers {
		f["tools/"+name+".json"] = tool("", "")
		f["src/tools/"+name+".ts"] = "export { default } from '../say.ts';"
	}
	f["src/say.ts"] = "export default (args: any, ctx: any) => { if (args.waits) ctx.logger.info('waiting'); return args.text; };"
	return f
}

// builtPackage returns a folder with a package and what building makes of it.
func builtPackage(t testing.TB, f files) string {
	t.Helper()
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(sum, "%q%q", name, f[name])
	}
	key := hex.EncodeToString(sum.Sum(nil)[:8])
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if dir, ok := shared.built[key]; ok {
		return dir
	}
	dir := filepath.Join(shared.cache, "built", key)
	must(t, f.write(dir))
	if p, diags := manifest.Load(dir); p != nil && p.Runtime == manifest.RuntimeWASM && !diags.HasErrors() {
		if _, diags = shared.builder.Build(context.Background(), p); diags.HasErrors() {
			t.Fatal(diags)
		}
	}
	if module, err := os.ReadFile(filepath.Join(dir, "dist", "package.wasm")); err == nil && shared.core.Hash == "" {
		meta, err := image.ReadMeta(module)
		must(t, err)
		shared.core = image.Core{Hash: meta.Core, Interrupt: meta.Interrupt}
	}
	shared.built[key] = dir
	return dir
}

// put builds a package and lets it take the place of what is in a folder.
func put(t testing.TB, dir string, f files) {
	t.Helper()
	must(t, os.RemoveAll(dir))
	must(t, os.MkdirAll(filepath.Dir(dir), 0o755))
	var tools []string
	sources := false
	for name := range f {
		if folder, tool := filepath.Split(name); folder == "tools/" {
			tools = append(tools, strings.TrimSuffix(tool, ".json"))
		}
		sources = sources || strings.HasPrefix(name, "src/")
	}
	if !sources && len(tools) == 1 && slices.Contains(sayers, tools[0]) && strings.Contains(f["package.json"], wasm) {
		must(t, f.write(dir))
		must(t, os.CopyFS(filepath.Join(dir, "dist"), os.DirFS(filepath.Join(builtPackage(t, sayer()), "dist"))))
		return
	}
	must(t, os.CopyFS(dir, os.DirFS(builtPackage(t, f))))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a host with its surroundings.
type world struct {
	testing.TB
	*host.Host
	dir     string // the project, with a config as it is in config
	config  string
	env     map[string]string
	options host.Options

	log text // the operator's

	mu       sync.Mutex
	lines    []logs.Line
	observed []dispatch.Observation
}

// text is written to by many.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// newWorld makes a project of packages, which are named by their folders: _packages/x, builtin/x and so on. The config
// is the text of a neuralis.host.json. The host is open only when open is called.
func newWorld(t testing.TB, configText string, packages map[string]files) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := &world{TB: t, dir: dir, config: configText, env: map[string]string{}}
	for at, f := range packages {
		put(t, w.at(at), f)
	}
	w.options = host.Options{
		CacheDir: shared.cache, VolatileData: true,
		Log: slog.New(slog.NewTextHandler(&w.log, nil)),
		LookupEnv: func(name string) (string, bool) {
			value, ok := w.env[name]
			return value, ok
		},
		PackageLog: func(line logs.Line) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.lines = append(w.lines, line)
		},
		Observe: func(o dispatch.Observation) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.observed = append(w.observed, o)
		},
	}
	return w
}

// open opens the host, which is closed when the test ends.
func (w *world) open() *world {
	w.Helper()
	w.options.Config = w.load(w.config)
	if shared.core.Hash != "" {
		w.options.Cores = []image.Core{shared.core}
	}
	h, err := host.Open(w.Context(), w.options)
	must(w, err)
	w.Host = h
	w.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			w.Error(err)
		}
	})
	return w
}

// load reads the text of a config.
func (w *world) load(configText string) *config.Config {
	w.Helper()
	if configText == "" {
		configText = "{}"
	}
	c, diags := config.Parse(config.File, []byte(configText), w.dir)
	if c == nil {
		w.Fatal(diags)
	}
	return c
}

// at is a path in the project.
func (w *world) at(path string) string { return filepath.Join(w.dir, filepath.FromSlash(path)) }

// rescan looks again and says what has changed.
func (w *world) rescan() string {
	w.Helper()
	changes, err := w.Rescan(w.Context())
	must(w, err)
	return changed(changes)
}

func changed(c host.Changes) string {
	var words []string
	for what, keys := range map[string][]string{"+": c.Added, "-": c.Removed, "~": c.Changed} {
		for _, key := range keys {
			words = append(words, what+key)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// The people that tests call as.
var (
	ada = session.Session{UserID: "ada", ProjectID: "p"}
	eve = session.Session{UserID: "eve", ProjectID: "p"}
)

// tool calls a tool and returns the text of the answer, or the code and the message of an error.
func (w *world) tool(who session.Session, name, args string) string {
	return toolText(w.CallTool(context.Background(), who, name, json.RawMessage(args)))
}

func toolText(r dispatch.Result) string {
	if r.Err != nil {
		return string(r.Err.Code) + ": " + r.Err.Message
	}
	var all []string
	for _, raw := range r.Content {
		var block struct{ Text string }
		_ = json.Unmarshal(raw, &block)
		all = append(all, block.Text)
	}
	return strings.Join(all, "\n")
}

// route sends a GET and returns the status and the body.
func (w *world) route(who session.Session, path string) string {
	r := w.CallRoute(context.Background(), who, dispatch.Request{Method: "GET", Path: path})
	return fmt.Sprintf("%d %s", r.Status, r.Body)
}

// kept are the lines that packages logged: level, message and fields.
func (w *world) kept() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, line := range w.lines {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", line.Level, line.Message, line.Fields)))
	}
	return all
}

// everything is the text of all files below a folder.
func everything(t testing.TB, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s\n%s\n", path, content)
		return err
	})
	must(t, err)
	return all.String()
}

// gate holds calls whose package logs a message, until they are let go on.
type gate struct {
	message string
	entered chan struct{} // gets a token for each call that waits
	let     chan struct{} // closed when they may go on
}

// gate makes calls wait that log a message. It must be there before the host is opened.
func (w *world) gate(message string) *gate {
	g := &gate{message, make(chan struct{}, 100), make(chan struct{})}
	note := w.options.PackageLog
	w.options.PackageLog = func(line logs.Line) {
		note(line)
		if line.Message == message {
			g.entered <- struct{}{}
			<-g.let
		}
	}
	return g
}
