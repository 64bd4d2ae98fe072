package jsondoc

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Code is what kind of fault a [Problem] is.
type Code string

// The faults that a text can have.
const (
	// CodeSyntax is text that is not JSON.
	CodeSyntax Code = "syntax"
	// CodeEncoding is text that is not Unicode: bytes that are no UTF-8, halves of surrogate pairs.
	CodeEncoding Code = "encoding"
	// CodeByteOrderMark is a byte order mark in front of the text.
	CodeByteOrderMark Code = "byte-order-mark"
	// CodeDuplicateKey is a name that an object has more than once.
	CodeDuplicateKey Code = "duplicate-key"
	// CodeLimit is a text beyond one of the [Limits].
	CodeLimit Code = "limit"
	// CodeModel is a value that is not what is asked for in its place; package jsonmodel reports these.
	CodeModel Code = "model"
)

// Problem is one fault and its place.
type Problem struct {
	// Code says what kind of fault it is.
	Code Code
	// Start and End are the byte offsets of what is at fault.
	Start, End int
	// Message says what is wrong, without a final full stop; Hint what to do about it.
	Message, Hint string
	// Path leads to the value at fault: names of members and indexes of elements. It is empty for faults of
	// the text itself.
	Path []string
}

// Error is the message alone: the problem does not know its file.
func (p Problem) Error() string { return p.Message }

// Limits bound what [Parse] reads.
type Limits struct {
	// MaxBytes is the longest text, MaxDepth how deeply arrays and objects may be nested, and MaxValues how
	// many values there may be altogether.
	MaxBytes, MaxDepth, MaxValues int
}

// DefaultLimits are generous for what people write by hand: 1 MiB, 200 levels, 100,000 values.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 1 << 20, MaxDepth: 200, MaxValues: 100_000}
}

// maxProblems is after how many faults reading stops: nobody reads more.
const maxProblems = 50

var byteOrderMark = []byte("\uFEFF")

// Parse reads a JSON text. The document is never nil; its Root is nil when the text could not be read to
// its end, and then the problems say why. Problems are in the order of the text.
func Parse(source []byte, limits Limits) (*Document, []Problem) {
	if len(source) > limits.MaxBytes {
		// Not worth indexing: nothing of it will be shown.
		d := &Document{Source: source, lines: []int{0}}
		return d, []Problem{{
			Code:    CodeLimit,
			Message: fmt.Sprintf("the file has %d bytes, more than the %d that are read", len(source), limits.MaxBytes),
			Hint:    "make it smaller, or move what is not needed here to a file of its own",
		}}
	}
	p := &parser{doc: newDocument(source), src: source, limits: limits}
	if root, ok := p.document(); ok {
		p.doc.Root = root
	}
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return cmp.Compare(a.Start, b.Start) })
	return p.doc, p.problems
}

type parser struct {
	doc      *Document
	src      []byte
	pos      int
	limits   Limits
	depth    int
	values   int
	problems []Problem
}

// report notes a fault; the result says whether reading goes on.
func (p *parser) report(code Code, start, end int, message, hint string) bool {
	if len(p.problems) >= maxProblems {
		return false
	}
	p.problems = append(p.problems, Problem{Code: code, Start: start, End: end, Message: message, Hint: hint})
	return len(p.problems) < maxProblems
}

// fail notes a fault after which nothing more can be read.
func (p *parser) fail(start, end int, message, hint string) bool {
	p.report(CodeSyntax, start, end, message, hint)
	return false
}

func (p *parser) document() (*Value, bool) {
	if bytes.HasPrefix(p.src, byteOrderMark) {
		p.report(CodeByteOrderMark, 0, len(byteOrderMark), "the file begins with a byte order mark",
			"save it as UTF-8 without a byte order mark (BOM)")
		p.pos = len(byteOrderMark)
	}
	if hint, ok := wideEncoding(p.src); ok {
		p.report(CodeEncoding, 0, 0, "the file is not UTF-8 text", hint)
		return nil, false
	}
	if !p.space() {
		return nil, false
	}
	if p.pos == len(p.src) {
		return nil, p.fail(p.pos, p.pos, "the file is empty", "write a JSON object, {} at the least")
	}
	root, ok := p.value()
	if !ok || !p.space() {
		return nil, false
	}
	if p.pos < len(p.src) {
		return nil, p.fail(p.pos, p.pos+1, "there is more text after the end of the JSON value, which begins with "+p.here(),
			"remove it; brackets may not match further up")
	}
	return root, true
}

