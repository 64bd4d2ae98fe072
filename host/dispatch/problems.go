package dispatch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Nobody reads more problems than that, or longer ones.
const (
	maxProblems    = 20
	maxProblemText = 300
)

// invalidArguments is the error for arguments that a schema refuses.
func invalidArguments(wrong *jsonschema.ValidationError) *Error {
	c := collector{printer: message.NewPrinter(language.English)}
	c.collect(wrong)
	slices.SortFunc(c.problems, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message)) })
	c.problems = slices.Compact(c.problems)
	e := &Error{Code: CodeInvalidArguments}
	var lines []string
	for i, p := range c.problems {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("and %d more", len(c.problems)-maxProblems))
			break
		}
		e.Problems = append(e.Problems, p)
		if len(e.Paths) == 0 || e.Paths[len(e.Paths)-1] != p.Path {
			e.Paths = append(e.Paths, p.Path)
		}
		if p.Path == "" {
			lines = append(lines, p.Message)
		} else {
			lines = append(lines, p.Path+" "+p.Message)
		}
	}
	e.Message = strings.Join(lines, "; ")
	return e
}

type collector struct {
	printer  *message.Printer
	problems []Problem
}

// collect finds the innermost faults: those around them only say that there are some.
func (c *collector) collect(e *jsonschema.ValidationError) {
	if name, ok := e.ErrorKind.(*kind.PropertyNames); ok {
		c.add(append(slices.Clone(e.InstanceLocation), name.Property), "has a name that is not allowed")
		return
	}
	for _, cause := range e.Causes {
		c.collect(cause)
	}
	if len(e.Causes) > 0 {
		return
	}
	at := func(name string) []string { return append(slices.Clone(e.InstanceLocation), name) }
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			c.add(at(name), "is missing")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			c.add(at(name), "is not an argument that is known here")
		}
	case *kind.Dependency:
		for _, name := range k.Missing {
			c.add(at(name), "is missing, which "+k.Prop+" asks for")
		}
	case *kind.DependentRequired:
		for _, name := range k.Missing {
			c.add(at(name), "is missing, which "+k.Prop+" asks for")
		}
	case *kind.Pattern:
		c.add(e.InstanceLocation, fmt.Sprintf("does not match the pattern %s", clip(k.Want, 200)))
	default:
		c.add(e.InstanceLocation, e.ErrorKind.LocalizedString(c.printer))
	}
}

func (c *collector) add(location []string, text string) {
	c.problems = append(c.problems, Problem{pointer(location...), clip(text, maxProblemText)})
}
