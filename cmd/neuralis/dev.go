package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/devserver"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/httpapi"
)

// defaultPort is where `neuralis dev` listens unless something else does; portsTried are how many it tries from there on.
const (
	defaultPort = 7878
	portsTried  = 100
)

type devOptions struct {
	*globals
	Folder   string
	Config   string
	As       string
	Host     string
	Port     int
	Names    []string
	Origins  []string
	Trust    string
	Poll     bool
	Interval time.Duration
	Stdio    bool
	Open     bool

	strict bool // a port was asked for
}

func newDevCommand(g *globals) *cobra.Command {
	opts := &devOptions{globals: g}
	cmd := &cobra.Command{
		Use:   "dev [dir]",
		Short: "Build on save, and serve tools and routes while you work",
		Long: `Watch a package, or all packages of a project, build what you save and serve it:
tools to MCP clients at /mcp, routes and calls at /api. What you see is what runs in
production: the same host, gates and limits.

A save that is broken takes nothing away: the last good version goes on, and what
is wrong is shown until a save is good again.

Whoever asks is an owner with all features, unless --as or the header X-Neuralis-As
says otherwise.`,
		Example: `  neuralis dev
  neuralis dev shop --as member
  neuralis dev --as role=member,user=ada,feature=catalog.read
  neuralis dev --stdio`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.Folder = args[0]
			}
			opts.strict = cmd.Flags().Changed("port")
			return runDev(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Config, "config", "", "the host's config `file` (default: the nearest neuralis.host.json, here or above)")
	flags.StringVar(&opts.As, "as", "", "`who` asks: a role, or role=…,user=…,feature=…,project=…,agent=…")
	flags.StringVar(&opts.Host, "host", "127.0.0.1", "`address` to listen at; others than this machine's ask for a token, which is printed")
	flags.IntVarP(&opts.Port, "port", "p", defaultPort, "`port` to listen at; without it, the next one that is free")
	flags.StringSliceVar(&opts.Names, "name", nil, "a `name` under which the server may be asked, besides localhost; can be repeated")
	flags.StringSliceVar(&opts.Origins, "origin", nil, "an `origin` whose pages may read what is answered, such as http://localhost:5173; can be repeated")
	flags.StringVar(&opts.Trust, "trust", "", "`tier` of a package that is in no project: untrusted (default) or trusted")
	flags.BoolVar(&opts.Poll, "poll", false, "look at files again and again instead of waiting for notifications")
	flags.DurationVar(&opts.Interval, "poll-interval", 0, "how often to look (default 500ms)")
	flags.BoolVar(&opts.Stdio, "stdio", false, "speak MCP on standard input and output, and listen nowhere")
	flags.BoolVar(&opts.Open, "open", false, "open the catalog in a browser")
	_ = cmd.MarkFlagFilename("config", "json")
	_ = cmd.RegisterFlagCompletionFunc("trust", cobra.FixedCompletions([]string{"untrusted", "trusted"}, cobra.ShellCompDirectiveNoFileComp))
	bindJSON(cmd, g)
	cmd.Flags().Lookup("json").Usage = "print each event as a line of JSON"
	return cmd
}

func runDev(ctx context.Context, o *devOptions) error {
	identity, err := devserver.ParseIdentity(o.As)
	if err != nil {
		return usagef("--as %s: %w", o.As, err)
	}
	dir := o.Path(o.Folder)
	if o.Folder == "" {
		dir = o.packageAbove()
	}
	at, err := o.findPlace(dir, o.Config)
	if err != nil {
		return err
	}
	at.forgetTokens() // who asks says so in a header
	single, err := o.single(at, dir)
	if err != nil {
		return err
	}
	listener, err := o.listen()
	if err != nil {
		return err
	}
	if listener != nil {
		defer listener.Close()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	events := devserver.NewEvents(nil)
	screen := newDevScreen(o.IO, events, o.JSON, o.Stdio)
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		screen.run()
	}()
	end := func() {
		screen.stop()
		<-shown
	}
	server, err := devserver.New(ctx, devserver.Options{
		Config: at.Config, ConfigFile: at.File, Packages: single, Identity: identity, Events: events,
		LoadConfig: func() (*config.Config, error) {
			again, err := o.configured(at.File)
			if err != nil {
				return nil, err
			}
			again.forgetTokens()
			return again.Config, nil
		},
		Toolchain: readVersion().Version, CacheDir: o.cacheDir(), LookupEnv: o.IO.LookupEnv, Show: o.Show,
		OnColdStart: func() {
			events.Emit(devserver.Event{Kind: devserver.KindNotice, Level: "info", Message: "preparing the JavaScript engine for this machine; later starts find it in the cache"})
		},
		Log:  slog.New(slog.DiscardHandler),
		Poll: o.Poll, Interval: o.Interval,
	})
	if err != nil {
		end()
		return interrupted(ctx, err)
	}
	if o.Stdio {
		err = o.serveStdio(ctx, server)
	} else {
		err = o.serve(ctx, stop, server, listener, events, screen)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMoment)
	defer cancel()
	err = errors.Join(err, server.Close(closing))
	end()
	return err
}

