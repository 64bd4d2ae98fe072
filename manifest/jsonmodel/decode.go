package jsonmodel

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// Decode checks v, a value of doc, and fills into with it. The path of v within the document is path; messages
// name members by it. Faults are returned in the order in which the model meets them. Elements of arrays and
// maps that have a fault are left out of into, and single members that have one keep their zero value.
func (m *Model[T]) Decode(doc *jsondoc.Document, v *jsondoc.Value, into *T, path ...string) []jsondoc.Problem {
	d := decoder{doc: doc}
	holder := span{v.Start, v.Start + 1}
	if place := doc.LookupPath(path...); place.Found && place.Value == v && place.Key != nil {
		holder = span{place.Key.Start, place.Key.End}
	}
	d.value(m.root, v, reflect.ValueOf(into).Elem(), path, holder)
	return d.problems
}

// maxProblems bounds what is reported about one document: an array of 100,000 wrong elements is one mistake.
const maxProblems = 50

type decoder struct {
	doc      *jsondoc.Document
	problems []jsondoc.Problem
	faults   int // all of them, reported or not
}

// span is a piece of the source.
type span struct{ start, end int }

func (d *decoder) report(path []string, at span, message, hint string) {
	d.faults++
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, jsondoc.Problem{Code: jsondoc.CodeModel, Start: at.start, End: at.end, Message: message, Hint: hint, Path: path})
	}
}

