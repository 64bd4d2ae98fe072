package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/scaffold"
)

type addOptions struct {
	*globals
	scaffold.Addition
}

func newAddCommand(g *globals) *cobra.Command {
	member := func(kind scaffold.Kind, name, short, long string) (*cobra.Command, *addOptions) {
		opts := &addOptions{globals: g, Addition: scaffold.Addition{Kind: kind}}
		cmd := &cobra.Command{
			Use: string(kind) + " <name>", Short: short, Long: long,
			Args: oneArg(name),
			RunE: func(cmd *cobra.Command, args []string) error {
				if len(args) == 1 {
					opts.Name = args[0]
				}
				return runAdd(cmd.Context(), opts)
			},
		}
		if name == "" {
			cmd.Use, cmd.Args = string(kind), noArgs
		}
		bindJSON(cmd, g)
		return cmd, opts
	}

	tool, o := member(scaffold.Tool, "the tool's name", "Add a tool: its schema and its handler",
		`Add a tool: the schema of its arguments in tools/<name>.json and its handler in
src/tools/<name>.ts. Clients show the tools of all packages in one list, so begin
the name with the package's, as in weather_today.`)
	tool.Flags().StringVar(&o.Title, "title", "", "`text` that people see")
	tool.Flags().StringVar(&o.Description, "description", "", "`sentence` that tells models what the tool does and when to call it")
	tool.Flags().StringVar(&o.Category, "category", "read", "what the tool does to the world (`category`): read or write")
	tool.Flags().StringVar(&o.Feature, "feature", "", "`feature` that a caller needs; declared if it is not yet")
	_ = tool.RegisterFlagCompletionFunc("category", cobra.FixedCompletions([]string{"read", "write"}, cobra.ShellCompDirectiveNoFileComp))

	route, o := member(scaffold.Route, "the name of the route's file", "Add an HTTP route",
		`Add an HTTP route in src/routes/<name>.ts. A pattern is made of literal segments,
:parameters and a final *rest, as in orders/:id/files/*path.`)
	route.Flags().StringVar(&o.Pattern, "pattern", "", "`pattern` of the path (default: the name)")
	route.Flags().StringSliceVar(&o.Methods, "method", nil, "HTTP `method` to answer, can be repeated (default GET)")
	route.Flags().StringVar(&o.Feature, "feature", "", "`feature` that a caller needs (default: the package's .read or .write); declared if it is not yet")

	skill, o := member(scaffold.Skill, "the skill's name", "Add a skill", "Add a skill in skills/<name>/SKILL.md.")
	skill.Flags().StringVar(&o.Description, "description", "", "`sentence` by which an agent decides to read the skill")

	lifecycle, _ := member(scaffold.Lifecycle, "", "Add a lifecycle",
		"Add src/lifecycle.ts, which sets up what all handlers share.")

	test, _ := member(scaffold.Test, "the test's name", "Add a test",
		"Add a test in tests/<name>.test.ts. When the name is that of a tool, the test calls it.")

	return family(&cobra.Command{
		Use:   "add <tool|route|skill|lifecycle|test>",
		Short: "Add a tool, route, skill, lifecycle or test to a package",
		Long: `Add to the package that the current folder is in. Nothing is overwritten, and
package.json keeps its comments and layout.`,
		Example: `  neuralis add tool weather_today --feature weather.read
  neuralis add route forecast --pattern forecast/:city
  neuralis add skill packing-list
  neuralis add test weather_today`,
	}, tool, route, skill, lifecycle, test)
}

func runAdd(ctx context.Context, o *addOptions) error {
	result, err := scaffold.Add(ctx, o.Dir, o.Addition)
	if err != nil {
		return scaffoldError(err)
	}
	o.writeTypes(result.Dir)
	return printScaffold(o.globals, result, "")
}
