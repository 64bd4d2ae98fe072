package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

// The exit codes of every verb.
const (
	exitOK          = 0
	exitFindings    = 1   // the verb worked and found something wrong, or refused to do what was asked
	exitUsage       = 2   // the command line makes no sense
	exitInternal    = 3   // the verb could not do its work: a failing disk, or our bug
	exitInterrupted = 130 // ended by Ctrl-C, as shells say it
)

// errFindings ends a run with exit code 1 when all there is to say has been said.
var errFindings = errors.New("problems were found")

// usageError is a command line that makes no sense: exit code 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usagef makes an error for arguments that parse but make no sense.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// refusal is a request that makes sense but is not carried out, such as writing
// over a file: exit code 1.
type refusal struct{ err error }

func (e *refusal) Error() string { return e.err.Error() }
func (e *refusal) Unwrap() error { return e.err }

// refusef makes an error for what the verb declines to do; the message says why
// and what to do instead.
func refusef(format string, args ...any) error {
	return &refusal{fmt.Errorf(format, args...)}
}

// failure is the JSON form of an error that is no list of diagnostics.
type failure struct {
	OK    bool          `json:"ok"`
	Error failureDetail `json:"error"`
}

type failureDetail struct {
	Code    string `json:"code"` // usage, refused, internal or interrupted
	Message string `json:"message"`
}

// report prints what a run ended with and gives the exit code. Diagnostics are
// printed as such; a verb that has printed its own returns errFindings.
func report(g *globals, cmd *cobra.Command, err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errFindings) {
		return exitFindings
	}
	var diags manifest.Diagnostics
	if errors.As(err, &diags) {
		if g.JSON {
			_ = g.IO.WriteJSON(terminal.NewReport(diags))
		} else {
			terminal.PrintDiagnostics(g.IO, diags)
		}
		if diags.HasErrors() {
			return exitFindings
		}
		return exitOK
	}

	code, word := exitInternal, "internal"
	var usage *usageError
	var refused *refusal
	switch {
	case errors.As(err, &usage) || !g.started:
		code, word = exitUsage, "usage"
	case errors.As(err, &refused):
		code, word = exitFindings, "refused"
	case errors.Is(err, context.Canceled) || errors.Is(err, terminal.ErrNoAnswer):
		code, word = exitInterrupted, "interrupted"
	}
	if g.JSON {
		_ = g.IO.WriteJSON(failure{Error: failureDetail{Code: word, Message: err.Error()}})
		return code
	}
	style := g.IO.ErrStyle()
	if word == "interrupted" {
		fmt.Fprintf(g.IO.Err, "%s stopped, nothing more was done\n", style.Warn("neuralis:"))
		return code
	}
	fmt.Fprintf(g.IO.Err, "%s %s\n", style.Bad("neuralis:"), terminal.Printable(strings.TrimSpace(err.Error())))
	if code == exitUsage && cmd != nil {
		fmt.Fprintf(g.IO.Err, "Run %s for usage.\n", style.Accent(fmt.Sprintf("%q", cmd.CommandPath()+" --help")))
	}
	return code
}

// issuesPage is where people are asked to report what must not happen.
const issuesPage = "https://github.com/neuralis-dev/neuralis/issues"

// reportPanic turns a panic, which is our bug, into a message for people.
func reportPanic(g *globals, value any) int {
	message := fmt.Sprint(value)
	if g.JSON {
		_ = g.IO.WriteJSON(failure{Error: failureDetail{Code: "internal", Message: message}})
	}
	style := g.IO.ErrStyle()
	fmt.Fprintf(g.IO.Err, `%s %s
This is a bug in neuralis, not in your package. Please report it with the command
line and the output of "neuralis version": %s
`, style.Bad("neuralis: internal error:"), terminal.Printable(message), issuesPage)
	if g.IO.Getenv("NEURALIS_DEBUG") != "" {
		_, _ = g.IO.Err.Write(debug.Stack())
	} else {
		fmt.Fprintln(g.IO.Err, "Set NEURALIS_DEBUG=1 to see where it happened.")
	}
	return exitInternal
}
