package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Man pages are written here rather than by Cobra's generator: that one goes
// through Markdown, and merely linking the Markdown parser costs every start of
// this program most of a millisecond.

// manName is the name of a command's page: neuralis-add-tool.
func manName(cmd *cobra.Command) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", "-")
}

// manPage writes a command's page in the man macros (man(7)). It carries no
// date, so that the same binary writes the same bytes on every day.
func manPage(cmd *cobra.Command, version string) []byte {
	var b bytes.Buffer
	name := manName(cmd)
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"Neuralis Manual\"\n", strings.ToUpper(name), "neuralis "+version)
	b.WriteString(".nh\n.ad l\n") // no hyphenation: commands must be copied as they are
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP", roff(cmd.CommandPath()))
	if _, arguments, ok := strings.Cut(cmd.UseLine(), cmd.CommandPath()); ok && strings.TrimSpace(arguments) != "" {
		b.WriteString(" " + roff(strings.TrimSpace(arguments)))
	} else if cmd.HasAvailableSubCommands() {
		b.WriteString(" \\fIcommand\\fP")
	}
	b.WriteString("\n.SH DESCRIPTION\n")
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	roffParagraphs(&b, long)

	if cmd.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n\\fB%s\\fP(1)\n%s\n", roff(manName(sub)), roff(sub.Short))
			}
		}
	}
	roffFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	roffFlags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString(roff(strings.TrimRight(line, "\n")) + "\n")
		}
		b.WriteString(".fi\n")
	}
	if !cmd.HasParent() {
		b.WriteString(".SH EXIT STATUS\n")
		for _, e := range []struct{ code, means string }{
			{"0", "All went well."},
			{"1", "Problems were found, or the command refused to do what was asked."},
			{"2", "The command line was wrong."},
			{"3", "The command could not do its work."},
			{"130", "Interrupted."},
		} {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", e.code, e.means)
		}
		b.WriteString(".SH ENVIRONMENT\n")
		for _, e := range []struct{ name, means string }{
			{"NEURALIS_CACHE_DIR", "Where the linked engine and its machine code are kept, instead of a folder neuralis in the user's cache folder."},
			{"NO_COLOR", "When not empty, no colour is used."},
			{"CLICOLOR_FORCE", "When not empty and not 0, colour is used in pipes and files too."},
			{"NEURALIS_DEBUG", "When not empty, an internal error shows where it happened."},
		} {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fP\n%s\n", e.name, e.means)
		}
	}
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fP(1)\n", roff(manName(cmd.Parent())))
	}
	return b.Bytes()
}

func roffFlags(b *bytes.Buffer, heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", heading)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(b, "\\fB%s\\fP, ", roff("-"+f.Shorthand))
		}
		fmt.Fprintf(b, "\\fB%s\\fP", roff("--"+f.Name))
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fP", roff(value))
		}
		fmt.Fprintf(b, "\n%s", roff(usage))
		switch f.DefValue {
		case "", "false", "0", "[]":
		default:
			fmt.Fprintf(b, " (default %s)", roff(f.DefValue))
		}
		b.WriteByte('\n')
	})
}

// roffParagraphs writes text whose paragraphs are parted by empty lines and
// whose indented lines are kept as they are.
func roffParagraphs(b *bytes.Buffer, text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		literal := strings.HasPrefix(paragraph, " ")
		if literal {
			b.WriteString(".nf\n")
		}
		for line := range strings.Lines(paragraph) {
			b.WriteString(roff(strings.TrimRight(line, "\n")) + "\n")
		}
		if literal {
			b.WriteString(".fi\n")
		}
	}
}

// roff escapes text for a line of its own: backslashes, hyphens (which must not
// become typographic ones), and a first character that would make a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
