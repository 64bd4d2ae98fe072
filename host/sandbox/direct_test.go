package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/direct"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// Texts of all sizes pass between the guest's memory and the host, also when the memory grows for them.
func TestTextsOfAllSizes(t *testing.T) {
	i := start(t, `const handler = (x) => { const r = native(3, x.ask); return [x.ask.length, r, r?.length ?? -1] }`)
	for _, length := range []int{0, 1, 7, 8, 9, 1000, 65536, 5 << 20} {
		text := strings.Repeat("é", length/2) + strings.Repeat("x", length%2)
		asked := ""
		p := &ports{answer: func(_ context.Context, request string) string { asked = request; return request }}
		input, err := json.Marshal(map[string]string{"ask": text})
		if err != nil {
			t.Fatal(err)
		}
		got, err := call(i, string(input), p)
		if err != nil {
			t.Fatalf("%d bytes: %v", length, err)
		}
		var want any = []any{length/2 + length%2, text, length/2 + length%2}
		if length == 0 {
			want = []any{0, nil, -1} // a host that says nothing
		}
		if text, _ := json.Marshal(want); got != string(text) {
			t.Errorf("%d bytes: got %.100s", length, got)
		}
		if asked != text {
			t.Errorf("%d bytes: the host was asked %.100q", length, asked)
		}
	}
}

// What a host was asked is its own: it does not change when the guest goes on.
func TestRequestsOutliveTheirCall(t *testing.T) {
	i := start(t, `const handler = () => { for (let n = 0; n < 100; n++) native(3, 'request ' + n); return native(3, 'last') }`)
	p := &keeper{}
	mustAnswer := func() string {
		output, err := i.Call(context.Background(), sandbox.ExportTool, []byte("1"), p)
		if err != nil {
			t.Fatal(err)
		}
		return string(output)
	}
	first := mustAnswer()
	mustAnswer()
	if first != `"ok"` || string(p.requests[0]) != "request 0" || string(p.requests[99]) != "request 99" || string(p.requests[100]) != "last" || len(p.requests) != 202 {
		t.Errorf("got %s, %q", first, p.requests)
	}
}

type keeper struct{ requests [][]byte }

func (k *keeper) Answer(_ context.Context, request []byte) []byte {
	k.requests = append(k.requests, request)
	return []byte("ok")
}

func (*keeper) Log(context.Context, int, string) {}

// A core of somebody else's may accept what is offered to ours. It gets nothing by it that it has not: its own memory.
func TestRequestsOutsideOfTheMemory(t *testing.T) {
	for _, c := range []struct {
		name    string
		request uint64
		fails   bool
	}{
		{"input", direct.Request(direct.Input, 0, 0), false},
		{"all of it", direct.Request(direct.Output, 0, 1<<16), false},
		{"taken to the end", direct.Request(direct.Take, 1<<16-8, 8), false},
		{"one byte too many", direct.Request(direct.Output, 1, 1<<16), true},
		{"taken to behind the end", direct.Request(direct.Take, 1<<16, 1), true},
		{"asked from afar", direct.Request(direct.Ask, 1<<30-1, 1<<30-1), true},
		{"no such operation", direct.Request(7, 0, 0), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			i64 := []wasmbin.ValueType{wasmbin.I64}
			i32 := wasmbin.FuncType{Results: []wasmbin.ValueType{wasmbin.I32}}
			module, err := image.Join((&wasmbin.Module{
				Types:   []wasmbin.FuncType{{Params: i64, Results: i64}, i32},
				Imports: []wasmbin.Import{{Module: "extism:host/user", Name: "neuralis_host", Type: 0}},
				Funcs: []wasmbin.Func{
					{Type: 1, Body: wasmbin.NewAssembler(0).I32Const(direct.Accepted).Body()},
					{Type: 1, Body: wasmbin.NewAssembler(0).I64Const(int64(c.request)).Call(0).Drop().I32Const(0).Body()},
				},
				Memories: []wasmbin.Limits{{Min: 1}},
				Exports:  []wasmbin.Export{{Name: "neuralis_restore", Index: 1}, {Name: "handleTool", Index: 2}},
			}).Encode(), image.Image{Pages: 1}, image.Meta{Engine: "x"})
			if err != nil {
				t.Fatal(err)
			}
			i := instance(t, load(t, module, sandbox.Limits{MemoryPages: 64}))
			_, err = call(i, "12345678", nil)
			if c.fails != errors.Is(err, sandbox.ErrTrapped) || !c.fails && err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}
