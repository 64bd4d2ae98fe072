package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/neuralis-dev/neuralis/internal/suggest"
	"github.com/neuralis-dev/neuralis/internal/terminal"
)

// globals is the world every verb gets: the streams and the flags that all verbs
// share. It is filled in before a verb's run function is called.
type globals struct {
	IO *terminal.IO

	// Dir is the absolute folder that relative paths on the command line start
	// from: the current folder, or what --dir says.
	Dir string

	// JSON asks for a machine-readable result on Out. Verbs that offer it bind it
	// with [bindJSON].
	JSON bool

	dir     string
	color   string
	started bool // a run function is about to be called: errors are no longer usage errors
}

// Path makes a path of the command line absolute.
func (g *globals) Path(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(g.Dir, path)
}

// Show gives an absolute path as the user would write it: relative to where
// they are when it is below there, else absolute.
func (g *globals) Show(path string) string {
	rel, err := filepath.Rel(g.Dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	if g.dir != "" { // they are not in g.Dir but named it
		return filepath.Join(g.dir, rel)
	}
	return rel
}

// The groups of verbs in the help text, in the order of an author's work.
const (
	groupStart   = "start"
	groupPackage = "package"
	groupHost    = "host"
	groupAbout   = "about"
)

// newRoot makes the whole command tree.
func newRoot(g *globals) *cobra.Command {
	root := &cobra.Command{
		Use:   "neuralis",
		Short: "Write, check, ship and host Neuralis packages",
		Long: `neuralis is the toolchain and the host of Neuralis packages: folders that
contribute tools, HTTP routes, skills, rules, agents and docs. It needs nothing
else to be installed.`,
		Example: `  neuralis new weather      start a package in the folder weather
  neuralis build            build the package in the current folder
  neuralis call hello '{"name":"Ada"}'`,
		Version:       readVersion().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := g.resolve(); err != nil {
				return err
			}
			g.started = true
			return nil
		},
	}
	root.SetVersionTemplate("neuralis {{.Version}}\n")
	root.SetIn(g.IO.In)
	root.SetOut(g.IO.Out)
	root.SetErr(g.IO.Err)
	root.SetFlagErrorFunc(flagError)

	flags := root.PersistentFlags()
	flags.StringVarP(&g.dir, "dir", "C", "", "run as if started in this `folder`")
	flags.BoolVarP(&g.IO.Quiet, "quiet", "q", false, "print results and problems only")
	flags.StringVar(&g.color, "color", string(terminal.ColorAuto), "`when` to use colour: auto, always or never")
	_ = root.MarkPersistentFlagDirname("dir")
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(
		[]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))

	root.AddGroup(
		&cobra.Group{ID: groupStart, Title: "Start:"},
		&cobra.Group{ID: groupPackage, Title: "Work on a package:"},
		&cobra.Group{ID: groupHost, Title: "Run a host:"},
		&cobra.Group{ID: groupAbout, Title: "About this tool:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, cmd := range commands {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	add(groupStart,
		newNewCommand(g),
		newAddCommand(g),
	)
	add(groupPackage,
		newDevCommand(g),
		newBuildCommand(g),
		newLintCommand(g),
		newTypesCommand(g),
		newCallCommand(g),
		newInspectCommand(g),
	)
	add(groupHost,
		newServeCommand(g),
		newCredentialsCommand(g),
	)
	add(groupAbout,
		newExplainCommand(g),
		newSchemaCommand(g),
		newVersionCommand(g),
		newManCommand(g),
	)
	root.SetHelpCommand(newHelpCommand())
	root.SetHelpCommandGroupID(groupAbout)
	root.SetCompletionCommandGroupID(groupAbout)
	return root
}

// resolve checks the shared flags and applies them.
func (g *globals) resolve() error {
	mode, err := terminal.ParseColorMode(g.color)
	if err != nil {
		return err
	}
	g.IO.SetColorMode(mode)
	g.Dir, err = filepath.Abs(g.dir)
	if err != nil {
		return fmt.Errorf("finding the current folder: %w", err)
	}
	if g.dir != "" {
		switch info, err := os.Stat(g.Dir); {
		case err != nil:
			return fmt.Errorf("--dir %s: %w", g.dir, errors.Unwrap(err))
		case !info.IsDir():
			return fmt.Errorf("--dir %s: not a folder", g.dir)
		}
	}
	return nil
}

// bindJSON adds the --json flag to a verb whose result a script might read.
func bindJSON(cmd *cobra.Command, g *globals) {
	cmd.Flags().BoolVar(&g.JSON, "json", false, "print the result as one JSON document")
}

// family makes a command that only holds others, such as `add`. Cobra would
// print help and succeed when the word after it is unknown.
func family(cmd *cobra.Command, members ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(members...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.FParseErrWhitelist.UnknownFlags = true // the unknown word is the better message
	var names []string
	for _, member := range members {
		names = append(names, member.Name())
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s: say what: %s", verb(cmd), strings.Join(names, ", "))
		}
		if near, ok := suggest.Closest(args[0], names); ok {
			return usagef("%s: unknown word %q, did you mean %q?", verb(cmd), args[0], near)
		}
		return usagef("%s: unknown word %q: use one of %s", verb(cmd), args[0], strings.Join(names, ", "))
	}
	return cmd
}

// flagError adds a suggestion to an unknown flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near, ok := suggest.Closest(unknown.GetSpecifiedName(), names); ok {
		return fmt.Errorf("%w, did you mean --%s?", err, near)
	}
	return err
}

// execute runs one command line on the given streams and returns the exit code.
func execute(ctx context.Context, args []string, streams *terminal.IO) int {
	g := &globals{IO: streams}
	return g.execute(ctx, newRoot(g), args)
}

func (g *globals) execute(ctx context.Context, root *cobra.Command, args []string) (code int) {
	defer func() {
		if v := recover(); v != nil {
			code = reportPanic(g, v)
		}
	}()
	out := &checkedWriter{to: g.IO.Out}
	g.IO.Out = out
	root.SetOut(out)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if out.err == nil {
		code = report(g, cmd, err)
	}
	if out.err != nil {
		// Whatever else there was to say, the result did not get there; nor would this as JSON.
		g.JSON, g.started = false, true
		code = report(g, cmd, fmt.Errorf("writing the result: %w", out.err))
	}
	return code
}
