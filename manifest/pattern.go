package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPattern  = 512 // bytes
	maxSegments = 32
)

// segmentKind orders the kinds of segments from the most to the least specific.
type segmentKind uint8

const (
	segmentLiteral segmentKind = iota
	segmentParam
	segmentRest
)

// segment is a literal's text, or the name of a parameter.
type segment struct {
	kind segmentKind
	text string
}

// Pattern is the path of a route: segments with / between them, each of which is a literal, a :param that
// stands for one segment of a path, or, as the last one, a *rest that stands for one or more. The empty
// pattern is the package's own root.
type Pattern struct {
	text     string
	segments []segment
}

// ParsePattern reads a pattern such as catalog/:id or files/*path.
//
// A literal is written as it reads after percent-decoding: café matches caf%C3%A9. It is made of letters,
// digits, marks and the characters - _ . ~ ! $ & ' , ; = and @; the characters that other routers give a
// meaning, and those that have one in URLs, are refused. A parameter's name is made of ASCII letters, digits
// and _, does not begin with a digit, and is there once. A pattern has no slash at its ends, no empty segment
// and none that is "." or "..", at most 32 segments and at most 512 bytes.
func ParsePattern(s string) (Pattern, error) {
	fail := func(format string, arguments ...any) (Pattern, error) {
		return Pattern{}, fmt.Errorf("pattern %q: %w", clip(s), fmt.Errorf(format, arguments...))
	}
	p := Pattern{text: s}
	switch {
	case s == "":
		return p, nil
	case len(s) > maxPattern:
		return fail("it is longer than %d bytes", maxPattern)
	case !utf8.ValidString(s):
		return fail("it is not UTF-8 text")
	case strings.HasPrefix(s, "/"):
		return fail("it begins with a slash; patterns are relative to the package, so leave it out")
	case strings.HasSuffix(s, "/"):
		return fail("it ends with a slash; leave it out")
	}
	parts := strings.Split(s, "/")
	if len(parts) > maxSegments {
		return fail("it has more than %d segments", maxSegments)
	}
	for i, part := range parts {
		parsed, err := parseSegment(part)
		if err != nil {
			return fail("%w", err)
		}
		if parsed.kind == segmentRest && i < len(parts)-1 {
			return fail("*%s stands for the rest of a path, so nothing can follow it", parsed.text)
		}
		if parsed.kind != segmentLiteral && slices.Contains(p.Params(), parsed.text) {
			return fail("the parameter %s is there twice", parsed.text)
		}
		p.segments = append(p.segments, parsed)
	}
	return p, nil
}

func parseSegment(part string) (segment, error) {
	switch {
	case part == "":
		return segment{}, errors.New("it has an empty segment; remove the doubled slash")
	case part == "." || part == "..":
		return segment{}, fmt.Errorf("the segment %q means another path; write that path", part)
	case part[0] == ':':
		return segment{segmentParam, part[1:]}, checkParam(part)
	case part[0] == '*':
		return segment{segmentRest, part[1:]}, checkParam(part)
	}
	for _, r := range part {
		if r == ':' || r == '*' {
			return segment{}, fmt.Errorf("%q in the middle of the segment %q: a parameter is a whole segment", r, part)
		}
		if !literalRune(r) {
			return segment{}, fmt.Errorf("the segment %q has %q, which a pattern cannot have", part, r)
		}
	}
	return segment{segmentLiteral, part}, nil
}

func literalRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("-_.~!$&',;=@", r)
}

// checkParam checks a parameter together with its sign.
func checkParam(part string) error {
	name := part[1:]
	if name == "" {
		return fmt.Errorf("a name is missing after %s, as in %spath", part, part)
	}
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return fmt.Errorf("the parameter %q must be named with ASCII letters, digits and _, and not begin with a digit", part)
		}
	}
	if name == "__proto__" {
		return fmt.Errorf("the parameter %q has a name that JavaScript gives a meaning; choose another", part)
	}
	return nil
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Params are the names of the pattern's parameters in their order.
func (p Pattern) Params() []string {
	var names []string
	for _, s := range p.segments {
		if s.kind != segmentLiteral {
			names = append(names, s.text)
		}
	}
	return names
}

// Shape is the pattern without the names of its parameters: catalog/:id has the shape catalog/:. Patterns
// of one shape match the same paths, so a package cannot have two of them.
func (p Pattern) Shape() string {
	shape := make([]string, len(p.segments))
	for i, s := range p.segments {
		shape[i] = [...]string{segmentLiteral: s.text, segmentParam: ":", segmentRest: "*"}[s.kind]
	}
	return strings.Join(shape, "/")
}
