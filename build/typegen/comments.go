package typegen

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// told are keywords that types cannot express and that a reader of the type wants to know.
var told = []string{
	"format", "pattern", "minLength", "maxLength", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "contentEncoding", "contentMediaType",
}

// unexpressed are keywords with whole schemas in them that types cannot express.
var unexpressed = []string{"not", "if", "then", "else", "contains", "propertyNames", "dependencies", "dependentRequired", "dependentSchemas"}

// maxToldValue bounds a default or an example in a comment.
const maxToldValue = 200

// docComment is the comment above a property or a type, with its line end; empty when there is
// nothing to say.
func docComment(margin string, schema *jsondoc.Value) string {
	if schema == nil || schema.Kind != jsondoc.Object {
		return ""
	}
	var lines []string
	for _, keyword := range []string{"description", "title"} {
		if text := schema.Get(keyword); text != nil && text.Kind == jsondoc.String && strings.TrimSpace(text.Text) != "" {
			lines = strings.Split(strings.TrimSpace(text.Text), "\n")
			break
		}
	}
	if more := present(schema, unexpressed); len(more) > 0 {
		lines = append(lines, "The schema checks more than this type says: "+strings.Join(more, ", ")+".")
	}
	for _, name := range typeNames(schema) {
		if name == "integer" {
			lines = append(lines, "@integer")
		}
	}
	for _, keyword := range told {
		if value := schema.Get(keyword); value != nil {
			lines = append(lines, "@"+keyword+" "+toldValue(value))
		}
	}
	if value := schema.Member("default"); value != nil {
		lines = append(lines, "@default "+toldValue(value.Value))
	}
	if value := schema.Get("deprecated"); value != nil && value.Text == "true" {
		lines = append(lines, "@deprecated")
	}
	return writeDoc(margin, lines)
}

// writeDoc is a doc comment of lines.
func writeDoc(margin string, lines []string) string {
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return margin + "/** " + safeComment(lines[0]) + " */\n"
	}
	var b strings.Builder
	b.WriteString(margin + "/**\n")
	for _, line := range lines {
		b.WriteString(strings.TrimRightFunc(margin+" * "+safeComment(line), unicode.IsSpace) + "\n")
	}
	b.WriteString(margin + " */\n")
	return b.String()
}

func present(schema *jsondoc.Value, keywords []string) []string {
	var found []string
	for _, keyword := range keywords {
		if schema.Member(keyword) != nil {
			found = append(found, keyword)
		}
	}
	return found
}

// toldValue is a value on one line: strings as they are, anything else as JSON.
func toldValue(value *jsondoc.Value) string {
	text := value.Text
	if value.Kind != jsondoc.String && value.Kind != jsondoc.Number {
		data, err := json.Marshal(value.Any())
		if err != nil {
			return ""
		}
		text = string(data)
	} else if value.Kind == jsondoc.String && strings.TrimSpace(text) == "" {
		text = `"` + text + `"`
	}
	if runes := []rune(text); len(runes) > maxToldValue {
		text = string(runes[:maxToldValue]) + "…"
	}
	return text
}

// comment is an inline comment.
func comment(text string) string { return " /*" + safeComment(text) + "*/" }

// safeComment keeps a text from ending the comment or the line it stands in.
func safeComment(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
	// After characters have gone, since the two may only then stand side by side.
	return strings.ReplaceAll(text, "*/", `*\/`)
}
