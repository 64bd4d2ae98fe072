package interop

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/npmci"
	"github.com/neuralis-dev/neuralis/manifest"
)

// clients is the folder of the npm packages.
const clients = "clients"

// What the tests share: a builder, and its cache.
var shared struct {
	builder *build.Builder
	cache   string
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "neuralis-mcp-test-")
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

// site is a host with examples/everything, and its endpoint on loopback.
type site struct {
	host   *host.Host
	server *mcpapi.Server
	dir    string // of the package
	url    string
}

func newSite(t *testing.T) *site {
	return newSiteOf(t, filepath.Join("..", "..", "..", "examples", "everything"), "*")
}

// newSiteOf is a host with one package, built from its sources. Who calls is whom the header X-Role says, or the owner, and
// has some features besides those of the role.
func newSiteOf(t *testing.T, sources string, features ...string) *site {
	t.Helper()
	id := filepath.Base(sources)
	project, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	s := &site{dir: filepath.Join(project, "_packages", id)}
	must(t, copySources(sources, s.dir))
	s.build(t)

	module, err := os.ReadFile(filepath.Join(s.dir, "dist", "package.wasm"))
	must(t, err)
	meta, err := image.ReadMeta(module)
	must(t, err)
	c, err := config.Default(project)
	must(t, err)
	c.Trust = map[string]trust.Tier{id: trust.Trusted} // with more time for calls, on machines that are busy
	s.host, err = host.Open(t.Context(), host.Options{
		Config: c, CacheDir: shared.cache, VolatileData: true, Cores: []image.Core{{Hash: meta.Core, Interrupt: meta.Interrupt}},
	})
	must(t, err)
	t.Cleanup(func() { must(t, s.host.Close(context.Background())) })
	who := func(role string) session.Session { return s.host.SessionAs(cmp.Or(role, "owner"), features...) }
	s.server = mcpapi.New(mcpapi.Options{Host: s.host, Version: "1.0.0", Regrant: func(before session.Session) (session.Session, error) {
		return who(before.Role), nil
	}})
	// The first call makes machine code of the module. None of the clients is to wait for that.
	for _, e := range s.host.Catalog().All() {
		if e.Package != nil && len(e.Package.Tools) > 0 {
			s.host.CallTool(t.Context(), who(""), e.Package.Tools[0].Name, nil)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.server.Handler(func(r *http.Request) (session.Session, error) { return who(r.Header.Get("X-Role")), nil }))
	loopback := httptest.NewServer(mux)
	t.Cleanup(func() {
		must(t, s.server.Close(context.Background()))
		loopback.Close()
	})
	s.url = loopback.URL + "/mcp"
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// build builds the package as it is in its folder.
func (s *site) build(t *testing.T) {
	t.Helper()
	pkg, diags := manifest.Load(s.dir)
	if !diags.HasErrors() {
		_, diags = shared.builder.Build(context.Background(), pkg)
	}
	if diags.HasErrors() {
		t.Fatal(diags)
	}
}

// copySources copies a package without what is generated.
func copySources(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "dist" || name == ".neuralis" || strings.HasPrefix(name, ".dist") {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}

// node is the Node.js that the clients run on, in an environment in which they find it too.
func node(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on the path")
	}
	err := npmci.Install(context.Background(), clients, t.Output())
	if errors.Is(err, npmci.ErrNoNPM) {
		t.Skip(err)
	}
	must(t, err)
	bin, err := filepath.Abs(filepath.Join(clients, "node_modules", "node", "bin"))
	must(t, err)
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "node"), args...)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+t.TempDir(), "NO_COLOR=1")
	return cmd
}