// value checks v against n and fills into; holder is what to point at when something is missing in v.
func (d *decoder) value(n *node, v *jsondoc.Value, into reflect.Value, path []string, holder span) {
	if !n.accepts(v) {
		hint := ""
		if v.Kind == jsondoc.Null {
			hint = "leave the member out instead"
		}
		d.report(path, span{v.Start, v.End}, fmt.Sprintf("%s must be %s, found %s", Name(path), n.is(), v.Kind), hint)
		return
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch n.kind {
	case nodeString:
		d.string(n, v, into, path)
	case nodeBool:
		into.SetBool(v.Text == "true")
	case nodeInteger, nodeNumber:
		d.number(n, v, into, path)
	case nodeArray:
		d.array(n, v, into, path)
	case nodeMap:
		d.mapping(n, v, into, path)
	case nodeObject:
		d.object(n, v, into, path, holder)
	case nodeRaw:
		into.SetBytes(d.raw(v))
	}
}

// accepts reports whether v is of the kind that n asks for.
func (n *node) accepts(v *jsondoc.Value) bool {
	switch n.kind {
	case nodeString:
		return v.Kind == jsondoc.String
	case nodeBool:
		return v.Kind == jsondoc.Bool
	case nodeInteger:
		_, ok := integer(v)
		return ok
	case nodeNumber:
		return v.Kind == jsondoc.Number
	case nodeArray:
		return v.Kind == jsondoc.Array
	case nodeMap, nodeObject:
		return v.Kind == jsondoc.Object
	}
	if len(n.kinds) == 0 {
		return true
	}
	for _, kind := range n.kinds {
		if kindNames[kind] == v.Kind {
			return true
		}
	}
	return false
}

// kindNames are the kinds as JSON Schema and the kinds tag call them.
var kindNames = map[string]jsondoc.Kind{
	"object": jsondoc.Object, "array": jsondoc.Array, "string": jsondoc.String, "number": jsondoc.Number, "boolean": jsondoc.Bool,
}

// is says what n asks for, as it follows "must be".
func (n *node) is() string {
	switch n.kind {
	case nodeString:
		if len(n.enum) > 0 {
			return oneOf(n.enum)
		}
		return "a string"
	case nodeBool:
		return "true or false"
	case nodeInteger:
		return "a whole number"
	case nodeNumber:
		return "a number"
	case nodeArray:
		return "an array"
	case nodeMap, nodeObject:
		return "an object"
	}
	var kinds []string
	for _, kind := range n.kinds {
		kinds = append(kinds, kindNames[kind].String())
	}
	return strings.Join(kinds, " or ")
}

func oneOf(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return "one of " + strings.Join(quoted, ", ")
}

func (d *decoder) string(n *node, v *jsondoc.Value, into reflect.Value, path []string) {
	wrong := func(must string) {
		d.report(path, span{v.Start, v.End}, fmt.Sprintf("%s must be %s, found %s", Name(path), must, quote(v.Text)), "")
	}
	if len(n.enum) > 0 {
		for _, allowed := range n.enum {
			if v.Text == allowed {
				into.SetString(v.Text)
				return
			}
		}
		wrong(oneOf(n.enum))
		return
	}
	switch {
	case n.nonEmpty && v.Text == "":
		d.report(path, span{v.Start, v.End}, Name(path)+" must not be empty", "")
	case n.format != nil && !n.format.matches(v.Text):
		wrong(n.format.Is)
	default:
		into.SetString(v.Text)
	}
}

// integer is the value of a number without a fraction; 1.0 and 1e2 are such numbers, as in JSON Schema.
func integer(v *jsondoc.Value) (*big.Int, bool) {
	if v.Kind != jsondoc.Number {
		return nil, false
	}
	// Numbers of this length, and exponents of this size, are of no use, and working them out takes time and
	// memory without end.
	if _, exponent, _ := strings.Cut(strings.ToLower(v.Text), "e"); len(v.Text) > 400 || len(strings.TrimLeft(exponent, "+-0")) > 3 {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(v.Text)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}

func (d *decoder) number(n *node, v *jsondoc.Value, into reflect.Value, path []string) {
	wrong := func(format string, arguments ...any) {
		d.report(path, span{v.Start, v.End}, Name(path)+" must be "+fmt.Sprintf(format, arguments...)+", found "+clip(v.Text), "")
	}
	outside := func(compare func(bound int64) int) bool {
		switch {
		case n.min != nil && compare(*n.min) < 0:
			wrong("at least %d", *n.min)
		case n.max != nil && compare(*n.max) > 0:
			wrong("at most %d", *n.max)
		default:
			return false
		}
		return true
	}
	if n.kind == nodeInteger {
		i, _ := integer(v)
		if outside(func(bound int64) int { return i.Cmp(big.NewInt(bound)) }) {
			return
		}
		if !i.IsInt64() || into.OverflowInt(i.Int64()) {
			wrong("a whole number of common size")
			return
		}
		into.SetInt(i.Int64())
		return
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	if err != nil {
		wrong("a number of common size")
		return
	}
	if !outside(func(bound int64) int { return big.NewFloat(f).Cmp(new(big.Float).SetInt64(bound)) }) {
		into.SetFloat(f)
	}
}

func (d *decoder) array(n *node, v *jsondoc.Value, into reflect.Value, path []string) {
	if n.nonEmpty && len(v.Items) == 0 {
		d.report(path, span{v.Start, v.End}, Name(path)+" must not be empty", "")
		return
	}
	items := reflect.MakeSlice(into.Type(), 0, len(v.Items))
	seen := map[string]bool{}
	for i, item := range v.Items {
		path := at(path, strconv.Itoa(i))
		if n.unique {
			key := canonical(item)
			if seen[key] {
				d.report(path, span{item.Start, item.End}, fmt.Sprintf("%s is there twice", Name(path)), "remove one of them")
				continue
			}
			seen[key] = true
		}
		element := reflect.New(into.Type().Elem()).Elem()
		before := d.faults
		d.value(n.element, item, element, path, span{item.Start, item.Start + 1})
		if d.faults == before {
			items = reflect.Append(items, element)
		}
	}
	into.Set(items)
}

// canonical is equal for equal values, whatever the order of their members and their spelling.
func canonical(v *jsondoc.Value) string {
	text, err := json.Marshal(v.Any())
	if err != nil { // a json.Number is the only thing that Marshal could refuse, and the parser checked it
		return v.Text
	}
	return string(text)
}

func (d *decoder) mapping(n *node, v *jsondoc.Value, into reflect.Value, path []string) {
	entries := reflect.MakeMapWithSize(into.Type(), len(v.Members))
	for _, m := range v.Members {
		path := at(path, m.Name)
		if n.keys != nil && !n.keys.matches(m.Name) {
			d.report(path, span{m.Start, m.End}, fmt.Sprintf("the name %s in %s must be %s", quote(m.Name), Name(path[:len(path)-1]), n.keys.Is), "")
			continue
		}
		element := reflect.New(into.Type().Elem()).Elem()
		before := d.faults
		d.value(n.element, m.Value, element, path, span{m.Start, m.End})
		if d.faults == before {
			entries.SetMapIndex(reflect.ValueOf(m.Name).Convert(into.Type().Key()), element)
		}
	}
	into.Set(entries)
}

func (d *decoder) object(n *node, v *jsondoc.Value, into reflect.Value, path []string, holder span) {
	for i := range n.fields {
		f := &n.fields[i]
		m := v.Member(f.name)
		switch {
		case m != nil:
			d.value(f.node, m.Value, into.Field(f.index), at(path, f.name), span{m.Start, m.End})
		case f.required:
			d.missing(path, []string{f.name}, holder, "")
		}
	}
	for _, c := range n.conditions {
		if m := v.Member(c.member); m == nil || m.Value.Kind != jsondoc.String || m.Value.Text != c.value {
			continue
		}
		inner := v
		for i, name := range c.require {
			m := inner.Member(name)
			if m == nil {
				d.missing(path, c.require, holder, fmt.Sprintf(", as %s is %q", Name(at(path, c.member)), c.value))
				break
			}
			if i < len(c.require)-1 && m.Value.Kind != jsondoc.Object {
				break // reported as a wrong type
			}
			inner, holder = m.Value, span{m.Start, m.End}
		}
	}
}

// missing reports that the member that rest leads to from path is not there.
func (d *decoder) missing(path, rest []string, holder span, because string) {
	full := path
	for _, name := range rest {
		full = at(full, name)
	}
	d.report(path, holder, fmt.Sprintf("%s is missing%s", Name(full), because), fmt.Sprintf("add %q", rest[len(rest)-1]))
}

// raw is the source of v where that is JSON, and what was understood of it otherwise.
func (d *decoder) raw(v *jsondoc.Value) []byte {
	text := append([]byte(nil), d.doc.Source[v.Start:v.End]...)
	if json.Valid(text) {
		return text
	}
	understood, err := json.Marshal(v.Any())
	if err != nil {
		return []byte("null")
	}
	return understood
}

// Name writes a path as people do: runtime.type, features[0].id. The empty path is "the document".
func Name(path []string) string {
	if len(path) == 0 {
		return "the document"
	}
	var b strings.Builder
	for i, step := range path {
		step = clip(step)
		_, err := strconv.ParseUint(step, 10, 32)
		switch {
		case err == nil && i > 0:
			fmt.Fprintf(&b, "[%s]", step)
		case !plain(step):
			fmt.Fprintf(&b, "[%q]", step)
		case i > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}

// plain reports whether a name can be written without quotes.
func plain(name string) bool {
	for _, r := range name {
		word := r == '_' || r == '-' || r == '$' || r == '@' || r == '…' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !word {
			return false
		}
	}
	return name != ""
}

func quote(s string) string { return strconv.Quote(clip(s)) }

// clip shortens text of foreign length for a message.
func clip(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
