package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// maxFrontMatter is the longest front matter in bytes. It is two lines in most skills.
const maxFrontMatter = 64 << 10

// FrontMatter is what stands between the two lines of three hyphens at the top of a SKILL.md.
type FrontMatter struct {
	// Name is the name of the skill, a valid id.
	Name string
	// Description says what the skill is for and when to use it.
	Description string
	// Body is the byte offset in the file at which the text of the skill begins.
	Body int
}

// ParseSkill reads the front matter of a SKILL.md: YAML with the strings name and description. What else the
// front matter holds is left to its readers. The diagnostics call the file by the name given. Faults leave the
// field they are about empty.
func ParseSkill(file string, source []byte) (FrontMatter, Diagnostics) {
	s := skillParser{file: file, doc: jsondoc.Text(source)}
	s.parse(source)
	return s.front, s.diagnostics
}

type skillParser struct {
	file        string
	doc         *jsondoc.Document
	front       FrontMatter
	diagnostics Diagnostics
	start       int // of the YAML in the file
	yaml        []byte
}

func (s *skillParser) report(rule string, severity Severity, start, end int, message, hint string) {
	d := Diagnostic{Rule: rule, Severity: severity, Message: message, Hint: hint}
	s.diagnostics = append(s.diagnostics, d.at(s.doc, s.file, start, end))
}

func (s *skillParser) fail(start, end int, message, hint string) {
	s.report(RuleSkillInvalid, SeverityError, start, end, message, hint)
}

const frontMatterHint = "begin the file with a line of ---, then name: and description:, then another line of ---"

func (s *skillParser) parse(source []byte) {
	at := 0
	if mark := []byte("\uFEFF"); bytes.HasPrefix(source, mark) {
		s.report(RuleByteOrderMark, SeverityWarning, 0, len(mark), "the file begins with a byte order mark", "save it as UTF-8 without a byte order mark (BOM)")
		at = len(mark)
	}
	if bad := invalidText(source); bad >= 0 {
		s.report(RuleTextEncoding, SeverityError, bad, bad+1, fmt.Sprintf("the file holds the byte 0x%02X, which is not part of UTF-8 text", source[bad]), "save it as UTF-8")
		return
	}
	first, rest := cutLine(source[at:])
	if string(first) != "---" {
		s.fail(at, at, "the skill has no front matter", frontMatterHint)
		return
	}
	s.start = len(source) - len(rest)
	for text := rest; ; {
		if len(text) == 0 {
			s.fail(at, at+3, "the front matter is opened and never closed", "end it with a line of ---")
			return
		}
		begin := len(source) - len(text)
		var line []byte
		if line, text = cutLine(text); string(line) == "---" {
			s.yaml, s.front.Body = source[s.start:begin], len(source)-len(text)
			break
		}
	}
	if len(s.yaml) > maxFrontMatter {
		s.report(RuleFileTooLarge, SeverityError, at, at+3, fmt.Sprintf("the front matter is larger than the %d bytes that are read", maxFrontMatter), "move its content below the second line of ---")
		return
	}
	s.fields()
}

// invalidText is the offset of the first byte that is no UTF-8 or is NUL, or -1.
func invalidText(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			return i
		}
		i += size
	}
	return -1
}

// cutLine splits text behind its first line; line is without its end and the spaces before it.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte("\n"))
	return bytes.TrimRight(line, " \t\r"), rest
}

