package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// noArgs is cobra.NoArgs with a message that fits verbs without sub-commands.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, but got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// oneArg accepts exactly one argument; what names it in messages.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return fmt.Errorf("%s needs %s", cmd.CommandPath(), what)
		case len(args) > 1:
			return fmt.Errorf("%s takes one argument, %s, but got also %q", cmd.CommandPath(), what, args[1])
		}
		return nil
	}
}
