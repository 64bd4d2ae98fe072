package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/httpapi"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/metrics"
	"github.com/neuralis-dev/neuralis/host/openapi"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

type serveOptions struct {
	*globals
	Folder string
	Config string
	Listen string
	Form   string // of the log: text or json
}

func newServeCommand(g *globals) *cobra.Command {
	opts := &serveOptions{globals: g}
	cmd := &cobra.Command{
		Use:   "serve [dir]",
		Short: "Run the production host of a project",
		Long: `Answer calls of the tools and routes of a project's packages over HTTP. The folder
has the host's config, neuralis.host.json, with the users who may call; see
"neuralis schema host".

Packages are served as they are built: serve builds nothing. SIGHUP reads the config
and looks for packages again; calls in flight go on with what they began with. SIGINT
and SIGTERM let calls in flight finish before the host stops.`,
		Example: `  neuralis serve
  neuralis serve /srv/shop --listen 127.0.0.1:0 --log json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.Folder = args[0]
			}
			return runServe(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Config, "config", "", "the host's config `file` (default: "+config.File+" in the folder)")
	flags.StringVar(&opts.Listen, "listen", "", "`address` to listen at, as host:port, instead of the config's; port 0 is any that is free")
	flags.StringVar(&opts.Form, "log", "text", "`form` of the log on standard error: text or json")
	_ = cmd.MarkFlagFilename("config", "json")
	_ = cmd.RegisterFlagCompletionFunc("log", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// server is a host that is reached over HTTP.
type server struct {
	*serveOptions
	*host.Host
	file     string // of the config
	log      *slog.Logger
	mcp      *mcpapi.Server
	started  atomic.Bool // packages have been told that the host works
	stopping atomic.Bool
}

func runServe(ctx context.Context, o *serveOptions) error {
	log, err := newLog(o.IO.Err, o.Form)
	if err != nil {
		return err
	}
	s := &server{serveOptions: o, log: log, file: filepath.Join(o.Path(o.Folder), config.File)}
	if o.Config != "" {
		s.file = o.Path(o.Config)
	}
	c, err := s.load()
	if err != nil {
		return err
	}
	// A signal while the host starts waits in the channel.
	reload, done := hangups()
	defer done()
	counted := metrics.New(metrics.Options{Version: readVersion().Version, Catalog: s.found, Packages: s.states, Log: log})
	listener, err := net.Listen("tcp", c.HTTP.Listen)
	if err != nil {
		return refusef("cannot listen at %s: %w", c.HTTP.Listen, err)
	}
	defer listener.Close()
	s.Host, err = host.Open(ctx, host.Options{
		Config: c, LookupEnv: o.IO.LookupEnv, Log: log, CacheDir: o.cacheDir(), Observe: counted.Observe,
	})
	if err != nil {
		return interrupted(ctx, &refusal{err})
	}
	s.mcp = mcpapi.New(mcpapi.Options{
		Host: s.Host, Title: "Neuralis", Version: readVersion().Version, Log: log, MaxBodyBytes: int64(c.HTTP.MaxBodyBytes),
		Regrant: func(who session.Session) (session.Session, error) { return s.Session(who.UserID) },
		AnyHost: true, // a reverse proxy has a name of its own
	})
	handler := httpapi.New(httpapi.Options{
		Host: s, Log: log, MaxBodyBytes: int64(c.HTTP.MaxBodyBytes), Metrics: counted.Handler(), Track: counted.Request,
		Mounts: map[string]http.Handler{
			"/mcp": s.mcp.Handler(func(r *http.Request) (session.Session, error) { return httpapi.Caller(r.Context()), nil }),
			"/api/openapi.json": httpapi.OpenAPI(s, openapi.Options{
				Title: "Neuralis host", Version: readVersion().Version, Tokens: true,
			}),
		},
	})
	return s.run(ctx, c, listener, handler, reload)
}

// Ready implements httpapi.Host.
func (s *server) Ready() error {
	switch {
	case s.stopping.Load():
		return errors.New("the host is stopping")
	case !s.started.Load():
		return errors.New("the host is starting")
	}
	return s.Host.Ready()
}

// Rescan implements httpapi.Host.
func (s *server) Rescan(ctx context.Context) error {
	changes, err := s.Host.Rescan(ctx)
	if err == nil {
		s.tell("looked for packages", changes)
	}
	return err
}

// tell tells the operator, and MCP clients, of changes.
func (s *server) tell(what string, changes host.Changes) {
	s.log.Info(what, "added", changes.Added, "removed", changes.Removed, "changed", changes.Changed)
	s.mcp.Changed()
}

// found is what there is, for metrics.
func (s *server) found() *catalog.Catalog {
	if s.Host == nil {
		return nil
	}
	return s.Catalog()
}

// states is how the packages are, for metrics.
func (s *server) states() []metrics.PackageState {
	if s.Host == nil {
		return nil
	}
	var all []metrics.PackageState
	for _, state := range s.States() {
		all = append(all, metrics.PackageState(state))
	}
	return all
}

// run answers until ctx ends, and then until the calls in flight have ended.
func (s *server) run(ctx context.Context, c *config.Config, listener net.Listener, handler http.Handler, reload <-chan os.Signal) error {
	// Calls go on when ctx ends; what ends them is that they had their time.
	base, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	web := httpapi.Server(handler, s.log)
	web.BaseContext = func(net.Listener) context.Context { return base }
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	// Packages take the time that they take to start. The process lives meanwhile, and says that it is not ready.
	started := make(chan struct{})
	go func() {
		defer close(started)
		s.Start(ctx)
	}()
	for {
		select {
		case <-started:
			started = nil
			s.started.Store(true)
			s.log.Info("serving", "address", "http://"+listener.Addr().String(), "project", c.ProjectID, "packages", len(s.States()))
		case <-reload:
			s.reload(ctx)
		case err := <-failed:
			return errors.Join(fmt.Errorf("serving HTTP: %w", err), s.Host.Close(context.WithoutCancel(ctx)))
		case <-ctx.Done():
			return s.shutdown(context.WithoutCancel(ctx), web, abandon)
		}
	}
}

// lastMoment is how long calls that are ended may take to notice.
const lastMoment = 10 * time.Second

// shutdown lets calls in flight finish within the time that the config gives them, and ends those that have not.
func (s *server) shutdown(ctx context.Context, web *http.Server, abandon func()) error {
	s.stopping.Store(true)
	limit := time.Duration(s.Host.Config().HTTP.ShutdownMS) * time.Millisecond
	s.log.Info("stopping: calls in flight may finish", "within", limit.String())
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// MCP clients hold streams open for as long as they are connected.
	mcpDone := make(chan error, 1)
	go func() { mcpDone <- s.mcp.Close(timed) }()
	err := errors.Join(web.Shutdown(timed), <-mcpDone)
	if err != nil {
		s.log.Warn("some calls took too long and are ended", "error", err)
		abandon()
		_ = web.Close()
	}
	last, cancelLast := context.WithTimeout(ctx, lastMoment)
	defer cancelLast()
	if err := s.Host.Close(last); err != nil {
		return err
	}
	s.log.Info("stopped")
	return nil
}

// load reads the config.
func (s *server) load() (*config.Config, error) {
	if _, err := os.Stat(s.file); errors.Is(err, os.ErrNotExist) {
		return nil, refusef("there is no %s: it says who may call, and without users nobody may; docs/operators.md has one to begin with", s.Show(s.file))
	}
	c, diags := config.Load(s.file)
	if c == nil {
		return nil, s.shownAs(diags, s.file)
	}
	if len(diags) > 0 {
		s.show(s.shownAs(diags, s.file))
	}
	if s.Listen != "" {
		c.HTTP.Listen = s.Listen
	}
	return c, nil
}

// reload takes the config as it is now and looks for packages. If the config has faults, all stays as it was.
func (s *server) reload(ctx context.Context) {
	c, err := s.load()
	var changes host.Changes
	if err == nil {
		changes, err = s.Reconfigure(ctx, c)
	}
	var diags manifest.Diagnostics
	switch {
	case errors.As(err, &diags):
		s.show(diags)
		s.log.Error("the config has faults and is not taken; the one before holds", "file", s.Show(s.file), "faults", len(diags))
	case err != nil:
		s.log.Error("the config is not taken; the one before holds", "error", err)
	default:
		s.tell("reloaded", changes)
	}
}

// show tells of faults of the config: to people with the lines they are in, to programs as lines of the log.
func (s *server) show(diags manifest.Diagnostics) {
	if s.Form == "text" {
		terminal.PrintDiagnostics(s.IO, diags)
		return
	}
	for _, d := range diags {
		level := slog.LevelWarn
		if d.Severity == manifest.SeverityError {
			level = slog.LevelError
		}
		s.log.Log(context.Background(), level, "the config: "+d.Message, "rule", d.Rule, "file", d.File, "line", d.Line, "column", d.Column, "hint", d.Hint)
	}
}

// newLog makes the operator's log.
func newLog(out io.Writer, form string) (*slog.Logger, error) {
	switch form {
	case "text":
		return slog.New(slog.NewTextHandler(out, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, nil)), nil
	}
	return nil, usagef("--log %q: use text or json", form)
}
