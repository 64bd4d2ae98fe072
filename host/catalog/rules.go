package catalog

// The rules that a scan reports under, besides those of package manifest.
const (
	// RuleReservedID: the id or the name belongs to first-party packages.
	RuleReservedID = "reserved-id"
	// RuleDuplicateID: another package has the same id.
	RuleDuplicateID = "duplicate-id"
	// RuleDuplicateTool: a package of higher standing has a tool of the same name.
	RuleDuplicateTool = "duplicate-tool"
	// RuleNotBuilt: the package has code, and what building makes of it is missing.
	RuleNotBuilt = "not-built"
	// RuleInvalidModule: the WebAssembly module cannot be used.
	RuleInvalidModule = "invalid-module"
	// RuleRuntimeDenied: the kind of code asks for first-party trust.
	RuleRuntimeDenied = "runtime-denied"
	// RuleTrustOverride: the operator's override cannot be followed.
	RuleTrustOverride = "trust-override"
	// RuleTrustKept: the package would have more trust than its folder had before.
	RuleTrustKept = "trust-kept"
	// RuleGrantIgnored: a package grants a feature that it cannot grant.
	RuleGrantIgnored = "grant-ignored"
	// RuleProvidesIgnored: a package outside of the builtins provides services of the platform.
	RuleProvidesIgnored = "provides-ignored"
)
