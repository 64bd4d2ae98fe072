package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/internal/terminal"
)

type manOptions struct {
	*globals
	Dir string
}

func newManCommand(g *globals) *cobra.Command {
	opts := &manOptions{globals: g}
	return &cobra.Command{
		Use:     "man <dir>",
		Short:   "Write man pages, one for each command",
		Long:    "Write man pages, one for each command, into a folder, which is made if it does not exist. Pages of the same names are replaced.",
		Example: `  neuralis man ~/.local/share/man/man1`,
		Args:    oneArg("the folder to write to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Dir = opts.Path(args[0])
			return runMan(opts, cmd.Root())
		},
	}
}

func runMan(o *manOptions, root *cobra.Command) error {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return fmt.Errorf("making the folder for man pages: %w", err)
	}
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	count := 0
	var write func(cmd *cobra.Command) error
	write = func(cmd *cobra.Command) error {
		if cmd != root && !cmd.IsAvailableCommand() {
			return nil
		}
		if err := os.WriteFile(filepath.Join(o.Dir, manName(cmd)+".1"), manPage(cmd, readVersion().Version), 0o644); err != nil {
			return fmt.Errorf("writing a man page: %w", err)
		}
		count++
		for _, sub := range cmd.Commands() {
			if err := write(sub); err != nil {
				return err
			}
		}
		return nil
	}
	if err := write(root); err != nil {
		return err
	}
	o.IO.Printf("wrote %s to %s\n", terminal.Plural(count, "page"), o.Show(o.Dir))
	return nil
}
