package linearmemory

import (
	"bytes"
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

const page = wasmbin.PageSize

// guest is a module with a memory and functions to grow it and to write into it.
func guest(limits wasmbin.Limits) []byte {
	i32 := []wasmbin.ValueType{wasmbin.I32}
	return (&wasmbin.Module{
		Types: []wasmbin.FuncType{{Params: i32, Results: i32}},
		Funcs: []wasmbin.Func{
			{Body: wasmbin.NewAssembler(1).LocalGet(0).MemoryGrow().Body()},
			{Body: wasmbin.NewAssembler(1).LocalGet(0).LocalGet(0).I32Store(0).LocalGet(0).I32Load(0).Body()},
		},
		Memories: []wasmbin.Limits{limits},
		Exports:  []wasmbin.Export{{Name: "grow", Index: 0}, {Name: "touch", Index: 1}, {Name: "memory", Kind: wasmbin.ExternMemory}},
	}).Encode()
}

// start makes an instance whose runtime allows so many pages.
func start(t *testing.T, w *Watch, limits wasmbin.Limits, mostPages uint32) api.Module {
	t.Helper()
	ctx := context.Background()
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(mostPages))
	t.Cleanup(func() { rt.Close(ctx) })
	m, err := rt.Instantiate(WithAllocator(ctx, w), guest(limits))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func call(t *testing.T, m api.Module, name string, arg uint32) int32 {
	t.Helper()
	results, err := m.ExportedFunction(name).Call(context.Background(), uint64(arg))
	if err != nil {
		t.Fatalf("%s(%d): %v", name, arg, err)
	}
	return int32(results[0])
}

func TestGrowth(t *testing.T) {
	var w Watch
	m := start(t, &w, wasmbin.Limits{Min: 1}, 100)
	call(t, m, "touch", 1000)
	before := &w.Last()[1000]
	if got := call(t, m, "grow", 49); got != 1 {
		t.Fatalf("growing answered %d", got)
	}
	if len(w.Last()) != 50*page || m.Memory().Size() != 50*page {
		t.Fatalf("%d bytes, of which the runtime sees %d", len(w.Last()), m.Memory().Size())
	}
	if &w.Last()[1000] != before {
		t.Error("the memory moved")
	}
	if !bytes.Equal(w.Last()[page:], make([]byte, 49*page)) {
		t.Error("new memory is not zero")
	}
	call(t, m, "touch", 50*page-4)
	if got := call(t, m, "grow", 51); got != -1 {
		t.Errorf("growing beyond the limit answered %d", got)
	}
	if got := call(t, m, "grow", 50); got != 50 {
		t.Errorf("growing to the limit answered %d", got)
	}
	call(t, m, "touch", 100*page-4)
}

func TestMaximumOfTheModule(t *testing.T) {
	var w Watch
	m := start(t, &w, wasmbin.Limits{Min: 0, Max: 2, HasMax: true}, 100)
	for i, want := range []int32{0, 1, -1} {
		if got := call(t, m, "grow", 1); got != want {
			t.Errorf("growing the %dth time answered %d, not %d", i+1, got, want)
		}
	}
}

func TestLimit(t *testing.T) {
	var w Watch
	m := start(t, &w, wasmbin.Limits{Min: 1}, 65536)
	if got := call(t, m, "grow", Limit/page); got != -1 {
		t.Errorf("growing beyond Limit answered %d", got)
	}
	if got := call(t, m, "grow", Limit/page-1); got != 1 {
		t.Errorf("growing to Limit answered %d", got)
	}
	call(t, m, "touch", Limit-4)
}

func TestFreeze(t *testing.T) {
	var w Watch
	m := start(t, &w, wasmbin.Limits{Min: 1}, 100)
	w.Freeze(true)
	if got := call(t, m, "grow", 1); got != -1 {
		t.Errorf("frozen memory grew: %d", got)
	}
	if got := call(t, m, "grow", 0); got != 1 {
		t.Errorf("asking for the size answered %d", got)
	}
	w.Freeze(false)
	if got := call(t, m, "grow", 1); got != 1 {
		t.Errorf("memory stays frozen: %d", got)
	}
}

func TestWatchKnowsTheLast(t *testing.T) {
	var w Watch
	if w.Last() != nil {
		t.Error("there is memory before there is an instance")
	}
	start(t, &w, wasmbin.Limits{Min: 1}, 100)
	m := start(t, &w, wasmbin.Limits{Min: 3}, 100)
	if len(w.Last()) != 3*page {
		t.Errorf("got %d bytes", len(w.Last()))
	}
	m.Close(context.Background())
	if w.Last() != nil {
		t.Error("closed memory is still shown")
	}
}

func TestHeldMemoryOutlivesItsInstance(t *testing.T) {
	var w Watch
	w.Hold()
	m := start(t, &w, wasmbin.Limits{Min: 1}, 100)
	call(t, m, "touch", 1000)
	m.Close(context.Background())
	if b := w.Last(); len(b) != page || b[1001] != 1000>>8 {
		t.Errorf("%d bytes are left", len(b))
	}
	w.Release()
	w.Release()
	if w.Last() != nil {
		t.Error("released memory is still shown")
	}
}

func TestReallocateAfterFree(t *testing.T) {
	m := reserve(10 * page)
	if got := m.Reallocate(page); len(got) != page {
		t.Fatalf("got %d bytes", len(got))
	}
	if m.Reallocate(11*page) != nil {
		t.Error("more than was reserved")
	}
	m.Free()
	m.Free()
	if m.Reallocate(page) != nil {
		t.Error("freed memory was given out again")
	}
}

// Each instance has memory of its own, and what one frees another may get only as zeros.
func TestManyMemories(t *testing.T) {
	for round := range 3 {
		var all []interface {
			Reallocate(uint64) []byte
			Free()
		}
		for i := range 50 {
			m := reserve(Limit)
			b := m.Reallocate(4 * page)
			if b == nil {
				t.Skipf("no address space for %d memories", i+1)
			}
			if !bytes.Equal(b, make([]byte, len(b))) {
				t.Fatalf("round %d: memory %d is not zero", round, i)
			}
			for j := range b {
				b[j] = byte(i + 1)
			}
			all = append(all, m)
		}
		for i, m := range all {
			if b := m.Reallocate(4 * page); b[0] != byte(i+1) || b[len(b)-1] != byte(i+1) {
				t.Fatalf("memory %d was overwritten", i)
			}
			m.Free()
		}
	}
}

// The next instance goes on with the memory of the one that was closed.
func TestPassOn(t *testing.T) {
	var w Watch
	m := start(t, &w, wasmbin.Limits{Min: 1}, 100)
	call(t, m, "grow", 2)
	call(t, m, "touch", 2*page+8)
	at := &w.Last()[0]
	w.PassOn()
	m.Close(context.Background())

	next := start(t, &w, wasmbin.Limits{Min: 1}, 100)
	call(t, next, "grow", 2)
	if got, _ := next.Memory().ReadUint32Le(2*page + 8); got != 2*page+8 || &w.Last()[0] != at {
		t.Errorf("read %d", got)
	}
	next.Close(context.Background())
	if w.Last() != nil && w.last.now != nil {
		t.Error("it was not freed by its second owner")
	}

	third := start(t, &w, wasmbin.Limits{Min: 1}, 100)
	w.PassOn()
	third.Close(context.Background())
	w.Release()
	if w.next != nil {
		t.Error("what nobody took over was not freed")
	}
}
