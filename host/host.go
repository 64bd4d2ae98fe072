package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neuralis-dev/neuralis/host/audit"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/credentials"
	"github.com/neuralis-dev/neuralis/host/data"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Options are what a host works with. Config is needed.
type Options struct {
	// Config is the operator's.
	Config *config.Config
	// Packages are single folders that are packages of the project, besides those that the config leads to.
	Packages []string

	// LookupEnv reads the environment, as os.LookupEnv does: for tokens of users, and for settings of packages that name
	// a variable. Without it, the environment is empty.
	LookupEnv func(name string) (value string, ok bool)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log is the operator's log; nil discards.
	Log *slog.Logger
	// PackageLog is told of each line that a package logs and that is kept, as it is kept; nil for nobody. The call that
	// logs waits for it. It may be called from several goroutines at once, and must not change or close the host.
	PackageLog func(logs.Line)
	// Observe is told of each call, for metrics; nil for nobody.
	Observe func(dispatch.Observation)

	// CacheDir is where machine code is kept between runs; empty keeps it in memory.
	CacheDir string
	// Cores are engines that are trusted besides those of released toolchains; see [sandbox.Options].
	Cores []image.Core
	// MaxInstances is how many calls of one package run at the same time; 0 is 8.
	MaxInstances int
	// IdleAfter is how long an instance stays that no call wants; 0 is a minute.
	IdleAfter time.Duration
	// Runtimes run what is not sandboxed. A kind of code without one is not run.
	Runtimes map[manifest.Runtime]runtime.Runtime
	// VolatileData leaves out flushing what packages store to the disk; see [data.Options]. It is for tests.
	VolatileData bool
}

// Host finds packages and answers calls of them. It is safe for concurrent use.
type Host struct {
	opts        Options
	engine      *sandbox.Engine
	runtimes    map[manifest.Runtime]runtime.Runtime
	dispatcher  *dispatch.Dispatcher
	logs        *logs.Logs
	redactor    *logs.Redactor
	credentials *credentials.Store
	audit       *audit.Log

	now    atomic.Pointer[moment] // changes under mu, together with slots
	change chan struct{}          // has a token while something makes the next moment

	mu      sync.Mutex
	slots   map[string]*slot       // by the key of the entry
	stores  map[string]*data.Store // the same
	calls   int                    // in flight
	closed  bool
	drained chan struct{} // closed when the host is, and no call is in flight

	// Guarded by change.
	live  bool            // Start was called
	lives map[string]life // of packages that were started, by their keys
	freed bool            // nothing is left to close

	closing sync.WaitGroup // slots of packages that are gone
	stop    context.CancelFunc
	ticking sync.WaitGroup
}

var _ dispatch.Caller = (*Host)(nil)

// moment is what there is at one time: a config, and what was found with it. It does not change.
type moment struct {
	config    *config.Config
	verifier  *config.Verifier
	directory *dispatch.Directory

	sessions sync.Map // sessions of users with their features, by id
}

// idleTick is how often the host looks for instances that nobody wants.
const idleTick = 15 * time.Second

