package manifest

import "encoding/json"

// Package is what a package folder contributes, as [Load] found it. All paths are slash-separated, relative
// to the folder and sorted.
type Package struct {
	// Dir is the absolute path of the folder.
	Dir string
	// ManifestFile is package.json or neuralis.package.json.
	ManifestFile string
	// Manifest is the manifest itself. Entries that had faults are left out of it.
	Manifest Manifest
	// ID is the effective id; see [Load] for where it comes from. Empty when there is no valid one.
	ID string
	// Runtime is the kind of code the package has; see [Runtime.Valid].
	Runtime Runtime

	// Tools are the package's tools in the order of their names: one for every file in tools/ and for every
	// handler in src/tools/ that has no such file.
	Tools []Tool
	// ToolSources, RouteSources, ChannelSources and EventSources are the handler files in src/tools/,
	// src/routes/, src/channels/ and src/events/.
	ToolSources, RouteSources, ChannelSources, EventSources []string
	// TestSources are the test files below tests/ and src/.
	TestSources []string
	// Lifecycle is src/lifecycle.ts, or empty where there is none.
	Lifecycle string

	// Skills are the package's skills in the order of their folders.
	Skills []Skill
	// Docs, Rules, Instructions, Agents, Workflows and Team are the files below the folders of these names.
	Docs, Rules, Instructions, Agents, Workflows, Team []string
}

// Runtime is the kind of code a package has.
type Runtime string

// The runtimes. A package without code has [RuntimeNone].
const (
	RuntimeNone Runtime = ""
	RuntimeWASM Runtime = "wasm"
	RuntimeNode Runtime = "node"
	RuntimeMCP  Runtime = "mcp"
)

// Valid reports whether r is one of the runtimes above.
func (r Runtime) Valid() bool {
	switch r {
	case RuntimeNone, RuntimeWASM, RuntimeNode, RuntimeMCP:
		return true
	}
	return false
}

// Tool is one tool of a package.
type Tool struct {
	// Name is what callers say; it is the file's name without its extension.
	Name string
	// File is tools/<name>.json, or empty for a handler without a schema.
	File string
	// Source is src/tools/<name>.ts, or empty where the handler is elsewhere or missing.
	Source string
	// Title and Description are the schema's.
	Title, Description string
	// Schema is the JSON Schema of the arguments, byte for byte as in File. It is nil when File is empty, and
	// when File could not be read as JSON.
	Schema json.RawMessage
	// Extension is the schema's x-neuralis object.
	Extension ToolExtension
	// Invalid says that File has faults that were reported as errors. The tool is known, and must not be called.
	Invalid bool
}

// Skill is one skill of a package.
type Skill struct {
	// Name and Description are from the front matter of File.
	Name, Description string
	// Dir is skills/<folder>, and File is the SKILL.md in it.
	Dir, File string
	// Invalid says that File has faults that were reported as errors.
	Invalid bool
}
