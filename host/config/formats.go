package config

import (
	_ "embed"
	"sync"

	"github.com/neuralis-dev/neuralis/manifest/jsonmodel"
)

// namePattern is what ids of users and agents look like. An address of e-mail is one; "." and ".." are not, as
// ids become names of folders.
const namePattern = `^[A-Za-z0-9_@+-][A-Za-z0-9_@.+-]*$`

// formats are the kinds of strings that the tags of the model name. Slug and word are those of manifests, to
// which the ids here refer; a test compares them.
var formats = sync.OnceValue(func() *jsonmodel.Formats {
	return jsonmodel.NewFormats(map[string]jsonmodel.Format{
		"slug": {Pattern: `^[a-z0-9]+(-[a-z0-9]+)*$`, MaxLength: 64,
			Is: "an id (lower-case letters, digits and single hyphens, at most 64 characters)"},
		"package": {Pattern: `^([a-z0-9]+(-[a-z0-9]+)*/)?[a-z0-9]+(-[a-z0-9]+)*$`, MaxLength: 129,
			Is: "the id of a package, for one in the source of a user or an agent behind the id of the source and a slash"},
		"word": {Pattern: `^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`, MaxLength: 128,
			Is: "words of letters, digits, _ and - with dots between them, at most 128 characters"},
		"features": {Pattern: `^(\*|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?)$`, MaxLength: 128,
			Is: `the id of a feature (such as catalog.read), catalog.* for all that begin so, or *`},
		"name": {Pattern: namePattern, MaxLength: 128,
			Is: "letters, digits and the characters _ @ . + -, not beginning with a dot, at most 128 characters"},
		"logname": {Pattern: `^_installed/[a-z0-9]+(-[a-z0-9]+)*$`, MaxLength: 128,
			Is: "_installed/ and the id of a package"},
		"location": {Pattern: `^[^\x00]+$`, MaxLength: 4096,
			Is: "a path, not empty and without NUL characters"},
		"env": {Pattern: `^[A-Za-z_][A-Za-z0-9_]*$`, MaxLength: 128,
			Is: "the name of an environment variable (letters, digits and _)"},
		"sha256": {Pattern: `^[0-9a-f]{64}$`,
			Is: "a SHA-256 in 64 lower-case hexadecimal digits"},
		"listen": {Pattern: `^(\[[0-9A-Fa-f:.]+\]|[^:\s\[\]/]*):[0-9]{1,5}$`, MaxLength: 300,
			Is: "host:port, such as 127.0.0.1:7878"},
	})
})

var model = sync.OnceValue(func() *jsonmodel.Model[Config] { return jsonmodel.Of[Config](formats()) })

//go:embed schema/host.schema.json
var schema []byte

// Schema returns the JSON Schema (draft-07) of the config. Whatever it refuses, [Load] refuses; Load also
// refuses what contradicts itself.
func Schema() []byte { return append([]byte(nil), schema...) }
