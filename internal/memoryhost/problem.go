package memoryhost

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/sourcemap"
	"github.com/neuralis-dev/neuralis/manifest"
)

// The rules that calls report under, besides the codes of the guest's own errors.
const (
	// RuleInterrupted: the call was ended from outside; its time was up, say.
	RuleInterrupted = "call-interrupted"
	// RuleStopped: the engine stopped, and its instance is lost.
	RuleStopped = "sandbox-stopped"
)

// Problem says in the author's terms what a call of target, a tool's name or "METHOD path", ended in: at
// the place in the author's files by the source map m (nil when there is none) of the bundle that
// the engine knows by the name bundle. ctx is that of the call. ok is false for an error that is not
// of the call's making.
func Problem(ctx context.Context, pkg *manifest.Package, target string, m *sourcemap.Map, bundle string, err error) (d manifest.Diagnostic, ok bool) {
	interrupted := errors.Is(err, sandbox.ErrInterrupted)
	var guest *sandbox.GuestError
	switch {
	case errors.As(err, &guest) && guest != nil:
		thrown := sourcemap.Thrown{Name: guest.Name, Message: guest.Message, Stack: guest.Stack}
		if own := guest.Code != "" && guest.Code != "handler-error"; own && thrown.Name == "Error" {
			thrown.Name = "" // the message says it all
		}
		d = m.Diagnostic(bundle, thrown)
		if guest.Code != "" && guest.Code != "handler-error" {
			d.Rule = guest.Code
		}
		if d.File == "" && d.Hint == "" && strings.Contains(guest.Message, "not an Error") {
			d.Hint = "throw an Error: it knows where it was made"
		}
	case interrupted || errors.Is(err, sandbox.ErrTrapped):
		d = manifest.Diagnostic{Rule: RuleStopped, Severity: manifest.SeverityError, Message: fmt.Sprintf("%s: %v", target, err)}
	default:
		return d, false
	}
	if interrupted {
		d.Rule, d.Hint = RuleInterrupted, ""
		d.Message = fmt.Sprintf("%s was interrupted: %v", target, context.Cause(ctx))
		if d.Line > 0 && !sourcemap.Internal(d.File) {
			// The engine notes the places of calls and not of loops.
			d.Hint = "at that moment it was here, or in a loop that follows"
		}
	}
	file, name := handlerOf(pkg, target, d.Message)
	m.AtExport(&d, file, name)
	return d, true
}

// mentioned finds the file that the guest's runtime names in what it says about routes and lifecycle.
var mentioned = regexp.MustCompile(`\b(\w+) in (src/lifecycle\.ts)|\((src/routes/[^)]+)\)`)

// handlerOf is where the handler of a call is, as far as that can be told.
func handlerOf(pkg *manifest.Package, target, message string) (file, export string) {
	if m := mentioned.FindStringSubmatch(message); m != nil {
		if m[2] != "" {
			return m[2], m[1]
		}
		method, _, _ := strings.Cut(target, " ")
		return m[3], strings.ToUpper(method)
	}
	for _, tool := range pkg.Tools {
		if tool.Name == target && tool.Source != "" {
			return tool.Source, "default"
		}
	}
	for _, source := range pkg.ToolSources {
		if strings.TrimSuffix(path.Base(source), path.Ext(source)) == target {
			return source, "default"
		}
	}
	return "", ""
}