// Open makes a host: it looks for packages and is ready to answer. No code of a package runs before it is called.
// The error is about the config and the folders that it names; whatever is wrong with a package is in the catalog.
func Open(ctx context.Context, opts Options) (*Host, error) {
	if opts.Config == nil {
		return nil, errors.New("a host needs a config")
	}
	if opts.LookupEnv == nil {
		opts.LookupEnv = func(string) (string, bool) { return "", false }
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	h := &Host{opts: opts, redactor: &logs.Redactor{}, change: make(chan struct{}, 1), drained: make(chan struct{}),
		slots: map[string]*slot{}, stores: map[string]*data.Store{}, lives: map[string]life{}}
	h.opts.Log = masked(opts.Log, h.redactor)
	first, err := h.moment(opts.Config, catalog.Scan(ctx, h.roots(opts.Config)), nil)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if err := h.openStores(opts.Config); err != nil {
		return nil, err
	}
	h.engine = sandbox.NewEngine(sandbox.Options{CacheDir: opts.CacheDir, Cores: opts.Cores})
	h.runtimes = map[manifest.Runtime]runtime.Runtime{
		manifest.RuntimeWASM: runtime.NewWASM(h.engine, runtime.WASMOptions{MaxInstances: opts.MaxInstances, IdleAfter: opts.IdleAfter, Now: opts.Now}),
	}
	for kind, r := range opts.Runtimes {
		h.runtimes[kind] = r
	}
	h.dispatcher = dispatch.New(dispatch.Options{
		Directory: func() *dispatch.Directory { return h.now.Load().directory },
		Hold:      h.hold,
		Limits:    func(t trust.Tier) trust.Limits { return h.now.Load().config.LimitsFor(t) },
		Audit:     h.audited,
		Observe:   opts.Observe,
		Report:    h.reportPanic,
		Now:       opts.Now,
	})
	h.settle(nil, first, nil)
	h.reportProblems(nil, first)
	tick, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stop = stop
	h.ticking.Go(func() { h.dropIdle(tick) })
	return h, nil
}

// openStores opens what is kept on disk. None of it is touched yet.
func (h *Host) openStores(c *config.Config) (err error) {
	h.logs, err = logs.Open(logs.Options{
		DataDir: c.DataDir, GlobalDir: c.GlobalDir, Now: h.opts.Now, Redactor: h.redactor,
		Settings: func() logs.Settings {
			c := h.now.Load().config
			return logs.Settings{Level: logs.Level(c.PackageLogLevel), Overrides: c.PackageLogLevelOverrides, Debug: c.Debug}
		},
		Kept: h.opts.PackageLog,
		OnFault: func(key string, err error) {
			h.opts.Log.Error("the log of a package cannot be written", "package", key, "error", err)
		},
	})
	if err != nil {
		return fmt.Errorf("opening the logs: %w", err)
	}
	h.credentials, err = credentials.Open(credentials.Options{
		Dir: filepath.Join(c.GlobalDir, "credentials"), KeyFile: c.Credentials.KeyFile,
		OnFault: func(ref credentials.Ref, err error) {
			h.opts.Log.Error("a credential cannot be read", "credential", ref.String(), "error", err)
		},
		Revealed: func(secret credentials.Secret) { h.redactor.Add(secret.Reveal()) },
	})
	if err != nil {
		return fmt.Errorf("opening the credentials: %w", err)
	}
	if h.audit, err = audit.Open(c.DataDir, h.opts.Now); err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	return nil
}

// CallTool implements [dispatch.Caller].
func (h *Host) CallTool(ctx context.Context, who session.Session, name string, args json.RawMessage) dispatch.Result {
	return h.dispatcher.CallTool(ctx, who, name, args)
}

// CallRoute implements [dispatch.Caller].
func (h *Host) CallRoute(ctx context.Context, who session.Session, request dispatch.Request) dispatch.Response {
	return h.dispatcher.CallRoute(ctx, who, request)
}

// CallAPI implements [dispatch.Caller].
func (h *Host) CallAPI(ctx context.Context, who session.Session, id, method string, args json.RawMessage) (json.RawMessage, *dispatch.Error) {
	return h.dispatcher.CallAPI(ctx, who, id, method, args)
}

// Catalog is what there is now.
func (h *Host) Catalog() *catalog.Catalog { return h.now.Load().directory.Catalog() }

// Config is the config that holds now. It must not be changed.
func (h *Host) Config() *config.Config { return h.now.Load().config }

// Logs are the logs of the packages.
func (h *Host) Logs() *logs.Logs { return h.logs }

// Ready says why no calls are answered; nil is that they are.
func (h *Host) Ready() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errStopped
	}
	return nil
}

var errStopped = errors.New("the host is stopping")

// Close lets no further calls in, waits for those that are running and what they call, tells packages that were started
// that this is the end, and frees everything. When ctx ends first, Close returns its error; what still runs goes on, and
// another Close waits for it.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		if h.calls == 0 {
			close(h.drained)
		}
	}
	h.mu.Unlock()
	late := func(err error) error { return fmt.Errorf("some calls did not end in time: %w", err) }
	leave, err := h.enter(ctx)
	if err != nil {
		return late(err)
	}
	defer leave()
	if h.freed {
		return nil
	}
	h.stop()
	h.ticking.Wait()
	failed := ended(ctx, h.drained)
	slots := h.all()
	if failed == nil {
		h.end(ctx, slots, slices.Sorted(maps.Keys(slots)))
	}
	for _, slot := range slots {
		if err := slot.Close(ctx); err != nil {
			failed = err
		}
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		h.closing.Wait()
	}()
	if err := ended(ctx, gone); err != nil {
		failed = err
	}
	h.logs.Close()
	if failed != nil {
		return late(failed) // the machine code is in use
	}
	h.freed = true
	return h.engine.Close(context.WithoutCancel(ctx))
}

// ended waits until something is done, or for ctx to end.
func ended(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default: // also where ctx has ended already
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// enter waits until nothing else changes what there is, or for ctx to end.
func (h *Host) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-h.change }
	select {
	case h.change <- struct{}{}:
		return leave, nil
	default:
	}
	select {
	case h.change <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// audited writes down an access to a route.
func (h *Host) audited(ctx context.Context, a audit.Access) {
	if err := h.audit.Record(ctx, a); err != nil {
		h.opts.Log.Error("an access cannot be written to the audit log", "package", a.Package, "method", a.Method, "request", a.Request, "error", err)
	}
}

func (h *Host) reportPanic(_ context.Context, thrown any, stack []byte) {
	h.opts.Log.Error("the host panicked, which is a fault of its own", "panic", fmt.Sprint(thrown), "stack", string(stack))
}

func (h *Host) dropIdle(ctx context.Context) {
	ticker := time.NewTicker(idleTick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			for _, slot := range h.all() {
				slot.Idle()
			}
		}
	}
}

// all are the slots there are, by their keys.
func (h *Host) all() map[string]*slot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.slots)
}
