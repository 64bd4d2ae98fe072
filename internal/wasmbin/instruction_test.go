package wasmbin

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// validator asks a WebAssembly runtime that is not ours whether a module is one.
type validator struct{ runtime wazero.Runtime }

func newValidator(t testing.TB) validator {
	t.Helper()
	ctx := context.Background()
	features := api.CoreFeaturesV2.SetEnabled(api.CoreFeatureSIMD, false)
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features))
	t.Cleanup(func() { rt.Close(ctx) })
	return validator{rt}
}

func (v validator) validate(module []byte) error {
	compiled, err := v.runtime.CompileModule(context.Background(), module)
	if err != nil {
		return err
	}
	return compiled.Close(context.Background())
}

// testModule is a module with one of everything, whose one function has the given body. Parameters
// of the function: i32, i64, f32, f64, funcref.
func testModule(body []byte) *Module {
	params := []ValueType{I32, I64, F32, F64, FuncRef}
	return &Module{
		Types:     []FuncType{{Params: params}, {}, {Params: []ValueType{I32}, Results: []ValueType{I32}}},
		Imports:   []Import{{"env", "f", 2}},
		Funcs:     []Func{{Type: 0, Body: body}, {Type: 1, Body: NewAssembler(0).Body()}},
		Tables:    []Table{{Type: FuncRef, Limits: Limits{Min: 4, Max: 8, HasMax: true}}},
		Memories:  []Limits{{Min: 1}},
		Globals:   []Global{{Type: I32, Mutable: true, Init: []byte{opI32Const, 0, opEnd}}, {Type: I64, Init: []byte{opI64Const, 0x7f, opEnd}}},
		Exports:   []Export{{"f", ExternFunc, 1}, {"m", ExternMemory, 0}, {"t", ExternTable, 0}, {"g", ExternGlobal, 0}},
		Elements:  []Element{{Offset: 1, Funcs: []uint32{0, 1, 2}}},
		Data:      []DataSegment{{Offset: 8, Bytes: []byte("data")}},
		DataCount: true,
	}
}

// opcode is an instruction with what it takes from the stack and puts there: i, I, f, F and r for
// the parameters of testModule's function.
type opcode struct{ code, signature string }

// body is a function that runs the instruction once.
func (o opcode) body() []byte {
	params, results, _ := strings.Cut(o.signature, ":")
	a := NewAssembler(5)
	for _, p := range params {
		a.LocalGet(uint32(strings.IndexRune("iIfFr", p)))
	}
	a.op([]byte(o.code)...)
	for range results {
		a.Drop()
	}
	return a.Body()
}

