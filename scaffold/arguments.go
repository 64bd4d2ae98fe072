package scaffold

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// argumentSchema is the part of a tool's schema that a first example of its
// arguments is made of.
type argumentSchema struct {
	Type       any                        `json:"type"`
	Default    json.RawMessage            `json:"default"`
	Const      json.RawMessage            `json:"const"`
	Enum       []json.RawMessage          `json:"enum"`
	Examples   []json.RawMessage          `json:"examples"`
	Minimum    *float64                   `json:"minimum"`
	MinLength  int                        `json:"minLength"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// exampleArguments makes arguments for a test, as TypeScript, out of a tool's schema: what is
// required, with values that fit in the usual cases. It is a beginning for an
// author, so it need not satisfy every keyword.
func exampleArguments(schema json.RawMessage) string {
	var s argumentSchema
	if json.Unmarshal(schema, &s) != nil || len(s.Required) == 0 {
		return "{}"
	}
	return example(s, 0)
}

// propertyName is a key of an object literal in TypeScript.
func propertyName(name string) string {
	bare := name != ""
	for i, r := range name {
		bare = bare && (r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9')
	}
	if bare {
		return name
	}
	quoted, _ := json.Marshal(name) // a string always has a JSON form
	return string(quoted)
}

// maxExampleDepth bounds schemas that nest without end.
const maxExampleDepth = 5

func example(s argumentSchema, depth int) string {
	for _, given := range [][]json.RawMessage{{s.Const}, s.Examples, {s.Default}, s.Enum} {
		if len(given) > 0 && len(given[0]) > 0 {
			return string(given[0])
		}
	}
	kind, _ := s.Type.(string)
	if list, ok := s.Type.([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	switch kind {
	case "string":
		return "'" + strings.Repeat("a", max(1, min(s.MinLength, 100))) + "'"
	case "integer", "number":
		if s.Minimum != nil {
			if n, err := json.Marshal(*s.Minimum); err == nil {
				return string(n)
			}
		}
		return "1"
	case "boolean":
		return "true"
	case "array":
		return "[]"
	case "null":
		return "null"
	}
	if depth == maxExampleDepth || len(s.Required) == 0 {
		return "{}"
	}
	required := slices.Clone(s.Required)
	slices.Sort(required)
	var members []string
	for _, name := range slices.Compact(required) {
		var property argumentSchema
		if json.Unmarshal(s.Properties[name], &property) != nil {
			continue
		}
		members = append(members, propertyName(name)+": "+example(property, depth+1))
	}
	return "{ " + strings.Join(members, ", ") + " }"
}

// caller is the argument that says who calls a tool in a test, with a comma
// before it: a role that has the feature the tool needs, else anybody who has it.
// It is empty for a tool that needs none.
func caller(grants map[string][]string, feature string) string {
	if feature == "" {
		return ""
	}
	for _, role := range slices.Sorted(maps.Keys(grants)) {
		if slices.Contains(grants[role], feature) {
			return ", { as: " + jsString(role) + " }"
		}
	}
	return ", { as: { features: [" + jsString(feature) + "] } }"
}
