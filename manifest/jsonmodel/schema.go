package jsonmodel

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Head is what stands at the top of a JSON Schema document.
type Head struct {
	// Title and Description are the schema's own.
	Title, Description string
	// Comment tells readers of the file how it came to be.
	Comment string
	// Closed says that the schema refuses members that the model does not have. It is for documents whose
	// reader makes faults of what [Model.Unknown] finds.
	Closed bool
}

// rendering is what the schemas of all nodes of a document are made with.
type rendering struct {
	comments map[string]string
	closed   bool
}

// Schema renders the model as a draft-07 JSON Schema document, indented and with a line feed at its end. The
// descriptions of members are taken from comments, as [Comments] returns them. Equal models give equal bytes.
func (m *Model[T]) Schema(head Head, comments map[string]string) []byte {
	top := ordered{
		{"$schema", "http://json-schema.org/draft-07/schema#"},
		{"$comment", head.Comment},
		{"title", head.Title},
		{"description", head.Description},
	}
	top = append(top, m.root.schema(rendering{comments, head.Closed})...)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(top); err != nil {
		panic(fmt.Sprintf("jsonmodel: a schema of strings, numbers and lists cannot be written: %v", err))
	}
	return out.Bytes()
}

// ordered is a JSON object whose members keep their order.
type ordered []member

type member struct {
	name  string
	value any
}

func (o ordered) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for i, m := range o {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		out.WriteByte(separator)
		if err := encoder.Encode(m.name); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := encoder.Encode(m.value); err != nil {
			return nil, err
		}
	}
	if len(o) == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func (n *node) schema(r rendering) ordered {
	switch n.kind {
	case nodeString:
		return n.stringSchema()
	case nodeBool:
		return ordered{{"type", "boolean"}}
	case nodeInteger:
		return n.bounds(ordered{{"type", "integer"}})
	case nodeNumber:
		return n.bounds(ordered{{"type", "number"}})
	case nodeArray:
		s := ordered{{"type", "array"}, {"items", n.element.schema(r)}}
		if n.nonEmpty {
			s = append(s, member{"minItems", 1})
		}
		if n.unique {
			s = append(s, member{"uniqueItems", true})
		}
		return s
	case nodeMap:
		s := ordered{{"type", "object"}}
		if n.keys != nil {
			s = append(s, member{"propertyNames", n.keys.schema()})
		}
		return append(s, member{"additionalProperties", n.element.schema(r)})
	case nodeObject:
		return n.objectSchema(r)
	}
	switch len(n.kinds) {
	case 0:
		return ordered{}
	case 1:
		return ordered{{"type", n.kinds[0]}}
	default:
		return ordered{{"type", n.kinds}}
	}
}

func (n *node) stringSchema() ordered {
	s := ordered{{"type", "string"}}
	if len(n.enum) > 0 {
		s = append(s, member{"enum", n.enum})
	}
	if n.nonEmpty {
		s = append(s, member{"minLength", 1})
	}
	if n.format != nil {
		s = append(s, n.format.schema()...)
	}
	return s
}

func (f *format) schema() ordered {
	s := ordered{{"pattern", f.Pattern}}
	if f.MaxLength > 0 {
		s = append(s, member{"maxLength", f.MaxLength})
	}
	if len(f.Except) > 0 {
		s = append(s, member{"not", ordered{{"enum", f.Except}}})
	}
	return s
}

func (n *node) bounds(s ordered) ordered {
	if n.min != nil {
		s = append(s, member{"minimum", *n.min})
	}
	if n.max != nil {
		s = append(s, member{"maximum", *n.max})
	}
	return s
}

func (n *node) objectSchema(r rendering) ordered {
	properties := ordered{}
	var required []string
	for _, f := range n.fields {
		inner := ordered{}
		if text := r.comments[f.comment]; text != "" {
			inner = append(inner, member{"description", text})
		}
		properties = append(properties, member{f.name, append(inner, f.node.schema(r)...)})
		if f.required {
			required = append(required, f.name)
		}
	}
	s := ordered{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		s = append(s, member{"required", required})
	}
	if r.closed {
		s = append(s, member{"additionalProperties", false})
	}
	var conditions []ordered
	for _, c := range n.conditions {
		conditions = append(conditions, ordered{
			{"if", ordered{
				{"required", []string{c.member}},
				{"properties", ordered{{c.member, ordered{{"const", c.value}}}}},
			}},
			{"then", requiring(c.require)},
		})
	}
	if len(conditions) > 0 {
		s = append(s, member{"allOf", conditions})
	}
	return s
}

// requiring is a schema that asks for a member inside of members.
func requiring(path []string) ordered {
	s := ordered{{"required", path[:1]}}
	if len(path) > 1 {
		s = append(s, member{"properties", ordered{{path[0], requiring(path[1:])}}})
	}
	return s
}
