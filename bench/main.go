package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	os.Exit(run())
}

func run() int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	runs := flags.Int("n", 7, "how many times each side runs, after one run that is not counted")
	asJSON := flags.Bool("json", false, "print one JSON document instead of a table")
	list := flags.Bool("list", false, "print the names of the benchmarks and stop")
	check := flags.Bool("check", false, "exit with 1 when a target is missed")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "usage: go run ./bench [flags] [name or pattern ...]\n\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(os.Args[1:]); err != nil {
		return 2
	}
	if *runs < 1 {
		return fail(fmt.Errorf("-n %d: at least one run is needed", *runs))
	}
	if *list {
		for _, b := range suite() {
			fmt.Printf("%-14s %s\n", b.Name, b.About)
		}
		return 0
	}
	chosen, err := choose(suite(), flags.Args())
	if err != nil {
		return fail(err)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	world, err := newWorld(ctx, *runs, os.Stderr)
	if err != nil {
		return fail(err)
	}
	defer world.Close()

	report := measure(ctx, world, chosen)
	if ctx.Err() != nil {
		fmt.Fprintln(os.Stderr, "bench: interrupted; these ran:")
	}
	if *asJSON {
		err = report.writeJSON(os.Stdout)
	} else {
		err = report.writeTable(os.Stdout)
	}
	switch {
	case err != nil:
		return fail(err)
	case report.broken():
		return 2
	case *check && report.missed():
		return 1
	}
	return 0
}

// measure runs the benchmarks one after the other; one that cannot run does not keep the next from
// running.
func measure(ctx context.Context, world *World, chosen []Benchmark) Report {
	report := Report{Machine: thisMachine()}
	fmt.Fprintln(world.Log, "measuring the machine's noise")
	if row, err := noise(ctx, world); err == nil {
		report.Noise = &row
	} else {
		fmt.Fprintln(world.Log, "the noise could not be measured:", err)
	}
	for _, b := range chosen {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(world.Log, "%s: %s\n", b.Name, b.About)
		result := Result{Name: b.Name}
		rows, err := b.Run(ctx, world)
		if err != nil {
			result.Error = err.Error()
		}
		result.Rows = rows
		report.Results = append(report.Results, result)
	}
	return report
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "bench:", err)
	return 2
}
