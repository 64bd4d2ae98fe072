package devserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/internal/watch"
)

// Options are what a server works with. Config and Events are needed.
type Options struct {
	// Config is that of the project. ConfigFile is the file that it is from, which is watched; empty where there is none.
	Config     *config.Config
	ConfigFile string
	// LoadConfig reads the config again after ConfigFile has changed.
	LoadConfig func() (*config.Config, error)
	// Packages are single folders that are packages of the project; see [host.Options].
	Packages []string
	// Identity is who requests are made as that do not say it.
	Identity Identity
	// Events is told what happens.
	Events *Events

	// Toolchain is the version that packages are built with, and CacheDir where machine code is kept.
	Toolchain, CacheDir string
	// OnColdStart is called before the work that only a first run on a machine does.
	OnColdStart func()
	LookupEnv   func(name string) (value string, ok bool)
	// Log is the server's own log; nil discards.
	Log *slog.Logger
	// Show gives a path as the author would write it; nil leaves it as it is.
	Show func(path string) string
	// Poll has folders polled instead of waiting for notifications, at Interval; 0 is that of package watch.
	Poll     bool
	Interval time.Duration
}

// Server is a project with everything around it: it watches, builds and answers.
type Server struct {
	opts    Options
	host    *host.Host
	builder *build.Builder
	project *Project
	mcp     *mcpapi.Server
	watcher *watch.Watcher
	changes chan watch.Change
	done    chan struct{} // closed by Close
	closing sync.Once

	identities sync.Map // Identity by the key of a session, to find the session anew after a change
}

// New makes a server: packages are built that need to be, and what is there can be called. Run does the rest.
func New(ctx context.Context, opts Options) (s *Server, err error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	s = &Server{opts: opts, changes: make(chan watch.Change), done: make(chan struct{})}
	s.builder = build.New(build.Options{CacheDir: opts.CacheDir, Toolchain: opts.Toolchain, OnColdStart: opts.OnColdStart})
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(context.WithoutCancel(ctx)))
		}
	}()
	s.host, err = host.Open(ctx, host.Options{
		Config: opts.Config, Packages: opts.Packages, LookupEnv: opts.LookupEnv, CacheDir: opts.CacheDir, Log: opts.Log,
		Observe: s.called, PackageLog: s.logged,
	})
	if err != nil {
		return nil, err
	}
	s.mcp = mcpapi.New(mcpapi.Options{
		Host: s.host, Title: "Neuralis", Version: opts.Toolchain, Log: opts.Log, Regrant: s.regrant,
		AnyHost: true, Origins: anyOrigin(), // the guard has looked at both
	})
	s.project = NewProject(ProjectOptions{
		Host: s.host, Builder: s.builder, Events: opts.Events, Toolchain: opts.Toolchain, Show: opts.Show, Changed: s.mcp.Changed,
	})
	// What changes while packages are built for the first time is looked at again.
	if err = s.watch(); err != nil {
		return nil, err
	}
	if err = s.project.Refresh(ctx, nil); err != nil {
		return nil, err
	}
	if err = s.watcher.SetRoots(s.roots()); err != nil {
		return nil, err
	}
	s.host.Start(ctx)
	return s, nil
}

// Host is the host that answers.
func (s *Server) Host() *host.Host { return s.host }

// Project is what is built.
func (s *Server) Project() *Project { return s.project }

// ServeStdio speaks MCP with a client that writes to in and reads from out, until it goes or ctx ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.mcp.ServeStdio(ctx, s.sessionOf(s.opts.Identity), in, out)
}

// Rescan has everything looked at again.
func (s *Server) Rescan() { s.watcher.Look() }

// Run looks at changes until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case change := <-s.changes:
			if err := s.look(ctx, change); err != nil && ctx.Err() == nil {
				s.notice("error", err.Error())
			}
		}
	}
}

