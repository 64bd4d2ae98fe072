package terminal

import (
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/neuralis-dev/neuralis/manifest"
)

// Option changes how [PrintDiagnostics] prints.
type Option func(*diagnosticsPrinter)

// In says which folder the diagnostics' files are relative to, as the user
// would write it from where they are; it is put before every file name so that
// the names can be clicked and pasted. "" and "." change nothing.
func In(dir string) Option {
	return func(p *diagnosticsPrinter) { p.dir = dir }
}

// NoSummary leaves out the closing count, for a verb that prints several groups
// and one [Summary] at the end.
func NoSummary() Option {
	return func(p *diagnosticsPrinter) { p.summary = false }
}

type diagnosticsPrinter struct {
	w       io.Writer
	style   Style
	dir     string
	summary bool
}

// PrintDiagnostics writes diagnostics to Err, grouped by file in the order of
// file, line and column, each with its code frame, notes and hint, and a count
// at the end. It prints nothing when there are none. The argument is not changed.
//
//	src/tools/list.ts
//	  12:7  error  Cannot find "./stor"  missing-import
//	        11 | import { x } from './y';
//	      > 12 | import s from './stor';
//	           |               ^^^^^^^^
//	        hint: did you mean "./store"?
//
//	1 error
func PrintDiagnostics(s *IO, diags manifest.Diagnostics, options ...Option) {
	p := diagnosticsPrinter{w: s.Err, style: s.ErrStyle(), summary: true}
	for _, option := range options {
		option(&p)
	}
	p.print(diags)
}

func (p *diagnosticsPrinter) print(diags manifest.Diagnostics) {
	if len(diags) == 0 {
		return
	}
	sorted := append(manifest.Diagnostics(nil), diags...)
	sorted.Sort()
	var b strings.Builder
	file, first := "", true
	for _, d := range sorted {
		switch {
		case first || d.File != file:
			if !first {
				b.WriteByte('\n')
			}
			if d.File != "" && d.File != "." { // the current folder need not be named
				fmt.Fprintln(&b, p.style.Underline(p.name(d.File)))
			}
		default:
			// A frame makes a block of its own; bare lines read as a list.
			if d.Frame != "" {
				b.WriteByte('\n')
			}
		}
		file, first = d.File, false
		p.one(&b, d)
	}
	if p.summary {
		fmt.Fprintf(&b, "\n%s\n", Summary(p.style, sorted))
	}
	_, _ = io.WriteString(p.w, b.String())
}

// indent is what stands before everything that explains a diagnostic.
const indent = "    "

func (p *diagnosticsPrinter) one(b *strings.Builder, d manifest.Diagnostic) {
	b.WriteString("  ")
	if d.Line > 0 {
		at := strconv.Itoa(d.Line)
		if d.Column > 0 {
			at += ":" + strconv.Itoa(d.Column)
		}
		b.WriteString(p.style.Dim(at) + "  ")
	}
	message := strings.TrimRight(Printable(d.Message), "\n")
	head, rest, _ := strings.Cut(message, "\n")
	fmt.Fprintf(b, "%s  %s", p.style.Severity(d.Severity, string(d.Severity)), head)
	if d.Rule != "" {
		b.WriteString("  " + p.style.Dim(Printable(d.Rule)))
	}
	b.WriteByte('\n')
	p.block(b, indent, rest)
	for line := range strings.Lines(Printable(d.Frame)) {
		line = strings.TrimRight(line, "\n")
		// The marked line and the carets are what to look at; the rest is context.
		if !strings.HasPrefix(strings.TrimLeft(line, " "), ">") && !strings.Contains(line, "^") {
			line = p.style.Dim(line)
		}
		b.WriteString(indent + line + "\n")
	}
	for _, note := range d.Notes {
		text := Printable(note.Message)
		if note.File != "" {
			at := p.name(note.File)
			if note.Line > 0 {
				at += ":" + strconv.Itoa(note.Line)
				if note.Column > 0 {
					at += ":" + strconv.Itoa(note.Column)
				}
			}
			if text == "" {
				text = at
			} else {
				text += " " + p.style.Dim("("+at+")")
			}
		}
		p.block(b, indent, text)
	}
	if d.Hint != "" {
		p.labelled(b, p.style.Accent("hint:"), "hint: ", Printable(d.Hint))
	}
	if d.Docs != "" {
		p.labelled(b, p.style.Accent("docs:"), "docs: ", Printable(d.Docs))
	}
}

func (p *diagnosticsPrinter) block(b *strings.Builder, prefix, text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(text) {
		b.WriteString(prefix + strings.TrimRight(line, "\n") + "\n")
	}
}

// labelled writes text after a label, later lines aligned below the first.
func (p *diagnosticsPrinter) labelled(b *strings.Builder, label, plain, text string) {
	head, rest, _ := strings.Cut(text, "\n")
	fmt.Fprintf(b, "%s%s %s\n", indent, label, head)
	p.block(b, indent+strings.Repeat(" ", len(plain)), rest)
}

func (p *diagnosticsPrinter) name(file string) string {
	if p.dir == "" || p.dir == "." || path.IsAbs(file) {
		return onOneLine(file)
	}
	return onOneLine(path.Join(strings.ReplaceAll(p.dir, "\\", "/"), file))
}

// onOneLine is a name that somebody may have given a line end, to look like more than it is.
func onOneLine(name string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Printable(name))
}

// Counts is how many diagnostics of each severity there are.
type Counts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
}

// Count counts diagnostics by severity.
func Count(diags manifest.Diagnostics) Counts {
	var c Counts
	for _, d := range diags {
		switch d.Severity {
		case manifest.SeverityError:
			c.Errors++
		case manifest.SeverityWarning:
			c.Warnings++
		default:
			c.Infos++
		}
	}
	return c
}

// Summary is the closing line, such as "2 errors, 1 warning", without a newline.
func Summary(style Style, diags manifest.Diagnostics) string {
	c := Count(diags)
	var parts []string
	if c.Errors > 0 {
		parts = append(parts, style.Bad(Plural(c.Errors, "error")))
	}
	if c.Warnings > 0 {
		parts = append(parts, style.Warn(Plural(c.Warnings, "warning")))
	}
	if c.Infos > 0 {
		parts = append(parts, Plural(c.Infos, "note"))
	}
	if parts == nil {
		return "no problems"
	}
	return strings.Join(parts, ", ")
}

// Plural is a count with its noun: "1 file", "3 files".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Report is the JSON form of diagnostics, the same for every verb that has
// nothing else to say.
type Report struct {
	OK          bool                 `json:"ok"`
	Counts      Counts               `json:"counts"`
	Diagnostics manifest.Diagnostics `json:"diagnostics"`
}

// NewReport makes the JSON form; Diagnostics is never null.
func NewReport(diags manifest.Diagnostics) Report {
	sorted := append(manifest.Diagnostics{}, diags...)
	sorted.Sort()
	return Report{OK: !sorted.HasErrors(), Counts: Count(sorted), Diagnostics: sorted}
}
