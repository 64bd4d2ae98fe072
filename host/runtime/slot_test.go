package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/runtime"
)

// fake is a package that answers its name, after it was let.
type fake struct {
	name    string
	entered chan struct{} // gets a token for each call; may be nil
	let     chan struct{} // closed when calls may end; may be nil
	closed  atomic.Int32
	running atomic.Int32
}

func (f *fake) CallTool(ctx context.Context, _ runtime.ToolCall) (json.RawMessage, error) {
	f.running.Add(1)
	defer f.running.Add(-1)
	if f.entered != nil {
		f.entered <- struct{}{}
		<-f.let
	}
	if f.closed.Load() > 0 {
		return nil, errors.New("a call in a closed package")
	}
	return json.RawMessage(f.name), nil
}

func (f *fake) CallRoute(context.Context, runtime.RouteCall) (*runtime.RouteAnswer, error) {
	return &runtime.RouteAnswer{Status: 200, Body: []byte(f.name)}, nil
}

func (f *fake) CallLifecycle(context.Context, runtime.LifecycleCall) (json.RawMessage, error) {
	return json.RawMessage(f.name), nil
}

func (f *fake) Health() runtime.Health { return runtime.Health{Ready: true, Reason: f.name} }

func (f *fake) Close(context.Context) error {
	if f.running.Load() > 0 {
		panic("closed during a call")
	}
	f.closed.Add(1)
	return nil
}

func (f *fake) load(context.Context) (runtime.Package, error) { return f, nil }

func TestSlotSwap(t *testing.T) {
	ctx := context.Background()
	old := &fake{name: "1", entered: make(chan struct{}), let: make(chan struct{})}
	slot := runtime.NewSlot(old.load)
	result := make(chan string)
	go func() {
		got, err := call(ctx, slot, `{}`)
		result <- fmt.Sprint(got, err)
	}()
	<-old.entered
	next := &fake{name: "2"}
	slot.Swap(next.load)
	if got, err := call(ctx, slot, `{}`); got != "2" || err != nil {
		t.Errorf("after the swap: %s, %v", got, err)
	}
	if old.closed.Load() != 0 {
		t.Error("the old version was closed with a call in it")
	}
	close(old.let)
	if got := <-result; got != "1<nil>" {
		t.Errorf("the call that was running answered %s", got)
	}
	if err := slot.Close(ctx); err != nil {
		t.Error(err)
	}
	if old.closed.Load() != 1 || next.closed.Load() != 1 {
		t.Errorf("closed %d and %d times", old.closed.Load(), next.closed.Load())
	}
	if _, err := call(ctx, slot, `{}`); failure(t, err).Kind != runtime.Unavailable {
		t.Errorf("after Close: %v", err)
	}
	if h := slot.Health(); h.Ready {
		t.Errorf("after Close: %+v", h)
	}
}

func TestSlotCloseWaits(t *testing.T) {
	p := &fake{name: "1", entered: make(chan struct{}), let: make(chan struct{})}
	slot := runtime.NewSlot(p.load)
	done := make(chan struct{})
	go func() { defer close(done); call(context.Background(), slot, `{}`) }()
	<-p.entered
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if err := slot.Close(ended); err == nil || err.Error() != "enough" || p.closed.Load() != 0 {
		t.Errorf("got %v, closed %d times", err, p.closed.Load())
	}
	close(p.let)
	if err := slot.Close(context.Background()); err != nil || p.closed.Load() != 1 {
		t.Errorf("got %v, closed %d times", err, p.closed.Load())
	}
	<-done
}

