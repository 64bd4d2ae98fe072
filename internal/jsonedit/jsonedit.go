// Package jsonedit changes a JSON document that people keep by hand without
// touching anything else in it: comments, key order, indentation, line ends,
// blank lines and a missing final newline stay as they are, and what is added
// looks like its neighbours.
//
// It can only add: members that are missing and elements that are not in a list
// yet. It refuses documents it cannot parse and values of another type than the
// edit needs, and then returns them unchanged with an error.
//
// Comments and trailing commas are accepted, because editors and tools around
// package.json do. The grammar and the exact syntax tree are those of
// github.com/tailscale/hujson.
package jsonedit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// Document is a JSON object that is being edited.
type Document struct {
	bom     []byte
	root    hujson.Value
	newline string // "\n" or "\r\n"
	unit    string // one step of indentation
}

var utf8BOM = []byte("\xef\xbb\xbf")

// Parse reads a document; the top level must be an object.
func Parse(source []byte) (*Document, error) {
	d := &Document{newline: "\n"}
	if bytes.HasPrefix(source, utf8BOM) {
		d.bom, source = utf8BOM, source[len(utf8BOM):]
	}
	if tooDeep(source) {
		return nil, errTooDeep
	}
	root, err := hujson.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("not readable as JSON: %w", err)
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("not a JSON object")
	}
	if bytes.Contains(source, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	d.unit = "  "
	if len(object.Members) > 0 {
		if before := whitespace(object.Members[0].Name.BeforeExtra); strings.Contains(before, "\n") {
			if unit := before[strings.LastIndexByte(before, '\n')+1:]; unit != "" {
				d.unit = unit
			}
		}
	}
	d.root = root
	return d, nil
}

// Bytes is the document as it now stands.
func (d *Document) Bytes() []byte { return append(append([]byte(nil), d.bom...), d.root.Pack()...) }

// Has reports whether the path of object keys leads to a value.
func (d *Document) Has(path ...string) bool { return d.find(path) != nil }

// Strings gives the strings in the list at a path; other elements are skipped.
func (d *Document) Strings(path ...string) []string {
	v := d.find(path)
	if v == nil {
		return nil
	}
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	var list []string
	for _, element := range array.Elements {
		if text, ok := stringOf(element); ok {
			list = append(list, text)
		}
	}
	return list
}

// Set adds a member to the object at path when it has none of that key, and
// reports whether it did. The value is JSON text on one line. Missing objects on
// the way are made.
func (d *Document) Set(value string, path ...string) (bool, error) {
	parsed, err := hujson.Parse([]byte(value))
	if err != nil {
		return false, fmt.Errorf("value for %s: %w", strings.Join(path, "."), err)
	}
	at := &d.root
	for depth, key := range path {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return false, typeError(path[:depth], "an object")
		}
		if i := member(object, key); i >= 0 {
			if depth == len(path)-1 {
				return false, nil
			}
			at = &object.Members[i].Value
			continue
		}
		next := hujson.Value{Value: &hujson.Object{}}
		if depth == len(path)-1 {
			next = parsed.Clone()
			next.BeforeExtra, next.AfterExtra = nil, nil
		}
		d.addMember(object, key, next, depth)
		at = &object.Members[len(object.Members)-1].Value
	}
	return true, nil
}

// Append adds an element, JSON text on one line, to the list at path, which is
// made when it is missing, unless same reports that an element (JSON text
// without comments) is already it. It reports whether it added.
func (d *Document) Append(value string, same func(element []byte) bool, path ...string) (bool, error) {
	if _, err := d.Set("[]", path...); err != nil {
		return false, err
	}
	at := d.find(path)
	array, ok := at.Value.(*hujson.Array)
	if !ok {
		return false, typeError(path, "a list")
	}
	for _, element := range array.Elements {
		plain := element.Clone()
		plain.Minimize()
		if same(plain.Pack()) {
			return false, nil
		}
	}
	parsed, err := hujson.Parse([]byte(value))
	if err != nil {
		return false, fmt.Errorf("value for %s: %w", strings.Join(path, "."), err)
	}
	parsed.BeforeExtra, parsed.AfterExtra = nil, nil
	d.addElement(array, parsed, len(path))
	return true, nil
}

// AppendString is Append for a string that is compared as such.
func (d *Document) AppendString(text string, path ...string) (bool, error) {
	quoted := string(hujson.String(text))
	return d.Append(quoted, func(element []byte) bool {
		got, ok := stringOf(hujson.Value{Value: hujson.Literal(element)})
		return ok && got == text
	}, path...)
}

func (d *Document) find(path []string) *hujson.Value {
	at := &d.root
	for _, key := range path {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := member(object, key)
		if i < 0 {
			return nil
		}
		at = &object.Members[i].Value
	}
	return at
}

