package manifest

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

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
	open, start int // of the first line of --- and of the YAML in the file
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
	s.open, s.start = at, len(source)-len(rest)
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
	var document yaml.Node
	if err := unmarshal(s.yaml, &document); err != nil {
		start, end, message := s.fault(err)
		s.fail(start, end, "the front matter is not YAML: "+clip(message), "put text that has a colon or a quote in it between double quotes")
		return
	}
	var fields []field
	if len(document.Content) > 0 { // not empty
		top := document.Content[0]
		if top.Kind != yaml.MappingNode {
			start, end := s.node(top)
			s.fail(start, end, "the front matter must be names and values", "write name: and description:, each on a line of its own")
			return
		}
		for i := 0; i+1 < len(top.Content); i += 2 {
			fields = append(fields, field{top.Content[i], top.Content[i+1]})
		}
	}
	s.duplicates(fields)
	name, at := s.text(fields, "name")
	s.front.Description, _ = s.text(fields, "description")
	if name != "" && !ValidID(name) {
		start, end := s.node(at)
		s.fail(start, end, fmt.Sprintf("the skill cannot be called %q: a name must be %s", clip(name), formats().Is("slug")), slugHint(name))
		return
	}
	s.front.Name = name
}

func slugHint(text string) string {
	if slug := Slug(text); slug != "" {
		return fmt.Sprintf("%q would do", slug)
	}
	return ""
}

// unmarshal is the library's parser behind a wall: it is to end in an error and not in a panic, whatever a
// file holds.
func unmarshal(text []byte, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read (%v)", r)
		}
	}()
	return yaml.Unmarshal(text, into)
}

// yamlFault is how the library says what is wrong; a fault in the first line comes without its number.
var yamlFault = regexp.MustCompile(`(?s)^yaml: (?:line ([0-9]+): )?(.*)$`)

// fault is where in the file an error of the library is, and what it says.
func (s *skillParser) fault(err error) (start, end int, message string) {
	line, message := 1, err.Error()
	if m := yamlFault.FindStringSubmatch(message); m != nil {
		message = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
	}
	start = s.line(line)
	end = s.endOfLine(start)
	for start < end && (s.doc.Source[start] == ' ' || s.doc.Source[start] == '\t') {
		start++
	}
	return start, end, message
}

// field is a name and a value in the front matter.
type field struct{ key, value *yaml.Node }

// duplicates reports the fields that are there twice.
func (s *skillParser) duplicates(fields []field) {
	lines := map[string]int{}
	for _, f := range fields {
		if f.key.Kind != yaml.ScalarNode {
			continue
		}
		start, end := s.node(f.key)
		if first, twice := lines[f.key.Value]; twice {
			s.report(RuleDuplicateKey, SeverityError, start, end, fmt.Sprintf("%q is there twice; the first one is at line %d", clip(f.key.Value), first), "remove one of them")
			continue
		}
		lines[f.key.Value], _ = s.doc.Position(start)
	}
}

// text returns the text of a field that has to be there, and where it is.
func (s *skillParser) text(fields []field, name string) (string, *yaml.Node) {
	for _, f := range fields {
		if f.key.Kind != yaml.ScalarNode || f.key.Value != name {
			continue
		}
		tag := f.value.ShortTag()
		text := strings.TrimSpace(f.value.Value)
		switch {
		case f.value.Kind != yaml.ScalarNode || tag != "!!str" && tag != "!!null":
			start, end := s.node(f.value)
			s.fail(start, end, name+" must be text", "put it in double quotes")
			return "", nil
		case tag == "!!null" || text == "":
			start, end := s.node(f.key)
			s.fail(start, end, name+" must not be empty", "")
			return "", nil
		}
		return text, f.value
	}
	s.fail(s.open, s.open+3, "the front matter has no "+name, fmt.Sprintf("add a line that begins with %s:", name))
	return "", nil
}

// node is where a node stands in the file. The library counts columns in characters.
func (s *skillParser) node(n *yaml.Node) (start, end int) {
	start = s.line(n.Line)
	last := s.endOfLine(start)
	for range n.Column - 1 {
		if start >= last {
			break
		}
		_, size := utf8.DecodeRune(s.doc.Source[start:])
		start += size
	}
	end = last
	if plain := start + len(n.Value); n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value != "" && plain < last {
		end = plain
	}
	return start, end
}

// line is the offset in the file of a line of the YAML.
func (s *skillParser) line(number int) int {
	start := s.start
	for range number - 1 {
		next := bytes.IndexByte(s.doc.Source[start:], '\n')
		if next < 0 {
			break
		}
		start += next + 1
	}
	return start
}

// endOfLine is the offset of the end of the line that has offset in it.
func (s *skillParser) endOfLine(offset int) int {
	if n := bytes.IndexAny(s.doc.Source[offset:], "\r\n"); n >= 0 {
		return offset + n
	}
	return len(s.doc.Source)
}
