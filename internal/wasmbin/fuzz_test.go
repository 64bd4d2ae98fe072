package wasmbin

import (
	"bytes"
	"testing"
)

// shifted is a module with one more import in front, so that every function moves, and with code
// inserted where the compiler inserts it.
func shifted(t testing.TB, m *Module) *Module {
	t.Helper()
	move := func(i uint32) uint32 { return i + 1 }
	out := *m
	out.Types = append(append([]FuncType(nil), m.Types...), FuncType{})
	out.Imports = append([]Import{{"added", "first", uint32(len(m.Types))}}, m.Imports...)
	rw := Rewrite{Func: move}
	if len(m.Memories) > 0 {
		rw.AfterLoop = NewAssembler(0).I32Const(0).I32Load(64).If().Unreachable().End().Code()
	}
	if len(m.Globals) > 0 && m.Globals[0].Mutable && m.Globals[0].Type == I32 {
		rw.AfterStackSet = func(local uint32) []byte {
			return NewAssembler(0).LocalGet(local).I32Const(1024).I32Sub().I32Const(65536).I32GtU().If().Unreachable().End().Code()
		}
	}
	out.Funcs = nil
	for _, f := range m.Funcs {
		body, err := RewriteBody(f.Body, rw)
		if err != nil {
			t.Fatalf("a body that the runtime accepts is refused: %v", err)
		}
		out.Funcs = append(out.Funcs, Func{f.Type, body})
	}
	out.Exports = nil
	for _, e := range m.Exports {
		if e.Kind == ExternFunc {
			e.Index = move(e.Index)
		}
		out.Exports = append(out.Exports, e)
	}
	out.Elements = nil
	for _, e := range m.Elements {
		funcs := make([]uint32, len(e.Funcs))
		for i, f := range e.Funcs {
			funcs[i] = move(f)
		}
		out.Elements = append(out.Elements, Element{e.Offset, funcs})
	}
	if m.Start != nil {
		start := move(*m.Start)
		out.Start = &start
	}
	return &out
}

// seeds are modules that fuzzing starts from.
func seeds() [][]byte {
	var all [][]byte
	for _, op := range opcodes() {
		all = append(all, testModule(op.body()).Encode())
	}
	loops := NewAssembler(5)
	local := loops.Local(I32)
	loops.Block().Loop().GlobalGet(0).I32Const(16).I32Sub().LocalTee(local).GlobalSet(0)
	loops.LocalGet(local).I32Eqz().BrIf(1).Br(0).End().End()
	all = append(all, testModule(loops.Body()).Encode())
	empty := AppendPreamble(nil)
	return append(all, empty,
		AppendSection(empty, Section{ID: SectionCustom, Name: "name", Body: []byte{1, 4, 1, 0, 1, 'f'}}),
		(&Module{Memories: []Limits{{Min: 1, Max: 2, HasMax: true}}}).Encode())
}

// FuzzParse: whatever the bytes, nothing panics; what a runtime accepts it also accepts after
// reading and writing, and what was written reads the same.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	v := newValidator(f)
	f.Fuzz(func(t *testing.T, module []byte) {
		m, err := Parse(module)
		if err != nil {
			return
		}
		if held := len(m.Types) + len(m.Imports) + len(m.Funcs) + len(m.Globals) + len(m.Exports) + len(m.Elements) + len(m.Data) + len(m.FuncNames); held > len(module) {
			t.Fatalf("%d parts of a module of %d bytes", held, len(module))
		}
		for _, fn := range m.Funcs {
			_, _ = Instructions(fn.Body)
		}
		encoded := m.Encode()
		again, err := Parse(encoded)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if !bytes.Equal(again.Encode(), encoded) {
			t.Fatal("writing twice differs")
		}
		if v.validate(module) != nil {
			return
		}
		if err := v.validate(encoded); err != nil {
			t.Fatalf("valid before, not after: %v", err)
		}
	})
}

// FuzzRewrite: a valid module stays one when its functions move and code is inserted.
func FuzzRewrite(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	v := newValidator(f)
	f.Fuzz(func(t *testing.T, module []byte) {
		m, err := Parse(module)
		if err != nil {
			return
		}
		if v.validate(module) != nil {
			for _, fn := range m.Funcs {
				_, _ = RewriteBody(fn.Body, Rewrite{Func: func(i uint32) uint32 { return i }})
			}
			return
		}
		if err := v.validate(shifted(t, m).Encode()); err != nil {
			t.Fatalf("valid before, not after: %v", err)
		}
	})
}
