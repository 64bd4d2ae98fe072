package trust

// Reason is a code for why a package is not, or not wholly, there. It is stable: programs compare it, and
// people find it in the manual.
type Reason string

// The reasons. The first ones leave the package partial: what it declares is there, and its handlers are not.
const (
	// ReasonUntrustedNode: a node package without first-party trust.
	ReasonUntrustedNode Reason = "untrusted-node"
	// ReasonUntrustedMCP: an mcp package without first-party trust.
	ReasonUntrustedMCP Reason = "untrusted-mcp"
	// ReasonNotBuilt: the package has code, and what building makes of it is missing.
	ReasonNotBuilt Reason = "not-built"
	// ReasonInvalidModule: the module is not one that could be loaded: no WebAssembly, too large, unreadable.
	ReasonInvalidModule Reason = "invalid-module"
	// ReasonInvalidRoutes: dist/routes.json cannot be used.
	ReasonInvalidRoutes Reason = "invalid-routes"
	// ReasonInvalidContribution: a tool, a skill or another file of the package has a fault; the rest is there.
	ReasonInvalidContribution Reason = "invalid-contribution"

	// ReasonInvalidManifest: there is no manifest that could be used.
	ReasonInvalidManifest Reason = "invalid-manifest"
	// ReasonReservedID: the id or the name belongs to first-party packages.
	ReasonReservedID Reason = "reserved-id"
	// ReasonDuplicateID: another package has the same id.
	ReasonDuplicateID Reason = "duplicate-id"
	// ReasonTrustConflict: the operator's override for the package cannot be followed.
	ReasonTrustConflict Reason = "trust-conflict"
	// ReasonLinkEscapes: the folder is a symbolic link that leads out of a source with an owner.
	ReasonLinkEscapes Reason = "link-escapes"
	// ReasonUnreadable: a root or a folder could not be read.
	ReasonUnreadable Reason = "unreadable"
	// ReasonStartFailed: the code of the package could not be started.
	ReasonStartFailed Reason = "start-failed"
)

// Reasons are all reasons.
func Reasons() []Reason {
	return []Reason{
		ReasonUntrustedNode, ReasonUntrustedMCP, ReasonNotBuilt, ReasonInvalidModule, ReasonInvalidRoutes, ReasonInvalidContribution,
		ReasonInvalidManifest, ReasonReservedID, ReasonDuplicateID, ReasonTrustConflict, ReasonLinkEscapes, ReasonUnreadable, ReasonStartFailed,
	}
}