// wideEncoding recognises the encodings that editors on Windows write when they do not write UTF-8.
func wideEncoding(src []byte) (hint string, ok bool) {
	if bytes.HasPrefix(src, []byte{0xFF, 0xFE}) || bytes.HasPrefix(src, []byte{0xFE, 0xFF}) ||
		len(src) >= 4 && (src[0] == 0) != (src[1] == 0) && (src[2] == 0) != (src[3] == 0) {
		return "it looks like UTF-16; save it as UTF-8", true
	}
	return "", false
}

// space skips white space, and comments after reporting them.
func (p *parser) space() bool {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.pos++
		case c == '/' && p.pos+1 < len(p.src) && (p.src[p.pos+1] == '/' || p.src[p.pos+1] == '*'):
			if !p.comment() {
				return false
			}
		default:
			return true
		}
	}
	return true
}

func (p *parser) comment() bool {
	start := p.pos
	closed := true
	if p.src[p.pos+1] == '/' {
		if end := bytes.IndexAny(p.src[start:], "\r\n"); end >= 0 {
			p.pos = start + end
		} else {
			p.pos = len(p.src)
		}
	} else if end := bytes.Index(p.src[start+2:], []byte("*/")); end >= 0 {
		p.pos = start + 2 + end + 2
	} else {
		p.pos, closed = len(p.src), false
	}
	if !closed {
		return p.fail(start, start+2, "a comment is opened and never closed", "remove it; JSON has no comments")
	}
	return p.report(CodeSyntax, start, p.pos, "JSON has no comments", "remove the comment")
}

// here says what stands at the current position, for a message.
func (p *parser) here() string {
	if p.pos >= len(p.src) {
		return "the end of the file"
	}
	r, size := utf8.DecodeRune(p.src[p.pos:])
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("the byte 0x%02X, which is no UTF-8", p.src[p.pos])
	case r == 0:
		return "a NUL byte"
	default:
		return strconv.QuoteRune(r)
	}
}

func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) value() (*Value, bool) {
	if p.values++; p.values > p.limits.MaxValues {
		p.report(CodeLimit, p.pos, p.pos+1, fmt.Sprintf("there are more than %d values", p.limits.MaxValues), "make the file smaller")
		return nil, false
	}
	v := &Value{Start: p.pos}
	ok := false
	switch c := p.peek(); {
	case c == '{':
		v.Kind = Object
		ok = p.nested(v, p.object)
	case c == '[':
		v.Kind = Array
		ok = p.nested(v, p.array)
	case c == '"':
		v.Kind = String
		v.Text, ok = p.string()
	case c == '-' || c >= '0' && c <= '9':
		v.Kind = Number
		v.Text, ok = p.number()
	default:
		ok = p.word(v)
	}
	v.End = p.pos
	return v, ok
}

func (p *parser) nested(v *Value, read func(*Value) bool) bool {
	if p.depth++; p.depth > p.limits.MaxDepth {
		p.report(CodeLimit, p.pos, p.pos+1, fmt.Sprintf("values are nested more than %d deep", p.limits.MaxDepth), "make the structure flatter")
		return false
	}
	ok := read(v)
	p.depth--
	return ok
}

