package typegen

import (
	"net/url"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/jsliteral"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// binding is how tightly an expression of types holds together; a part that binds less
// than its place asks for is put in parentheses.
type binding int

const (
	bindsUnion binding = iota
	bindsIntersection
	bindsPrimary
)

// typeExpr is a type as text.
type typeExpr struct {
	text  string
	binds binding
}

var (
	unknownType = primary("unknown")
	neverType   = primary("never")
)

func primary(text string) typeExpr { return typeExpr{text, bindsPrimary} }

func (t typeExpr) in(place binding) string {
	if t.binds < place {
		return "(" + t.text + ")"
	}
	return t.text
}

// union is a | b | …; what is in it twice is written once, and unknown takes all.
func union(parts []typeExpr) typeExpr {
	kept := distinct(parts, neverType)
	switch {
	case slices.Contains(kept, unknownType):
		return unknownType
	case len(kept) == 0:
		return neverType
	case len(kept) == 1:
		return kept[0]
	}
	return typeExpr{join(kept, " | ", bindsIntersection), bindsUnion}
}

// intersection is a & b & …; never takes all, and unknown adds nothing.
func intersection(parts []typeExpr) typeExpr {
	kept := distinct(parts, unknownType)
	switch {
	case slices.Contains(kept, neverType):
		return neverType
	case len(kept) == 0:
		return unknownType
	case len(kept) == 1:
		return kept[0]
	}
	return typeExpr{join(kept, " & ", bindsPrimary), bindsIntersection}
}

func distinct(parts []typeExpr, drop typeExpr) []typeExpr {
	var kept []typeExpr
	seen := map[typeExpr]bool{drop: true}
	for _, part := range parts {
		if !seen[part] {
			seen[part] = true
			kept = append(kept, part)
		}
	}
	return kept
}

func join(parts []typeExpr, sep string, place binding) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.in(place)
	}
	return strings.Join(texts, sep)
}

// converter turns the schemas of one tool file into types. Schemas that a $ref names become named types,
// which is what lets a schema refer to itself.
type converter struct {
	doc   *jsondoc.Document
	names map[*jsondoc.Value]string
	queue []*jsondoc.Value // named, and not yet written
	name  func(wanted string) string
	// prefix begins the names of this tool's types.
	prefix string
	// current is the named schema being written, and depth how many objects and arrays the
	// converter is inside of: a type may mention itself inside one, and not at its top.
	current *jsondoc.Value
	depth   int
	indent  int
}

// typeOf is the type of what a schema lets through.
func (c *converter) typeOf(schema *jsondoc.Value) typeExpr {
	if schema == nil {
		return unknownType
	}
	if schema.Kind == jsondoc.Bool && schema.Text == "false" {
		return neverType
	}
	if schema.Kind != jsondoc.Object {
		return unknownType
	}
	// By draft-07 nothing beside a $ref counts.
	if ref := schema.Get("$ref"); ref != nil && ref.Kind == jsondoc.String {
		return c.reference(ref.Text)
	}
	if value := schema.Member("const"); value != nil {
		return literal(value.Value)
	}
	if values := schema.Get("enum"); values != nil && values.Kind == jsondoc.Array {
		return enumeration(schema, values)
	}
	parts := []typeExpr{c.plain(schema)}
	for _, part := range elements(schema.Get("allOf")) {
		parts = append(parts, c.typeOf(part))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := elements(schema.Get(keyword)); len(branches) > 0 {
			var types []typeExpr
			for _, branch := range branches {
				types = append(types, c.typeOf(branch))
			}
			parts = append(parts, union(types))
		}
	}
	whole := intersection(parts)
	if nullable(schema) && whole != unknownType {
		whole = union([]typeExpr{whole, primary("null")})
	}
	return whole
}

// nullable is a keyword of OpenAPI that people write into JSON Schemas as well.
func nullable(schema *jsondoc.Value) bool {
	value := schema.Get("nullable")
	return value != nil && value.Kind == jsondoc.Bool && value.Text == "true"
}

// plain is the type that the keyword type, with those that belong to a type, describes.
func (c *converter) plain(schema *jsondoc.Value) typeExpr {
	var types []typeExpr
	for _, name := range typeNames(schema) {
		types = append(types, c.ofType(schema, name))
	}
	if types == nil {
		return unknownType
	}
	return union(types)
}

func (c *converter) ofType(schema *jsondoc.Value, name string) typeExpr {
	switch name {
	case "string", "boolean", "null", "number":
		return primary(name)
	case "integer":
		return primary("number")
	case "array":
		return c.array(schema)
	case "object":
		return c.object(schema)
	}
	return unknownType
}

