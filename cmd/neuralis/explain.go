package main

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/docs"
	"github.com/neuralis-dev/neuralis/internal/suggest"
)

// explanation is what the manual says about a rule.
type explanation struct {
	Rule     string `json:"rule"`
	Area     string `json:"area"` // the heading it stands under: when the rule is checked
	Happened string `json:"happened"`
	Todo     string `json:"todo"`
}

type explainOptions struct {
	*globals
	Rule string // "" lists all
	Page []byte // the page of the manual that has the rules
}

func newExplainCommand(g *globals) *cobra.Command {
	opts := &explainOptions{globals: g}
	cmd := &cobra.Command{
		Use:   "explain [rule]",
		Short: "Explain a rule that a problem was reported under",
		Long: `Explain a rule: the name at the end of a problem's first line. Without a rule,
list all of them.`,
		Example: `  neuralis explain missing-import`,
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if page, err := rulesPage(); err == nil {
				for _, e := range lintExplanations(explanations(page)) {
					names = append(names, e.Rule+"\t"+e.Happened)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if len(args) == 1 {
				opts.Rule = args[0]
			}
			if opts.Page, err = rulesPage(); err != nil {
				return err
			}
			return runExplain(opts)
		},
	}
	bindJSON(cmd, g)
	return cmd
}

func rulesPage() ([]byte, error) { return fs.ReadFile(docs.Pages, "diagnostics.md") }

func runExplain(o *explainOptions) error {
	all := lintExplanations(explanations(o.Page))
	if o.Rule == "" {
		return listRules(o, all)
	}
	var names []string
	for _, e := range all {
		if e.Rule != o.Rule {
			names = append(names, e.Rule)
			continue
		}
		if o.JSON {
			return o.IO.WriteJSON(exampleOf(e))
		}
		style := o.IO.OutStyle()
		fmt.Fprintf(o.IO.Out, "%s  %s\n\n%s\n", style.Bold(e.Rule), style.Dim(e.Area), sentence(e.Happened))
		if e.Todo != "" {
			fmt.Fprintf(o.IO.Out, "\nWhat to do: %s\n", sentence(e.Todo))
		}
		if example := exampleOf(e); example.Bad != "" {
			fmt.Fprintf(o.IO.Out, "\n%s\n\n%s\n%s\n\n%s", style.Bold("Reported, at ^:"), example.Bad, style.Bold("As it is meant:"), example.Good)
		}
		return nil
	}
	if near, ok := suggest.Closest(o.Rule, names); ok {
		return usagef("there is no rule %q, did you mean %q?", o.Rule, near)
	}
	return usagef("there is no rule %q: \"neuralis explain\" lists them", o.Rule)
}

func listRules(o *explainOptions, all []explanation) error {
	if o.JSON {
		return o.IO.WriteJSON(all)
	}
	style, width := o.IO.OutStyle(), 0
	for _, e := range all {
		width = max(width, len(e.Rule))
	}
	area := ""
	for _, e := range all {
		if e.Area != area {
			if area != "" {
				fmt.Fprintln(o.IO.Out)
			}
			area = e.Area
			fmt.Fprintln(o.IO.Out, style.Bold(area))
		}
		fmt.Fprintf(o.IO.Out, "  %s  %s\n", style.Accent(fmt.Sprintf("%-*s", width, e.Rule)), e.Happened)
	}
	return nil
}

// explanations reads the tables of rules out of the page: rows of a rule's name,
// what happened and what to do, under the heading of their area.
func explanations(page []byte) []explanation {
	// Compiled here, not when the program starts.
	row := regexp.MustCompile("^\\| `([a-z0-9-]+)` \\| (.*) \\| ?(.*) ?\\|$")
	link := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	// plain is a cell of the table as a terminal shows it.
	plain := func(markdown string) string {
		text := link.ReplaceAllString(strings.TrimSpace(markdown), "$1")
		return strings.NewReplacer("`", "", `\|`, "|").Replace(text)
	}
	var all []explanation
	area, inTable := "", false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimRight(line, "\r\n")
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			area, inTable = heading, false
		}
		if strings.HasPrefix(line, "| rule | what happened |") {
			inTable = true
		}
		if m := row.FindStringSubmatch(line); inTable && m != nil {
			all = append(all, explanation{Rule: m[1], Area: area, Happened: plain(m[2]), Todo: plain(m[3])})
		}
	}
	return all
}

// sentence gives a table's phrase a capital and a full stop.
func sentence(phrase string) string {
	if phrase == "" {
		return ""
	}
	return strings.ToUpper(phrase[:1]) + phrase[1:] + "."
}
