package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// settle decides which packages have the ids that several claim; doc.go says how. Entries are in the order of
// their standing when it is done.
func settle(entries []*Entry) {
	var reserved []string
	owner := map[string]*Entry{}
	for _, e := range entries {
		if e.Provenance == trust.ProvenanceBuiltin {
			// A builtin that is broken is still the package of its id.
			reserved = append(reserved, e.ID)
			owner[e.ID] = e
		}
	}
	claims := map[string][]*Entry{}
	for _, e := range entries {
		if !e.Usable() || e.Kind != KindPackage {
			continue // it claims nothing: what is broken takes no other package down
		}
		names := []string{e.Package.NPM.Name, e.Package.Manifest.Name}
		if e.Provenance != trust.ProvenanceBuiltin && slices.ContainsFunc(names, func(name string) bool { return trust.Reserved(e.ID, name, reserved...) }) {
			e.refuseReserved(owner[e.ID])
			continue
		}
		claims[e.Key()] = append(claims[e.Key()], e)
	}
	for key, claimants := range claims {
		e := claimants[0]
		switch {
		case len(claimants) > 1:
			refuseDuplicates(claimants)
		case e.Scope.Kind != ScopeProject && len(claims[e.ID]) > 0 && key != e.ID:
			e.refuse(trust.ReasonDuplicateID, RuleDuplicateID, "give it an id of its own",
				fmt.Sprintf("the id %q belongs to the package in %s, which is the project's", e.ID, claims[e.ID][0].Location))
		}
	}
	slices.SortStableFunc(entries, compareStanding)
	settleTools(entries)
}

// refuse makes an entry one that is only reported, and reports it to its author too.
func (e *Entry) refuse(reason trust.Reason, rule, hint, message string) {
	e.diagnose(rule, manifest.SeverityError, hint, nil, "%s", message)
	e.fail(reason, message)
}

// refuseReserved refuses a package that is called as only first-party ones may be. The builtin, where there is
// one, is told of it, unless the package is somebody's own.
func (e *Entry) refuseReserved(builtin *Entry) {
	if builtin == nil {
		e.refuse(trust.ReasonReservedID, RuleReservedID, "give it a name in a scope of your own",
			fmt.Sprintf("names in the scope %s belong to first-party packages", strings.TrimSuffix(trust.ReservedScope, "/")))
		return
	}
	e.refuse(trust.ReasonReservedID, RuleReservedID, "give it an id of its own", fmt.Sprintf("the id %q belongs to a first-party package", e.ID))
	if e.Scope.Kind == ScopeProject {
		builtin.diagnose(RuleReservedID, manifest.SeverityInfo, "", nil, "the package in %s has the same id and was refused", e.Location)
	}
}

// refuseDuplicates refuses all packages of one id, each with the places of the others. They are all of the
// same scope, so that nobody learns of what is not theirs.
func refuseDuplicates(claimants []*Entry) {
	for _, e := range claimants {
		var others []string
		for _, other := range claimants {
			if other != e {
				others = append(others, other.Location)
			}
		}
		slices.Sort(others)
		e.refuse(trust.ReasonDuplicateID, RuleDuplicateID, "remove all but one of them, or give each an id of its own",
			fmt.Sprintf("the package in %s has the id %q too, and the host does not choose between them", strings.Join(others, " and in "), e.ID))
	}
}

// settleTools tells packages whose tools nobody will reach under their names.
func settleTools(entries []*Entry) {
	first := map[string][]*Entry{}
	for _, e := range entries {
		if e.Package == nil || !e.Usable() {
			continue
		}
		for _, tool := range e.Package.Tools {
			// Whoever sees e must see the other one too, or the diagnostic would speak of what is hidden.
			i := slices.IndexFunc(first[tool.Name], func(other *Entry) bool { return other.Scope.Kind == ScopeProject || other.Scope == e.Scope })
			if i >= 0 {
				file := tool.File
				if file == "" {
					file = tool.Source
				}
				e.Diagnostics = append(e.Diagnostics, manifest.Diagnostic{Rule: RuleDuplicateTool, Severity: manifest.SeverityWarning, File: file, Line: 1, Column: 1,
					Message: fmt.Sprintf("the tool %q of the package %s is called in its place", tool.Name, first[tool.Name][i].ID), Hint: "give the tool a name of its own"})
				continue
			}
			first[tool.Name] = append(first[tool.Name], e)
		}
	}
}
