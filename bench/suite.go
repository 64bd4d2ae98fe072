package main

import (
	"context"
	"fmt"
	"path"
)

// Benchmark is one promise and how it is measured.
type Benchmark struct {
	Name  string
	About string
	Run   func(ctx context.Context, w *World) ([]Row, error)
}

// Row is one measured figure.
type Row struct {
	// What is measured, e.g. "componentize-qjs / neuralis build".
	What string `json:"what"`
	// Unit is "x" for ratios, else the unit of an absolute target: "s", "ms", "bytes".
	Unit   string  `json:"unit"`
	Spread Spread  `json:"spread"`
	CPU    *Spread `json:"cpu,omitempty"` // the same ratio in processor time
	Target *Target `json:"target,omitempty"`
	Met    *bool   `json:"met,omitempty"`
	Note   string  `json:"note,omitempty"`
}

// judged sets the row's target and says whether it is met.
func (r Row) judged(op string, value float64) Row {
	target := Target{Op: op, Value: value}
	met := target.met(r.Spread)
	r.Target, r.Met = &target, &met
	return r
}

// ratioRow is the row of an interleaved measurement: A's time over B's.
func ratioRow(what string, a, b samples) Row {
	cpu := spreadOf(ratios(a.cpu(), b.cpu()))
	return Row{What: what, Unit: "x", Spread: spreadOf(ratios(a.wall(), b.wall())), CPU: &cpu}
}

// suite has every benchmark, in the order they run.
func suite() []Benchmark {
	return []Benchmark{
		{"build-vs-peer", "whole-process build of a one-tool package, warm, beside componentize-qjs", buildVersusPeer},
		{"build-large", "build of a package whose bundle is 1 MB, beside the one-tool package", buildLarge},
		{"build-cold", "the first build ever on a machine: empty caches", buildCold},
		{"size", "dist/package.wasm of the one-tool package", packageSize},
		{"build-many", "one build of 50 packages, beside one package", buildMany},
		{"call", "a tool call through the Extism Go SDK on a restored instance", callRestored},
		{"dispatch", "a tool call through the host, with schema and limits, beside the bare Extism call", dispatchOverhead},
		{"dev-save", "from a save to the new answer, beside wrangler dev", devSave},
		{"dev-ready", "from the start of the development server to its first answer, beside wrangler dev", devReady},
		{"dev-many", "a save among 100 packages, beside one in a project of one", devMany},
		{"dev-idle", "a development server of 100 packages with nothing to do", devIdle},
		{"packages", "500 packages in one host, each loaded and called", hostedPackages},
	}
}

// choose returns the benchmarks whose name matches one of the patterns (path.Match); none means all.
func choose(all []Benchmark, patterns []string) ([]Benchmark, error) {
	if len(patterns) == 0 {
		return all, nil
	}
	var chosen []Benchmark
	used := make([]bool, len(patterns))
	for _, b := range all {
		take := false
		for i, pattern := range patterns {
			ok, err := path.Match(pattern, b.Name)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", pattern, err)
			}
			if ok {
				used[i], take = true, true
			}
		}
		if take {
			chosen = append(chosen, b)
		}
	}
	for i, ok := range used {
		if !ok {
			return nil, fmt.Errorf("no benchmark is named %q; -list shows them", patterns[i])
		}
	}
	return chosen, nil
}
