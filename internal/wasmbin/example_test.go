package wasmbin_test

import (
	"fmt"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// A module is assembled, taken apart, and its function moved behind an import.
func Example() {
	answer := wasmbin.NewAssembler(0).I32Const(42).Body()
	module := (&wasmbin.Module{
		Types:   []wasmbin.FuncType{{Results: []wasmbin.ValueType{wasmbin.I32}}},
		Funcs:   []wasmbin.Func{{Type: 0, Body: answer}},
		Exports: []wasmbin.Export{{Name: "answer", Kind: wasmbin.ExternFunc, Index: 0}},
	}).Encode()

	m, err := wasmbin.Parse(module)
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Imports = append(m.Imports, wasmbin.Import{Module: "host", Name: "ask", Type: 0})
	m.Exports[0].Index++
	fmt.Printf("%s is function %d of %d\n", m.Exports[0].Name, m.Exports[0].Index, len(m.Imports)+len(m.Funcs))
	// Output: answer is function 1 of 2
}