// word reads true, false and null, and finds good words for what is none of them.
func (p *parser) word(v *Value) bool {
	start, end := p.pos, p.pos
	for end < len(p.src) && isWordByte(p.src[end]) {
		end++
	}
	switch word := string(p.src[start:min(end, start+40)]); word {
	case "true", "false":
		v.Kind, v.Text, p.pos = Bool, word, end
		return true
	case "null":
		v.Kind, p.pos = Null, end
		return true
	case "":
		switch c := p.peek(); {
		case c == '\'':
			return p.fail(start, start+1, "a string begins with a single quote", `put strings in double quotes`)
		case c == '+' || c == '.':
			return p.fail(start, start+1, "a number begins with "+p.here(), "write numbers such as 0.5 and 1, without + in front")
		default:
			return p.fail(start, start+1, "a value is missing: found "+p.here(), "")
		}
	case "undefined", "NaN", "Infinity":
		return p.fail(start, end, word+" is not JSON", "write null, or leave the member out")
	case "True", "False", "None":
		return p.fail(start, end, word+" is not JSON", "write true, false or null, in lower case")
	default:
		return p.fail(start, end, strconv.Quote(word)+" is no JSON value", "put text in double quotes")
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (p *parser) number() (string, bool) {
	start := p.pos
	digits := func() int {
		from := p.pos
		for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
			p.pos++
		}
		return p.pos - from
	}
	malformed := func(hint string) (string, bool) {
		end := p.pos
		for end < len(p.src) && (isWordByte(p.src[end]) || p.src[end] == '.') {
			end++
		}
		return "", p.fail(start, max(end, start+1), "a number is malformed", hint)
	}
	if p.peek() == '-' {
		p.pos++
	}
	first := p.peek()
	n := digits()
	if n == 0 {
		return malformed("digits are missing after the minus sign")
	}
	if first == '0' && n > 1 {
		return malformed("a number does not begin with 0; leave the 0 out, or put the value in double quotes")
	}
	if p.peek() == '.' {
		if p.pos++; digits() == 0 {
			return malformed("digits are missing after the decimal point")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if digits() == 0 {
			return malformed("digits are missing in the exponent")
		}
	}
	if c := p.peek(); c == '.' || c != 0 && isWordByte(c) {
		return malformed("put the value in double quotes if it is no number")
	}
	return string(p.src[start:p.pos]), true
}

func (p *parser) array(v *Value) bool {
	open := p.pos
	p.pos++
	for {
		if !p.space() {
			return false
		}
		if p.peek() == ']' {
			p.pos++
			return true
		}
		if p.pos >= len(p.src) {
			return p.unclosed(open, "array", "]")
		}
		item, ok := p.value()
		if !ok {
			return false
		}
		v.Items = append(v.Items, item)
		if more, ok := p.comma(open, "array", ']'); !ok || !more {
			return ok
		}
	}
}

func (p *parser) object(v *Value) bool {
	open := p.pos
	p.pos++
	for {
		if !p.space() {
			return false
		}
		switch c := p.peek(); {
		case c == '}':
			p.pos++
			return p.duplicates(v)
		case p.pos >= len(p.src):
			return p.unclosed(open, "object", "}")
		case c != '"':
			return p.badName()
		}
		m := Member{Start: p.pos}
		var ok bool
		if m.Name, ok = p.string(); !ok {
			return false
		}
		m.End = p.pos
		if !p.space() {
			return false
		}
		if p.peek() != ':' {
			return p.fail(p.pos, p.pos+1, fmt.Sprintf("a colon is missing after %q: found %s", clip(m.Name), p.here()), "")
		}
		p.pos++
		if !p.space() {
			return false
		}
		if m.Value, ok = p.value(); !ok {
			return false
		}
		v.Members = append(v.Members, m)
		if more, ok := p.comma(open, "object", '}'); !ok {
			return false
		} else if !more {
			return p.duplicates(v)
		}
	}
}

// comma reads what stands after an element: a comma (more), or the end of the array or object (not more).
func (p *parser) comma(open int, what string, closing byte) (more, ok bool) {
	if !p.space() {
		return false, false
	}
	at := p.pos
	switch {
	case p.pos >= len(p.src):
		return false, p.unclosed(open, what, string(closing))
	case p.src[p.pos] == closing:
		p.pos++
		return false, true
	case p.src[p.pos] == ',':
		p.pos++
		if !p.space() {
			return false, false
		}
		if p.peek() == closing && !p.report(CodeSyntax, at, at+1, "a comma stands before the closing "+string(closing), "remove the comma") {
			return false, false
		}
		return true, true
	default:
		return false, p.fail(at, at+1, fmt.Sprintf("a comma or %c is missing: found %s", closing, p.here()), "")
	}
}

func (p *parser) unclosed(open int, what, closing string) bool {
	line, column := p.doc.Position(open)
	return p.fail(p.pos, p.pos, fmt.Sprintf("the file ends inside the %s that begins at line %d, column %d", what, line, column),
		"add the missing "+closing)
}

func (p *parser) badName() bool {
	end := p.pos
	for end < len(p.src) && isWordByte(p.src[end]) {
		end++
	}
	switch {
	case end > p.pos:
		return p.fail(p.pos, end, fmt.Sprintf("the name %s is not in double quotes", clip(string(p.src[p.pos:end]))), "put names in double quotes")
	case p.peek() == '\'':
		return p.fail(p.pos, p.pos+1, "a name begins with a single quote", "put names in double quotes")
	default:
		return p.fail(p.pos, p.pos+1, "a name in double quotes is missing: found "+p.here(), "")
	}
}

// duplicates reports the names that the object has more than once, each at its later places.
func (p *parser) duplicates(v *Value) bool {
	if len(v.Members) < 2 {
		return true
	}
	seen := make(map[string]int, len(v.Members))
	for _, m := range v.Members {
		first, twice := seen[m.Name]
		if !twice {
			seen[m.Name] = m.Start
			continue
		}
		line, column := p.doc.Position(first)
		if !p.report(CodeDuplicateKey, m.Start, m.End, fmt.Sprintf("%q is there twice; the first one is at line %d, column %d", clip(m.Name), line, column),
			"remove one of them") {
			return false
		}
	}
	return true
}
