package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Sample is one run of one side.
type Sample struct {
	Wall time.Duration
	// CPU is user + system time of the process and the children it waited for.
	CPU time.Duration
}

// Side is one of the two things that a ratio compares. Prepare runs before the clock starts and makes
// run number i different from the ones before; it may be nil. Command gives the process to time.
type Side struct {
	Name    string
	Prepare func(i int) error
	Command func(i int) *exec.Cmd
}

// run starts the side's command and waits for it. What it prints is kept for the error message only.
func (s Side) run(ctx context.Context, i int) (Sample, error) {
	if s.Prepare != nil {
		if err := s.Prepare(i); err != nil {
			return Sample{}, fmt.Errorf("preparing %s: %w", s.Name, err)
		}
	}
	cmd := s.Command(i)
	var output bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &output
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &output
	}
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if ctx.Err() != nil {
		return Sample{}, ctx.Err()
	}
	if err != nil {
		return Sample{}, fmt.Errorf("%s: %s: %w\n%s", s.Name, strings.Join(cmd.Args, " "), err, output.Bytes())
	}
	return Sample{Wall: wall, CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// samples are the runs of one side, in order.
type samples []Sample

func (s samples) wall() []float64 {
	out := make([]float64, len(s))
	for i, sample := range s {
		out[i] = sample.Wall.Seconds()
	}
	return out
}

func (s samples) cpu() []float64 {
	out := make([]float64, len(s))
	for i, sample := range s {
		out[i] = sample.CPU.Seconds()
	}
	return out
}

// interleave runs both sides once without counting, then in turn, runs times each.
func interleave(ctx context.Context, a, b Side, runs int) (sa, sb samples, err error) {
	for i := -1; i < runs; i++ {
		x, err := a.run(ctx, i+1)
		if err != nil {
			return nil, nil, err
		}
		y, err := b.run(ctx, i+1)
		if err != nil {
			return nil, nil, err
		}
		if i >= 0 {
			sa, sb = append(sa, x), append(sb, y)
		}
	}
	return sa, sb, nil
}
