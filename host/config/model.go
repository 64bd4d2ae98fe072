package config

import (
	"encoding/json"

	"github.com/neuralis-dev/neuralis/host/trust"
)

// The comments of the fields below are what editors show: they become the descriptions in the JSON Schema.
// After a change, run: go generate ./host/config

//go:generate go test -run TestSchemaFileIsCurrent -update .

// File is the name that the config has by convention.
const File = "neuralis.host.json"

// Config is the operator's config of a host. Paths in it are absolute once it is loaded.
type Config struct {
	// Where an editor finds the schema of this file. Nothing else reads it.
	Schema string `json:"$schema,omitempty"`

	// Folders of first-party packages: each is a package, or holds packages. What is in them is trusted with
	// everything, so nobody else should be able to write to them.
	Builtins []string `json:"builtins,omitempty" model:"format=location,unique"`

	// The folder of the project, whose _packages folder is searched for packages. Relative paths start at the
	// folder of this file, here and everywhere else; without it, that folder is the project's.
	ProjectRoot string `json:"projectRoot,omitempty" model:"format=location"`

	// The id of the project, which packages see in their sessions. Without it, the name of the project's folder
	// counts.
	ProjectID string `json:"projectId,omitempty" model:"format=name"`

	// The folder for what packages store and for their logs. Without it, _data in the project's folder.
	DataDir string `json:"dataDir,omitempty" model:"format=location"`

	// The folder for what belongs to no single project, such as the logs of first-party packages and global
	// credentials. Without it, _global in the project's folder.
	GlobalDir string `json:"globalDir,omitempty" model:"format=location"`

	// Local folders whose markdown is read, and which may be searched for packages too.
	Sources []Source `json:"sources,omitempty"`

	// How far packages outside of the builtins are trusted, by their ids. For one in the source of a user or an
	// agent, the id of the source and a slash come before. A package that is not here is untrusted. Nothing
	// makes one of them first-party.
	Trust map[string]trust.Tier `json:"trust,omitempty" model:"keys=package,enum=trusted|untrusted"`

	// The users.
	Users []User `json:"users,omitempty"`

	// The roles that users can have, by their names.
	Roles map[string]Role `json:"roles,omitempty" model:"keys=name"`

	// Values of settings that packages declare, by their keys.
	Values map[string]json.RawMessage `json:"config,omitempty" model:"keys=word"`

	// From which level on the lines that packages log are kept. Without it, info, or debug where debug is true.
	PackageLogLevel string `json:"packageLogLevel,omitempty" model:"enum=trace|debug|info|warn|error|off"`

	// The same for single packages. The names are _installed/ and the id of a package.
	PackageLogLevelOverrides map[string]string `json:"packageLogLevelOverrides,omitempty" model:"keys=logname,enum=trace|debug|info|warn|error|off"`

	// Whether to log what helps to find faults.
	Debug bool `json:"debug,omitempty"`

	// Limits that differ from those that a tier has by itself.
	Limits TierLimits `json:"limits,omitzero"`

	// How the host is reached over HTTP.
	HTTP HTTP `json:"http,omitzero"`

	// How credentials are kept.
	Credentials Credentials `json:"credentials,omitzero"`
}

// Source is a local folder whose markdown is read.
type Source struct {
	_ struct{} `model:"when=scope:user,require=owner"`
	_ struct{} `model:"when=scope:agent,require=owner"`

	// The id of the source.
	ID string `json:"id" model:"required,format=slug"`

	// The folder.
	Path string `json:"path" model:"required,format=location"`

	// Whether packages in the folder are packages of this host. Only the owner of the source or an admin may
	// decide that.
	RecognizesPackages bool `json:"recognizesPackages,omitempty"`

	// Who is shown what is in the source: all of the project, or one user or agent alone. Without it, project.
	Scope string `json:"scope,omitempty" model:"enum=project|user|agent"`

	// The id of the user or agent whose source it is. A source of the project may have an owner too: the user
	// who may flag it.
	Owner string `json:"owner,omitempty" model:"format=name"`

	// The user who decided that packages in the folder are recognised. Without it, the operator did.
	FlaggedBy string `json:"flaggedBy,omitempty" model:"format=name"`
}

// The scopes of sources.
const (
	ScopeProject = "project"
	ScopeUser    = "user"
	ScopeAgent   = "agent"
)

// User is somebody who may call packages.
type User struct {
	// The id of the user.
	ID string `json:"id" model:"required,format=name"`

	// The user's role, one of roles.
	Role string `json:"role" model:"required,format=name"`

	// The SHA-256, in lower-case hexadecimal, of each token that the user may come with.
	TokenSHA256 []string `json:"tokenSha256,omitempty" model:"format=sha256,unique"`

	// The environment variable of the host that has a token of the user's.
	TokenEnv string `json:"tokenEnv,omitempty" model:"format=env"`

	// Features that the user has besides those of the role.
	Features []string `json:"features,omitempty" model:"format=features,unique"`
}

// Role is what its users may do.
type Role struct {
	// The features of the role. catalog.* stands for all that begin with catalog. and * for all there are.
	Features []string `json:"features,omitempty" model:"format=features,unique"`

	// Whether users of the role may administer the host, and flag the sources of others.
	Admin bool `json:"admin,omitempty"`

	// Whether the role also has what packages grant to a role of its name by default. Without it, it has.
	PackageGrants *bool `json:"packageGrants,omitempty"`

	// Features that the role does not have, whatever packages grant.
	Without []string `json:"without,omitempty" model:"format=features,unique"`
}

// TierLimits are limits for each tier.
type TierLimits struct {
	// For packages from the builtins.
	FirstParty LimitOverrides `json:"first-party,omitzero"`

	// For packages that trust calls trusted.
	Trusted LimitOverrides `json:"trusted,omitzero"`

	// For all other packages.
	Untrusted LimitOverrides `json:"untrusted,omitzero"`
}

// LimitOverrides are limits that differ from a tier's own.
type LimitOverrides struct {
	// How many calls of tools a package answers in any minute; 0 is no limit.
	ToolsPerMinute *int `json:"toolsPerMinute,omitempty" model:"min=0,max=1000000"`

	// How many requests to routes a package answers in any minute; 0 is no limit.
	RoutesPerMinute *int `json:"routesPerMinute,omitempty" model:"min=0,max=1000000"`

	// How long one call may take, in milliseconds.
	DeadlineMS *int `json:"deadlineMs,omitempty" model:"min=1,max=3600000"`

	// How much memory an instance of a package may have, in MiB.
	MemoryMiB *int `json:"memoryMiB,omitempty" model:"min=8,max=4096"`

	// How long the result of a call may be, in bytes.
	MaxResultBytes *int `json:"maxResultBytes,omitempty" model:"min=1024,max=1073741824"`
}

// HTTP is how the host is reached over HTTP.
type HTTP struct {
	// The address to listen at, as host:port. Without it, 127.0.0.1:7878.
	Listen string `json:"listen,omitempty" model:"format=listen"`

	// The longest body of a request, in bytes. Without it, 8 MiB.
	MaxBodyBytes int `json:"maxBodyBytes,omitempty" model:"min=1,max=1073741824"`

	// How long calls in flight may take to finish when the host shuts down, in milliseconds. Without it, 30 s.
	ShutdownMS int `json:"shutdownMs,omitempty" model:"min=1,max=3600000"`
}

// Credentials is how credentials are kept.
type Credentials struct {
	// The file with the key that they are encrypted with. Without it, credentials.key in globalDir.
	KeyFile string `json:"keyFile,omitempty" model:"format=location"`
}
