package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/internal/atomicfile"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/lint"
	"github.com/neuralis-dev/neuralis/lint/format"
	"github.com/neuralis-dev/neuralis/manifest"
)

// defaultBaseline is where known findings are looked for when nobody says where.
const defaultBaseline = ".neuralis-lint-baseline.json"

type lintOptions struct {
	*globals
	Dirs          []string
	Format        string // "" is for people
	MaxWarnings   int    // negative: any number
	Baseline      string
	WriteBaseline bool
	Fix           bool
	Changed       string
	Standing      string
}

func newLintCommand(g *globals) *cobra.Command {
	opts := &lintOptions{globals: g}
	cmd := &cobra.Command{
		Use:   "lint [dir…]",
		Short: "Check packages before they are shipped",
		Long: `Check packages: what a host would refuse, demote or silently ignore is said here
first. Nothing is built or run. A folder with _packages/ stands for all packages
in it. Without a folder it is the package that the current folder is in.

Settings are in .neuralis-lint.json of the package or of its project, and in
"lint" of the manifest. In code, a comment keeps one finding quiet:
  // neuralis-lint-disable-next-line RULE -- reason`,
		Example: `  neuralis lint
  neuralis lint --format sarif > lint.sarif
  neuralis lint --max-warnings 0 packages/*`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Dirs = args
			return runLint(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Format, "format", "", "write the findings as `format`: "+strings.Join(format.Names(), ", "))
	flags.IntVar(&opts.MaxWarnings, "max-warnings", -1, "fail when there are more warnings than this `number`")
	flags.StringVar(&opts.Baseline, "baseline", "", "known findings that are not reported: a `file` (default "+defaultBaseline+", if it is there)")
	flags.BoolVar(&opts.WriteBaseline, "write-baseline", false, "write what is found to the baseline, and report nothing")
	flags.StringVar(&opts.Changed, "changed", "", "check only packages in which something differs from this `revision` of git")
	flags.BoolVar(&opts.Fix, "fix", false, "make the changes that are safe, and report the rest")
	flags.StringVar(&opts.Standing, "standing", "", "`where` the packages are used: project, or first-party")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(format.Names(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("standing", cobra.FixedCompletions([]string{string(lint.StandingProject), string(lint.StandingFirstParty)}, cobra.ShellCompDirectiveNoFileComp))
	bindJSON(cmd, g)
	return cmd
}

func runLint(ctx context.Context, o *lintOptions) error {
	switch {
	case o.Format != "" && !slices.Contains(format.Names(), o.Format):
		return usagef("--format is one of %s, not %q", strings.Join(format.Names(), ", "), o.Format)
	case o.JSON && o.Format != "" && o.Format != format.JSON:
		return usagef("--json and --format %s contradict each other", o.Format)
	case o.Changed != "" && o.WriteBaseline:
		return usagef("--changed and --write-baseline contradict each other: a baseline is of all packages")
	case o.Fix && o.WriteBaseline:
		return usagef("--fix and --write-baseline contradict each other: mend first, then write what is left")
	case o.Standing != "" && o.Standing != string(lint.StandingProject) && o.Standing != string(lint.StandingFirstParty):
		return usagef("--standing is %s or %s, not %q", lint.StandingProject, lint.StandingFirstParty, o.Standing)
	}
	if o.JSON {
		o.Format = format.JSON
	}
	dirs, err := o.packageDirs(o.Dirs)
	if err != nil {
		return err
	}
	if o.Changed != "" {
		if dirs, err = changedPackages(ctx, dirs, o.Changed); err != nil {
			return err
		}
	}
	options := lint.Options{Standing: lint.Standing(o.Standing)}
	if !o.WriteBaseline {
		if options.Baseline, err = o.readBaseline(); err != nil {
			return err
		}
	}
	report, err := lint.Run(ctx, dirs, options)
	if err != nil {
		return err
	}
	if o.WriteBaseline {
		return o.writeBaseline(report)
	}
	if o.Fix {
		if report, err = o.fix(ctx, dirs, options, report); err != nil {
			return err
		}
	}
	all := report.All(o.Dir)
	counts := terminal.Count(all)
	tooMany := o.MaxWarnings >= 0 && counts.Warnings > o.MaxWarnings
	ok := counts.Errors == 0 && !tooMany
	if o.Format != "" {
		err = format.Write(o.IO.Out, o.Format, report, format.Options{Base: o.Dir, Version: readVersion().Version, OK: ok})
	} else {
		o.print(report, all, tooMany)
	}
	if err == nil && !ok {
		return errFindings
	}
	return err
}

// fix makes the changes that are safe and looks again, until there are none: one change can make room for another.
func (o *lintOptions) fix(ctx context.Context, dirs []string, options lint.Options, report lint.Report) (lint.Report, error) {
	const rounds = 20
	total := 0
	for range rounds {
		made := 0
		for _, p := range report.Packages {
			n, err := lint.Apply(p.Dir, p.Fixes)
			made += n
			if err != nil {
				return report, err
			}
		}
		if made == 0 {
			break
		}
		total += made
		var err error
		if report, err = lint.Run(ctx, dirs, options); err != nil {
			return report, err
		}
	}
	if total > 0 {
		o.IO.Printf("%s mended\n", terminal.Plural(total, "problem"))
	}
	return report, nil
}

// print writes a report for people.
func (o *lintOptions) print(report lint.Report, all manifest.Diagnostics, tooMany bool) {
	known, first := 0, true
	for _, p := range report.Packages {
		known += p.Known
		if len(p.Diagnostics) == 0 {
			continue
		}
		if !first {
			fmt.Fprintln(o.IO.Err)
		}
		first = false
		terminal.PrintDiagnostics(o.IO, p.Diagnostics, terminal.In(o.Show(p.Dir)), terminal.NoSummary())
	}
	style := o.IO.ErrStyle()
	checked := terminal.Plural(len(report.Packages), "package")
	after := ""
	if known > 0 {
		after = fmt.Sprintf("; %s in the baseline", terminal.Plural(known, "more problem"))
	}
	if len(all) == 0 {
		o.IO.Printf("%s %s checked, no problems%s\n", style.Good("ok"), checked, after)
		return
	}
	fmt.Fprintf(o.IO.Err, "\n%s in %s%s\n", terminal.Summary(style, all), checked, after)
	if tooMany {
		fmt.Fprintf(o.IO.Err, "More warnings than --max-warnings allows, which is %d.\n", o.MaxWarnings)
	}
	o.IO.Printf("Run %s for what a rule wants; docs/lint.md says how to set or silence one.\n", style.Accent(`"neuralis explain `+all[0].Rule+`"`))
}

func (o *lintOptions) baselineFile() string {
	if o.Baseline != "" {
		return o.Path(o.Baseline)
	}
	return o.Path(defaultBaseline)
}

func (o *lintOptions) readBaseline() (*lint.Baseline, error) {
	file := o.baselineFile()
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.Baseline == "":
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, refusef("there is no baseline %s: write it with --write-baseline", o.Baseline)
	case err != nil:
		return nil, fmt.Errorf("reading the baseline: %w", err)
	}
	baseline, err := lint.ReadBaseline(data, o.Dir)
	if err != nil {
		return nil, refusef("%s: %v", o.Show(file), err)
	}
	return baseline, nil
}

func (o *lintOptions) writeBaseline(report lint.Report) error {
	data, err := lint.WriteBaseline(report, o.Dir)
	if err != nil {
		return err
	}
	file := o.baselineFile()
	if err := atomicfile.WriteFile(file, data, 0o644); err != nil {
		return fmt.Errorf("writing the baseline: %w", err)
	}
	o.IO.Printf("%s written with %s: they are not reported from now on\n", o.Show(file), terminal.Plural(len(report.All(o.Dir)), "problem"))
	return nil
}

// lintExplanations adds the rules of the linter that the manual's page of problems does not have.
func lintExplanations(page []explanation) []explanation {
	known := map[string]bool{}
	for _, e := range page {
		known[e.Rule] = true
	}
	link := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	plain := func(markdown string) string {
		return strings.ReplaceAll(link.ReplaceAllString(markdown, "$1"), "`", "")
	}
	for _, r := range lint.Rules() {
		if !known[r.ID] {
			page = append(page, explanation{Rule: r.ID, Area: "Lint: " + r.Family, Happened: plain(r.Summary), Todo: plain(r.Todo)})
		}
	}
	return page
}

// example is an explanation with what a rule of the linter has besides.
type example struct {
	explanation
	Severity manifest.Severity `json:"severity,omitempty"`
	Bad      string            `json:"bad,omitempty"`
	Good     string            `json:"good,omitempty"`
}

func exampleOf(e explanation) example {
	x := example{explanation: e}
	for _, r := range lint.Rules() {
		if r.ID == e.Rule {
			x.Severity = r.Severity
			x.Bad, x.Good = r.Examples()
		}
	}
	return x
}
