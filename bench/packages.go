package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// manyPackages is how many packages one host has, manyCalls how many calls one figure is the mean of, and manyBlocks how
// many such figures are taken for each run that was asked for: a block takes some 20 ms, less than the machine's other work
// may take it away for.
const (
	manyPackages = 500
	manyCalls    = 200
	manyBlocks   = 10
)

// hostedPackages measures what the packages of a host cost that are loaded and called: memory, time to load one more,
// and whether their number makes calls slower.
func hostedPackages(ctx context.Context, w *World) ([]Row, error) {
	project, err := w.folder("packages")
	if err != nil {
		return nil, err
	}
	if err := buildHosted(ctx, w, project); err != nil {
		return nil, err
	}
	h, err := newHosted(ctx, w, project)
	if err != nil {
		return nil, err
	}
	defer h.Close(ctx)

	if err := h.call(ctx, hostedTool(0), 0); err != nil {
		return nil, fmt.Errorf("the first call: %w", err)
	}
	blocks := manyBlocks * w.Runs
	if _, err := h.meanCalls(ctx, manyBlocks, func(int) string { return hostedTool(0) }); err != nil { // to be as warm as it will be later
		return nil, err
	}
	alone, err := h.meanCalls(ctx, blocks, func(int) string { return hostedTool(0) })
	if err != nil {
		return nil, err
	}
	memory, memoryErr := resident()

	var first []float64
	for n := 1; n < manyPackages; n++ {
		start := time.Now()
		if err := h.call(ctx, hostedTool(n), n); err != nil {
			return nil, fmt.Errorf("the first call of package %d: %w", n, err)
		}
		first = append(first, time.Since(start).Seconds()*1000)
	}
	rows := []Row{
		Row{What: "load of one more package, and its first call", Unit: "ms", Spread: spreadOf(first)}.judged("<=", 10),
	}
	if after, err := resident(); err == nil && memoryErr == nil {
		each := float64(after-memory) / (manyPackages - 1) / (1 << 20)
		row := Row{What: fmt.Sprintf("memory of each of %d packages beyond the first", manyPackages), Unit: "MiB", Spread: spreadOf([]float64{each})}
		rows = append(rows, row.judged("<=", 1))
	} else {
		return rows, errors.Join(err, memoryErr)
	}

	among, err := h.meanCalls(ctx, blocks, func(int) string { return hostedTool(0) })
	if err != nil {
		return rows, err
	}
	spread, err := h.meanCalls(ctx, blocks, func(i int) string { return hostedTool(i * 7 % manyPackages) })
	if err != nil {
		return rows, err
	}
	return append(rows,
		Row{What: fmt.Sprintf("call of one package among %d / of one that is alone", manyPackages), Unit: "x", Spread: spreadOf(ratios(among, alone))}.judged("<=", 1.2),
		Row{What: fmt.Sprintf("calls of %d packages in turn / of one", manyPackages), Unit: "x", Spread: spreadOf(ratios(spread, among)),
			Note: "each call finds the processor's caches full of another package's memory"},
	), nil
}

// hostedTool is the name of the tool of a package.
func hostedTool(n int) string { return fmt.Sprintf("greet_%d", n) }

// buildHosted builds the packages, each from a source of its own.
func buildHosted(ctx context.Context, w *World, project string) error {
	const batch = 100
	var names []string
	for n := range manyPackages {
		name := fmt.Sprintf("p%d", n)
		all := files{}
		for path, text := range oneTool(name, n) {
			path = strings.ReplaceAll(path, "greet", hostedTool(n))
			all[path] = text
		}
		all["src/tools/"+hostedTool(n)+".ts"] = strings.ReplaceAll(callSource, "greet.key", name+".key")
		if err := all.write(filepath.Join(project, "_packages", name)); err != nil {
			return err
		}
		if names = append(names, name); len(names) == batch || n == manyPackages-1 {
			fmt.Fprintf(w.Log, "building packages up to %d\n", n+1)
			out, err := w.Neuralis(ctx, w.Cache, filepath.Join(project, "_packages"), append([]string{"build"}, names...)...).CombinedOutput()
			if err != nil {
				return fmt.Errorf("building the packages: %w\n%s", err, out)
			}
			names = nil
		}
	}
	return nil
}

// meanCalls makes calls in blocks, and returns the mean of each block in seconds.
func (h *hosted) meanCalls(ctx context.Context, blocks int, tool func(i int) string) ([]float64, error) {
	var means []float64
	for block := range blocks {
		start := time.Now()
		for i := range manyCalls {
			if err := h.call(ctx, tool(block*manyCalls+i), i); err != nil {
				return nil, err
			}
		}
		means = append(means, time.Since(start).Seconds()/manyCalls)
	}
	return means, nil
}

// resident is the memory of this process that is in RAM, in bytes, after what is not needed was given back.
func resident() (int, error) {
	runtime.GC()
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("the memory of a process is only measured on Linux: %w", err)
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0, errors.New("/proc/self/statm has another form than expected")
	}
	pages, err := strconv.Atoi(string(fields[1]))
	return pages * os.Getpagesize(), err
}
