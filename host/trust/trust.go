package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/manifest"
)

// Provenance is where the root under which a package was found came from. The host assigns it.
type Provenance string

// The kinds of roots.
const (
	// ProvenanceBuiltin is a root that the operator's config lists among the builtins.
	ProvenanceBuiltin Provenance = "builtin"
	// ProvenanceDropZone is the folder _packages of a project.
	ProvenanceDropZone Provenance = "drop-zone"
	// ProvenanceSource is a local source that was flagged to be searched for packages.
	ProvenanceSource Provenance = "flagged-source"
	// ProvenanceMarkdown is a local source as a whole, of which nothing but its markdown is read.
	ProvenanceMarkdown Provenance = "source"
)

// Tier is how far a package is trusted.
type Tier string

// The tiers, from the most trusted to the least.
const (
	FirstParty Tier = "first-party"
	Trusted    Tier = "trusted"
	Untrusted  Tier = "untrusted"
)

// Tiers are all tiers, from the most trusted to the least.
func Tiers() []Tier { return []Tier{FirstParty, Trusted, Untrusted} }

// rank orders the tiers; what is no tier ranks below all that are.
func (t Tier) rank() int {
	if i := slices.Index(Tiers(), t); i >= 0 {
		return len(Tiers()) - i
	}
	return 0
}

// Valid reports whether t is one of the tiers.
func (t Tier) Valid() bool { return t.rank() > 0 }

// AtLeast reports whether t is trusted as far as other, or further. What is no tier is trusted less than any.
func (t Tier) AtLeast(other Tier) bool { return t.rank() >= other.rank() }

// Compare is negative when a is trusted less than b, positive when it is trusted more, and 0 for equal tiers.
func Compare(a, b Tier) int { return a.rank() - b.rank() }

// Lower returns the less trusted of two tiers.
func Lower(a, b Tier) Tier {
	if Compare(a, b) <= 0 {
		return a
	}
	return b
}

// Assign returns the tier of a package from a root of provenance p. The override is what the operator's config
// says about the package; empty is nothing.
//
// A builtin is first-party. Everything else is untrusted, or trusted by override. An override that cannot be
// followed (first-party for any package, anything for a builtin, a word that is no tier) is an error, and the
// tier beside it is [Untrusted]: what an operator meant and could not be given is never guessed upwards.
func Assign(p Provenance, override Tier) (Tier, error) {
	switch {
	case p == ProvenanceBuiltin && override == "":
		return FirstParty, nil
	case p == ProvenanceBuiltin:
		return Untrusted, fmt.Errorf("the package is a builtin, which is %s, and the config says %q: take its folder out of the builtins, or the package out of trust", FirstParty, override)
	case override == FirstParty:
		return Untrusted, fmt.Errorf("no override makes a package %s: list its folder among the builtins", FirstParty)
	case override == "":
		return Untrusted, nil
	case override == Trusted || override == Untrusted:
		return override, nil
	}
	return Untrusted, fmt.Errorf("%q is no tier: write %q or %q", override, Trusted, Untrusted)
}

// Mode is how much of a package discovery and the runtimes may touch.
type Mode string

// The modes.
const (
	// ModeFull: the code of the package may be imported in order to learn what it offers.
	ModeFull Mode = "full"
	// ModeMetadataOnly: the same files are listed, and none is imported.
	ModeMetadataOnly Mode = "metadata-only"
)

// ModeOf returns the mode for a tier: full for first-party packages, metadata-only for all others.
func ModeOf(t Tier) Mode {
	if t == FirstParty {
		return ModeFull
	}
	return ModeMetadataOnly
}

// ReservedScope is the scope of npm names that only first-party packages may have.
const ReservedScope = "@neuralis/"

// Reserved reports whether a package outside of the builtins is refused for what it is called: its id is that
// of a builtin, or its npm name is in [ReservedScope]. Case makes no difference, for file systems and people
// may not see it.
func Reserved(id, npmName string, builtinIDs ...string) bool {
	name := strings.TrimSpace(npmName)
	if len(name) >= len(ReservedScope) && strings.EqualFold(name[:len(ReservedScope)], ReservedScope) {
		return true
	}
	return slices.ContainsFunc(builtinIDs, func(builtin string) bool { return id != "" && strings.EqualFold(builtin, id) })
}

// Demotion reports whether a package of tier t may not run code of kind r, and why. Its declarative half is
// registered all the same, no process starts, and each call of a handler answers that there is no runtime.
func Demotion(t Tier, r manifest.Runtime) (Reason, bool) {
	if t == FirstParty {
		return "", false
	}
	switch r {
	case manifest.RuntimeNode:
		return ReasonUntrustedNode, true
	case manifest.RuntimeMCP:
		return ReasonUntrustedMCP, true
	}
	return "", false
}
