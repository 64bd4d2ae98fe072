package sandbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// A plug-in that fails without a word has no error of its own to find in what the call ended in, or one that says so:
// whoever asks for it gets no nil.
func TestFailureWithoutAWord(t *testing.T) {
	module := foreign()
	module.Exports = append(module.Exports, wasmbin.Export{Name: "fail", Index: uint32(len(module.Imports) + len(module.Funcs))})
	module.Funcs = append(module.Funcs, wasmbin.Func{Type: module.Funcs[len(module.Funcs)-1].Type, Body: wasmbin.NewAssembler(0).I32Const(7).Body()})
	plugin := load(t, module.Encode(), sandbox.Limits{MemoryPages: 64})

	_, err := instance(t, plugin).Call(context.Background(), "fail", nil, nil)
	var guest *sandbox.GuestError
	if !errors.As(err, &guest) || guest == nil || guest.Message == "" {
		t.Fatalf("got %#v", err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	i := instance(t, plugin)
	go func() {
		_, err := i.Call(ctx, "loop", nil, nil)
		done <- err
	}()
	cancel()
	err, guest = <-done, nil
	if !errors.Is(err, sandbox.ErrInterrupted) || errors.As(err, &guest) && guest == nil {
		t.Errorf("got %#v", err)
	}
}
