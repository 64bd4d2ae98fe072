package manifest

import "encoding/json"

// The comments of the fields below are what editors show: they become the descriptions in the JSON Schemas.
// After a change, run: go generate ./manifest

//go:generate go test -run TestSchemaFilesAreCurrent -update .

// Manifest is the manifest of a package: package.json#neuralis, or all of neuralis.package.json. What it may
// hold is described by [ManifestSchema].
type Manifest struct {
	// Where an editor finds the schema of this file. Nothing else reads it.
	Schema string `json:"$schema,omitempty"`

	// The id of the package, unique among those that are installed: lower-case letters, digits and single
	// hyphens. Without it, the name in package.json counts, without its scope, and without that the name of
	// the folder.
	ID string `json:"id,omitempty" model:"format=slug"`

	// What people call the package. Without it, the name in package.json counts.
	Name string `json:"name,omitempty"`

	// The version of the package. Without it, the version in package.json counts.
	Version string `json:"version,omitempty"`

	// What the package is for, in a sentence or two. Without it, the description in package.json counts.
	Description string `json:"description,omitempty"`

	// The kind of code the package has. A package without it has none: it is declarative.
	Runtime RuntimeSpec `json:"runtime,omitzero"`

	// What a caller needs before anything of the package is there for them.
	Requires Requires `json:"requires,omitzero"`

	// The features of the package: permissions that its tools and routes ask for and that roles are granted.
	Features []Feature `json:"features,omitempty"`

	// Which features a role has until an operator decides otherwise: names of roles, and for each a list of
	// feature ids.
	DefaultRoleGrants map[string][]string `json:"defaultRoleGrants,omitempty" model:"keys=word,format=word"`

	// The platform services that the package provides. Only first-party packages may.
	Provides []string `json:"provides,omitempty" model:"format=service,unique"`

	// The secrets that the package uses. Their values are never here: they are entered by those who install it.
	Credentials []Credential `json:"credentials,omitempty"`

	// The settings that the package reads.
	ConfigSettings []ConfigSetting `json:"configSettings,omitempty"`

	// Connections to servers outside of the platform.
	Connectors []Connector `json:"connectors,omitempty"`

	// The folders in which the package keeps data.
	DataLayout []DataZone `json:"dataLayout,omitempty"`

	// The events that the package handles, one for each file in src/events/.
	Events []Event `json:"events,omitempty"`

	// The channels that the package offers, one for each file in src/channels/.
	Channels []Channel `json:"channels,omitempty"`

	// What the package may reach over the network.
	Network Network `json:"network,omitzero"`
}

// RuntimeSpec is how the code of a package runs.
type RuntimeSpec struct {
	_ struct{} `model:"when=type:mcp,require=entry.command"`

	// wasm: TypeScript, built into a sandboxed module; the choice for most packages. node: JavaScript in a
	// Node process. mcp: a program that speaks MCP on its standard input and output. The last two run only
	// where the package has first-party trust.
	Type Runtime `json:"type" model:"required,enum=wasm|node|mcp"`

	// Where the code is.
	Entry Entry `json:"entry,omitzero"`
}

// Entry is where the code of a package is.
type Entry struct {
	// For wasm: the module, relative to the package folder. Without it, dist/package.wasm counts.
	Module string `json:"module,omitempty" model:"format=path"`

	// For mcp: the program to start. It runs in the package folder.
	Command string `json:"command,omitempty" model:"format=text"`

	// For mcp: the arguments of the program.
	Args []string `json:"args,omitempty"`
}

// Requires is what a caller needs to see a package at all.
type Requires struct {
	// The feature that a caller needs for anything in the package.
	AccessFeature string `json:"accessFeature,omitempty" model:"format=word"`
}

// Feature is a permission that a package declares.
type Feature struct {
	// The id of the feature, such as catalog.read.
	ID string `json:"id" model:"required,format=word"`

	// What the feature allows, as a short label.
	Title string `json:"title,omitempty"`

	// What the feature allows, in a sentence.
	Description string `json:"description,omitempty"`
}

// Credential is a secret that a package uses.
type Credential struct {
	// The id by which code asks for the credential, such as acme.apiKey.
	ID string `json:"id" model:"required,format=word"`

	// What the credential is, as a short label.
	Title string `json:"title,omitempty"`

	// Where to get the credential and what it is used for.
	Description string `json:"description,omitempty"`

	// For whom a value can be entered. Where there are several, agent is asked before project, project before
	// user, and user before global.
	Scopes []string `json:"scopes,omitempty" model:"enum=agent|project|user|global,unique"`
}

// ConfigSetting is a setting that a package reads.
type ConfigSetting struct {
	// The key by which code asks for the setting, such as catalog.pageSize.
	Key string `json:"key" model:"required,format=word"`

	// The type of the value.
	Type string `json:"type" model:"required,enum=string|integer|number|boolean|array|object"`

	// What the setting is, as a short label.
	Title string `json:"title,omitempty"`

	// What the setting changes.
	Description string `json:"description,omitempty"`

	// The value when nobody has set one.
	Default json.RawMessage `json:"default,omitempty"`

	// The environment variable of the host that gives the value when nobody has set one.
	EnvFallback string `json:"envFallback,omitempty" model:"format=env"`
}