// fields reads the YAML.
func (s *skillParser) fields() {
	file, err := parseYAML(s.yaml)
	if err != nil {
		start, end, message := s.start, s.start, err.Error()
		var positioned yaml.Error
		if errors.As(err, &positioned) && positioned.GetToken() != nil {
			start, end = s.token(positioned.GetToken())
			message = positioned.GetMessage()
		}
		s.fail(start, end, "the front matter is not YAML: "+clip(message), "put text that has a colon or a quote in it between double quotes")
		return
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			body = doc.Body
			break
		}
	}
	var values []*ast.MappingValueNode
	switch node := body.(type) {
	case *ast.MappingNode:
		values = node.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{node}
	case nil:
	default:
		start, end := s.node(body)
		s.fail(start, end, "the front matter must be names and values", "write name: and description:, each on a line of its own")
		return
	}
	s.duplicates(values)
	s.front.Name = s.field(values, "name")
	s.front.Description = s.field(values, "description")
	if s.front.Name != "" && !ValidID(s.front.Name) {
		for _, v := range values {
			if keyOf(v) == "name" {
				start, end := s.node(v.Value)
				s.report(RuleSkillInvalid, SeverityError, start, end,
					fmt.Sprintf("the skill cannot be called %q: a name must be %s", clip(s.front.Name), formats().Is("slug")), slugHint(s.front.Name))
				break
			}
		}
		s.front.Name = ""
	}
}

func slugHint(text string) string {
	if slug := Slug(text); slug != "" {
		return fmt.Sprintf("%q would do", slug)
	}
	return ""
}

// duplicates reports the fields that are there twice.
func (s *skillParser) duplicates(values []*ast.MappingValueNode) {
	lines := map[string]int{}
	for _, v := range values {
		start, end := s.node(v)
		name := keyOf(v)
		if first, twice := lines[name]; twice {
			s.report(RuleDuplicateKey, SeverityError, start, end, fmt.Sprintf("%q is there twice; the first one is at line %d", clip(name), first), "remove one of them")
			continue
		}
		lines[name], _ = s.doc.Position(start)
	}
}

// parseYAML is the library's parser behind a wall: it is to end in an error and not in a panic, whatever a
// file holds.
func parseYAML(text []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			file, err = nil, fmt.Errorf("it cannot be read (%v)", r)
		}
	}()
	return parser.ParseBytes(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), 0, parser.AllowDuplicateMapKey())
}

func keyOf(v *ast.MappingValueNode) string {
	if v == nil || v.Key == nil {
		return ""
	}
	if t := v.Key.GetToken(); t != nil {
		return t.Value
	}
	return ""
}

// field returns the text of a field that has to be there.
func (s *skillParser) field(values []*ast.MappingValueNode, name string) string {
	for _, v := range values {
		if keyOf(v) != name {
			continue
		}
		text, isText := "", false
		switch value := v.Value.(type) {
		case *ast.StringNode:
			text, isText = value.Value, true
		case *ast.LiteralNode:
			if value.Value != nil {
				text, isText = value.Value.Value, true
			}
		case *ast.NullNode:
			isText = true
		}
		start, end := s.node(v)
		switch text = strings.TrimSpace(text); {
		case !isText:
			start, end = s.node(v.Value)
			s.fail(start, end, name+" must be text", "put it in double quotes")
		case text == "":
			s.fail(start, end, name+" must not be empty", "")
		}
		return text
	}
	s.fail(0, 3, "the front matter has no "+name, fmt.Sprintf("add a line that begins with %s:", name))
	return ""
}

// node is where a node stands in the file.
func (s *skillParser) node(n ast.Node) (start, end int) {
	if v, ok := n.(*ast.MappingValueNode); ok && v.Key != nil {
		n = v.Key
	}
	if n == nil || n.GetToken() == nil {
		return s.start, s.start
	}
	return s.token(n.GetToken())
}

// token is where a token stands in the file. The library counts columns in characters.
func (s *skillParser) token(t *token.Token) (start, end int) {
	if t.Position == nil {
		return s.start, s.start
	}
	start = s.start
	for range t.Position.Line - 1 {
		next := bytes.IndexByte(s.doc.Source[start:], '\n')
		if next < 0 {
			break
		}
		start += next + 1
	}
	for range t.Position.Column - 1 {
		if start >= len(s.doc.Source) || s.doc.Source[start] == '\n' {
			break
		}
		_, size := utf8.DecodeRune(s.doc.Source[start:])
		start += size
	}
	end = start
	for end < len(s.doc.Source) && s.doc.Source[end] != '\n' && s.doc.Source[end] != '\r' {
		end++
	}
	if n := len(t.Value); t.Type == token.StringType && n > 0 && start+n < end {
		end = start + n
	}
	return start, end
}