func TestSlotLoadsOnce(t *testing.T) {
	var loads atomic.Int32
	p := &fake{name: "1"}
	slot := runtime.NewSlot(func(ctx context.Context) (runtime.Package, error) {
		loads.Add(1)
		return p, nil
	})
	if loads.Load() != 0 || !slot.Health().Ready {
		t.Error("it is loaded before it is called")
	}
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if got, err := call(context.Background(), slot, `{}`); got != "1" || err != nil {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	group.Wait()
	if loads.Load() != 1 {
		t.Errorf("loaded %d times", loads.Load())
	}
}

func TestSlotLoadFails(t *testing.T) {
	for name, load := range map[string]func(context.Context) (runtime.Package, error){
		"an error": func(context.Context) (runtime.Package, error) { return nil, errors.New("no disk") },
		"a panic":  func(context.Context) (runtime.Package, error) { panic("no disk") },
	} {
		t.Run(name, func(t *testing.T) {
			slot := runtime.NewSlot(load)
			for range 2 {
				if _, err := call(context.Background(), slot, `{}`); failure(t, err).Kind != runtime.Unavailable {
					t.Errorf("got %v", err)
				}
			}
			if h := slot.Health(); h.Ready {
				t.Errorf("got %+v", h)
			}
			slot.Swap((&fake{name: "2"}).load)
			if got, err := call(context.Background(), slot, `{}`); got != "2" || err != nil {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestSlotUnderLoad(t *testing.T) {
	slot := runtime.NewSlot((&fake{name: "0"}).load)
	var all []*fake
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := call(context.Background(), slot, `{}`); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for n := range 200 {
		p := &fake{name: fmt.Sprint(n)}
		all = append(all, p)
		slot.Swap(p.load)
	}
	close(stop)
	callers.Wait()
	if err := slot.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.closed.Load() > 1 {
			t.Errorf("version %s was closed %d times", p.name, p.closed.Load())
		}
	}
}

// A module that is replaced on disk is loaded by the next version; calls that are running keep the old one.
func TestSwapOfModules(t *testing.T) {
	ctx := context.Background()
	inside, leave := make(chan struct{}), make(chan struct{})
	src := source(t, `export default async (_: unknown, ctx: any) => { await ctx.credentials.resolveCredential('x'); return 'old' }`, nil)
	src.Ports = func(runtime.Caller) runtime.Ports {
		return portsFunc(func(context.Context, []byte) []byte {
			close(inside)
			<-leave
			return []byte(`{"ok":null}`)
		})
	}
	wasm := runtime.NewWASM(shared.engine(), runtime.WASMOptions{})
	loader := func(src runtime.Source) func(context.Context) (runtime.Package, error) {
		return func(ctx context.Context) (runtime.Package, error) { return wasm.Load(ctx, src) }
	}
	slot := runtime.NewSlot(loader(src))
	running := make(chan string)
	go func() {
		got, err := call(ctx, slot, `{}`)
		running <- fmt.Sprint(got, err)
	}()
	<-inside
	buildModule(src.Dir, `export default () => 'new'`)
	slot.Swap(loader(src))
	if got, err := call(ctx, slot, `{}`); got != `"new"` || err != nil {
		t.Errorf("the new version: %s, %v", got, err)
	}
	close(leave)
	if got := <-running; got != `"old"<nil>` {
		t.Errorf("the call that was running: %s", got)
	}
	if err := slot.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestSlotHold(t *testing.T) {
	ctx := context.Background()
	old, next := &fake{name: "1"}, &fake{name: "2"}
	slot := runtime.NewSlot(old.load)
	held, release := slot.Hold()
	slot.Swap(next.load)
	if got, err := call(ctx, held, `{}`); got != "1" || err != nil || old.closed.Load() != 0 {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := call(ctx, slot, `{}`); got != "2" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if h := held.Health(); h.Reason != "1" {
		t.Errorf("got %+v", h)
	}
	release()
	if old.closed.Load() != 1 {
		t.Error("it was not closed when nobody held it any more")
	}
	if err := slot.Close(ctx); err != nil {
		t.Error(err)
	}
	held, release = slot.Hold()
	defer release()
	if _, err := call(ctx, held, `{}`); failure(t, err).Kind != runtime.Unavailable || held.Health().Ready {
		t.Errorf("closed: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := slot.Close(ended); err != nil {
		t.Errorf("closed already: %v", err)
	}
}

// Loading waits for a version without calling it, and does so once.
func TestHeldLoad(t *testing.T) {
	loads := 0
	s := runtime.NewSlot(func(context.Context) (runtime.Package, error) {
		loads++
		return nil, errors.New("no module")
	})
	p, release := s.Hold()
	for range 2 {
		if err := p.(runtime.Loader).Load(t.Context(), time.Minute); err == nil || !strings.Contains(err.Error(), "no module") {
			t.Errorf("got %v", err)
		}
	}
	if loads != 1 {
		t.Errorf("it was loaded %d times", loads)
	}
	release()
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	p, release = s.Hold()
	release()
	if err := p.(runtime.Loader).Load(t.Context(), time.Minute); err == nil {
		t.Error("a slot that is closed was loaded")
	}
}

// Whoever calls a package first does not wait longer for it than for the call, and it is closed when it is there.
func TestSlotLoadOutlivesItsCaller(t *testing.T) {
	loading, let := make(chan struct{}), make(chan struct{})
	f := &fake{name: "1"}
	slot := runtime.NewSlot(func(ctx context.Context) (runtime.Package, error) {
		close(loading)
		<-let
		return f, ctx.Err()
	})
	ctx, cancel := context.WithCancel(context.Background())
	called := make(chan error)
	go func() {
		_, err := slot.CallTool(ctx, runtime.ToolCall{})
		called <- err
	}()
	<-loading
	cancel()
	if f := failure(t, <-called); f.Kind != runtime.Cancelled {
		t.Errorf("got %v", f)
	}
	if err := slot.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("closed while it is loaded: %v", err)
	}
	close(let)
	if err := slot.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if n := f.closed.Load(); n != 1 {
		t.Errorf("closed %d times", n)
	}
}
