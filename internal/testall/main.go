package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// raceScopes are the package trees whose tests run under the race detector: those where goroutines
// share data. The detector costs a multiple of the time, so the others run without it, and so do those of
// raceExceptions: what they drive are other processes.
var (
	raceScopes = []string{
		"build/bundle", "devserver", "host",
		"internal/atomicfile", "internal/linearmemory", "internal/watch",
	}
	raceExceptions = []string{"host/mcpapi/interop"}
)

func main() {
	os.Exit(run())
}

func run() int {
	flags := flag.NewFlagSet("testall", flag.ContinueOnError)
	noInstall := flags.Bool("no-install", false, "do not install anything, only run the tests")
	noRace := flags.Bool("no-race", false, "run every test without the race detector")
	timeout := flags.Duration("timeout", 8*time.Minute, "the bound on one package's tests")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return 2
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	root, err := moduleRoot(ctx)
	if err != nil {
		return fail(err)
	}
	if !*noInstall {
		if err := prepare(ctx, root, !*noRace); err != nil {
			return fail(err)
		}
	}

	heading("go build ./...")
	if err := command(ctx, root, "go", "build", "./...").Run(); err != nil {
		return fail(fmt.Errorf("go build ./...: %w", err))
	}
	race, plain, err := splitPackages(ctx, root, raceScopes, raceExceptions)
	if err != nil {
		return fail(err)
	}
	if *noRace || !raceDetectorAvailable(ctx, root) {
		plain, race = append(race, plain...), nil
	}

	var total tally
	for _, group := range []struct {
		title    string
		args     []string
		packages []string
	}{
		{"go test -race (packages where goroutines share data)", []string{"-race"}, race},
		{"go test", nil, plain},
	} {
		if len(group.packages) == 0 {
			continue
		}
		heading(group.title)
		args := append([]string{"-timeout", timeout.String()}, group.args...)
		part, err := goTest(ctx, root, args, group.packages, os.Stdout)
		if err != nil {
			return fail(err)
		}
		total.add(part)
	}

	heading("result")
	total.print(os.Stdout)
	if total.failed() {
		return 1
	}
	return 0
}

// prepare installs what the tests need beyond Go.
func prepare(ctx context.Context, root string, race bool) error {
	needs, err := findNeeds(root)
	if err != nil {
		return err
	}
	if race {
		needs.Debian = append(needs.Debian, compilerNeeds(ctx, root)...)
	}
	if err := installDebian(ctx, systemDebian{root: root}, needs.Debian); err != nil {
		return err
	}
	return installNPM(ctx, root, needs.NPM)
}

func fail(err error) int {
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "testall: interrupted")
	} else {
		fmt.Fprintln(os.Stderr, "testall:", err)
	}
	return 2
}

func heading(text string) {
	fmt.Printf("\n== %s\n", text)
}
