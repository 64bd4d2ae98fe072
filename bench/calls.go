package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/neuralis-dev/neuralis/host/sandbox"
)

// callCount is how many calls are timed, after callWarmup that are not.
const (
	callCount  = 2000
	callWarmup = 200
)

// nothing is a host with nothing to offer: it knows every request and answers null.
type nothing struct{ requests int }

func (n *nothing) Answer(context.Context, []byte) []byte {
	n.requests++
	return []byte(`{"ok":null}`)
}

func (*nothing) Log(context.Context, int, string) {}

// callRestored times calls of one instance, made as the host makes them: the shared core, compiled once, and
// the package's image restored into it. The Extism Go SDK carries each call.
func callRestored(ctx context.Context, w *World) ([]Row, error) {
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
	engine := sandbox.NewEngine(sandbox.Options{CacheDir: w.Cache})
	defer engine.Close(ctx)
	plugin, err := engine.Load(ctx, module, sandbox.Limits{})
	if err != nil {
		return nil, fmt.Errorf("loading the package: %w", err)
	}
	defer plugin.Close(ctx)

	// A new instance each time, for what the restore costs; the last one takes the calls.
	var starts []float64
	var instance *sandbox.Instance
	for range w.Runs + 1 {
		if instance != nil {
			instance.Close(ctx)
		}
		start := time.Now()
		if instance, err = plugin.Instance(ctx); err != nil {
			return nil, fmt.Errorf("making an instance: %w", err)
		}
		starts = append(starts, time.Since(start).Seconds()*1000)
	}
	defer instance.Close(ctx)

	ports := &nothing{}
	times := make([]float64, 0, callCount)
	for i := range callWarmup + callCount {
		took, err := timedCall(ctx, instance, ports, i)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i, err)
		}
		if i >= callWarmup {
			times = append(times, took.Seconds()*1000)
		}
	}
	if want := callWarmup + callCount; ports.requests != want {
		return nil, fmt.Errorf("%d calls made %d requests to the host", want, ports.requests)
	}
	return []Row{
		Row{What: "tool call: promise, JSON, one host call", Unit: "ms", Spread: spreadOf(times)}.judged("<=", 0.2),
		{What: "a new instance: restore of the image", Unit: "ms", Spread: spreadOf(starts[1:])},
	}, nil
}

// timedCall makes one call with arguments of its own and checks the answer.
func timedCall(ctx context.Context, instance *sandbox.Instance, ports sandbox.Ports, i int) (time.Duration, error) {
	input, err := json.Marshal(map[string]any{
		"tool":    "greet",
		"args":    map[string]any{"name": fmt.Sprintf("Ada %d", i)},
		"session": map[string]any{"userId": "bench", "role": "member", "features": []string{}},
	})
	if err != nil {
		return 0, err
	}
	start := time.Now()
	output, err := instance.Call(ctx, sandbox.ExportTool, input, ports)
	took := time.Since(start)
	if err != nil {
		return 0, err
	}
	if want := fmt.Sprintf("Hello, Ada %d!", i); !bytes.Contains(output, []byte(want)) {
		return 0, fmt.Errorf("it answered %s, which lacks %q", output, want)
	}
	return took, nil
}
