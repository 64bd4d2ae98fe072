package manifest

// The rules that this package reports under; [Diagnostic.Rule] has one of them.
const (
	// RulePackageFolder: the package folder cannot be read.
	RulePackageFolder = "package-folder"
	// RuleManifestMissing: a folder has no manifest, so it is no package.
	RuleManifestMissing = "manifest-missing"
	// RuleManifestTwice: both manifest files are there, and one of them is not read.
	RuleManifestTwice = "manifest-twice"
	// RuleManifestInvalid: a value in the manifest is missing or is not what is asked for in its place.
	RuleManifestInvalid = "manifest-invalid"
	// RuleUnknownRuntime: runtime.type is none of the runtimes there are.
	RuleUnknownRuntime = "unknown-runtime"
	// RuleInvalidID: the id of the package cannot be one.
	RuleInvalidID = "invalid-id"
	// RuleTrustClaim: the manifest says how far the package is to be trusted; the host decides that.
	RuleTrustClaim = "trust-claim"
	// RuleToolInvalid: a value in a tool file is missing or is not what is asked for in its place.
	RuleToolInvalid = "tool-invalid"
	// RuleToolSchema: the JSON Schema in a tool file cannot be used, so that a host refuses to call the tool. [Load] does
	// not look for that: compiling a schema takes longer than reading a package.
	RuleToolSchema = "tool-schema"
	// RuleToolName: a file's name cannot be the name of a tool.
	RuleToolName = "tool-name"
	// RuleSkillInvalid: the front matter of a skill cannot be read, or lacks something.
	RuleSkillInvalid = "skill-invalid"
	// RuleSkillMissing: a folder in skills/ has no SKILL.md.
	RuleSkillMissing = "skill-missing"
	// RuleRoutesInvalid: a routes table cannot be used.
	RuleRoutesInvalid = "routes-invalid"

	// RuleJSONSyntax: a file is not JSON.
	RuleJSONSyntax = "json-syntax"
	// RuleDuplicateKey: an object has a name twice.
	RuleDuplicateKey = "duplicate-key"
	// RuleTextEncoding: a file is not UTF-8 text.
	RuleTextEncoding = "text-encoding"
	// RuleByteOrderMark: a file begins with a byte order mark.
	RuleByteOrderMark = "byte-order-mark"
	// RuleFileTooLarge: a file, or the number of values or levels in it, is beyond what is read.
	RuleFileTooLarge = "file-too-large"
	// RuleFileUnreadable: a file cannot be read.
	RuleFileUnreadable = "file-unreadable"
	// RuleLinkEscapes: a symbolic link leads out of the package folder, so it is not followed.
	RuleLinkEscapes = "link-escapes"
	// RuleTooManyFiles: a package has more files or deeper folders than are read.
	RuleTooManyFiles = "too-many-files"
)