// Connector is a connection to a server outside of the platform.
type Connector struct {
	// The id of the connector.
	ID string `json:"id" model:"required,format=word"`

	// The kind of server, such as mcp.
	Type string `json:"type" model:"required,format=word"`

	// What the connector reaches, as a short label.
	Title string `json:"title,omitempty"`

	// What the connector is for.
	Description string `json:"description,omitempty"`

	// How the server is spoken to. An mcp connector uses http or sse; without a transport it would mean
	// stdio, which packages may not use.
	Transport string `json:"transport,omitempty" model:"enum=http|sse|stdio"`

	// The address of the server.
	URL string `json:"url,omitempty" model:"format=text"`

	// A program to start in place of a server to reach. Packages may not use it.
	Command string `json:"command,omitempty" model:"format=text"`

	// The arguments of the program.
	Args []string `json:"args,omitempty"`
}

// DataZone is a folder in which a package keeps data.
type DataZone struct {
	// The name of the zone.
	Zone string `json:"zone" model:"required,format=word"`

	// The folders in the zone that all agents share.
	Dirs []string `json:"dirs,omitempty" model:"format=path"`

	// The folders in the zone of which each agent has its own.
	PerAgent []string `json:"perAgent,omitempty" model:"format=path"`

	// The folders in the zone that only code writes. Agents are not shown them.
	MachineWritten []string `json:"machineWritten,omitempty" model:"format=path"`
}

// Event is an event that a package handles.
type Event struct {
	// The name of the event; its handler is src/events/<name>.ts.
	Name string `json:"name" model:"required,format=word"`

	// What the event is, as a short label.
	Title string `json:"title,omitempty"`

	// When the event happens and what handling it does.
	Description string `json:"description,omitempty"`

	// The feature that is needed to see the event.
	Feature string `json:"feature,omitempty" model:"format=word"`

	// Whether people are shown the event. Without it, they are.
	Visible *bool `json:"visible,omitempty"`
}

// Channel is a channel that a package offers.
type Channel struct {
	// The name of the channel; its handler is src/channels/<name>.ts.
	Name string `json:"name" model:"required,format=word"`

	// What the channel is, as a short label.
	Title string `json:"title,omitempty"`

	// What the channel connects to.
	Description string `json:"description,omitempty"`

	// The feature that is needed to use the channel.
	Feature string `json:"feature,omitempty" model:"format=word"`

	// Whether people are shown the channel. Without it, they are.
	Visible *bool `json:"visible,omitempty"`
}

// Network is what a package may reach over the network.
type Network struct {
	// The hosts that fetch may call: names such as api.acme.example, *.acme.example for the subdomains of one, or
	// * for all of them.
	AllowedHosts []string `json:"allowedHosts,omitempty" model:"format=host"`
}

// toolFile is what a tool file must be, apart from being a JSON Schema.
type toolFile struct {
	// The dialect of JSON Schema: http://json-schema.org/draft-07/schema#
	Schema string `json:"$schema,omitempty"`

	// What people call the tool, where its annotations have no title.
	Title string `json:"title,omitempty"`

	// What the tool does and when to use it. Models choose by it.
	Description string `json:"description,omitempty"`

	// Arguments are an object.
	Type string `json:"type" model:"required,enum=object"`

	// The arguments: a JSON Schema for each.
	Properties map[string]json.RawMessage `json:"properties,omitempty" model:"kinds=object|boolean"`

	// The names of the arguments that have to be there.
	Required []string `json:"required,omitempty" model:"unique"`

	// Whether there may be arguments without a schema of their own. false finds misspelt ones.
	AdditionalProperties json.RawMessage `json:"additionalProperties,omitempty" model:"kinds=boolean|object"`

	// What the platform needs to know about the tool.
	Extension ToolExtension `json:"x-neuralis" model:"required"`
}

// ToolExtension is the x-neuralis object of a tool file: what the platform needs to know about the tool.
type ToolExtension struct {
	// The group of tools that this one belongs to, such as catalog.
	Family string `json:"family,omitempty" model:"format=word"`

	// What the tool does in its group, such as catalog.list.
	Operation string `json:"operation,omitempty" model:"format=word"`

	// How the handler is reached. embedded: it is code of this package.
	Transport string `json:"transport,omitempty" model:"format=word"`

	// Arguments that are used where a caller gives none.
	Defaults json.RawMessage `json:"defaults,omitempty" model:"kinds=object"`

	// The feature that a caller needs.
	Feature string `json:"feature,omitempty" model:"format=word"`

	// What clients and models are told about the tool.
	Annotations ToolAnnotations `json:"annotations" model:"required"`

	// What MCP clients are offered in the place of a tool.
	MCP ToolMCP `json:"mcp,omitzero"`
}

// ToolMCP says that a tool is offered to MCP clients as something else: as a prompt or as a resource.
type ToolMCP struct {
	// The name of the prompt that the tool is. Its arguments are the properties of the schema.
	Prompt string `json:"prompt,omitempty" model:"format=word"`

	// The URI of the resource that the tool is, such as orders://all, or with variables, as in orders://{id}, of a
	// template (RFC 6570); the variables are the properties of the schema.
	Resource string `json:"resource,omitempty" model:"format=text"`

	// The media type of the resource.
	MIMEType string `json:"mimeType,omitempty" model:"format=text"`
}

// ToolAnnotations are what clients and models are told about a tool.
type ToolAnnotations struct {
	// What people call the tool.
	Title string `json:"title,omitempty"`

	// Whether the tool changes nothing.
	ReadOnlyHint *bool `json:"readOnlyHint,omitempty"`

	// Whether the tool may delete or overwrite something.
	DestructiveHint *bool `json:"destructiveHint,omitempty"`

	// Whether a second call with the same arguments changes nothing more.
	IdempotentHint *bool `json:"idempotentHint,omitempty"`

	// Whether the tool reaches something outside of the platform.
	OpenWorldHint *bool `json:"openWorldHint,omitempty"`

	// What the tool does to the world in one word, such as read, write, delete, search or execute.
	Category string `json:"category" model:"required,format=category"`
}
