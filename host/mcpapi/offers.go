package mcpapi

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// offer is what the member mcp of a tool's x-neuralis says: what the tool is offered as, in the place of a tool.
type offer = manifest.ToolMCP

// offerOf is what a tool says. ok is false for plain tools.
func offerOf(tool *manifest.Tool) (o offer, ok bool) {
	o = tool.Extension.MCP
	return o, o.Prompt != "" || o.Resource != ""
}

// argument is an argument of a prompt, and a variable of a template.
type argument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`

	values []string // from which completions are taken
}

// argumentsOf are the properties of a tool's schema in their order.
func argumentsOf(tool *manifest.Tool) []argument {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(tool.Schema, &schema) != nil || schema.Properties == nil {
		return nil
	}
	properties, err := members(schema.Properties)
	if err != nil {
		return nil
	}
	var all []argument
	for _, p := range properties {
		a := argument{Name: p.name, Required: slices.Contains(schema.Required, p.name)}
		var about struct {
			Title       string            `json:"title"`
			Description string            `json:"description"`
			Enum        []json.RawMessage `json:"enum"`
			Examples    []json.RawMessage `json:"examples"`
		}
		if json.Unmarshal(p.value, &about) == nil {
			a.Title, a.Description = about.Title, about.Description
			for _, raw := range slices.Concat(about.Enum, about.Examples) {
				var value string
				if json.Unmarshal(raw, &value) == nil && !slices.Contains(a.values, value) {
					a.values = append(a.values, value)
				}
			}
		}
		all = append(all, a)
	}
	return all
}

// others are the schemes of URIs that lead elsewhere: to the files of packages, and to what clients fetch themselves.
var others = []string{uriScheme, "file", "http", "https", "data", "git"}

// template reads the URI of a resource. variables is false for one without any.
func template(uri string) (t *uritemplate.Template, variables, ok bool) {
	scheme, rest, found := strings.Cut(uri, ":")
	if !found || scheme == "" || rest == "" || strings.ContainsAny(scheme, "{}/ ") || slices.Contains(others, strings.ToLower(scheme)) {
		return nil, false, false
	}
	t, err := uritemplate.New(uri)
	if err != nil {
		return nil, false, false
	}
	return t, len(t.Varnames()) > 0, true
}

// maxCompletions is the protocol's.
const maxCompletions = 100

// completions are the values of an argument that begin with what there is of one.
func completions(arguments []argument, name, value string) (values []string, total int) {
	values = []string{}
	for _, a := range arguments {
		if a.Name != name {
			continue
		}
		for _, v := range a.values {
			if !strings.HasPrefix(strings.ToLower(v), strings.ToLower(value)) {
				continue
			}
			if total++; len(values) < maxCompletions {
				values = append(values, v)
			}
		}
	}
	return values, total
}

// hasCode reports whether the code of a package could be called, as far as the catalog knows.
func hasCode(e *catalog.Entry) bool {
	switch e.Package.Runtime {
	case "":
		return false
	case manifest.RuntimeWASM:
		return e.ModuleHash != ""
	}
	_, demoted := trust.Demotion(e.Tier, e.Package.Runtime)
	return !demoted
}