// addMember appends a member laid out like the one before it, or like the first
// of an object at that depth.
func (d *Document) addMember(object *hujson.Object, key string, value hujson.Value, depth int) {
	name := hujson.Value{Value: hujson.String(key)}
	if n := len(object.Members); n > 0 {
		last := &object.Members[n-1]
		name.BeforeExtra = hujson.Extra(whitespace(last.Name.BeforeExtra))
		value.BeforeExtra = hujson.Extra(whitespace(last.Value.BeforeExtra))
		// What an inline object has before its first member is not between members.
		if n == 1 && !strings.Contains(string(name.BeforeExtra), "\n") {
			name.BeforeExtra = hujson.Extra(" ")
		}
		moveEnd(&last.Value, &value, &object.AfterExtra, &name.BeforeExtra)
	} else {
		name.BeforeExtra = hujson.Extra(d.newline + strings.Repeat(d.unit, depth+1))
		value.BeforeExtra = hujson.Extra(" ")
		object.AfterExtra = append(object.AfterExtra[:len(object.AfterExtra):len(object.AfterExtra)],
			d.newline+strings.Repeat(d.unit, depth)...)
	}
	object.Members = append(object.Members, hujson.ObjectMember{Name: name, Value: value})
}

func (d *Document) addElement(array *hujson.Array, value hujson.Value, depth int) {
	n := len(array.Elements)
	_, composite := value.Value.(*hujson.Object)
	switch {
	case n > 0:
		last := &array.Elements[n-1]
		value.BeforeExtra = hujson.Extra(whitespace(last.BeforeExtra))
		if n == 1 && !strings.Contains(string(value.BeforeExtra), "\n") {
			value.BeforeExtra = hujson.Extra(" ")
		}
		moveEnd(last, &value, &array.AfterExtra, &value.BeforeExtra)
	case composite: // a list of objects reads best one a line
		value.BeforeExtra = hujson.Extra(d.newline + strings.Repeat(d.unit, depth+1))
		array.AfterExtra = hujson.Extra(d.newline + strings.Repeat(d.unit, depth))
	}
	array.Elements = append(array.Elements, value)
}

// moveEnd gives the new last item what belongs to the end of the list: the
// trailing comma, if there was one. A comment behind the old last item stays
// with it, which means that it has to go before the new item.
func moveEnd(last, added *hujson.Value, end, before *hujson.Extra) {
	if last.AfterExtra != nil { // a trailing comma: comments after it are in end
		added.AfterExtra = hujson.Extra{}
		last.AfterExtra = nil
	}
	if i := lastCommentEnd(*end); i > 0 {
		comment := string((*end)[:i])
		if strings.HasSuffix(comment, "\n") { // a line comment brings its own line end
			*before = hujson.Extra(comment + strings.TrimLeft(string(*before), "\r\n"))
		} else {
			*before = hujson.Extra(comment + string(*before))
		}
		*end = (*end)[i-len(lineEnd(comment)):]
	}
}

// lineEnd is the line end that text closes with, "" if it closes with none.
func lineEnd(text string) string {
	for _, end := range []string{"\r\n", "\n"} {
		if strings.HasSuffix(text, end) {
			return end
		}
	}
	return ""
}

// lastCommentEnd is the offset after the last comment of an extra, 0 without one.
func lastCommentEnd(extra hujson.Extra) int {
	if i := bytes.LastIndex(extra, []byte("*/")); i >= 0 && bytes.LastIndex(extra, []byte("//")) < i {
		return i + 2
	}
	if i := bytes.LastIndex(extra, []byte("//")); i >= 0 {
		if j := bytes.IndexByte(extra[i:], '\n'); j >= 0 {
			return i + j + 1
		}
		return len(extra)
	}
	return 0
}

// whitespace is the last run of an extra without its comments: the newline and
// the indentation of what follows it, blank lines reduced to none.
func whitespace(extra hujson.Extra) string {
	text := string(extra)
	if end := lastCommentEnd(extra); end > 0 {
		rest := text[end:]
		if text[end-1] == '\n' {
			rest = "\n" + rest
			if end > 1 && text[end-2] == '\r' {
				rest = "\r" + rest
			}
		}
		text = rest
	}
	i := strings.LastIndexByte(text, '\n')
	if i < 0 {
		return text
	}
	if i > 0 && text[i-1] == '\r' {
		i--
	}
	return text[i:]
}

func member(object *hujson.Object, key string) int {
	for i := range object.Members {
		if name, ok := stringOf(object.Members[i].Name); ok && name == key {
			return i
		}
	}
	return -1
}

func stringOf(v hujson.Value) (string, bool) {
	literal, ok := v.Value.(hujson.Literal)
	if !ok || literal.Kind() != '"' {
		return "", false
	}
	return literal.String(), true
}

func typeError(path []string, want string) error {
	where := "the top level"
	if len(path) > 0 {
		where = strings.Join(path, ".")
	}
	return fmt.Errorf("%s is not %s", where, want)
}
