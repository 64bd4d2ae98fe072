package main

import (
	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/internal/suggest"
)

// newHelpCommand replaces Cobra's, which succeeds for unknown topics.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show how a command is used",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if at, _, err := cmd.Root().Find(args); err == nil {
				for _, sub := range at.Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, sub.Name()+"\t"+sub.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at := cmd.Root()
			for _, word := range args {
				next, names := (*cobra.Command)(nil), []string(nil)
				for _, sub := range at.Commands() {
					if sub.Name() == word || sub.HasAlias(word) {
						next = sub
					}
					names = append(names, sub.Name())
				}
				if next == nil {
					if near, ok := suggest.Closest(word, names); ok {
						return usagef("no command %q in %q, did you mean %q?", word, at.CommandPath(), near)
					}
					return usagef("no command %q in %q", word, at.CommandPath())
				}
				at = next
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}
