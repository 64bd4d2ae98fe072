package jsondoc

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String is the kind as a message to a reader says it, with its article.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Array:
		return "an array"
	case Object:
		return "an object"
	}
	return "an unknown kind of value"
}

// Value is one JSON value and its place in the source.
type Value struct {
	// Kind says which of the fields below have a meaning.
	Kind Kind
	// Start and End are the byte offsets of the value: its text is source[Start:End].
	Start, End int
	// Text is what a string says, with its escapes undone; for a number its literal, for a boolean "true" or
	// "false".
	Text string
	// Items are the elements of an array.
	Items []*Value
	// Members are the members of an object in the order of the source, duplicates included.
	Members []Member
}

// Member is one name and value of an object.
type Member struct {
	// Name is the name with its escapes undone.
	Name string
	// Start and End are the byte offsets of the name with its quotes.
	Start, End int
	// Value is the member's value.
	Value *Value
}

// Member returns the member of that name, or nil. Of duplicates it returns the last, as JSON.parse does.
// It is safe on a nil value and on values that are no object.
func (v *Value) Member(name string) *Member {
	if v == nil {
		return nil
	}
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Name == name {
			return &v.Members[i]
		}
	}
	return nil
}

// Get returns the value of the member of that name, or nil, under the rules of [Value.Member].
func (v *Value) Get(name string) *Value {
	if m := v.Member(name); m != nil {
		return m.Value
	}
	return nil
}

// Any returns v in the shape that [encoding/json] gives to an interface, with numbers as [json.Number]. A nil
// value gives nil.
func (v *Value) Any() any {
	if v == nil {
		return nil
	}
	switch v.Kind {
	case Bool:
		return v.Text == "true"
	case Number:
		return json.Number(v.Text)
	case String:
		return v.Text
	case Array:
		items := make([]any, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.Any()
		}
		return items
	case Object:
		members := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			members[m.Name] = m.Value.Any()
		}
		return members
	}
	return nil
}

// Document is a JSON text that was read.
type Document struct {
	// Source is the text as it was handed to [Parse].
	Source []byte
	// Root is the value of the document. It is nil when the text could not be read to its end.
	Root *Value
	// lines holds the byte offset at which each line starts, behind a byte order mark in the first.
	lines []int
}

// Text makes a document of a text in any language. It has no Root, and serves for its positions.
func Text(source []byte) *Document { return newDocument(source) }

// newDocument indexes the lines of source. Lines end at \n, \r\n and \r, as in editors.
func newDocument(source []byte) *Document {
	d := &Document{Source: source, lines: make([]int, 1, 1+bytes.Count(source, []byte{'\n'}))}
	if bytes.HasPrefix(source, byteOrderMark) {
		d.lines[0] = len(byteOrderMark)
	}
	for i, c := range source {
		if c == '\n' || c == '\r' && (i+1 == len(source) || source[i+1] != '\n') {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// Position returns the 1-based line and column of a byte offset. The column counts UTF-16 code units, as
// editors do; a byte that is no UTF-8 counts as one, and a byte order mark not at all. Offsets outside the
// source are moved to its nearest end.
func (d *Document) Position(offset int) (line, column int) {
	offset = min(max(offset, d.lines[0]), len(d.Source))
	line = sort.Search(len(d.lines), func(i int) bool { return d.lines[i] > offset })
	column = 1
	for text := d.Source[d.lines[line-1]:offset]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		column++
		if r > 0xFFFF {
			column++
		}
		text = text[size:]
	}
	return line, column
}

// Span is a piece of source within one line.
type Span struct {
	// Line and Column are 1-based; the column counts UTF-16 code units. 0 is unknown.
	Line, Column int
	// EndColumn is the column after the last one. It is 0 when the piece is empty or ends on another line.
	EndColumn int
}

// Span returns where source[start:end] stands.
func (d *Document) Span(start, end int) Span {
	line, column := d.Position(start)
	span := Span{Line: line, Column: column}
	if endLine, endColumn := d.Position(end); endLine == line && endColumn > column {
		span.EndColumn = endColumn
	}
	return span
}

// Place is what a JSON Pointer led to.
type Place struct {
	// Value is the value.
	Value *Value
	// Key is the member that holds the value, or nil for the root and for elements of an array.
	Key *Member
	// Found says that the pointer led all the way. If not, Value and Key are the deepest that there were: a
	// complaint about something missing belongs there.
	Found bool
}

// Lookup follows a JSON Pointer (RFC 6901): "" is the root, "/runtime/type" a member of a member,
// "/features/0" an element of an array. The Value of the result is nil only if d has no root.
func (d *Document) Lookup(pointer string) Place {
	if pointer == "" {
		return Place{Value: d.Root, Found: d.Root != nil}
	}
	if !strings.HasPrefix(pointer, "/") {
		return Place{Value: d.Root}
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = pointerUnescaper.Replace(token)
	}
	return d.LookupPath(tokens...)
}

// LookupPath follows names of members and indexes of elements as [Document.Lookup] does, without the escapes
// of a pointer.
func (d *Document) LookupPath(tokens ...string) Place {
	place := Place{Value: d.Root}
	if d.Root == nil {
		return place
	}
	for _, token := range tokens {
		switch place.Value.Kind {
		case Object:
			m := place.Value.Member(token)
			if m == nil {
				return place
			}
			place.Value, place.Key = m.Value, m
		case Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(place.Value.Items) || strconv.Itoa(i) != token {
				return place
			}
			place.Value, place.Key = place.Value.Items[i], nil
		default:
			return place
		}
	}
	place.Found = true
	return place
}

// ValueSpan returns where the value that a JSON Pointer names stands, or the deepest one on the way to it.
// Without a root it is the start of the document.
func (d *Document) ValueSpan(pointer string) Span {
	place := d.Lookup(pointer)
	if place.Value == nil {
		return d.Span(0, 0)
	}
	return d.Span(place.Value.Start, place.Value.End)
}

// KeySpan returns where the name of the member that a JSON Pointer names stands; where there is no name (the
// root, an element of an array), it is [Document.ValueSpan].
func (d *Document) KeySpan(pointer string) Span {
	if place := d.Lookup(pointer); place.Key != nil {
		return d.Span(place.Key.Start, place.Key.End)
	}
	return d.ValueSpan(pointer)
}

var (
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
)

// Pointer makes a JSON Pointer of names of members and indexes of elements.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscaper.Replace(token))
	}
	return b.String()
}
