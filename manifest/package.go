package manifest

import (
	"encoding/json"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// The names of the manifest files, and of the member of package.json that holds the manifest.
const (
	PackageJSON         = "package.json"
	NeuralisPackageJSON = "neuralis.package.json"
	ManifestMember      = "neuralis"
)

// Package is what a package folder contributes, as [Load] found it. All paths are slash-separated, relative
// to the folder and sorted.
type Package struct {
	// Dir is the absolute path of the folder.
	Dir string
	// ManifestFile is [PackageJSON] or [NeuralisPackageJSON].
	ManifestFile string
	// Source is the text of ManifestFile; see [Package.Document].
	Source []byte
	// Manifest is the manifest itself. Entries that had faults are left out of it.
	Manifest Manifest
	// NPM is what package.json says outside of the manifest; it is zero for a package without package.json.
	NPM NPM

	// ID is the effective id; see [Load] for where it comes from. Empty when there is no valid one.
	ID string
	// Name, Version and Description are the manifest's, else those of package.json. A package that has no name
	// at all is called by its id.
	Name, Version, Description string
	// Runtime is the kind of code the package has. It is what the manifest says even where that is no runtime
	// at all, so that an unknown kind of code is not taken for none; see [Runtime.Valid].
	Runtime Runtime

	// Tools are the package's tools in the order of their names: one for every file in tools/ and for every
	// handler in src/tools/ that has no such file.
	Tools []Tool
	// ToolSources, RouteSources, ChannelSources and EventSources are the handler files in src/tools/,
	// src/routes/, src/channels/ and src/events/.
	ToolSources, RouteSources, ChannelSources, EventSources []string
	// TestSources are the test files, *.test.ts below tests/ and src/.
	TestSources []string
	// Lifecycle is src/lifecycle.ts, or empty where there is none.
	Lifecycle string

	// Skills are the package's skills in the order of their folders.
	Skills []Skill
	// Docs, Rules, Instructions, Agents, Workflows and Team are all files below the folders of these names.
	Docs, Rules, Instructions, Agents, Workflows, Team []string
}

// Document is the manifest file with the places of everything in it, for finding where to report something:
//
//	span := pkg.Document().ValueSpan(pkg.Pointer("runtime", "type"))
//
// It is read anew at each call.
func (p *Package) Document() *jsondoc.Document { return document(p.Source) }

// Pointer is the JSON Pointer, in the manifest file, of a place in the manifest.
func (p *Package) Pointer(tokens ...string) string {
	return jsondoc.Pointer(append(manifestPath(p.ManifestFile), tokens...)...)
}

// manifestPath is where in a manifest file the manifest is.
func manifestPath(file string) []string {
	if file == PackageJSON {
		return []string{ManifestMember}
	}
	return nil
}

// document reads JSON for the places in it; its faults were reported before.
func document(source []byte) *jsondoc.Document {
	doc, _ := jsondoc.Parse(source, jsondoc.DefaultLimits())
	return doc
}

// NPM is what package.json says outside of the manifest, as far as the toolchain reads it.
type NPM struct {
	// Name is the name in the npm registry, with its scope.
	Name string `json:"name,omitempty"`
	// Version is the version in the npm registry.
	Version string `json:"version,omitempty"`
	// Description is the description in the npm registry.
	Description string `json:"description,omitempty"`
	// Files are the files and folders that npm ships. Nil, as opposed to empty, is npm's default: all.
	Files []string `json:"files,omitempty"`
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
	// Schema is the JSON Schema of the arguments, byte for byte as in File but for a byte order mark. It is nil
	// when File is empty, and when File could not be read as JSON.
	Schema json.RawMessage
	// Extension is the schema's x-neuralis object.
	Extension ToolExtension
	// Invalid says that File has faults that were reported as errors. The tool is known, and must not be called.
	Invalid bool
}

// Document is the tool file with the places of everything in it, as [Package.Document]. Without a schema its
// Root is nil.
func (t *Tool) Document() *jsondoc.Document { return document(t.Schema) }

// Skill is one skill of a package.
type Skill struct {
	// Name and Description are from the front matter of File.
	Name, Description string
	// Dir is skills/<folder>, and File is the SKILL.md in it.
	Dir, File string
	// Invalid says that File has faults that were reported as errors.
	Invalid bool
}
