package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/internal/suggest"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/scaffold"
)

type newOptions struct {
	*globals
	Given   string // the folder as it was typed; "" to ask
	Package scaffold.Options
	Yes     bool
}

func newNewCommand(g *globals) *cobra.Command {
	opts := &newOptions{globals: g}
	var names, about []string
	for _, t := range scaffold.Templates() {
		names = append(names, t.Name)
		about = append(about, fmt.Sprintf("  %s: %s", t.Name, t.About))
	}
	cmd := &cobra.Command{
		Use:   "new <dir>",
		Short: "Start a package",
		Long: `Start a package in a new or empty folder. On a terminal, what is not given is
asked for; otherwise, and with --yes, it is made up from the folder's name.

Templates:

` + strings.Join(about, "\n"),
		Example: `  neuralis new weather
  neuralis new weather --template skills --name "Weather desk"
  neuralis new . --yes`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && g.IO.CanPrompt() && !opts.Yes {
				return nil
			}
			return oneArg("the folder to make")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.Given = args[0]
			}
			return runNew(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Package.Template, "template", "t", "", "`kind` of package: "+strings.Join(names, ", "))
	flags.StringVar(&opts.Package.ID, "id", "", "`id` of the package (default: made of the folder's name)")
	flags.StringVar(&opts.Package.Name, "name", "", "`name` that people see")
	flags.StringVar(&opts.Package.Description, "description", "", "`sentence` that says what the package is for")
	flags.BoolVarP(&opts.Yes, "yes", "y", false, "ask nothing")
	_ = cmd.RegisterFlagCompletionFunc("template", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	bindJSON(cmd, g)
	return cmd
}

func runNew(ctx context.Context, o *newOptions) error {
	if t := o.Package.Template; t != "" {
		if err := checkTemplate(t); err != nil {
			return err
		}
	}
	if o.IO.CanPrompt() && !o.Yes && !o.JSON {
		if err := askNew(ctx, o); err != nil {
			return err
		}
	}
	o.Package.Dir = o.Path(o.Given)
	result, err := scaffold.Create(ctx, o.Package)
	if err != nil {
		return scaffoldError(err)
	}
	o.writeTypes(result.Dir)
	return printScaffold(o.globals, result, o.Given)
}

// askNew asks for what was not given on the command line.
func askNew(ctx context.Context, o *newOptions) error {
	prompt := terminal.NewPrompter(ctx, o.IO)
	if o.Given == "" {
		dir, err := prompt.Line("Folder", "", func(answer string) error {
			if answer == "" {
				return errors.New("name a folder, it will be made")
			}
			return nil
		})
		if err != nil {
			return err
		}
		o.Given = dir
	}
	p := &o.Package
	p.Dir = o.Path(o.Given)
	if p.Template == "" {
		var choices []terminal.Choice
		for _, t := range scaffold.Templates() {
			choices = append(choices, terminal.Choice{Value: t.Name, About: t.About})
		}
		template, err := prompt.Choose("What kind of package?", choices)
		if err != nil {
			return err
		}
		p.Template = template
	}
	// The folder's name may give no id; the question then starts without a proposal.
	proposal, err := p.Defaults()
	if err != nil && p.ID != "" {
		return scaffoldError(err)
	}
	if p.ID == "" {
		if p.ID, err = prompt.Line("Id", proposal.ID, scaffold.CheckID); err != nil {
			return err
		}
		if proposal, err = p.Defaults(); err != nil {
			return scaffoldError(err)
		}
	}
	for _, q := range []struct {
		question string
		value    *string
		fallback string
	}{
		{"Name", &p.Name, proposal.Name},
		{"What is it for?", &p.Description, proposal.Description},
	} {
		if *q.value != "" {
			continue
		}
		if *q.value, err = prompt.Line(q.question, q.fallback, nil); err != nil {
			return err
		}
	}
	return nil
}

func checkTemplate(name string) error {
	var names []string
	for _, t := range scaffold.Templates() {
		if t.Name == name {
			return nil
		}
		names = append(names, t.Name)
	}
	if near, ok := suggest.Closest(name, names); ok {
		return usagef("there is no template %q, did you mean %q?", name, near)
	}
	return usagef("there is no template %q: use one of %s", name, strings.Join(names, ", "))
}

// scaffoldError gives the scaffolder's errors their exit codes.
func scaffoldError(err error) error {
	var name *scaffold.NameError
	var exists *scaffold.ExistsError
	var refused *scaffold.RefusedError
	switch {
	case errors.As(err, &name):
		return &usageError{err}
	case errors.As(err, &exists), errors.As(err, &refused):
		return &refusal{err}
	}
	return err
}

// scaffolded is the JSON result of `new` and `add`.
type scaffolded struct {
	OK      bool     `json:"ok"`
	Dir     string   `json:"dir"`
	Created []string `json:"created"`
	Changed []string `json:"changed"`
	Notes   []string `json:"notes"`
	Next    []string `json:"next"`
}

// printScaffold says what was written and what to do next. enter is the folder to
// go into first, "" when the user is there.
func printScaffold(g *globals, r *scaffold.Result, enter string) error {
	if g.JSON {
		list := func(s []string) []string { return append([]string{}, s...) }
		return g.IO.WriteJSON(scaffolded{true, r.Dir, list(r.Created), list(r.Changed), list(r.Notes), list(r.Next)})
	}
	style := g.IO.ErrStyle()
	if len(r.Changed) == 0 && enter != "" {
		g.IO.Printf("%s a package in %s\n", style.Good("Made"), style.Bold(terminal.Printable(g.Show(r.Dir))))
	}
	for _, name := range r.Created {
		g.IO.Printf("  %s %s\n", style.Good("+"), name)
	}
	for _, name := range r.Changed {
		g.IO.Printf("  %s %s\n", style.Warn("~"), name)
	}
	for _, note := range r.Notes {
		g.IO.Printf("    %s\n", style.Dim(note))
	}
	if len(r.Next) == 0 {
		return nil
	}
	g.IO.Printf("\nNext:\n")
	if enter != "" && g.Path(enter) != g.Dir {
		g.IO.Printf("  %s\n", style.Accent("cd "+shellWord(g.Show(r.Dir))))
	}
	for _, next := range r.Next {
		if strings.HasSuffix(next, ".") {
			g.IO.Printf("  %s\n", next)
		} else {
			g.IO.Printf("  %s\n", style.Accent(next))
		}
	}
	return nil
}

// shellWord quotes text for a shell if it needs it.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%\\", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
