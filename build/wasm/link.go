package wasm

import (
	"fmt"
	"strings"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// engineVersion is the engine as it is shown to people and written into packages.
const engineVersion = "QuickJS-NG " + quickjs.Version

// The linear stack. The engine came with 64 KiB that lie above its data; the core has this much in
// pages of its own behind the engine's initial memory instead. Nothing else is ever put there: the
// engine's allocator only takes memory that it asked the system for.
const (
	stackPages = 48

	// stackReserve is what the engine may still use when its own stack check has refused to go
	// deeper: throwing the RangeError, and native functions that do not check.
	stackReserve = 256 << 10
)

// Names of exports of the core. The first three are the plug-in; the others serve the compiler
// and the host, and do no harm to anybody else who calls them.
const (
	exportTool      = "handleTool"
	exportRoute     = "handleRoute"
	exportLifecycle = "handleLifecycle"
	exportRestore   = "neuralis_restore"
	exportInit      = "neuralis_init"
	exportCompile   = "neuralis_compile"
	exportRead      = "neuralis_read"
	exportLoad      = "neuralis_load"
	exportEval      = "neuralis_eval"
	exportText      = "neuralis_text"
	exportAlloc     = "neuralis_alloc"
	exportFree      = "neuralis_free"
	exportScrub     = "neuralis_scrub"
)

// The modules that a core imports from.
const (
	kernelModule = "extism:host/env"
	userModule   = "extism:host/user"
	wasiModule   = "wasi_snapshot_preview1"

	// hostFunction is the one function a host provides: JSON in, JSON out, as kernel blocks.
	hostFunction = "neuralis_host"
)

// coreImports are the functions a core imports, in their order. Only functions that every Extism
// SDK offers are among them: an import that one of them lacks would keep packages from loading there.
var coreImports = []struct {
	module, name    string
	params, results string // one letter a value: i (i32), I (i64)
}{
	{kernelModule, "alloc", "I", "I"},
	{kernelModule, "free", "I", ""},
	{kernelModule, "length", "I", "I"},
	{kernelModule, "load_u8", "I", "i"},
	{kernelModule, "load_u64", "I", "I"},
	{kernelModule, "store_u8", "Ii", ""},
	{kernelModule, "store_u64", "II", ""},
	{kernelModule, "input_length", "", "I"},
	{kernelModule, "input_load_u8", "I", "i"},
	{kernelModule, "input_load_u64", "I", "I"},
	{kernelModule, "output_set", "II", ""},
	{kernelModule, "error_set", "I", ""},
	{kernelModule, "log_debug", "I", ""},
	{kernelModule, "log_info", "I", ""},
	{kernelModule, "log_warn", "I", ""},
	{kernelModule, "log_error", "I", ""},
	{kernelModule, "config_get", "I", "I"},
	{kernelModule, "var_get", "I", "I"},
	{kernelModule, "var_set", "II", ""},
	{kernelModule, "http_request", "II", "I"},
	{kernelModule, "http_status_code", "", "i"},
	{userModule, hostFunction, "I", "I"},
	{wasiModule, "clock_time_get", "iIi", "i"},
	{wasiModule, "random_get", "ii", "i"},
}

// wasiStubs say what an engine gets from a WASI function that the core does not import. What is
// not named answers ENOSYS: there is no file system that could be granted by mistake.
var wasiStubs = map[string]func(*wasmbin.Assembler){
	"environ_get":       func(a *wasmbin.Assembler) { a.I32Const(0) },
	"environ_sizes_get": func(a *wasmbin.Assembler) { storeZeros(a) },
	"fd_prestat_get":    func(a *wasmbin.Assembler) { a.I32Const(errnoBadf) },
	"proc_exit":         func(a *wasmbin.Assembler) { a.Unreachable() },
}

// WASI error numbers.
const (
	errnoBadf  = 8
	errnoNosys = 52
)

func storeZeros(a *wasmbin.Assembler) {
	a.LocalGet(0).I32Const(0).I32Store(0)
	a.LocalGet(1).I32Const(0).I32Store(0)
	a.I32Const(0)
}

// uselessPrefixes are engine functions which only its std, os and bjson modules use. No module
// loader is installed and none of them is registered, so they cannot be reached; entries of the
// function table that name them become a trap, and the code behind them is left out.
var uselessPrefixes = []string{"js_std_", "js_os_", "js_bjson_", "js_worker_", "js_load_file", "js_module_load", "js_init_module_", "qjs_"}

func useless(name string) bool {
	for _, p := range uselessPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// linked is a core with the data that the engine starts with.
type linked struct {
	module *wasmbin.Module // with data
	cells  cells
}

// linker holds the state of one link.
type linker struct {
	engine *wasmbin.Module
	out    *wasmbin.Module
	byName map[string]uint32 // engine function index by name
	oldTop uint32            // the engine's own initial stack pointer
	cells  cells
	loops  uint32 // global variable: loops of the engine until it calls the host
	direct uint32 // global variable: whether the host reads and writes this memory itself

	newIndex map[uint32]uint32 // engine index -> index in the core
	imports  map[string]uint32 // import name -> index in the core
	glue     map[string]uint32 // glue function -> index in the core
	trap     uint32            // a function without parameters that traps

	stackLimitOffset  uint32 // of JSRuntime's stack limit
	randomStateOffset uint32 // of JSContext's random state
	calls             callLayout
}

// link makes a core out of the engine's binary.
func link(engineBinary []byte) (*linked, error) {
	engine, err := wasmbin.Parse(engineBinary)
	if err != nil {
		return nil, fmt.Errorf("reading the engine: %w", err)
	}
	l := &linker{
		engine:   engine,
		byName:   make(map[string]uint32, len(engine.FuncNames)),
		newIndex: map[uint32]uint32{},
		imports:  map[string]uint32{},
		glue:     map[string]uint32{},
	}
	for index, name := range engine.FuncNames {
		l.byName[name] = index
	}
	for _, step := range []struct {
		what string
		run  func() error
	}{
		{"checking the engine's layout", l.layout},
		{"finding the engine's structures", l.offsets},
		{"finding how the engine calls functions", l.layoutOfCalls},
		{"numbering functions", l.number},
		{"copying the engine's code", l.copyCode},
		{"writing glue", l.writeGlue},
	} {
		if err := step.run(); err != nil {
			return nil, fmt.Errorf("linking the engine: %s: %w", step.what, err)
		}
	}
	return &linked{module: l.out, cells: l.cells}, nil
}

// layout checks what the linker assumes of the engine and lays out memory.
func (l *linker) layout() error {
	e := l.engine
	if len(e.Memories) != 1 || len(e.Tables) != 1 || len(e.Elements) != 1 || len(e.Globals) == 0 || !e.Globals[0].Mutable {
		return fmt.Errorf("expected one memory, one table, one element segment and a stack pointer, found %d, %d, %d and %d globals",
			len(e.Memories), len(e.Tables), len(e.Elements), len(e.Globals))
	}
	for i, g := range e.Globals[1:] {
		if g.Mutable {
			return fmt.Errorf("global %d is mutable; only the stack pointer may be", i+1)
		}
	}
	init := e.Globals[0].Init
	top, err := wasmbin.Instructions(append([]byte{0}, init...))
	if err != nil || len(top) != 2 || top[0].Op != 0x41 {
		return fmt.Errorf("the stack pointer does not start at a constant")
	}
	l.oldTop = uint32(top[0].A)
	engineEnd := e.Memories[0].Min * wasmbin.PageSize
	if l.oldTop >= engineEnd {
		return fmt.Errorf("the stack pointer starts at %d, beyond the memory", l.oldTop)
	}
	for _, d := range e.Data {
		if end := d.Offset + uint32(len(d.Bytes)); end > l.oldTop-oldStackSize {
			return fmt.Errorf("the engine's data reaches to %d, into its stack", end)
		}
	}
	// The stack the engine came with is free now; the glue keeps its cells there.
	l.cells = cells{base: l.oldTop - oldStackSize, stackBottom: engineEnd, stackTop: engineEnd + stackPages*wasmbin.PageSize}
	return nil
}

// oldStackSize is the stack that LLVM's linker reserves when nobody asks for another size.
const oldStackSize = 64 << 10

// offsets finds the places in the engine's structures that the glue writes to, by reading the
// functions that use them: JS_SetMaxStackSize stores zero ("no limit", which is all this platform
// offers) to the stack limit first, and js_math_random loads its state first.
func (l *linker) offsets() error {
	first := func(function string, op byte) (uint32, error) {
		index, ok := l.byName[function]
		if !ok || int(index) < len(l.engine.Imports) {
			return 0, fmt.Errorf("the engine has no function %s", function)
		}
		code, err := wasmbin.Instructions(l.engine.Funcs[int(index)-len(l.engine.Imports)].Body)
		if err != nil {
			return 0, err
		}
		for _, in := range code {
			if in.Op == op {
				return uint32(in.B), nil
			}
		}
		return 0, fmt.Errorf("%s does not look as expected", function)
	}
	var err error
	if l.stackLimitOffset, err = first("JS_SetMaxStackSize", 0x36 /* i32.store */); err != nil {
		return err
	}
	l.randomStateOffset, err = first("js_math_random", 0x29 /* i64.load */)
	return err
}

// number decides which engine functions stay and which index everything has in the core:
// imports, then engine functions, then stubs and glue.
func (l *linker) number() error {
	e := l.engine
	l.out = &wasmbin.Module{Types: append([]wasmbin.FuncType(nil), e.Types...)}
	for i, imp := range coreImports {
		l.out.Imports = append(l.out.Imports, wasmbin.Import{Module: imp.module, Name: imp.name, Type: l.signature(imp.params, imp.results)})
		l.imports[imp.name] = uint32(i)
	}

	// What is reachable from the table and from the functions the glue calls.
	elements := e.Elements[0].Funcs
	keep := map[uint32]bool{}
	var queue []uint32
	need := func(index uint32) {
		if !keep[index] {
			keep[index] = true
			queue = append(queue, index)
		}
	}
	for _, f := range elements {
		if !useless(e.FuncNames[f]) {
			need(f)
		}
	}
	for _, name := range engineFunctions {
		index, ok := l.byName[name]
		if !ok {
			return fmt.Errorf("the engine has no function %s", name)
		}
		need(index)
	}
	for len(queue) > 0 {
		index := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if int(index) < len(e.Imports) {
			continue
		}
		calls, err := wasmbin.Calls(e.Funcs[int(index)-len(e.Imports)].Body, nil)
		if err != nil {
			return fmt.Errorf("function %d (%s): %w", index, e.FuncNames[index], err)
		}
		for _, c := range calls {
			if int(c) >= len(e.Imports)+len(e.Funcs) {
				return fmt.Errorf("function %d calls %d, which does not exist", index, c)
			}
			need(c)
		}
	}

	next := uint32(len(l.out.Imports))
	for i := range e.Funcs {
		if old := uint32(len(e.Imports) + i); keep[old] {
			l.newIndex[old] = next
			next++
		}
	}
	for i, imp := range e.Imports {
		if !keep[uint32(i)] {
			continue
		}
		if imp.Module != wasiModule {
			return fmt.Errorf("the engine imports %s.%s", imp.Module, imp.Name)
		}
		if index, ok := l.imports[imp.Name]; ok {
			l.newIndex[uint32(i)] = index
			continue
		}
		l.newIndex[uint32(i)] = next
		next++
	}
	l.trap = next
	next++
	for _, g := range glueFunctions {
		l.glue[g.name] = next
		next++
	}
	return nil
}

// copyCode copies engine functions with their new indices, guards, tables and data.
func (l *linker) copyCode() error {
	e := l.engine
	c := l.cells
	// Each loop of the engine, the interpreter's too, counts, and now and then calls the host and looks
	// at a cell that the host may set: whatever runs, ends. The count is a global variable because
	// memory may have come with a package.
	l.loops, l.direct = uint32(len(e.Globals)), uint32(len(e.Globals)+1)
	interrupt := wasmbin.NewAssembler(0).
		GlobalGet(l.loops).I32Const(1).I32Sub().GlobalSet(l.loops).
		GlobalGet(l.loops).I32Const(1).I32LtS().If().Call(l.glue["breathe"]).End().Code()
	copyFunc, fillFunc := l.glue["copy"], l.glue["fill"] // one instruction of these may be long
	guard := func(local uint32) []byte {
		return wasmbin.NewAssembler(0).LocalGet(local).Call(l.glue["guard"]).Code()
	}
	newIndex := func(old uint32) uint32 {
		if old == l.byName[callInternal] {
			return l.glue["enter"]
		}
		return l.newIndex[old]
	}
	for i, f := range e.Funcs {
		old := uint32(len(e.Imports) + i)
		if _, ok := l.newIndex[old]; !ok {
			continue
		}
		rw := wasmbin.Rewrite{
			Func:          newIndex,
			AfterLoop:     interrupt,
			Copy:          &copyFunc,
			Fill:          &fillFunc,
			AfterStackSet: guard,
			StackGlobal:   0,
		}
		body, err := wasmbin.RewriteBody(f.Body, rw)
		if err != nil {
			return fmt.Errorf("function %d (%s): %w", old, e.FuncNames[old], err)
		}
		l.out.Funcs = append(l.out.Funcs, wasmbin.Func{Type: f.Type, Body: body})
	}
	for i, imp := range e.Imports {
		if index, ok := l.newIndex[uint32(i)]; !ok || int(index) < len(coreImports) {
			continue
		}
		a := wasmbin.NewAssembler(len(e.Types[imp.Type].Params))
		if stub := wasiStubs[imp.Name]; stub != nil {
			stub(a)
		} else {
			a.I32Const(errnoNosys)
		}
		l.out.Funcs = append(l.out.Funcs, wasmbin.Func{Type: imp.Type, Body: a.Body()})
	}
	l.out.Funcs = append(l.out.Funcs, wasmbin.Func{Type: l.signature("", ""), Body: wasmbin.NewAssembler(0).Unreachable().Body()})

	element := wasmbin.Element{Offset: e.Elements[0].Offset}
	for _, f := range e.Elements[0].Funcs {
		index, ok := l.newIndex[f]
		if !ok {
			index = l.trap
		}
		element.Funcs = append(element.Funcs, index)
	}
	table := e.Tables[0]
	for i, name := range tableFunctions {
		if int(element.Offset)+len(element.Funcs) != int(table.Limits.Min)+i {
			return fmt.Errorf("the function table has room behind its elements")
		}
		element.Funcs = append(element.Funcs, l.glue[name])
	}
	l.cells.table = table.Limits.Min
	table.Limits.Min += uint32(len(tableFunctions))
	table.Limits.Max, table.Limits.HasMax = table.Limits.Min, true
	l.out.Tables = []wasmbin.Table{table}
	l.out.Elements = []wasmbin.Element{element}

	l.out.Memories = []wasmbin.Limits{{Min: e.Memories[0].Min + stackPages}}
	l.out.Globals = append([]wasmbin.Global(nil), e.Globals...)
	for _, initial := range []int32{breaths, 0} { // loops, direct
		l.out.Globals = append(l.out.Globals, wasmbin.Global{Type: wasmbin.I32, Mutable: true, Init: wasmbin.NewAssembler(0).I32Const(initial).End().Code()})
	}
	l.out.Globals[0].Init = wasmbin.NewAssembler(0).I32Const(int32(c.stackTop)).End().Code()
	l.out.Data = append(append([]wasmbin.DataSegment(nil), e.Data...), l.cells.data()...)
	return nil
}

// signature returns the index of a function type, adding it when the engine has none like it.
func (l *linker) signature(params, results string) uint32 {
	parse := func(s string) []wasmbin.ValueType {
		var ts []wasmbin.ValueType
		for _, c := range s {
			if c == 'i' {
				ts = append(ts, wasmbin.I32)
			} else {
				ts = append(ts, wasmbin.I64)
			}
		}
		return ts
	}
	want := wasmbin.FuncType{Params: parse(params), Results: parse(results)}
	for i, t := range l.out.Types {
		if t.Equal(want) {
			return uint32(i)
		}
	}
	l.out.Types = append(l.out.Types, want)
	return uint32(len(l.out.Types) - 1)
}
