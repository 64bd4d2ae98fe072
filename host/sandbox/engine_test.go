package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// strangeCore is a core that was made elsewhere, but can be restored.
func strangeCore(answer int32) []byte {
	return (&wasmbin.Module{
		Types:    []wasmbin.FuncType{{Results: []wasmbin.ValueType{wasmbin.I32}}},
		Funcs:    []wasmbin.Func{{Body: wasmbin.NewAssembler(0).I32Const(answer).Body()}, {Body: wasmbin.NewAssembler(0).I32Const(0).Body()}},
		Memories: []wasmbin.Limits{{Min: 1}},
		Exports:  []wasmbin.Export{{Name: ExportTool}, {Name: exportRestore, Index: 1}, {Name: "memory", Kind: wasmbin.ExternMemory}},
	}).Encode()
}

func packed(t *testing.T, core []byte, id string, data string) []byte {
	t.Helper()
	img := image.Image{Pages: 1}
	if data != "" {
		img.Segments = []wasmbin.DataSegment{{Offset: 100, Bytes: []byte(data)}}
	}
	module, err := image.Join(core, img, image.Meta{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func TestCoreIsCompiledOnce(t *testing.T) {
	ctx := context.Background()
	e := NewEngine(Options{})
	defer e.Close(ctx)
	var plugins []*Plugin
	for n := range 5 {
		p, err := e.Load(ctx, packed(t, strangeCore(0), fmt.Sprint(n), "data "+fmt.Sprint(n)), Limits{MemoryPages: 64})
		if err != nil {
			t.Fatal(err)
		}
		if p.Meta().ID != fmt.Sprint(n) {
			t.Errorf("package %d says it is %s", n, p.Meta().ID)
		}
		plugins = append(plugins, p)
	}
	for _, p := range plugins[1:] {
		if p.compiled != plugins[0].compiled {
			t.Error("the core was compiled again")
		}
	}
	other, err := e.Load(ctx, packed(t, strangeCore(1), "other", ""), Limits{MemoryPages: 64})
	if err != nil {
		t.Fatal(err)
	}
	limited, err := e.Load(ctx, packed(t, strangeCore(0), "limited", ""), Limits{MemoryPages: 32})
	if err != nil {
		t.Fatal(err)
	}
	if other.compiled == plugins[0].compiled || limited.compiled == plugins[0].compiled {
		t.Error("another core, or another limit, has the same code")
	}
	// Cores that were made elsewhere go with their last plug-in; closing twice does nothing.
	for _, p := range append(plugins, other, limited, plugins[0]) {
		if len(e.cores) == 0 && p != plugins[0] {
			t.Error("a core went too early")
		}
		if err := p.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if len(e.cores) != 0 {
		t.Errorf("%d cores are left", len(e.cores))
	}
}

func TestFailureIsNotKept(t *testing.T) {
	ctx := context.Background()
	e := NewEngine(Options{})
	defer e.Close(ctx)
	invalid := (&wasmbin.Module{ // a function that leaves nothing where its type has a result
		Types:    []wasmbin.FuncType{{Results: []wasmbin.ValueType{wasmbin.I32}}},
		Funcs:    []wasmbin.Func{{Body: wasmbin.NewAssembler(0).Body()}},
		Memories: []wasmbin.Limits{{Min: 1}},
	}).Encode()
	for range 2 {
		if _, err := e.Load(ctx, packed(t, invalid, "x", ""), Limits{}); err == nil || !strings.Contains(err.Error(), "compiling the plug-in") {
			t.Errorf("got %v", err)
		}
	}
	if len(e.cores) != 0 {
		t.Error("a core that cannot be compiled is kept")
	}
}

func TestLoadKeepsNothingOfTheModule(t *testing.T) {
	ctx := context.Background()
	e := NewEngine(Options{})
	defer e.Close(ctx)
	module := packed(t, strangeCore(0), "x", "data")
	p, err := e.Load(ctx, module, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	clear(module)
	if got := p.image.Segments[0].Bytes; !bytes.Equal(got, []byte("data")) {
		t.Errorf("the image changed with the module: %q", got)
	}
	i, err := p.Instance(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close(ctx)
	if _, err := i.Call(ctx, ExportTool, nil, nil); err != nil {
		t.Error(err)
	}
}

// Cells are for code that is known to look at them, whatever a module says.
func TestOnlyTrustedCodeHasCells(t *testing.T) {
	ctx := context.Background()
	e := NewEngine(Options{})
	defer e.Close(ctx)
	p, err := e.Load(ctx, packed(t, strangeCore(0), "x", ""), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p.meta.Interrupt, p.cells = 128, 128
	for _, trusted := range []bool{false, true} {
		p.trusted = trusted
		i, err := p.Instance(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if (i.cells != nil) != trusted {
			t.Errorf("trusted %v: cells %v", trusted, i.cells)
		}
		i.Close(ctx)
	}
	for _, outside := range []uint32{65536 - 4, 65536, 0xfffffff8, 0xffffffff, 3} {
		p.cells = outside
		i, err := p.Instance(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if i.cells != nil {
			t.Errorf("cells at %d of 65536", outside)
		}
		i.Close(ctx)
	}
}

func TestInstanceOfAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := NewEngine(Options{})
	defer e.Close(ctx)
	p, err := e.Load(ctx, packed(t, strangeCore(0), "x", ""), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := p.Instance(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
