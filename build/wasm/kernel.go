package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// kernel is the little of an Extism kernel that a package needs while it is built: a call in, a
// call out, and nothing that reaches the outside. One kernel belongs to one instance and travels
// in the context, so that any number of packages can be built at the same time.
type kernel struct {
	blocks [][]byte
	input  uint64
	output []byte
	err    []byte
	ticks  uint64 // clock readings so far
	random uint64 // state of the fixed random sequence
	logs   []LogLine
}

type kernelKey struct{}

// errNoHost is what a package gets that calls the host while it is built in a way that the glue
// did not stop.
var errNoHost = errors.New("the host was called while the package is built")

// buildEpoch is the time that packages see while they are built, 2020-01-01T00:00:00Z, in
// nanoseconds. It is fixed so that the same sources give the same bytes; each reading is a
// microsecond after the last, so that code which waits for time to pass comes to an end.
const buildEpoch = 1577836800 * 1_000_000_000

func newKernel() *kernel {
	return &kernel{blocks: make([][]byte, 1), random: 0x9e3779b97f4a7c15}
}

// Blocks are addressed by their number in the upper half and an offset in the lower one.
func (k *kernel) alloc(data []byte) uint64 {
	k.blocks = append(k.blocks, data)
	return uint64(len(k.blocks)-1) << 32
}

func (k *kernel) block(offset uint64, need int) []byte {
	if id := offset >> 32; id < uint64(len(k.blocks)) {
		if b, at := k.blocks[id], uint64(uint32(offset)); at+uint64(need) <= uint64(len(b)) {
			return b[at:]
		}
	}
	panic(fmt.Errorf("no kernel block of %d bytes at %#x", need, offset))
}

func (k *kernel) clock() uint64 {
	k.ticks++
	return buildEpoch + k.ticks*1000
}

// fill writes the next bytes of a fixed sequence (xorshift64*).
func (k *kernel) fill(p []byte) {
	for i := range p {
		k.random ^= k.random >> 12
		k.random ^= k.random << 25
		k.random ^= k.random >> 27
		p[i] = byte((k.random * 2685821657736338717) >> 56)
	}
}

// instantiateKernel defines the modules a core imports from. Their functions find the kernel of
// the running instance in the context.
func instantiateKernel(ctx context.Context, rt wazero.Runtime) error {
	calls := map[string]func(k *kernel, m api.Module, stack []uint64){
		"alloc":          func(k *kernel, _ api.Module, s []uint64) { s[0] = k.alloc(make([]byte, s[0])) },
		"free":           func(*kernel, api.Module, []uint64) {},
		"length":         func(k *kernel, _ api.Module, s []uint64) { s[0] = uint64(len(k.block(s[0]&^0xffffffff, 0))) },
		"load_u8":        func(k *kernel, _ api.Module, s []uint64) { s[0] = uint64(k.block(s[0], 1)[0]) },
		"load_u64":       func(k *kernel, _ api.Module, s []uint64) { s[0] = binary.LittleEndian.Uint64(k.block(s[0], 8)) },
		"store_u8":       func(k *kernel, _ api.Module, s []uint64) { k.block(s[0], 1)[0] = byte(s[1]) },
		"store_u64":      func(k *kernel, _ api.Module, s []uint64) { binary.LittleEndian.PutUint64(k.block(s[0], 8), s[1]) },
		"input_load_u8":  func(k *kernel, _ api.Module, s []uint64) { s[0] = uint64(k.block(k.input+s[0], 1)[0]) },
		"input_load_u64": func(k *kernel, _ api.Module, s []uint64) { s[0] = binary.LittleEndian.Uint64(k.block(k.input+s[0], 8)) },
		"input_length":   func(k *kernel, _ api.Module, s []uint64) { s[0] = uint64(len(k.block(k.input, 0))) },
		"output_set":     func(k *kernel, _ api.Module, s []uint64) { k.output = k.block(s[0], int(s[1]))[:s[1]] },
		"error_set":      func(k *kernel, _ api.Module, s []uint64) { k.err = k.block(s[0], 0) },
		"log_debug":      logAt("debug"),
		"log_info":       logAt("info"),
		"log_warn":       logAt("warn"),
		"log_error":      logAt("error"),
		"clock_time_get": func(k *kernel, m api.Module, s []uint64) {
			s[0] = wasiResult(m.Memory().WriteUint64Le(uint32(s[2]), k.clock()))
		},
		"random_get": func(k *kernel, m api.Module, s []uint64) {
			p, ok := m.Memory().Read(uint32(s[0]), uint32(s[1]))
			k.fill(p)
			s[0] = wasiResult(ok)
		},
	}
	builders := map[string]wazero.HostModuleBuilder{}
	var order []string
	for _, imp := range coreImports {
		call := calls[imp.name]
		if call == nil {
			call = func(*kernel, api.Module, []uint64) { panic(errNoHost) }
		}
		b := builders[imp.module]
		if b == nil {
			b = rt.NewHostModuleBuilder(imp.module)
			builders[imp.module] = b
			order = append(order, imp.module)
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
			call(ctx.Value(kernelKey{}).(*kernel), m, stack)
		}), valueTypes(imp.params), valueTypes(imp.results)).Export(imp.name)
	}
	for _, name := range order {
		if _, err := builders[name].Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// LogLine is a line that a package wrote to its console while it was built.
type LogLine struct {
	Level   string `json:"level"` // debug, info, warn or error
	Message string `json:"message"`
}

// maxLogs bounds what a package may say while it is built: lines, not bytes, which memory bounds.
const maxLogs = 1000

func logAt(level string) func(*kernel, api.Module, []uint64) {
	return func(k *kernel, _ api.Module, s []uint64) {
		if len(k.logs) < maxLogs {
			k.logs = append(k.logs, LogLine{Level: level, Message: string(k.block(s[0], 0))})
		}
	}
}

func wasiResult(ok bool) uint64 {
	if ok {
		return 0
	}
	return errnoFault
}

// errnoFault is the WASI error for an address outside the memory.
const errnoFault = 21

func valueTypes(letters string) []api.ValueType {
	types := make([]api.ValueType, len(letters))
	for i := range letters {
		types[i] = api.ValueTypeI64
		if letters[i] == 'i' {
			types[i] = api.ValueTypeI32
		}
	}
	return types
}
