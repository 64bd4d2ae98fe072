package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// verb is what follows the program's name on the command line of a command: messages have that name in front already.
func verb(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// noArgs is cobra.NoArgs with a message that fits verbs without sub-commands.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, but got %q", verb(cmd), args[0])
	}
	return nil
}

// oneArg accepts exactly one argument; what names it in messages.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return fmt.Errorf("%s needs %s", verb(cmd), what)
		case len(args) > 1:
			return fmt.Errorf("%s takes one argument, %s, but got also %q", verb(cmd), what, args[1])
		}
		return nil
	}
}
