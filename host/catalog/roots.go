package catalog

import (
	"time"

	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// Roots are the folders that a scan reads, and what it needs to know about them.
type Roots struct {
	// Builtins are folders of first-party packages: each is a package, or holds packages.
	Builtins []string
	// ProjectRoot is the folder of the project; packages are in its _packages folder.
	ProjectRoot string
	// Packages are single folders that are packages of the project although they are not in its _packages folder, such
	// as one that its author is working on. They are trusted as far as those in there.
	Packages []string
	// Sources are local folders, in the order in which they are searched.
	Sources []Source
	// Exclude are folders that are neither searched nor read, such as those that the host writes to.
	Exclude []string

	// Trust are the operator's overrides: by the id of a package of the project, and for one of a source with an
	// owner by the id of the source, a slash, and its id. A name alone says nothing about the packages of
	// users and agents, who choose the names themselves.
	Trust map[string]trust.Tier

	// Previous is the catalog that this scan follows. No folder in it is given more trust than it had there,
	// and modules that have not changed since are not read again.
	Previous *Catalog
	// Held are folders, as Entry.Dir has them, whose packages stay as they are in Previous, whatever is in the folders
	// now: an author's save that broke a package is not to take it away.
	Held []string
	// Now is the time of the scan. Without it, modules are always read.
	Now time.Time
}

// Source is a local folder.
type Source struct {
	// ID is the id of the source, and Path its folder.
	ID, Path string
	// RecognizesPackages says that packages in the folder are packages of the host. Whether whoever set it
	// was allowed to is for the caller to check; [FromConfig] does.
	RecognizesPackages bool
	// Scope is who is shown what is in the source.
	Scope Scope
}

// FromConfig returns the roots that an operator's config names. A source that is flagged by somebody who may not
// flag it is not searched for packages. Previous and Now are left to the caller.
func FromConfig(c *config.Config) Roots {
	r := Roots{
		Builtins:    c.Builtins,
		ProjectRoot: c.ProjectRoot,
		Exclude:     []string{c.DataDir, c.GlobalDir},
		Trust:       c.Trust,
	}
	for _, s := range c.Sources {
		scope := Scope{Kind: s.Scope}
		if scope.Kind != ScopeProject {
			scope.Owner = s.Owner
		}
		r.Sources = append(r.Sources, Source{ID: s.ID, Path: s.Path, RecognizesPackages: c.Recognized(s), Scope: scope})
	}
	return r
}
