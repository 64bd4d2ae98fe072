package sandbox_test

import (
	"context"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// growing is somebody else's plug-in whose function grows its first table to so many entries, and ends with what
// table.grow says: how many there were, or -1.
func growing(entries uint32, tables ...wasmbin.Table) *wasmbin.Module {
	body := []byte{0, 0xd0, 0x70, 0x41} // no locals, ref.null func, i32.const
	for n := entries; ; n >>= 7 {
		if n < 64 {
			body = append(body, byte(n))
			break
		}
		body = append(body, byte(n)|0x80)
	}
	m := foreign()
	m.Tables = tables
	m.Funcs = append(m.Funcs, wasmbin.Func{Type: 5, Body: append(body, 0xfc, 15, 0, 0x0b)}) // table.grow 0, end
	m.Exports = append(m.Exports, wasmbin.Export{Name: "grow", Index: uint32(len(m.Imports) + len(m.Funcs) - 1)})
	return m
}

// The entries of a table are the host's memory, and none of the plug-in's.
func TestTablesDoNotGrowForEver(t *testing.T) {
	table := func(limits wasmbin.Limits) wasmbin.Table { return wasmbin.Table{Type: wasmbin.FuncRef, Limits: limits} }
	for _, test := range []struct {
		name    string
		entries uint32
		tables  []wasmbin.Table
		grows   bool
	}{
		{"a little", 1000, []wasmbin.Table{table(wasmbin.Limits{Min: 1})}, true},
		{"a lot", 100_000_000, []wasmbin.Table{table(wasmbin.Limits{Min: 1})}, false},
		{"as far as it says", 100_000_000, []wasmbin.Table{table(wasmbin.Limits{Min: 1, Max: 1 << 27, HasMax: true})}, false},
		{"beyond what it says", 1000, []wasmbin.Table{table(wasmbin.Limits{Min: 1, Max: 10, HasMax: true})}, false},
		{"one of several", 1_000_000, []wasmbin.Table{table(wasmbin.Limits{}), table(wasmbin.Limits{}), table(wasmbin.Limits{})}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for kind, module := range map[string][]byte{
				"foreign":   growing(test.entries, test.tables...).Encode(),
				"disguised": disguised(t, growing(test.entries, test.tables...), image.Meta{Engine: "x"}),
			} {
				i := instance(t, load(t, module, sandbox.Limits{MemoryPages: 64}))
				_, err := i.Call(context.Background(), "grow", nil, nil)
				if refused := err != nil && strings.Contains(err.Error(), "status 4294967295"); refused == test.grows {
					t.Errorf("%s: got %v", kind, err)
				}
			}
		})
	}
}

func TestWhatIsTooMuchIsNotLoaded(t *testing.T) {
	large := wasmbin.Table{Type: wasmbin.FuncRef, Limits: wasmbin.Limits{Min: 700_000}}
	many := foreign()
	for range 200_000 {
		many.Funcs = append(many.Funcs, many.Funcs[1])
	}
	for name, test := range map[string]struct {
		module *wasmbin.Module
		want   string
	}{
		"tables":    {growing(1, large, large), "its tables begin with more than the 1048576 entries that are allowed"},
		"functions": {many, "it has 200002 functions; at most 200000 are allowed"},
	} {
		plugin, err := shared.engine.Load(context.Background(), test.module.Encode(), sandbox.Limits{MemoryPages: 64})
		if err == nil {
			plugin.Close(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
