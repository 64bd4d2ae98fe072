package catalog

import (
	"cmp"
	"slices"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Status is how far a package is there.
type Status string

// The statuses. A catalog has ready, partial and error; the others are a host's, for packages whose code
// starts and stops.
const (
	// StatusLoading: the code of the package is being started.
	StatusLoading Status = "loading"
	// StatusReady: all of the package is there.
	StatusReady Status = "ready"
	// StatusPartial: what the package declares is there, and its code or a part of it is not.
	StatusPartial Status = "partial"
	// StatusError: the package is reported, and nothing of it is there.
	StatusError Status = "error"
	// StatusStopped: the code of the package was stopped.
	StatusStopped Status = "stopped"
)

// Kind is what an entry is.
type Kind string

// The kinds of entries.
const (
	// KindPackage is a package with a manifest.
	KindPackage Kind = "package"
	// KindSource is a local source as a whole: a package that is made of its markdown alone. Its id begins with
	// [SourcePrefix], which no id of a manifest can.
	KindSource Kind = "source"
)

// SourcePrefix is in front of the ids of the packages that sources are.
const SourcePrefix = "source."

// The kinds of scopes.
const (
	ScopeProject = "project"
	ScopeUser    = "user"
	ScopeAgent   = "agent"
)

// Scope is who is shown an entry.
type Scope struct {
	// Kind is [ScopeProject], [ScopeUser] or [ScopeAgent].
	Kind string `json:"kind"`
	// Owner is the id of the user or of the agent; empty for the project.
	Owner string `json:"owner,omitempty"`
}

// Includes reports whether a session is shown what has the scope. A scope that is none of those there are
// includes nobody.
func (s Scope) Includes(who session.Session) bool {
	switch s.Kind {
	case ScopeProject:
		return true
	case ScopeUser:
		return s.Owner != "" && s.Owner == who.UserID
	case ScopeAgent:
		return s.Owner != "" && s.Owner == who.AgentID
	}
	return false
}

// Code are the files that a build leaves for the node runtime. They are listed for every package and imported
// in [trust.ModeFull] only, and not by this package. Paths are slash-separated and relative to the folder.
type Code struct {
	// Tools and Routes are dist/src/tools/*.js and dist/src/routes/*.js.
	Tools, Routes []string
	// Lifecycle is dist/src/lifecycle.js, or empty.
	Lifecycle string
}

// Entry is a package, or a folder that should be one, as one scan found it. Entries are shared between callers
// and must not be changed.
type Entry struct {
	// ID is the id of the package. For a folder whose manifest cannot be read it is made of the folder's name,
	// and may then also be the id of a package that is there.
	ID string
	// Kind says whether this is a package or a source.
	Kind Kind
	// Package is what the folder holds; nil where no manifest could be read.
	Package *manifest.Package
	// Dir is the absolute path of the folder, symbolic links resolved.
	Dir string
	// Location is where the folder is in words that tell nothing about the machine: _packages/catalog.
	Location string

	Provenance trust.Provenance
	Tier       trust.Tier
	Mode       trust.Mode
	Status     Status
	// Reason and Message say why the status is partial or error. The message is for people.
	Reason  trust.Reason
	Message string
	// Diagnostics are all that was found: by the loader, and by the scan.
	Diagnostics manifest.Diagnostics

	Scope Scope
	// Source is the id of the source that the folder was found in; empty for builtins and the drop zone.
	Source string
	// Markdown are the markdown files that the folder contributes as a source, outside of the packages in it.
	// They are there whatever the status of a package in the same folder is.
	Markdown []string

	// Module is the path of the WebAssembly module, relative to the folder; empty for other runtimes.
	Module string
	// ModuleHash, ManifestHash and RoutesHash are the SHA-256, in hexadecimal, of the module, the manifest file
	// and dist/routes.json; empty for what is not there.
	ModuleHash, ManifestHash, RoutesHash string
	// Routes is dist/routes.json.
	Routes manifest.RouteTable
	// Code is what a build left for the node runtime.
	Code Code

	stamp stamp
}

// Usable reports whether anything of the package is there.
func (e *Entry) Usable() bool { return e.Status != StatusError }

// Key names the entry among all that are usable: the id for what belongs to the project, and with the owner in
// front for the rest, as two users may have packages of one id. It is a relative slash-separated path of
// safe names, and fit for the name of a folder.
func (e *Entry) Key() string {
	if e.Scope.Kind == ScopeProject {
		return e.ID
	}
	return e.Scope.Kind + "/" + e.Scope.Owner + "/" + e.ID
}

// Skills are the skills whose front matter is in order.
func (e *Entry) Skills() []manifest.Skill {
	if e.Package == nil || !e.Usable() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(e.Package.Skills), func(s manifest.Skill) bool { return s.Invalid })
}

// fail makes the entry one that is only reported. The first reason stays.
func (e *Entry) fail(reason trust.Reason, message string) {
	if e.Status != StatusError {
		e.Status, e.Reason, e.Message = StatusError, reason, message
	}
}

// demote makes the entry partial. The first reason stays.
func (e *Entry) demote(reason trust.Reason, message string) {
	if e.Status == StatusReady {
		e.Status, e.Reason, e.Message = StatusPartial, reason, message
	}
}

// compareStanding orders entries by who wins where only one can: those of the project before those of a user and those
// of an agent, then the more trusted, then builtins before the drop zone and sources, then by id.
func compareStanding(a, b *Entry) int {
	return cmp.Or(
		cmp.Compare(scopeRank(a.Scope), scopeRank(b.Scope)),
		-trust.Compare(a.Tier, b.Tier),
		cmp.Compare(provenanceRank(a.Provenance), provenanceRank(b.Provenance)),
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Dir, b.Dir),
	)
}

func scopeRank(s Scope) int {
	return slices.Index([]string{ScopeProject, ScopeUser, ScopeAgent}, s.Kind)
}

func provenanceRank(p trust.Provenance) int {
	return slices.Index([]trust.Provenance{trust.ProvenanceBuiltin, trust.ProvenanceDropZone, trust.ProvenanceSource, trust.ProvenanceMarkdown}, p)
}
