package typegen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/jsliteral"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// emptyObject is an object without properties; the type {} would let nearly everything in.
const emptyObject = "Record<string, never>"

// object is the type of an object: its properties, and an index signature where it may
// have others.
func (c *converter) object(schema *jsondoc.Value) typeExpr {
	return c.inside(func() typeExpr {
		required := requiredNames(schema)
		var members []jsondoc.Member
		if properties := schema.Get("properties"); properties != nil && properties.Kind == jsondoc.Object {
			members = lastOfEach(properties.Members)
		}
		c.indent++
		others, closed := c.otherProperties(schema)
		var lines []string
		var types []typeExpr
		for _, member := range members {
			optional := !slices.Contains(required, member.Name)
			t := c.typeOf(member.Value)
			types = append(types, t)
			mark := ""
			if optional {
				mark = "?"
				types = append(types, primary("undefined"))
			}
			lines = append(lines, docComment(c.margin(), member.Value)+c.margin()+jsliteral.Property(member.Name)+mark+": "+t.text+";\n")
		}
		// A name can be required without being described.
		for _, name := range required {
			if slices.ContainsFunc(members, func(m jsondoc.Member) bool { return m.Name == name }) {
				continue
			}
			lines = append(lines, c.margin()+jsliteral.Property(name)+": "+repeated(others).text+";\n")
		}
		if !closed {
			// An index signature speaks for every property, so it must take in their types.
			signature := others
			if len(types) > 0 {
				signature = union([]typeExpr{others, repeated(union(types))})
			}
			lines = append(lines, c.margin()+"[key: string]: "+signature.text+";\n")
		}
		c.indent--
		if len(lines) == 0 {
			return primary(emptyObject)
		}
		return primary("{\n" + strings.Join(lines, "") + c.margin() + "}")
	})
}

// maxRepeated bounds a type that is written a second time. Without it, objects nested in each
// other would double the text with every level.
const maxRepeated = 1000

func repeated(t typeExpr) typeExpr {
	if len(t.text) > maxRepeated {
		return unknownType
	}
	return t
}

// otherProperties is the type of properties that are not listed; closed says that there are none.
func (c *converter) otherProperties(schema *jsondoc.Value) (others typeExpr, closed bool) {
	var parts []typeExpr
	if patterns := schema.Get("patternProperties"); patterns != nil && patterns.Kind == jsondoc.Object {
		for _, member := range lastOfEach(patterns.Members) {
			parts = append(parts, c.typeOf(member.Value))
		}
	}
	additional := c.typeOf(schema.Get("additionalProperties"))
	if additional == neverType && len(parts) == 0 {
		return neverType, true
	}
	return union(append(parts, additional)), false
}

func requiredNames(schema *jsondoc.Value) []string {
	var names []string
	for _, item := range elements(schema.Get("required")) {
		if item.Kind == jsondoc.String && !slices.Contains(names, item.Text) {
			names = append(names, item.Text)
		}
	}
	return names
}

// array is the type of an array: a list of one type, or a tuple.
func (c *converter) array(schema *jsondoc.Value) typeExpr {
	return c.inside(func() typeExpr {
		items := schema.Get("items")
		// Draft-07 writes a tuple as a list in items, with additionalItems for the rest; later drafts
		// write prefixItems, with items for the rest.
		first, rest := elements(items), schema.Get("additionalItems")
		if prefix := schema.Get("prefixItems"); prefix != nil {
			first, rest = elements(prefix), items
		} else if items != nil && items.Kind != jsondoc.Array {
			rest = items
		}
		element := c.typeOf(rest)
		if len(first) == 0 {
			if element == neverType {
				return primary("[]")
			}
			return primary(element.in(bindsPrimary) + "[]")
		}
		return c.tuple(schema, first, element)
	})
}

func (c *converter) tuple(schema *jsondoc.Value, first []*jsondoc.Value, rest typeExpr) typeExpr {
	atLeast, _ := whole(schema.Get("minItems"))
	atMost, bounded := whole(schema.Get("maxItems"))
	var parts []string
	for i, item := range first {
		if bounded && i >= atMost {
			break
		}
		t := c.typeOf(item)
		if i < atLeast {
			parts = append(parts, t.text)
		} else {
			parts = append(parts, t.in(bindsPrimary)+"?")
		}
	}
	if rest != neverType && (!bounded || atMost > len(first)) {
		parts = append(parts, "..."+rest.in(bindsPrimary)+"[]")
	}
	return primary("[" + strings.Join(parts, ", ") + "]")
}

// whole is a number that counts something.
func whole(value *jsondoc.Value) (int, bool) {
	if value == nil || value.Kind != jsondoc.Number {
		return 0, false
	}
	n, err := strconv.ParseFloat(value.Text, 64)
	if err != nil || n < 0 || n > 1<<20 {
		return 0, false
	}
	return int(n), true
}

func (c *converter) margin() string { return strings.Repeat("  ", c.indent) }
