package manifest

import (
	"fmt"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// FromProblem makes a diagnostic of a fault in a JSON document: with line, columns and code frame. The
// document is called file; model is the rule for values that are not what is asked for in their place.
// Everything is an error, but for a byte order mark.
func FromProblem(doc *jsondoc.Document, file string, p jsondoc.Problem, model string) Diagnostic {
	d := Diagnostic{Severity: SeverityError, Message: p.Message, Hint: p.Hint}
	switch p.Code {
	case jsondoc.CodeSyntax:
		d.Rule = RuleJSONSyntax
	case jsondoc.CodeEncoding:
		d.Rule = RuleTextEncoding
	case jsondoc.CodeByteOrderMark:
		// Every reader of the toolchain copes with it. Others do not, which is worth a word.
		d.Rule, d.Severity = RuleByteOrderMark, SeverityWarning
	case jsondoc.CodeDuplicateKey:
		d.Rule = RuleDuplicateKey
	case jsondoc.CodeLimit:
		d.Rule = RuleFileTooLarge
	default:
		d.Rule = model
	}
	return d.at(doc, file, p.Start, p.End)
}

// at gives a diagnostic its place.
func (d Diagnostic) at(doc *jsondoc.Document, file string, start, end int) Diagnostic {
	span := doc.Span(start, end)
	d.File, d.Line, d.Column, d.EndColumn = file, span.Line, span.Column, span.EndColumn
	if len(doc.Source) <= jsondoc.DefaultLimits().MaxBytes {
		d.Frame = Frame(doc.Source, d.Line, d.Column, d.EndColumn)
	}
	return d
}

// aboutFile is a diagnostic about a file as a whole. It stands at the file's beginning, where editors can show it.
func aboutFile(rule, file, hint, format string, arguments ...any) Diagnostic {
	return Diagnostic{
		Rule: rule, Severity: SeverityError, File: file, Line: 1, Column: 1,
		Message: fmt.Sprintf(format, arguments...), Hint: hint,
	}
}
