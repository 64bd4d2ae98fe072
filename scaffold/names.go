package scaffold

import (
	"strings"
	"unicode"

	"github.com/neuralis-dev/neuralis/manifest"
)

const (
	idRule      = "lower-case letters, digits and single hyphens, at most 64 characters"
	toolRule    = "letters, digits, _ and -, at most 64 characters"
	featureRule = "words of letters, digits, _ and - with dots between them"
	fileRule    = "letters, digits, _, - and dots, beginning with a letter or digit, at most 64 characters"
)

// CheckID returns a [*NameError] when id cannot be the id of a package.
func CheckID(id string) error { return checkSlug("id of a package", id) }

func checkSlug(what, name string) error {
	if manifest.ValidID(name) {
		return nil
	}
	return &NameError{What: what, Name: name, Rule: idRule, Suggestion: manifest.Slug(name)}
}

func checkTool(name string) error {
	if manifest.ValidToolName(name) {
		return nil
	}
	return &NameError{What: "name of a tool", Name: name, Rule: toolRule,
		Suggestion: strings.ReplaceAll(manifest.Slug(stripExtension(name)), "-", "_")}
}

func checkFeature(id string) error {
	if manifest.ValidFeature(id) {
		return nil
	}
	return &NameError{What: "id of a feature", Name: id, Rule: featureRule}
}

// checkFile is for names that only become files, such as routes and tests.
func checkFile(what, name string) error {
	ok := name != "" && len(name) <= 64
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
		case i > 0 && (r == '_' || r == '-' || r == '.'):
		default:
			ok = false
		}
	}
	if ok && !strings.HasSuffix(name, ".") && !isDevice(name) {
		return nil
	}
	return &NameError{What: what, Name: name, Rule: fileRule, Suggestion: manifest.Slug(stripExtension(name))}
}

// isDevice reports whether Windows takes a file's name for a device, whatever
// follows its first dot. Only such words are refused as ids in lower case.
func isDevice(name string) bool {
	first, _, _ := strings.Cut(strings.ToLower(name), ".")
	slug := manifest.Slug(first)
	return slug != first && strings.TrimSuffix(slug, "-package") == first
}

// stripExtension takes off what people add who think in files: a path before
// the name and the ending after it.
func stripExtension(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	for _, ending := range []string{".test.ts", ".ts", ".js", ".json", ".md"} {
		if rest, ok := strings.CutSuffix(name, ending); ok {
			return rest
		}
	}
	return name
}

// Title makes a heading of an id: "price-list" gives "Price list".
func Title(id string) string {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	text := []rune(strings.Join(words, " "))
	if len(text) > 0 {
		text[0] = unicode.ToUpper(text[0])
	}
	return string(text)
}

// toolPrefix is what the names of a package's tools begin with. Clients show the
// tools of all packages in one list, so the names must tell them apart. It is
// also an identifier in the languages of the templates.
func toolPrefix(id string) string {
	prefix := strings.ReplaceAll(id, "-", "_")
	if prefix != "" && prefix[0] >= '0' && prefix[0] <= '9' {
		prefix = "p" + prefix
	}
	// The longest name in the templates must stay within a tool name's 64 characters.
	if len(prefix) > 40 {
		prefix = strings.TrimRight(prefix[:40], "_")
	}
	return prefix
}

// oneLine checks text that becomes a heading or a value on one line.
func oneLine(what, text string) error {
	if strings.TrimSpace(text) == "" {
		return &NameError{What: what, Name: text, Rule: "some text"}
	}
	for _, r := range text {
		if r == unicode.ReplacementChar || !unicode.IsGraphic(r) {
			return &NameError{What: what, Name: text, Rule: "text on one line, without control characters"}
		}
	}
	if len(text) > 500 {
		return &NameError{What: what, Name: text[:20] + "…", Rule: "at most 500 bytes"}
	}
	return nil
}
