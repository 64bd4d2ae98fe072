package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// Slot is a Package that has one version after another. The zero Slot has none.
//
// A version is loaded when it is first called. One that cannot be loaded answers all calls with why, and is not
// tried again until the next version comes.
type Slot struct {
	mu      sync.Mutex
	current *version
	open    int           // versions that are not closed yet
	drained chan struct{} // made by Close; closed when open is 0
	closed  bool
}

// version is a package with the calls that are in it.
type version struct {
	slot *Slot
	load func(context.Context) (Package, error)

	loading chan struct{} // holds one token while nobody loads
	pkg     Package       // set once, before ready is closed
	err     error
	ready   chan struct{}

	calls   int  // guarded by slot.mu, as is retired
	retired bool // no further calls; closed with the last one
}

// NewSlot makes a slot with its first version.
func NewSlot(load func(context.Context) (Package, error)) *Slot {
	s := &Slot{}
	s.Swap(load)
	return s
}

// errClosed is for calls that come too late.
var errClosed = errors.New("the package was stopped")

// Swap lets a new version take the place of the present one. Calls that are running go on with the version they
// began with. load is called when the new version is first called, with a context that no single caller ends.
func (s *Slot) Swap(load func(context.Context) (Package, error)) { s.Replace(load)() }

// Replace does the same, but for freeing the version before, which may take a moment: retire does that.
func (s *Slot) Replace(load func(context.Context) (Package, error)) (retire func()) {
	v := &version{slot: s, load: load, loading: make(chan struct{}, 1), ready: make(chan struct{})}
	v.loading <- struct{}{}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return func() {}
	}
	old := s.current
	s.current = v
	s.open++
	s.mu.Unlock()
	return old.retire
}

