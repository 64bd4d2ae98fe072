package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Severity says what a diagnostic means for the package it is about.
type Severity string

// The severities, from the gravest to the mildest.
const (
	// SeverityError is a fault that makes the package, or the part of it that the diagnostic names, unusable.
	SeverityError Severity = "error"
	// SeverityWarning is a fault that is survived, but that the author should know about.
	SeverityWarning Severity = "warning"
	// SeverityInfo is worth saying and needs no action.
	SeverityInfo Severity = "info"
)

// rank orders severities so that the gravest sorts first.
func (s Severity) rank() int {
	switch s {
	case SeverityError:
		return 0
	case SeverityWarning:
		return 1
	default:
		return 2
	}
}

// Diagnostic is one finding about a package. It is the only shape in which the toolchain reports faults:
// the loader, the builder, the linter and the host all make these, and terminals, editors and CI formats
// are drawn from them.
type Diagnostic struct {
	// Rule is the stable id of what was checked, as `neuralis explain` takes it.
	Rule string `json:"rule"`
	// Severity says what the finding means for the package.
	Severity Severity `json:"severity"`
	// File is slash-separated and relative to the package folder where there is one. Empty when the finding
	// is about no file.
	File string `json:"file,omitempty"`
	// Line is 1-based; 0 is unknown.
	Line int `json:"line,omitempty"`
	// Column is 1-based and counts UTF-16 code units, as editors do; 0 is unknown.
	Column int `json:"column,omitempty"`
	// EndColumn is the column after the last one meant, on the same line; 0 is unknown.
	EndColumn int `json:"endColumn,omitempty"`
	// Message says what is wrong, in one sentence without a final full stop.
	Message string `json:"message"`
	// Hint says what to do about it.
	Hint string `json:"hint,omitempty"`
	// Docs is where the rule is explained.
	Docs string `json:"docs,omitempty"`
	// Frame is the source around the finding as plain text, as [Frame] draws it.
	Frame string `json:"frame,omitempty"`
	// Notes are further places that belong to the finding: stack frames, import chains, the first of two
	// definitions.
	Notes []Note `json:"notes,omitempty"`
}

// Note is a further place that belongs to a [Diagnostic].
type Note struct {
	// Message says what the place has to do with the finding.
	Message string `json:"message"`
	// File, Line and Column are as in [Diagnostic].
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Error is the diagnostic on one line: file:line:column: message. Parts that are unknown are left out.
func (d Diagnostic) Error() string {
	if where := position(d.File, d.Line, d.Column); where != "" {
		return where + ": " + d.Message
	}
	return d.Message
}

// String is the note on one line, in the form of [Diagnostic.Error].
func (n Note) String() string {
	if where := position(n.File, n.Line, n.Column); where != "" {
		return where + ": " + n.Message
	}
	return n.Message
}

// position renders a place in the form that terminals and editors make clickable. Characters in the names of
// files that would act on a terminal are escaped.
func position(file string, line, column int) string {
	if strings.ContainsFunc(file, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		file = strings.Trim(strconv.Quote(file), `"`)
	}
	switch {
	case file == "":
		return ""
	case line <= 0:
		return file
	case column <= 0:
		return fmt.Sprintf("%s:%d", file, line)
	default:
		return fmt.Sprintf("%s:%d:%d", file, line, column)
	}
}

// Diagnostics is a list of findings. It is an error, so that it can be returned as one; a list without an
// entry of [SeverityError] is no failure, see [Diagnostics.Err].
type Diagnostics []Diagnostic

// Error is one line per diagnostic.
func (ds Diagnostics) Error() string {
	if len(ds) == 0 {
		return "no diagnostics"
	}
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Err is ds itself when it has an error in it, and a true nil otherwise.
func (ds Diagnostics) Err() error {
	if !ds.HasErrors() {
		return nil
	}
	return ds
}

// HasErrors reports whether any diagnostic is of [SeverityError].
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == SeverityError })
}

// Errors are the diagnostics of [SeverityError], in the order of ds.
func (ds Diagnostics) Errors() Diagnostics { return ds.only(SeverityError) }

// Warnings are the diagnostics of [SeverityWarning], in the order of ds.
func (ds Diagnostics) Warnings() Diagnostics { return ds.only(SeverityWarning) }

func (ds Diagnostics) only(s Severity) Diagnostics {
	var kept Diagnostics
	for _, d := range ds {
		if d.Severity == s {
			kept = append(kept, d)
		}
	}
	return kept
}

// Sort orders ds in place by file, line, column and rule; what is equal in all of these, by severity and
// message. The order does not depend on the one ds had before.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Severity.rank(), b.Severity.rank()),
			cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.EndColumn, b.EndColumn),
		)
	})
}