// single is the package that is worked on where it is in no project.
func (o *devOptions) single(at *place, dir string) ([]string, error) {
	if at.File == "" {
		at.Config.Debug = true // an author wants to see what is logged
	}
	if !isPackage(dir) {
		if !at.Project {
			return nil, refusef("there is no package in %s, and no project: make one with %q", o.Show(dir), "neuralis new")
		}
		return nil, nil
	}
	if o.Trust != "" {
		id, err := packageID(dir)
		if err != nil {
			return nil, err
		}
		if err := at.trust(id, o.Trust); err != nil {
			return nil, err
		}
	}
	return []string{dir}, nil
}

// listen opens the port. Without one that was asked for it is the next one that is free.
func (o *devOptions) listen() (net.Listener, error) {
	if o.Stdio {
		return nil, nil
	}
	for port := o.Port; ; port++ {
		listener, err := net.Listen("tcp", net.JoinHostPort(o.Host, strconv.Itoa(port)))
		switch {
		case err == nil:
			if port != o.Port && !o.JSON {
				o.IO.Printf("Port %d is taken; this is at %d.\n", o.Port, port)
			}
			return listener, nil
		case o.strict || !errors.Is(err, syscall.EADDRINUSE) || port == o.Port+portsTried:
			return nil, refusef("cannot listen at port %d of %s: %w", port, o.Host, err)
		}
	}
}

// serve answers over HTTP until ctx ends or somebody quits.
func (o *devOptions) serve(ctx context.Context, stop func(), server *devserver.Server, listener net.Listener, events *devserver.Events, screen *devScreen) error {
	guard := devserver.Guard{Hosts: o.Names, Origins: o.Origins}
	if host, _, err := net.SplitHostPort(listener.Addr().String()); err == nil && !net.ParseIP(host).IsLoopback() {
		guard.Token = rand.Text()
		if name, err := os.Hostname(); err == nil {
			guard.Hosts = append(guard.Hosts, name)
		}
		guard.Hosts = append(guard.Hosts, o.Host)
		screen.warn(fmt.Sprintf("everybody who reaches this machine reaches this server. Requests need the header\n  Authorization: Bearer %s", guard.Token))
	}
	web := httpapi.Server(server.Handler(guard), nil)
	base, abandon := context.WithCancel(ctx)
	defer abandon()
	web.BaseContext = func(net.Listener) context.Context { return base }
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	address := reachable(listener)
	keys, restore := o.IO.Keys(ctx) // before anybody is told of them
	defer restore()
	events.Emit(devserver.Event{Kind: devserver.KindReady, URL: address})
	screen.ready(address, server)
	if o.Open {
		openBrowser(ctx, address+"/api/catalog")
	}
	looked := make(chan error, 1)
	go func() { looked <- server.Run(ctx) }()
	for {
		select {
		case key := <-keys:
			screen.key(ctx, key, address, server, stop)
		case err := <-failed:
			stop()
			<-looked
			return fmt.Errorf("serving HTTP: %w", err)
		case <-ctx.Done():
			<-looked
			// Streams are open for as long as a client likes: they end with base.
			abandon()
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMoment)
			defer cancel()
			if web.Shutdown(last) != nil {
				_ = web.Close()
			}
			return nil
		}
	}
}

// serveStdio speaks MCP on standard input and output until the client goes.
func (o *devOptions) serveStdio(ctx context.Context, server *devserver.Server) error {
	ctx, cancel := context.WithCancel(ctx)
	looked := make(chan error, 1)
	go func() { looked <- server.Run(ctx) }()
	err := server.ServeStdio(ctx, o.IO.In, o.IO.Out)
	cancel()
	return errors.Join(err, <-looked)
}

// reachable is the address of a server as a client on this machine asks for it.
func reachable(listener net.Listener) string {
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return "http://" + listener.Addr().String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