// look deals with a change.
func (s *Server) look(ctx context.Context, change watch.Change) error {
	if file := s.opts.ConfigFile; file != "" && (change.All || slices.Contains(change.Paths, file)) {
		s.reconfigure(ctx)
	}
	paths := change.Paths
	if change.All {
		paths = nil
	}
	if err := s.project.Refresh(ctx, paths); err != nil {
		return err
	}
	return s.watcher.SetRoots(s.roots())
}

// reconfigure takes the config as it is now, if it has changed and is right.
func (s *Server) reconfigure(ctx context.Context) {
	c, err := s.opts.LoadConfig()
	if err == nil {
		_, err = s.host.Reconfigure(ctx, c)
	}
	if err != nil {
		s.notice("error", "the config is not taken; the one before holds: "+err.Error())
		return
	}
	s.mcp.Changed()
}

// watch begins to watch.
func (s *Server) watch() (err error) {
	s.watcher, err = watch.New(watch.Options{
		Changed: func(change watch.Change) {
			select {
			case s.changes <- change:
			case <-s.done:
			}
		},
		Ignore: s.ignored,
		Poll:   s.opts.Poll, Interval: s.opts.Interval,
		Notice: func(message string) { s.notice("info", message) },
	})
	if err != nil {
		return err
	}
	return s.watcher.SetRoots(s.roots())
}

// roots are what is watched: where packages may come, where they are, and the config.
func (s *Server) roots() []string {
	c := s.host.Config()
	roots := slices.Concat([]string{filepath.Join(c.ProjectRoot, config.DropZone)}, s.opts.Packages, c.Builtins)
	for _, source := range c.Sources {
		roots = append(roots, source.Path)
	}
	if s.opts.ConfigFile != "" {
		roots = append(roots, s.opts.ConfigFile)
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// ignored reports whether a path is what builds and packages write.
func (s *Server) ignored(path string) bool {
	c := s.host.Config()
	return build.IsOutput(filepath.Base(path)) || within(path, c.DataDir) || within(path, c.GlobalDir)
}

func (s *Server) notice(level, message string) {
	s.opts.Events.Emit(Event{Kind: KindNotice, Level: level, Message: message})
}

func (s *Server) called(o dispatch.Observation) {
	s.opts.Events.Emit(Event{Kind: KindCalled, Package: o.Package, Target: o.Target, Code: string(o.Code), Milliseconds: float64(o.Duration.Microseconds()) / 1000})
}

func (s *Server) logged(line logs.Line) {
	text := line.Message
	if len(line.Fields) > 0 && string(line.Fields) != "{}" {
		text += " " + string(line.Fields)
	}
	s.opts.Events.Emit(Event{Kind: KindLogged, Package: line.Package, Level: string(line.Level), Message: text, Target: line.Call.Tool + line.Call.Route})
}

// sessionOf is the session of an identity.
func (s *Server) sessionOf(id Identity) session.Session {
	who := id.Session(s.host)
	s.identities.Store(keyOf(who), id)
	return who
}

// keyOf tells sessions apart.
func keyOf(who session.Session) string { return fmt.Sprintf("%+q", who) }

// regrant is the session that somebody has after a change.
func (s *Server) regrant(who session.Session) (session.Session, error) {
	id, ok := s.identities.Load(keyOf(who))
	if !ok {
		return session.Session{}, errors.New("nobody has the session any more")
	}
	return s.sessionOf(id.(Identity)), nil
}

// Close ends what runs.
func (s *Server) Close(ctx context.Context) error {
	s.closing.Do(func() { close(s.done) })
	var errs []error
	if s.watcher != nil {
		s.watcher.Close()
	}
	if s.mcp != nil {
		errs = append(errs, s.mcp.Close(ctx))
	}
	if s.project != nil {
		s.project.Close()
	}
	if s.host != nil {
		errs = append(errs, s.host.Close(ctx))
	}
	return errors.Join(append(errs, s.builder.Close(ctx))...)
}
