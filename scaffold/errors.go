package scaffold

import (
	"fmt"
	"strings"
)

// NameError is a name that cannot be used.
type NameError struct {
	What       string // what is being named: "id", "tool name", …
	Name       string
	Rule       string // what such names look like
	Suggestion string // a name near to it that would do, or ""
}

func (e *NameError) Error() string {
	text := fmt.Sprintf("%q cannot be the %s: use %s", e.Name, e.What, e.Rule)
	if e.Name == "" {
		text = fmt.Sprintf("the %s is empty: use %s", e.What, e.Rule)
	}
	if e.Suggestion != "" {
		text += fmt.Sprintf("; %q would do", e.Suggestion)
	}
	return text
}

// ExistsError says that writing would overwrite something.
type ExistsError struct {
	Dir   string   // the folder, as it was given
	Files []string // what is there, relative to Dir and slash-separated
	Whole bool     // the folder has to be empty, whatever the files in it are called
}

// maxListed is how many existing files an error names.
const maxListed = 8

func (e *ExistsError) Error() string {
	var b strings.Builder
	if e.Whole {
		fmt.Fprintf(&b, "nothing was written, because %s is not empty:", e.Dir)
	} else {
		fmt.Fprintf(&b, "nothing was written, because this would be overwritten in %s:", e.Dir)
	}
	for i, file := range e.Files {
		if i == maxListed {
			fmt.Fprintf(&b, "\n  … and %d more", len(e.Files)-maxListed)
			break
		}
		b.WriteString("\n  " + file)
	}
	return b.String()
}

// RefusedError is a request that makes no sense for the package at hand.
type RefusedError struct{ Message string }

func (e *RefusedError) Error() string { return e.Message }

func refusef(format string, args ...any) error {
	return &RefusedError{fmt.Sprintf(format, args...)}
}
