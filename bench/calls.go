package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// callCount is how many calls are timed, after callWarmup that are not.
const (
	callCount  = 2000
	callWarmup = 200
)

// instance is a loaded package that can be called.
type instance interface {
	// Call runs one exported function and returns its output.
	Call(function string, input []byte) ([]byte, error)
	Close() error
}

// openInstance loads a built package the way the host does: the shared base module, already compiled, and
// the package's memory image restored into an instance of it.
var openInstance func(ctx context.Context, w *World, module []byte) (instance, error)

func callRestored(ctx context.Context, w *World) ([]Row, error) {
	if openInstance == nil {
		return nil, errors.New("this build of the benchmarks has no host to call through")
	}
	side, dir, err := w.smallPackage(ctx, "call")
	if err != nil {
		return nil, err
	}
	side.Prepare = func(int) error { return files{"src/tools/greet.ts": callSource}.write(dir) }
	if _, err := side.run(ctx, 0); err != nil {
		return nil, err
	}
	module, err := built(dir)
	if err != nil {
		return nil, err
	}
	loaded, err := openInstance(ctx, w, module)
	if err != nil {
		return nil, fmt.Errorf("loading the package: %w", err)
	}
	defer loaded.Close()

	times := make([]float64, 0, callCount)
	for i := range callWarmup + callCount {
		input, err := json.Marshal(map[string]any{
			"tool":    "greet",
			"args":    map[string]any{"name": fmt.Sprintf("Ada %d", i)},
			"session": map[string]any{"userId": "bench", "role": "member", "features": []string{}},
		})
		if err != nil {
			return nil, err
		}
		start := time.Now()
		output, err := loaded.Call("handleTool", input)
		took := time.Since(start)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i, err)
		}
		if want := fmt.Sprintf("Hello, Ada %d!", i); !strings.Contains(string(output), want) {
			return nil, fmt.Errorf("call %d answered %s, which lacks %q", i, output, want)
		}
		if i >= callWarmup {
			times = append(times, took.Seconds()*1000)
		}
	}
	row := Row{What: "tool call: promise, JSON, one host call", Unit: "ms", Spread: spreadOf(times)}
	return []Row{row.judged("<=", 0.2)}, nil
}