// typeNames are the names in the keyword type. Without it, the keywords that belong to objects
// or arrays tell; without those either, it is nil.
func typeNames(schema *jsondoc.Value) []string {
	switch value := schema.Get("type"); {
	case value == nil:
	case value.Kind == jsondoc.String:
		return []string{value.Text}
	case value.Kind == jsondoc.Array:
		var names []string
		for _, item := range value.Items {
			if item.Kind == jsondoc.String {
				names = append(names, item.Text)
			}
		}
		return names
	}
	for _, keyword := range []string{"properties", "required", "additionalProperties", "patternProperties"} {
		if schema.Member(keyword) != nil {
			return []string{"object"}
		}
	}
	for _, keyword := range []string{"items", "prefixItems", "additionalItems"} {
		if schema.Member(keyword) != nil {
			return []string{"array"}
		}
	}
	return nil
}

// reference is the named type of the schema that a $ref leads to.
func (c *converter) reference(ref string) typeExpr {
	target := c.target(ref)
	if target == nil {
		return primary("unknown" + comment(" $ref "+jsliteral.String(ref)+" leads nowhere in this file "))
	}
	if c.depth == 0 && c.current != nil && c.reaches(target, c.current, map[*jsondoc.Value]bool{}) {
		return primary("unknown" + comment(" $ref "+jsliteral.String(ref)+" only leads back to itself "))
	}
	return primary(c.named(target, ref))
}

// target follows a $ref within the file.
func (c *converter) target(ref string) *jsondoc.Value {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil || pointer != "" && !strings.HasPrefix(pointer, "/") {
		return nil
	}
	if place := c.doc.Lookup(pointer); place.Found {
		return place.Value
	}
	return nil
}

// named gives the schema a name and puts it in line to be written.
func (c *converter) named(schema *jsondoc.Value, ref string) string {
	if name, ok := c.names[schema]; ok {
		return name
	}
	last := ref[strings.LastIndexByte(ref, '/')+1:]
	name := c.name(c.prefix + pascal(last))
	c.names[schema] = name
	c.queue = append(c.queue, schema)
	return name
}

// reaches reports whether a type, written out, would begin with another before any object or
// array: TypeScript refuses a name that means itself.
func (c *converter) reaches(from, to *jsondoc.Value, seen map[*jsondoc.Value]bool) bool {
	if from == to {
		return true
	}
	if from == nil || from.Kind != jsondoc.Object || seen[from] {
		return false
	}
	seen[from] = true
	if ref := from.Get("$ref"); ref != nil && ref.Kind == jsondoc.String {
		return c.reaches(c.target(ref.Text), to, seen)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range elements(from.Get(keyword)) {
			if c.reaches(part, to, seen) {
				return true
			}
		}
	}
	return false
}

// inside runs a conversion one level of nesting deeper.
func (c *converter) inside(convert func() typeExpr) typeExpr {
	c.depth++
	defer func() { c.depth-- }()
	return convert()
}

// elements are the elements of an array, or nothing.
func elements(value *jsondoc.Value) []*jsondoc.Value {
	if value == nil || value.Kind != jsondoc.Array {
		return nil
	}
	return value.Items
}

// enumeration is the union of values, without those that the type beside it excludes.
func enumeration(schema, values *jsondoc.Value) typeExpr {
	names := typeNames(schema)
	if schema.Member("type") == nil {
		names = nil
	}
	var parts []typeExpr
	for _, value := range values.Items {
		if names == nil || slices.ContainsFunc(names, func(name string) bool { return isOfType(value, name) }) {
			parts = append(parts, literal(value))
		}
	}
	return union(parts)
}

func isOfType(value *jsondoc.Value, name string) bool {
	switch value.Kind {
	case jsondoc.Null:
		return name == "null"
	case jsondoc.Bool:
		return name == "boolean"
	case jsondoc.Number:
		return name == "number" || name == "integer"
	case jsondoc.String:
		return name == "string"
	case jsondoc.Array:
		return name == "array"
	}
	return name == "object"
}

// literal is the type of exactly one value.
func literal(value *jsondoc.Value) typeExpr {
	switch value.Kind {
	case jsondoc.Null:
		return primary("null")
	case jsondoc.Bool:
		return primary(value.Text)
	case jsondoc.Number:
		return primary(value.Text)
	case jsondoc.String:
		return primary(jsliteral.String(value.Text))
	case jsondoc.Array:
		parts := make([]string, len(value.Items))
		for i, item := range value.Items {
			parts[i] = literal(item).text
		}
		return primary("[" + strings.Join(parts, ", ") + "]")
	}
	if len(value.Members) == 0 {
		return primary(emptyObject)
	}
	var parts []string
	for _, member := range lastOfEach(value.Members) {
		parts = append(parts, jsliteral.Property(member.Name)+": "+literal(member.Value).text)
	}
	return primary("{ " + strings.Join(parts, "; ") + " }")
}

// lastOfEach are the members without those that a later one of the same name replaces.
func lastOfEach(members []jsondoc.Member) []jsondoc.Member {
	last := map[string]int{}
	for i, member := range members {
		last[member.Name] = i
	}
	var kept []jsondoc.Member
	for i, member := range members {
		if last[member.Name] == i {
			kept = append(kept, member)
		}
	}
	return kept
}
