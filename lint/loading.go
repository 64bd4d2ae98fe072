package lint

import "github.com/neuralis-dev/neuralis/manifest"

// syntaxRule is the rule of sources that no parser takes; the bundler reports the same.
const syntaxRule = "syntax-error"

// loadingRules are those that package manifest reports under while it loads a package, and the one of sources that cannot
// be parsed.
func loadingRules() []Rule {
	loading := func(id string, severity manifest.Severity, summary, todo, bad, good string) Rule {
		return Rule{ID: id, Severity: severity, Family: FamilyLoading, Summary: summary, Todo: todo, Bad: bad, Good: good}
	}
	return []Rule{
		loading(manifest.RulePackageFolder, manifest.SeverityError, "the folder of the package cannot be read", "check the path and its permissions", "", ""),
		loading(manifest.RuleManifestMissing, manifest.SeverityError, "the folder has no manifest", "`neuralis new` makes a package", "-- package.json --\n«{ \"name\": \"demo\" }\n", demo),
		loading(manifest.RuleManifestTwice, manifest.SeverityWarning, "there are two manifest files, and one is not read", "keep one",
			demo+"-- neuralis.package.json --\n«{ \"id\": \"demo\" }\n", demo),
		loading(manifest.RuleManifestInvalid, manifest.SeverityError, "a value in the manifest is missing or is not what its place asks for", "see [packages.md](packages.md) or `neuralis schema manifest`",
			"-- neuralis.package.json --\n{ \"id\": \"demo\", \"name\": «7» }\n", "-- neuralis.package.json --\n{ \"id\": \"demo\", \"name\": \"Seven\" }\n"),
		loading(manifest.RuleUnknownRuntime, manifest.SeverityError, "`runtime.type` is no runtime", "use `wasm`, `node` or `mcp`, or leave `runtime` out",
			"-- neuralis.package.json --\n{ \"id\": \"demo\", \"runtime\": { \"type\": «\"deno\"» } }\n", "-- neuralis.package.json --\n{ \"id\": \"demo\", \"runtime\": { \"type\": \"wasm\" } }\n"),
		loading(manifest.RuleInvalidID, manifest.SeverityError, "the id cannot be one", "lower-case letters, digits and single hyphens",
			"-- neuralis.package.json --\n{ \"id\": «\"My Demo\"» }\n", "-- neuralis.package.json --\n{ \"id\": \"my-demo\" }\n"),
		loading(manifest.RuleTrustClaim, manifest.SeverityWarning, "the manifest says how far the package is to be trusted; hosts ignore that", "remove it",
			"-- neuralis.package.json --\n{ \"id\": \"demo\", «\"trust\"»: \"first-party\" }\n", "-- neuralis.package.json --\n{ \"id\": \"demo\" }\n"),
		loading(manifest.RuleToolInvalid, manifest.SeverityError, "a value in a tool file is missing or is not what its place asks for", "see [packages.md](packages.md) or `neuralis schema tool`",
			coded+handler+"-- tools/list.json --\n«{» \"type\": \"object\", \"description\": \"List what there is in the shop\", \"additionalProperties\": false }\n", coded+handler+schema),
		loading(manifest.RuleToolName, manifest.SeverityError, "a file's name cannot be a tool's name", "rename the file: letters, digits, `_` and `-`",
			demo+"-- tools/my.list.json --\n«{ \"type\": \"object\", \"description\": \"List what there is in the shop\", \"additionalProperties\": false, \"x-neuralis\": { \"annotations\": { \"category\": \"read\" } } }\n", demo),
		loading(manifest.RuleSkillInvalid, manifest.SeverityError, "the front matter of a skill cannot be read or lacks something", "`name` and `description` are needed",
			demo+"-- skills/find/SKILL.md --\n«---»\nname: find\n---\n", demo+"-- skills/find/SKILL.md --\n---\nname: find\ndescription: Find things in the shop\n---\n"),
		loading(manifest.RuleSkillMissing, manifest.SeverityWarning, "a folder in `skills/` has no `SKILL.md`", "write it, or remove the folder",
			"", ""),
		loading(manifest.RuleJSONSyntax, manifest.SeverityError, "a file is not JSON", "look at the frame",
			"-- neuralis.package.json --\n{ \"id\": \"demo\"«,» }\n", "-- neuralis.package.json --\n{ \"id\": \"demo\" }\n"),
		loading(manifest.RuleDuplicateKey, manifest.SeverityError, "an object has a name twice", "remove one",
			"-- neuralis.package.json --\n{ \"id\": \"demo\", «\"id\"»: \"demo\" }\n", "-- neuralis.package.json --\n{ \"id\": \"demo\" }\n"),
		loading(manifest.RuleTextEncoding, manifest.SeverityError, "a file is not UTF-8", "save it as UTF-8", "", ""),
		loading(manifest.RuleByteOrderMark, manifest.SeverityWarning, "a file begins with a byte order mark", "save it without one",
			"-- neuralis.package.json --\n«\uFEFF{ \"id\": \"demo\" }\n", "-- neuralis.package.json --\n{ \"id\": \"demo\" }\n"),
		loading(manifest.RuleFileTooLarge, manifest.SeverityError, "a file, or the number of values or levels in it, is beyond what is read", "make it smaller", "", ""),
		loading(manifest.RuleFileUnreadable, manifest.SeverityError, "a file cannot be read", "check its permissions, or put a regular file in its place", "", ""),
		loading(manifest.RuleLinkEscapes, manifest.SeverityError, "a symbolic link leads out of the package and is not followed", "copy the file into the package", "", ""),
		loading(manifest.RuleTooManyFiles, manifest.SeverityError, "a package has more files or deeper folders than are read", "move what is not the package's elsewhere", "", ""),
		loading(syntaxRule, manifest.SeverityError, "a source cannot be parsed", "look at the frame",
			coded+schema+"-- src/tools/list.ts --\nexport default () => «)»;\n", coded+schema+handler),
	}
}

// Parts of examples.
const (
	demo = `-- package.json --
{ "name": "@acme/demo", "version": "1.0.0", "neuralis": { "id": "demo" } }
`
	coded = `-- package.json --
{ "name": "@acme/demo", "version": "1.0.0", "neuralis": { "id": "demo", "runtime": { "type": "wasm" } } }
`
	schema = `-- tools/list.json --
{
  "description": "List what there is in the shop",
  "type": "object",
  "additionalProperties": false,
  "x-neuralis": { "annotations": { "category": "read" } }
}
`
	handler = `-- src/tools/list.ts --
export default () => ({ content: [] });
`
	route = `-- src/routes/items.ts --
export const pattern = 'items';
export const feature = 'demo.read';
export const GET = () => ({ body: [] });
`
	served = `-- package.json --
{
  "name": "@acme/demo", "version": "1.0.0",
  "neuralis": {
    "id": "demo", "runtime": { "type": "wasm" },
    "features": [{ "id": "demo.read", "title": "See the shop" }]
  }
}
`
)