// opcodes are the instructions this package accepts, with immediates, besides control flow.
func opcodes() []opcode {
	var all []opcode
	numeric := func(from, to int, signature string) {
		for op := from; op <= to; op++ {
			all = append(all, opcode{string([]byte{byte(op)}), signature})
		}
	}
	numeric(0x45, 0x45, "i:i")
	numeric(0x46, 0x4f, "ii:i")
	numeric(0x50, 0x50, "I:i")
	numeric(0x51, 0x5a, "II:i")
	numeric(0x5b, 0x60, "ff:i")
	numeric(0x61, 0x66, "FF:i")
	numeric(0x67, 0x69, "i:i")
	numeric(0x6a, 0x78, "ii:i")
	numeric(0x79, 0x7b, "I:I")
	numeric(0x7c, 0x8a, "II:I")
	numeric(0x8b, 0x91, "f:f")
	numeric(0x92, 0x98, "ff:f")
	numeric(0x99, 0x9f, "F:F")
	numeric(0xa0, 0xa6, "FF:F")
	for i, signature := range strings.Fields("I:i f:i f:i F:i F:i i:I i:I f:I f:I F:I F:I i:f i:f I:f I:f F:f i:F i:F I:F I:F f:F f:i F:I i:f I:F i:i i:i I:I I:I I:I") {
		numeric(0xa7+i, 0xa7+i, signature)
	}
	for i, signature := range strings.Fields("i:i i:I i:f i:F i:i i:i i:i i:i i:I i:I i:I i:I i:I i:I ii: iI: if: iF: ii: ii: iI: iI: iI:") {
		all = append(all, opcode{string([]byte{byte(opI32Load + i), 0, 0x80, 0x01}), signature})
	}
	for i, signature := range strings.Fields("f:i f:i F:i F:i f:I f:I F:I F:I") {
		all = append(all, opcode{string([]byte{opPrefix, byte(i)}), signature})
	}
	return append(all,
		opcode{"\x01", ":"}, // nop
		opcode{"\x1a", "i:"},
		opcode{"\x1b", "IIi:I"},
		opcode{"\x1c\x01\x70", "rri:r"},
		opcode{"\x10\x00", "i:i"},
		opcode{"\x11\x02\x00", "ii:i"},
		opcode{"\x20\x03", ":F"},
		opcode{"\x21\x02", "f:"},
		opcode{"\x22\x01", "I:I"},
		opcode{"\x23\x01", ":I"},
		opcode{"\x24\x80\x00", "i:"},
		opcode{"\x25\x00", "i:r"},
		opcode{"\x26\x00", "ir:"},
		opcode{"\x3f\x00", ":i"},
		opcode{"\x40\x00", "i:i"},
		opcode{"\x41\xff\xff\xff\xff\x7f", ":i"},
		opcode{"\x42\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", ":I"},
		opcode{"\x43abcd", ":f"},
		opcode{"\x44abcdefgh", ":F"},
		opcode{"\xd0\x70", ":r"},
		opcode{"\xd1", "r:i"},
		opcode{"\xd2\x01", ":r"},
		opcode{"\xfc\x08\x00\x00", "iii:"},
		opcode{"\xfc\x09\x00", ":"},
		opcode{"\xfc\x0a\x00\x00", "iii:"},
		opcode{"\xfc\x0b\x00", "iii:"},
		opcode{"\xfc\x0c\x00\x00", "iii:"},
		opcode{"\xfc\x0d\x00", ":"},
		opcode{"\xfc\x0e\x00\x00", "iii:"},
		opcode{"\xfc\x0f\x00", "ri:i"},
		opcode{"\xfc\x10\x00", ":i"},
		opcode{"\xfc\x11\x00", "iri:"},
		// Control flow that stands alone.
		opcode{"\x02\x40\x0b", ":"},
		opcode{"\x02\x7e\x42\x00\x0b", ":I"},
		opcode{"\x03\x02\x0b", "i:i"}, // a loop whose type is that of type 2
		opcode{"\x04\x40\x05\x0b", "i:"},
		opcode{"\x02\x40\x0c\x00\x0b", ":"},
		opcode{"\x02\x40\x41\x00\x0d\x00\x0b", ":"},
		opcode{"\x02\x40\x41\x00\x0e\x02\x00\x00\x00\x0b", ":"},
		opcode{"\x02\x40\x0f\x0b", ":"},
		opcode{"\x02\x40\x00\x0b", ":"},
	)
}

// Each instruction that is accepted has the length that the specification gives it: a runtime that
// validates the module around it and our decoder see the same instructions.
func TestInstructionLengths(t *testing.T) {
	v := newValidator(t)
	seen := map[string]bool{}
	for _, op := range opcodes() {
		key := op.code[:1]
		if key[0] == opPrefix {
			key = op.code[:2]
		}
		seen[key] = true
		t.Run(fmt.Sprintf("%x", op.code), func(t *testing.T) {
			params, results, _ := strings.Cut(op.signature, ":")
			body := op.body()
			if err := v.validate(testModule(body).Encode()); err != nil {
				t.Fatalf("the runtime refuses the test's own module: %v", err)
			}
			all, err := Instructions(body)
			if err != nil {
				t.Fatal(err)
			}
			if first := all[len(params)]; !strings.HasPrefix(op.code, string(first.Raw)) {
				t.Errorf("decoded as % x", first.Raw)
			}
			for _, in := range all[len(all)-len(results)-1 : len(all)-1] {
				if in.Op != 0x1a {
					t.Errorf("behind it stands %#x", in.Op)
				}
			}
			// Rewriting writes other bytes for the same instructions, and again the runtime agrees.
			same := Rewrite{Func: func(i uint32) uint32 { return i }}
			out, err := RewriteBody(body, same)
			if err != nil {
				t.Fatal(err)
			}
			if err := v.validate(testModule(out).Encode()); err != nil {
				t.Errorf("rewritten: %v", err)
			}
			again, err := RewriteBody(out, same)
			if err != nil || !bytes.Equal(out, again) {
				t.Errorf("rewriting twice differs: % x and % x, %v", out, again, err)
			}
		})
	}
	for _, control := range []byte{opUnreachable, opBr, opBrIf, opBrTable, opReturn, opElse, opEnd} {
		seen[string([]byte{control})] = true // inside the snippets above
	}
	// Nothing else is accepted, whatever follows.
	rest := bytes.Repeat([]byte{0}, 16)
	for op := range 256 {
		for sub := range 32 {
			code := []byte{byte(op)}
			if op == opPrefix {
				code = append(code, byte(sub))
			}
			r := &reader{buf: append(code, rest...)}
			r.instruction()
			if accepted := r.err == nil; accepted != seen[string(code)] {
				t.Errorf("% x: accepted %v, in the table %v", code, accepted, !accepted)
			}
			if op != opPrefix {
				break
			}
		}
	}
}

