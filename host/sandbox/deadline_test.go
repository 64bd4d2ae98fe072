package sandbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// interrupted makes a call whose context ends as soon as the handler asks the host for anything, so
// that no clock decides about the test.
func interrupted(i *sandbox.Instance, input string) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	_, err := i.Call(ctx, sandbox.ExportTool, []byte(input), &ports{answer: func(context.Context, string) string {
		cancel(errors.New("the time is over"))
		return "{}"
	}})
	return err
}

// Whatever a handler does, it ends with its context, and the instance with it. Where JavaScript runs,
// the error tells the place.
func TestEverythingEnds(t *testing.T) {
	for _, tc := range []struct {
		name, source string
		stack        bool
	}{
		{"loop", `function forever() { for (;;); } const handler = () => { native(3, ''); forever() }`, true},
		{"loop that catches", `function forever() { for (;;) { try { for (;;); } catch {} finally { for (;;); } } } const handler = () => { native(3, ''); forever() }`, true},
		{"recursion without loops", `function forever(n) { return n < 2 ? 1 : forever(n - 1) + forever(n - 2) } const handler = () => { native(3, ''); return forever(90) }`, true},
		{"generator", `function* forever() { for (;;) yield 1 } const handler = () => { native(3, ''); for (const x of forever()); }`, false},
		{"promise jobs", `const handler = () => { native(3, ''); return new Promise(() => { const again = () => Promise.resolve().then(again); again() }) }`, false},
		{"many promise jobs", `const handler = () => { native(3, ''); return new Promise(() => { const again = () => Promise.resolve().then(again); for (let i = 0; i < 20000; i++) again() }) }`, false},
		{"promise jobs that multiply", `const handler = async () => { native(3, ''); for (;;) await null }`, false},
		{"sparse array", `const handler = () => { native(3, ''); return new Array(2 ** 32 - 1).indexOf(1) }`, false},
		{"catastrophic expression", `const handler = () => { native(3, ''); return /^(a+)+$/.test('a'.repeat(60) + 'b') }`, false},
		{"large numbers", `const handler = () => { native(3, ''); return String((3n ** 3000000n) % (7n ** 900000n)).length }`, false},
		{"sort", `const handler = () => { const a = []; for (let i = 0; i < 4e5; i++) a.push('k' + (i * 7919 % 400009)); native(3, ''); for (;;) { a.sort(); a.reverse() } }`, false},
		{"text", `const handler = () => { const s = 'x'.repeat(1e6); native(3, ''); for (;;) s.split('').join('').indexOf('y') }`, false},
		{"proxy", `const handler = () => { native(3, ''); const p = new Proxy({}, { get: (t, k, r) => { for (;;); } }); return p.x }`, false},
		{"toJSON", `const handler = () => ({ toJSON() { native(3, ''); for (;;); } })`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			i := start(t, tc.source)
			err := interrupted(i, "1")
			if !errors.Is(err, sandbox.ErrInterrupted) || !strings.Contains(err.Error(), "the time is over") {
				t.Fatalf("got %v", err)
			}
			var guest *sandbox.GuestError
			if tc.stack && (!errors.As(err, &guest) || !strings.Contains(guest.Stack, "forever")) {
				t.Errorf("the error does not tell where: %#v", err)
			}
			if i.Usable() {
				t.Error("the instance counts as usable")
			}
			if _, err := call(i, "1", nil); !errors.Is(err, sandbox.ErrUnusable) {
				t.Errorf("another call: %v", err)
			}
		})
	}
}

func TestContextThatEndedBefore(t *testing.T) {
	i := start(t, `const handler = (x) => x`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := i.Call(ctx, sandbox.ExportTool, []byte("1"), nil); !errors.Is(err, sandbox.ErrInterrupted) {
		t.Fatalf("got %v", err)
	}
	mustCall(t, i, "1", "1") // nothing ran, so nothing is broken
}

// A host that waits must learn that the call is over.
func TestHostLearnsOfTheEnd(t *testing.T) {
	i := start(t, `const handler = () => { native(3, ''); for (;;); }`)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := i.Call(ctx, sandbox.ExportTool, []byte("1"), &ports{answer: func(ctx context.Context, _ string) string {
		cancel()
		<-ctx.Done()
		return "{}"
	}})
	if !errors.Is(err, sandbox.ErrInterrupted) {
		t.Fatalf("got %v", err)
	}
}

// A call that is done when its context ends has its result, and the next one is not interrupted by it.
func TestEndAfterTheCall(t *testing.T) {
	i := start(t, `const handler = (x) => x`)
	for range 50 {
		ctx, cancel := context.WithCancel(context.Background())
		got, err := i.Call(ctx, sandbox.ExportTool, []byte("1"), nil)
		cancel()
		if err != nil || string(got) != "1" {
			t.Fatalf("got %s, %v", got, err)
		}
	}
	mustCall(t, i, "2", "2")
}

// Code that runs before there is an instance to call ends with the context too.
func TestStartThatNeverEnds(t *testing.T) {
	forever := wasmbin.NewAssembler(0).Loop().Br(0).End()
	started := foreign()
	started.Types = append(started.Types, wasmbin.FuncType{})
	started.Funcs = append(started.Funcs, wasmbin.Func{Type: uint32(len(started.Types) - 1), Body: forever.Body()})
	start := uint32(len(started.Imports) + len(started.Funcs) - 1)
	started.Start = &start

	restored := foreign()
	restored.Types = append(restored.Types, wasmbin.FuncType{Results: []wasmbin.ValueType{wasmbin.I32}})
	restored.Exports = append(restored.Exports, wasmbin.Export{Name: "neuralis_restore", Index: uint32(len(restored.Imports) + len(restored.Funcs))})
	restored.Funcs = append(restored.Funcs, wasmbin.Func{Type: uint32(len(restored.Types) - 1), Body: wasmbin.NewAssembler(0).Loop().Br(0).End().I32Const(0).Body()})
	packed, err := image.Join(restored.Encode(), image.Image{Pages: 1}, image.Meta{Engine: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for name, module := range map[string][]byte{"start function": started.Encode(), "restore": packed} {
		t.Run(name, func(t *testing.T) {
			plugin := load(t, module, sandbox.Limits{MemoryPages: 64})
			timeUp := errors.New("the time is over")
			ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, timeUp)
			defer cancel()
			_, err := plugin.Instance(ctx)
			if !errors.Is(err, sandbox.ErrInterrupted) || !errors.Is(err, timeUp) {
				t.Errorf("got %v", err)
			}
		})
	}
}
