package manifest

import (
	"bytes"
	_ "embed"
)

//go:embed schema/manifest.schema.json
var manifestSchema []byte

//go:embed schema/tool.schema.json
var toolSchema []byte

// ManifestSchema returns the JSON Schema (draft-07) of the manifest: of package.json#neuralis, and of
// neuralis.package.json as a whole. It accepts what [Load] accepts; members that it does not describe are
// allowed.
func ManifestSchema() []byte { return bytes.Clone(manifestSchema) }

// ToolSchema returns the JSON Schema (draft-07) of tool files, tools/*.json. It is about what makes them tools.
// That they are JSON Schemas themselves is for the schema to say that their own $schema names.
func ToolSchema() []byte { return bytes.Clone(toolSchema) }
