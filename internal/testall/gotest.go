package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// moduleRoot finds the folder of go.mod, so that the command works from any folder of the project.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return "", errors.New("run this inside the project: no go.mod found here or above")
	}
	return filepath.Dir(file), nil
}

// splitPackages lists the module's packages: those in or below one of the scopes (folders with slashes) and none of the exceptions, and
// the rest.
func splitPackages(ctx context.Context, root string, scopes, exceptions []string) (in, out []string, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-f", "{{.Module.Path}} {{.ImportPath}}", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	list, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list ./...: %w", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		module, path, _ := strings.Cut(line, " ")
		folder := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		below := func(scope string) bool { return folder == scope || strings.HasPrefix(folder, scope+"/") }
		if slices.ContainsFunc(scopes, below) && !slices.ContainsFunc(exceptions, below) {
			in = append(in, path)
		} else {
			out = append(out, path)
		}
	}
	return in, out, nil
}

// event is one line of `go test -json`; `go doc test2json` has the format.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
	ImportPath                    string // of build-output lines
}

// goTest runs the tests of the packages and prints a line for each package, and everything a failed
// test wrote. An error means that the tests could not be run; failed tests are in the tally.
func goTest(ctx context.Context, root string, args, packages []string, out io.Writer) (tally, error) {
	words := append(append([]string{"test", "-json"}, args...), packages...)
	cmd := exec.CommandContext(ctx, "go", words...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return tally{}, err
	}
	if err := cmd.Start(); err != nil {
		return tally{}, fmt.Errorf("go test: %w", err)
	}
	result, readErr := readEvents(pipe, out)
	waitErr := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return result, ctx.Err()
	case readErr != nil:
		return result, fmt.Errorf("reading the output of go test: %w", readErr)
	case waitErr != nil && !result.failed():
		// Not a test, but go itself: never let it pass for success.
		return result, fmt.Errorf("go test: %w", waitErr)
	}
	return result, nil
}

// readEvents turns the JSON lines into the lines of a report and counts.
func readEvents(in io.Reader, out io.Writer) (tally, error) {
	var result tally
	output := map[string][]string{} // by package and test: what to show should it fail
	counts := map[string]int{}      // by package: tests that ran
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(out, "%s", line) // what go says about itself
			} else {
				result.take(e, output, counts, out)
			}
		}
		if err == io.EOF {
			return result, nil
		}
		if err != nil {
			return result, err
		}
	}
}

// tally is what a run of tests came to.
type tally struct {
	Passed, Failed int
	Packages       int
	FailedNames    []string          // tests and packages
	Skipped        map[string]string // test -> the reason it gave
}

func (t *tally) take(e event, output map[string][]string, counts map[string]int, out io.Writer) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(out, e.Output)
	case "output":
		output[key] = append(output[key], e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			t.takePackage(e, output[key], counts[e.Package], out)
			break
		}
		counts[e.Package]++
		switch e.Action {
		case "pass":
			t.Passed++
		case "fail":
			t.Failed++
			t.FailedNames = append(t.FailedNames, key)
			fmt.Fprint(out, strings.Join(output[key], ""))
		case "skip":
			if t.Skipped == nil {
				t.Skipped = map[string]string{}
			}
			t.Skipped[key] = reason(output[key])
		}
		delete(output, key)
	}
}

func (t *tally) takePackage(e event, output []string, tests int, out io.Writer) {
	switch {
	case e.Action == "fail":
		t.Packages++
		t.FailedNames = append(t.FailedNames, e.Package)
		fmt.Fprint(out, strings.Join(output, "")) // a panic or a time-out is output of the package
		fmt.Fprintf(out, "FAIL  %s  %.1fs\n", e.Package, e.Elapsed)
	case tests > 0:
		t.Packages++
		fmt.Fprintf(out, "ok    %s  %.1fs  %d tests\n", e.Package, e.Elapsed, tests)
	}
}

// reason finds what a test gave to t.Skip: the output between its "=== RUN" and "--- SKIP" lines.
func reason(output []string) string {
	for _, line := range output {
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(text, "===") && !strings.HasPrefix(text, "---") {
			return text
		}
	}
	return "no reason given"
}

func (t *tally) add(other tally) {
	t.Passed += other.Passed
	t.Failed += other.Failed
	t.Packages += other.Packages
	t.FailedNames = append(t.FailedNames, other.FailedNames...)
	for name, why := range other.Skipped {
		if t.Skipped == nil {
			t.Skipped = map[string]string{}
		}
		t.Skipped[name] = why
	}
}

// failed is also true when no test ran at all: that is no success.
func (t tally) failed() bool {
	return len(t.FailedNames) > 0 || t.Passed == 0
}

func (t tally) print(out io.Writer) {
	names := make([]string, 0, len(t.Skipped))
	for name := range t.Skipped {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(out, "skipped  %s: %s\n", name, t.Skipped[name])
	}
	for _, name := range t.FailedNames {
		fmt.Fprintf(out, "failed   %s\n", strings.TrimSpace(name))
	}
	verdict := "PASS"
	if t.failed() {
		verdict = "FAIL"
	}
	fmt.Fprintf(out, "%s: %d tests passed, %d failed, %d skipped, in %d packages\n",
		verdict, t.Passed, t.Failed, len(t.Skipped), t.Packages)
}
