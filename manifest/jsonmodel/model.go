package jsonmodel

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// Format is a kind of string with a name, such as the ids of something.
type Format struct {
	// Pattern is an anchored regular expression in the syntax that RE2 and ECMA-262 share.
	Pattern string
	// MaxLength is the longest string, in characters; 0 is no limit.
	MaxLength int
	// Except are strings that match the pattern and are refused all the same.
	Except []string
	// Is says what such a string is, as it follows "must be" in a message.
	Is string
}

// Model describes the JSON documents that fill a T. It is immutable and safe for concurrent use.
type Model[T any] struct {
	root *node
}

// nodeKind is what is asked for in one place of a document.
type nodeKind uint8

const (
	nodeString nodeKind = iota
	nodeBool
	nodeInteger
	nodeNumber
	nodeArray
	nodeMap
	nodeObject
	nodeRaw
)

// node is the model of one place of a document.
type node struct {
	kind nodeKind

	// Strings.
	enum     []string
	format   *format
	nonEmpty bool // arrays too

	// Numbers.
	min, max *int64

	// Arrays and maps.
	element *node
	unique  bool
	keys    *format

	// Structs.
	fields     []field
	conditions []condition

	// Raw values; none is any.
	kinds []string
}

// field is one member of an object.
type field struct {
	name     string
	comment  string // Type.Field, where its Go comment is found
	index    int
	required bool
	node     *node
}

// condition asks for a member where another one has a certain value.
type condition struct {
	member, value string
	require       []string
}

// Formats are formats by their names, ready to be matched.
type Formats struct {
	byName map[string]*format
}

// format is a Format ready to be matched.
type format struct {
	Format
	pattern *regexp.Regexp
}

// NewFormats makes formats ready to be matched. It panics when a pattern is malformed, which is a mistake in
// the program.
func NewFormats(formats map[string]Format) *Formats {
	f := &Formats{byName: make(map[string]*format, len(formats))}
	for name, one := range formats {
		f.byName[name] = &format{Format: one, pattern: regexp.MustCompile(one.Pattern)}
	}
	return f
}

// Match reports whether s is a string of the format of that name, which must exist.
func (f *Formats) Match(name, s string) bool { return f.byName[name].matches(s) }

// Is returns what [Format.Is] says about the format of that name, which must exist.
func (f *Formats) Is(name string) string { return f.byName[name].Is }

func (f *format) matches(s string) bool {
	if f.MaxLength > 0 && len([]rune(s)) > f.MaxLength {
		return false
	}
	for _, except := range f.Except {
		if s == except {
			return false
		}
	}
	return f.pattern.MatchString(s)
}

// Of reads the model of T, a struct, from its types and tags. Formats are those that the tags name. It
// panics when a type or a tag makes no sense: that is a mistake in the program and not in its input.
func Of[T any](formats *Formats) *Model[T] {
	b := builder{formats: formats.byName}
	return &Model[T]{root: b.node(reflect.TypeFor[T](), tag{})}
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

type builder struct {
	formats map[string]*format
}

// tag is a model tag taken apart.
type tag struct {
	required, nonEmpty, unique bool
	enum, kinds                []string
	format, keys               string
	min, max                   *int64
	when, require              string
}

func parseTag(text, where string) tag {
	var t tag
	if text == "" {
		return t
	}
	for _, part := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "required":
			t.required = true
		case "nonempty":
			t.nonEmpty = true
		case "unique":
			t.unique = true
		case "enum":
			t.enum = strings.Split(value, "|")
		case "kinds":
			t.kinds = strings.Split(value, "|")
		case "format":
			t.format = value
		case "keys":
			t.keys = value
		case "min", "max":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				panic(fmt.Sprintf("jsonmodel: %s: bound %q is no integer", where, part))
			}
			if name == "min" {
				t.min = &n
			} else {
				t.max = &n
			}
		case "when":
			t.when = value
		case "require":
			t.require = value
		default:
			panic(fmt.Sprintf("jsonmodel: %s: unknown tag %q", where, part))
		}
	}
	return t
}

