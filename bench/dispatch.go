package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// dispatchBlock is how many calls one figure is the mean of, and dispatchBlocks how many figures there are for each
// run.
const (
	dispatchBlock  = 100
	dispatchBlocks = 5
)

// hosted is a host of the packages in the _packages folder of a project, which are built.
type hosted struct{ *host.Host }

// newHosted starts a host as neuralis serve does. All packages are untrusted, with limits that no benchmark reaches.
func newHosted(ctx context.Context, w *World, project string) (*hosted, error) {
	c, err := config.Default(project)
	if err != nil {
		return nil, err
	}
	many := 1_000_000
	c.Limits.Untrusted.ToolsPerMinute = &many
	h, err := host.Open(ctx, host.Options{Config: c, CacheDir: w.Cache})
	if err != nil {
		return nil, err
	}
	for _, e := range h.Catalog().All() {
		if e.Status != catalog.StatusReady {
			return nil, errors.Join(fmt.Errorf("the package in %s is %s: %s", e.Location, e.Status, e.Message), h.Close(ctx))
		}
	}
	return &hosted{h}, nil
}

// benchSession is who makes the calls.
var benchSession = session.Session{UserID: "bench", Role: "member"}

// call calls a tool that greets, and checks the answer.
func (h *hosted) call(ctx context.Context, tool string, i int) error {
	result := h.CallTool(ctx, benchSession, tool, json.RawMessage(fmt.Sprintf(`{"name":"Ada %d"}`, i)))
	if result.Err != nil {
		return result.Err
	}
	if want := fmt.Sprintf("Hello, Ada %d!", i); len(result.Content) == 0 || !strings.Contains(string(result.Content[0]), want) {
		return fmt.Errorf("it answered %s, which lacks %q", result.Content, want)
	}
	return nil
}

// dispatchOverhead compares a call as everybody makes it with a bare call of the plug-in: the same module, the same
// arguments, in turn.
func dispatchOverhead(ctx context.Context, w *World) ([]Row, error) {
	project, err := w.folder("dispatch")
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(project, "_packages", "greet")
	package1 := oneTool("greet", 0)
	package1["src/tools/greet.ts"] = callSource
	if err := package1.write(dir); err != nil {
		return nil, err
	}
	if out, err := w.Neuralis(ctx, w.Cache, dir, "build").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the package: %w\n%s", err, out)
	}
	h, err := newHosted(ctx, w, project)
	if err != nil {
		return nil, err
	}
	defer h.Close(ctx)

	module, err := built(dir)
	if err != nil {
		return nil, err
	}
	// The same limits as the host's, so that the machine code is the same too.
	engine := sandbox.NewEngine(sandbox.Options{CacheDir: w.Cache})
	defer engine.Close(ctx)
	plugin, err := engine.Load(ctx, module, sandbox.Limits{MemoryPages: uint32(trust.DefaultLimits(trust.Untrusted).MemoryMiB) * 16})
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", build.ModuleFile, err)
	}
	defer plugin.Close(ctx)
	instance, err := plugin.Instance(ctx)
	if err != nil {
		return nil, err
	}
	defer instance.Close(ctx)

	var bare, whole, difference []float64
	for block := -2; block < dispatchBlocks*w.Runs; block++ {
		var a, b time.Duration
		// One after the other, so that what else the machine does hits both.
		for i := range dispatchBlock {
			took, err := timedCall(ctx, instance, &nothing{}, i)
			if err != nil {
				return nil, fmt.Errorf("a bare call: %w", err)
			}
			a += took
			start := time.Now()
			if err := h.call(ctx, "greet", i); err != nil {
				return nil, fmt.Errorf("a call through the host: %w", err)
			}
			b += time.Since(start)
		}
		if block < 0 {
			continue // warming up
		}
		bare, whole = append(bare, a.Seconds()), append(whole, b.Seconds())
		difference = append(difference, (b-a).Seconds()*1e6/dispatchBlock)
	}
	if health := h.States()[0].Health; health.Started != 1 {
		return nil, fmt.Errorf("the calls were made on %d instances, and not on one", health.Started)
	}
	return []Row{
		Row{What: "call through the host / bare Extism call", Unit: "x", Spread: spreadOf(ratios(whole, bare))}.judged("<=", 1.3),
		{What: "what the host adds to a call", Unit: "µs", Spread: spreadOf(difference)},
	}, nil
}