func TestBodiesRefused(t *testing.T) {
	for _, tc := range []struct {
		name string
		body []byte
	}{
		{"empty", nil},
		{"no end", []byte{0, 0x01}},
		{"no end of a block", []byte{0, opBlock, blockVoid, opEnd}},
		{"bytes after the end", []byte{0, opEnd, 0x01}},
		{"locals of no type", []byte{1, 1, 0x00, opEnd}},
		{"vector locals", []byte{1, 1, 0x7b, opEnd}},
		{"more locals than bytes", []byte{0xff, 0xff, 0x03, opEnd}},
		{"second memory", []byte{0, opMemorySize, 1, 0x1a, opEnd}},
		{"branch table larger than the body", []byte{0, opBrTable, 0xff, 0xff, 0x03, opEnd}},
		{"cut constant", []byte{0, opF64Const, 1, 2, 3}},
		{"vector instruction", []byte{0, 0xfd, 0, opEnd}},
		{"atomic instruction", []byte{0, 0xfe, 0, opEnd}},
		{"tail call", []byte{0, 0x12, 0, opEnd}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := Instructions(tc.body); err == nil {
				t.Error("accepted")
			}
			if _, err := RewriteBody(tc.body, Rewrite{Func: func(i uint32) uint32 { return i }}); err == nil {
				t.Error("rewritten")
			}
			if _, err := Calls(tc.body, nil); err == nil {
				t.Error("accepted by Calls")
			}
		})
	}
}

func TestRewriteInserts(t *testing.T) {
	tick := NewAssembler(0).GlobalGet(0).I32Const(1).I32Add().GlobalSet(0).Code()
	a := NewAssembler(0)
	x := a.Local(I32)
	a.Loop().Call(3).End()
	a.I32Const(7).LocalTee(x).GlobalSet(0) // guarded: the value is in a local
	a.I32Const(7).GlobalSet(0)             // not guarded
	a.LocalGet(x).GlobalSet(1)             // another global
	out, err := RewriteBody(a.Body(), Rewrite{
		Func:          func(i uint32) uint32 { return i + 200 },
		AfterLoop:     tick,
		AfterStackSet: func(local uint32) []byte { return NewAssembler(0).LocalGet(local).Drop().Code() },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := NewAssembler(0)
	want.Local(I32)
	want.Loop()
	want.op(tick...)
	want.Call(203).End()
	want.I32Const(7).LocalTee(x).GlobalSet(0).LocalGet(x).Drop()
	want.I32Const(7).GlobalSet(0)
	want.LocalGet(x).GlobalSet(1)
	if !bytes.Equal(out, want.Body()) {
		t.Errorf("got  % x\nwant % x", out, want.Body())
	}
}

func TestCalls(t *testing.T) {
	body := NewAssembler(0).Call(3).Block().Call(300).End().op(opRefFunc, 7).Drop().Body()
	got, err := Calls(body, []uint32{1})
	if err != nil || fmt.Sprint(got) != "[1 3 300 7]" {
		t.Errorf("got %v, %v", got, err)
	}
}