func (b *builder) format(name, where string) *format {
	if name == "" {
		return nil
	}
	f, ok := b.formats[name]
	if !ok {
		panic(fmt.Sprintf("jsonmodel: %s: unknown format %q", where, name))
	}
	return f
}

func (b *builder) node(t reflect.Type, tag tag) *node {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	where := t.String()
	n := &node{min: tag.min, max: tag.max}
	if t == rawMessage {
		n.kind, n.kinds = nodeRaw, tag.kinds
		return n
	}
	switch t.Kind() {
	case reflect.String:
		n.kind, n.enum, n.nonEmpty = nodeString, tag.enum, tag.nonEmpty
		n.format = b.format(tag.format, where)
	case reflect.Bool:
		n.kind = nodeBool
	case reflect.Int, reflect.Int64:
		n.kind = nodeInteger
	case reflect.Float64:
		n.kind = nodeNumber
	case reflect.Slice:
		n.kind, n.nonEmpty, n.unique = nodeArray, tag.nonEmpty, tag.unique
		tag.nonEmpty, tag.unique = false, false
		n.element = b.node(t.Elem(), tag)
		n.min, n.max = nil, nil
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			panic(fmt.Sprintf("jsonmodel: %s: the names of a map are strings", where))
		}
		n.kind, n.keys = nodeMap, b.format(tag.keys, where)
		tag.keys = ""
		n.element = b.node(t.Elem(), tag)
		n.min, n.max = nil, nil
	case reflect.Struct:
		n.kind = nodeObject
		b.fields(n, t)
	default:
		panic(fmt.Sprintf("jsonmodel: %s has no place in a JSON model", where))
	}
	return n
}

func (b *builder) fields(n *node, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		where := t.Name() + "." + f.Name
		tag := parseTag(f.Tag.Get("model"), where)
		if f.Name == "_" {
			member, value, ok := strings.Cut(tag.when, ":")
			if !ok || tag.require == "" {
				panic(fmt.Sprintf("jsonmodel: %s: want when=member:value,require=path", where))
			}
			n.conditions = append(n.conditions, condition{member: member, value: value, require: strings.Split(tag.require, ".")})
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			panic(fmt.Sprintf("jsonmodel: %s has no json name", where))
		}
		n.fields = append(n.fields, field{name: name, comment: where, index: i, required: tag.required, node: b.node(f.Type, tag)})
	}
}

// field returns the field of that name, or nil.
func (n *node) field(name string) *field {
	for i := range n.fields {
		if n.fields[i].name == name {
			return &n.fields[i]
		}
	}
	return nil
}

// UnknownMember is a member of a document that the model does not have.
type UnknownMember struct {
	// Path leads to the member, its own name included.
	Path []string
	// Member is the member.
	Member jsondoc.Member
	// Known are the names that the model has in this place.
	Known []string
}

// Unknown finds the members of v that the model does not have. The path of v within its document is path.
// Members of places whose names or content are free are never unknown.
func (m *Model[T]) Unknown(v *jsondoc.Value, path ...string) []UnknownMember {
	var found []UnknownMember
	m.root.unknown(v, path, &found)
	return found
}

func (n *node) unknown(v *jsondoc.Value, path []string, found *[]UnknownMember) {
	if v == nil {
		return
	}
	switch n.kind {
	case nodeArray:
		for i, item := range v.Items {
			n.element.unknown(item, at(path, strconv.Itoa(i)), found)
		}
	case nodeMap:
		for _, member := range v.Members {
			n.element.unknown(member.Value, at(path, member.Name), found)
		}
	case nodeObject:
		for _, member := range v.Members {
			if f := n.field(member.Name); f != nil {
				f.node.unknown(member.Value, at(path, member.Name), found)
				continue
			}
			unknown := UnknownMember{Path: at(path, member.Name), Member: member}
			for _, f := range n.fields {
				unknown.Known = append(unknown.Known, f.name)
			}
			*found = append(*found, unknown)
		}
	}
}

// at is path with one more step, in memory of its own.
func at(path []string, step string) []string {
	return append(path[:len(path):len(path)], step)
}
