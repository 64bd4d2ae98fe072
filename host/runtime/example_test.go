package runtime_test

import (
	"context"
	"fmt"

	"github.com/neuralis-dev/neuralis/host/runtime"
)

// A slot is the package of one id for as long as the host runs; versions come and go in it.
func ExampleSlot() {
	ctx := context.Background()
	slot := runtime.NewSlot(func(context.Context) (runtime.Package, error) {
		return &fake{name: `"version 1"`}, nil // a real host calls WASM.Load
	})
	result, err := slot.CallTool(ctx, runtime.ToolCall{Name: "t"})
	fmt.Println(string(result), err)

	slot.Swap(func(context.Context) (runtime.Package, error) { return &fake{name: `"version 2"`}, nil })
	result, err = slot.CallTool(ctx, runtime.ToolCall{Name: "t"})
	fmt.Println(string(result), err)

	fmt.Println(slot.Close(ctx))
	_, err = slot.CallTool(ctx, runtime.ToolCall{Name: "t"})
	fmt.Println(err)
	// Output:
	// "version 1" <nil>
	// "version 2" <nil>
	// <nil>
	// the package was stopped
}
