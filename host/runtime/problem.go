package runtime

import (
	"path"
	"regexp"
	"strings"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/sourcemap"
	"github.com/neuralis-dev/neuralis/manifest"
)

// The rules that diagnostics of failures have, besides the codes of the guest's own errors and what
// internal/sourcemap calls what was thrown.
const (
	// RuleDeadline: the time for the call was over.
	RuleDeadline = "deadline-exceeded"
	// RuleCancelled: whoever called did not want the answer any more.
	RuleCancelled = "cancelled"
	// RuleMemory: the package wanted more memory than it may have.
	RuleMemory = "out-of-memory"
	// RuleStopped: what runs the code stopped.
	RuleStopped = "sandbox-stopped"
	// RuleUnavailable: there is nothing that runs the code.
	RuleUnavailable = "runtime-unavailable"
	// RuleTooLarge: what was passed does not fit into the package's memory.
	RuleTooLarge = "request-too-large"
)

// rules are those of failures that are not the guest's errors.
var rules = map[Kind]string{
	Unavailable: RuleUnavailable, Deadline: RuleDeadline, Cancelled: RuleCancelled,
	Memory: RuleMemory, TooLarge: RuleTooLarge, Stopped: RuleStopped,
}

// Diagnostic tells the package's author about the failure: the place in their files with what is around it, the
// calls that led there, and what to do where that is known.
func (f *Failure) Diagnostic() manifest.Diagnostic {
	if f.thrown != nil {
		return *f.thrown
	}
	return manifest.Diagnostic{Rule: rules[f.Kind], Severity: manifest.SeverityError, Message: f.Message}
}

// explain writes down where in the author's files a failure of a call happened. guest is what the guest's code ended
// in; it may be nil.
func (p *wasmPackage) explain(f *Failure, caller Caller, guest *sandbox.GuestError) {
	f.Message = clip(f.Message)
	if f.Kind == TooLarge {
		return // its code was not called
	}
	if guest == nil {
		guest = &sandbox.GuestError{}
	}
	m := p.places()
	thrown := sourcemap.Thrown{Name: guest.Name, Message: guest.Message, Stack: guest.Stack}
	if ownWords(guest) {
		thrown.Name = ""
	}
	d := m.Diagnostic(bundleName, thrown)
	if guest.Code != "" && guest.Code != codeHandlerError {
		d.Rule = guest.Code
	}
	if d.File == "" && d.Hint == "" && strings.Contains(guest.Message, "not an Error") {
		d.Hint = "throw an Error: it knows where it was made"
	}
	if f.Kind != Handler {
		// What the guest threw, if it did, is how it was ended.
		d.Rule, d.Message, d.Hint = rules[f.Kind], f.Message, ""
		if f.Kind != Memory && d.Line > 0 && !sourcemap.Internal(d.File) {
			// The engine notes the places of calls and not of loops.
			d.Hint = "at that moment it was here, or in a loop that follows"
		}
	}
	file, name := handlerOf(p.src.Package, caller, guest.Message)
	m.AtExport(&d, file, name)
	d.Message = clip(d.Message)
	f.thrown = &d
	if !sourcemap.Internal(d.File) {
		f.File, f.Line, f.Column = d.File, d.Line, d.Column
	}
	f.Stack = clip(strings.TrimRight(m.Rewrite(bundleName, guest.Stack), "\n"))
}

// mentioned finds the file that the guest's runtime names in what it says about routes and lifecycle.
var mentioned = regexp.MustCompile(`\b(\w+) in (src/lifecycle\.ts)|\((src/routes/[^)]+)\)`)

// handlerOf is where the handler of a call is, as far as that can be told.
func handlerOf(pkg *manifest.Package, caller Caller, message string) (file, export string) {
	if m := mentioned.FindStringSubmatch(message); m != nil {
		if m[2] != "" {
			return m[2], m[1]
		}
		method, _, _ := strings.Cut(caller.Route, " ")
		return m[3], strings.ToUpper(method)
	}
	if pkg == nil || caller.Tool == "" {
		return "", ""
	}
	for _, tool := range pkg.Tools {
		if tool.Name == caller.Tool && tool.Source != "" {
			return tool.Source, "default"
		}
	}
	for _, source := range pkg.ToolSources {
		if strings.TrimSuffix(path.Base(source), path.Ext(source)) == caller.Tool {
			return source, "default"
		}
	}
	return "", ""
}