// Close lets no further calls in, waits for those that are running, or for ctx to end, and frees everything. Calls
// that are still running when ctx ends go on; their version is closed behind them.
func (s *Slot) Close(ctx context.Context) error {
	s.mu.Lock()
	old := s.current
	s.current, s.closed = nil, true
	if s.drained == nil {
		s.drained = make(chan struct{})
		if s.open == 0 {
			close(s.drained)
		}
	}
	drained := s.drained
	s.mu.Unlock()
	old.retire()
	select {
	case <-drained:
		return nil
	default: // also where ctx has ended already
	}
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// loaded has the package loaded, and waits until it is, or until ctx ends. Loading goes on then: others wait for the
// same package, and what compiles it cannot be interrupted.
func (v *version) loaded(ctx context.Context) error {
	select {
	case <-v.ready:
		return v.err
	default:
	}
	select {
	case <-v.loading:
		v.slot.mu.Lock()
		v.calls++ // it is not closed before it is loaded
		v.slot.mu.Unlock()
		go func() {
			defer v.leave()
			v.loadNow(context.WithoutCancel(ctx))
		}()
	default: // somebody else is at it
	}
	select {
	case <-v.ready:
		return v.err
	case <-ctx.Done():
		return Interrupted(ctx, context.Cause(ctx))
	}
}

func (v *version) loadNow(ctx context.Context) {
	v.pkg, v.err = guard(func() (Package, error) { return v.load(ctx) })
	if failure := (*Failure)(nil); v.err != nil && !errors.As(v.err, &failure) {
		v.err = &Failure{Kind: Unavailable, Message: "the package cannot be loaded: " + v.err.Error(), Err: v.err}
	}
	close(v.ready)
}

// leave ends a call.
func (v *version) leave() {
	v.slot.mu.Lock()
	v.calls--
	last := v.retired && v.calls == 0
	v.slot.mu.Unlock()
	if last {
		v.close()
	}
}

// retire lets no further calls in.
func (v *version) retire() {
	if v == nil {
		return
	}
	v.slot.mu.Lock()
	idle := !v.retired && v.calls == 0
	v.retired = true
	v.slot.mu.Unlock()
	if idle {
		v.close()
	}
}

// close frees the package. Nobody is in it.
func (v *version) close() {
	if v.pkg != nil {
		// What cannot be freed is nobody's business any more.
		_, _ = guard(func() (Package, error) { return nil, v.pkg.Close(context.Background()) })
	}
	v.slot.mu.Lock()
	defer v.slot.mu.Unlock()
	v.slot.open--
	if v.slot.open == 0 && v.slot.drained != nil {
		close(v.slot.drained)
	}
}

// Hold returns the current version as a package of its own, which can be called until release is called, whatever
// becomes of the slot. A slot that is closed has none: then all calls say so.
func (s *Slot) Hold() (p Package, release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current
	if v == nil {
		return &held{}, func() {}
	}
	v.calls++
	return &held{v}, v.leave
}

// held is a version that is not closed while it is held; nil where there was none.
type held struct{ v *version }

func (h *held) get(ctx context.Context) (Package, error) {
	if h.v == nil {
		return nil, &Failure{Kind: Unavailable, Message: errClosed.Error(), Err: errClosed}
	}
	if err := h.v.loaded(ctx); err != nil {
		return nil, err
	}
	return h.v.pkg, nil
}

// Load implements Loader.
func (h *held) Load(ctx context.Context, patience time.Duration) error {
	if h.v != nil {
		select {
		case <-h.v.ready: // as it is in all calls but the first
			return h.v.err
		default:
		}
	}
	ctx, cancel := WithDeadline(ctx, patience)
	defer cancel()
	_, err := h.get(ctx)
	return err
}

func (h *held) CallTool(ctx context.Context, call ToolCall) (json.RawMessage, error) {
	p, err := h.get(ctx)
	if err != nil {
		return nil, err
	}
	return p.CallTool(ctx, call)
}

func (h *held) CallRoute(ctx context.Context, call RouteCall) (*RouteAnswer, error) {
	p, err := h.get(ctx)
	if err != nil {
		return nil, err
	}
	return p.CallRoute(ctx, call)
}

func (h *held) CallLifecycle(ctx context.Context, call LifecycleCall) (json.RawMessage, error) {
	p, err := h.get(ctx)
	if err != nil {
		return nil, err
	}
	return p.CallLifecycle(ctx, call)
}

func (h *held) Health() Health { return h.v.health() }

// Close does nothing: the slot closes the version when it is over and nobody holds it.
func (h *held) Close(context.Context) error { return nil }

// CallTool implements Package.
func (s *Slot) CallTool(ctx context.Context, call ToolCall) (json.RawMessage, error) {
	p, release := s.Hold()
	defer release()
	return p.CallTool(ctx, call)
}

// CallRoute implements Package.
func (s *Slot) CallRoute(ctx context.Context, call RouteCall) (*RouteAnswer, error) {
	p, release := s.Hold()
	defer release()
	return p.CallRoute(ctx, call)
}

// CallLifecycle implements Package.
func (s *Slot) CallLifecycle(ctx context.Context, call LifecycleCall) (json.RawMessage, error) {
	p, release := s.Hold()
	defer release()
	return p.CallLifecycle(ctx, call)
}

// Health implements Package. A package that nobody has called yet is ready and has no instances.
func (s *Slot) Health() Health {
	s.mu.Lock()
	v := s.current
	s.mu.Unlock()
	return v.health()
}

// health says how the package is.
func (v *version) health() Health {
	if v == nil {
		return Health{Reason: errClosed.Error()}
	}
	select {
	case <-v.ready:
	default:
		return Health{Ready: true}
	}
	if v.err != nil {
		return Health{Reason: v.err.Error()}
	}
	return v.pkg.Health()
}

// Idle tells the current version that time has passed, if it wants to know; see [WASM.Load].
func (s *Slot) Idle() {
	s.mu.Lock()
	v := s.current
	if v != nil {
		v.calls++
	}
	s.mu.Unlock()
	if v == nil {
		return
	}
	defer v.leave()
	select {
	case <-v.ready:
		if p, ok := v.pkg.(Idler); ok {
			p.Idle()
		}
	default:
	}
}

// Idler is a Package that drops what it has not needed for a while when it is told to look.
type Idler interface{ Idle() }

// Loader is a Package that may have to be loaded before it can be called, which takes its time the first time. Load
// waits for that, but no longer than patience. Whoever does not call it waits in the first call.
type Loader interface {
	Load(ctx context.Context, patience time.Duration) error
}
