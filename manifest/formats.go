package manifest

import (
	"strings"
	"sync"

	"github.com/neuralis-dev/neuralis/manifest/jsonmodel"
)

// The kinds of names that manifests and tool files use. The patterns are read by Go and, in the JSON Schemas,
// by editors; they keep to what both understand.
const (
	slugPattern = `^[a-z0-9]+(-[a-z0-9]+)*$`
	wordPattern = `^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`
	// A path's segments are not empty, not "." and not "..", and free of what Windows reads otherwise.
	segmentPattern = `([^/\\:.\x00-\x1f]|\.[^/\\:.\x00-\x1f]|\.\.[^/\\:\x00-\x1f])[^/\\:\x00-\x1f]*`
	pathPattern    = `^(\./)?` + segmentPattern + `(/` + segmentPattern + `)*/?$`
)

// windowsDevices are the names that Windows keeps for devices. Ids become names of folders.
func windowsDevices() []string {
	names := []string{"con", "prn", "aux", "nul"}
	for _, digit := range "0123456789" {
		names = append(names, "com"+string(digit), "lpt"+string(digit))
	}
	return names
}

// formats are the kinds of strings that the tags of the model name. They and the models are made when they
// are first asked for, so that programs which only import this package pay nothing.
var formats = sync.OnceValue(func() *jsonmodel.Formats {
	return jsonmodel.NewFormats(map[string]jsonmodel.Format{
		"slug": {Pattern: slugPattern, MaxLength: 64, Except: windowsDevices(),
			Is: "a slug (lower-case letters, digits and single hyphens, at most 64 characters, no device name of Windows)"},
		"word": {Pattern: wordPattern, MaxLength: 128,
			Is: "words of letters, digits, _ and - with dots between them, at most 128 characters"},
		"category": {Pattern: slugPattern, MaxLength: 64,
			Is: `a word such as "read" or "write" (lower-case letters, digits and single hyphens)`},
		"path": {Pattern: pathPattern, MaxLength: 512,
			Is: `a path inside the package, with forward slashes and without ".." (such as dist/package.wasm)`},
		"env": {Pattern: `^[A-Za-z_][A-Za-z0-9_]*$`, MaxLength: 128,
			Is: "the name of an environment variable (letters, digits and _)"},
		"host": {Pattern: `^(\*|(\*\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*)$`, MaxLength: 253,
			Is: "a host name, with *. in front for its subdomains (no scheme, port or path)"},
		"service": {Pattern: `^[a-z][a-z0-9-]*(:[^\s:]+)?$`, MaxLength: 128,
			Is: `the name of a service, such as "runtime" or "oauth-callback:acme"`},
		"text": {Pattern: `^[^\x00]+$`,
			Is: "text without NUL characters, and not empty"},
		"tool": {Pattern: `^[A-Za-z0-9_-]+$`, MaxLength: 64,
			Is: "letters, digits, _ and -, at most 64 characters"},
	})
})

// The models of what is read.
var (
	manifestModel = sync.OnceValue(func() *jsonmodel.Model[Manifest] { return jsonmodel.Of[Manifest](formats()) })
	toolModel     = sync.OnceValue(func() *jsonmodel.Model[toolFile] { return jsonmodel.Of[toolFile](formats()) })
	npmModel      = sync.OnceValue(func() *jsonmodel.Model[NPM] { return jsonmodel.Of[NPM](formats()) })
	routesModel   = sync.OnceValue(func() *jsonmodel.Model[RouteTable] { return jsonmodel.Of[RouteTable](formats()) })
)

// ValidID reports whether id can be the id of a package or the name of a skill: lower-case letters, digits
// and single hyphens, at most 64 characters, and no device name of Windows.
func ValidID(id string) bool { return formats().Match("slug", id) }

// ValidFeature reports whether id can be the id of a feature, a credential or a config setting: words of
// letters, digits, _ and - with dots between them, at most 128 characters.
func ValidFeature(id string) bool { return formats().Match("word", id) }

// ValidToolName reports whether name can be the name of a tool: letters, digits, _ and -, at most 64
// characters. This is what all clients and models accept.
func ValidToolName(name string) bool { return formats().Match("tool", name) }

// Slug makes the nearest valid id of a text: "My Catalog!" gives "my-catalog". It is empty where nothing is
// left.
func Slug(text string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			hyphen = false
			b.WriteRune(r)
			continue
		}
		hyphen = true
	}
	slug := b.String()
	if len(slug) > 64 {
		slug = strings.TrimRight(slug[:64], "-")
	}
	if !ValidID(slug) && slug != "" {
		slug += "-package" // the name of a device
	}
	return slug
}
