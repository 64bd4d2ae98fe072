package lint

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/internal/toolschema"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

func toolRules() []Rule {
	rule := func(id string, severity manifest.Severity, summary, todo, bad, good string, check func(*pass)) Rule {
		return Rule{ID: id, Severity: severity, Family: FamilyTools, Summary: summary, Todo: todo, Bad: bad, Good: good, check: check}
	}
	tool := func(members string) string {
		return coded + handler + "-- tools/list.json --\n{\n  " + strings.ReplaceAll(members, "\n", "\n  ") + ",\n  \"x-neuralis\": { \"annotations\": { \"category\": \"read\" } }\n}\n"
	}
	const described = `"description": "List what there is in the shop",` + "\n" + `"type": "object",` + "\n"
	const strict = described + `"additionalProperties": false,` + "\n"
	return []Rule{
		rule(manifest.RuleToolSchema, manifest.SeverityError, "the JSON Schema of a tool cannot be used, or a `$ref` in it leads nowhere: hosts refuse to call the tool", "look at the frame",
			tool(strict+`"properties": { "word": { "$ref": «"#/definitions/Word"» } }`),
			tool(strict+`"properties": { "word": { "$ref": "#/definitions/Word" } },`+"\n"+`"definitions": { "Word": { "type": "string" } }`), toolSchemas),
		rule("tool-no-schema", manifest.SeverityWarning, "a handler has no schema: models are told nothing of its arguments, and nothing checks them", "add `tools/<name>.json`",
			coded+"-- src/tools/list.ts --\n«export default () => ({ content: [] });\n", coded+handler+schema, toolsWithoutSchema),
		rule("tool-no-handler", manifest.SeverityError, "a schema has no handler: nobody answers the tool", "add `src/tools/<name>.ts`, or remove the schema",
			coded+strings.Replace(schema, "{\n", "«{\n", 1), coded+handler+schema, toolsWithoutHandler),
		rule("tool-strict", manifest.SeverityWarning, "a schema takes arguments that it does not describe, so misspelt ones pass unseen", "add `\"additionalProperties\": false`",
			tool(described+`"additionalProperties": «true»`), tool(described+`"additionalProperties": false`), looseTools),
		rule("tool-default", manifest.SeverityError, "a default does not fit the schema that it is in", "change the default or the schema",
			tool(strict+`"properties": { "limit": { "type": "integer", "minimum": 1, "default": «0» } }`),
			tool(strict+`"properties": { "limit": { "type": "integer", "minimum": 1, "default": 10 } }`), toolDefaults),
		rule("tool-description", manifest.SeverityWarning, "a tool's description is missing, or says too little for a model to choose by", "say in a sentence what the tool does and when to use it",
			tool(`"description": «"List"»,`+"\n"+`"type": "object",`+"\n"+`"additionalProperties": false`), tool(described+`"additionalProperties": false`), toolDescriptions),
		rule("tool-required", manifest.SeverityWarning, "a schema requires an argument that it does not describe", "describe it in `properties`, or remove it from `required`",
			tool(strict+`"properties": { "limit": { "type": "integer" } },`+"\n"+`"required": [«"limt"»]`), tool(strict+`"properties": { "limit": { "type": "integer" } },`+"\n"+`"required": ["limit"]`), requiredArguments),
		rule("tool-name-clash", manifest.SeverityWarning, "the names of two tools differ in case or in `-` and `_` alone, so that models and file systems mix them up", "rename one",
			coded+handler+strings.Replace(schema, "{\n", "«{\n", 1)+strings.Replace(handler, "list.ts", "LIST.ts", 1)+strings.Replace(schema, "list.json", "LIST.json", 1), coded+handler+schema, clashingTools),
		rule("duplicate-tool", manifest.SeverityWarning, "two packages of one run have a tool of the same name, and callers reach one of them", "rename one", "", "", nil),
		rule("duplicate-id", manifest.SeverityError, "two packages of one run have the same id, and hosts refuse both", "give each an id of its own", "", "", nil),
	}
}

// usable calls visit for each tool with a schema that could be read.
func (p *pass) usable(visit func(tool manifest.Tool, doc *jsondoc.Document)) {
	for _, tool := range p.pkg.Tools {
		if tool.Schema == nil || tool.Invalid {
			continue
		}
		if doc := tool.Document(); doc.Root != nil && doc.Root.Kind == jsondoc.Object {
			visit(tool, doc)
		}
	}
}

func toolSchemas(p *pass) {
	for _, tool := range p.pkg.Tools {
		p.found = append(p.found, toolschema.Check(tool)...)
	}
}

func toolsWithoutSchema(p *pass) {
	for _, tool := range p.pkg.Tools {
		if tool.File == "" {
			p.inFile(tool.Source, fmt.Sprintf("the tool %s has no schema: there is no tools/%s.json", tool.Name, tool.Name), "add one; \"neuralis add tool\" makes both")
		}
	}
}

func toolsWithoutHandler(p *pass) {
	if p.pkg.Runtime == manifest.RuntimeMCP || !p.pkg.Runtime.Valid() {
		return // the program answers
	}
	for _, tool := range p.pkg.Tools {
		if tool.File == "" || tool.Source != "" || !manifest.ValidToolName(tool.Name) || p.pkg.Runtime == manifest.RuntimeNode && p.exists("dist/src/tools/"+tool.Name+".js") {
			continue
		}
		if transport := tool.Extension.Transport; transport != "" && transport != "embedded" {
			continue // it is answered elsewhere
		}
		handlers := map[string]bool{}
		for _, other := range p.pkg.Tools {
			if other.Source != "" && other.File == "" {
				handlers[other.Name] = true
			}
		}
		hint := near(tool.Name, handlers, fmt.Sprintf("add src/tools/%s.ts, or remove the schema", tool.Name))
		if !p.code() {
			hint = "give the package a runtime and the tool a handler, or remove the schema"
		}
		p.inFile(tool.File, fmt.Sprintf("nobody answers the tool %s: there is no src/tools/%s.ts", tool.Name, tool.Name), hint)
	}
}

func looseTools(p *pass) {
	p.usable(func(tool manifest.Tool, doc *jsondoc.Document) {
		const hint = `add "additionalProperties": false`
		switch v := doc.Root.Get("additionalProperties"); {
		case v == nil && doc.Root.Get("unevaluatedProperties") == nil:
			p.value(doc, tool.File, doc.Root, "the schema lets any other argument pass: it has no additionalProperties", hint)
		case v != nil && v.Kind == jsondoc.Bool && v.Text == "true":
			p.value(doc, tool.File, v, "the schema lets any other argument pass", hint)
		}
	})
}

func toolDescriptions(p *pass) {
	p.usable(func(tool manifest.Tool, doc *jsondoc.Document) {
		const hint = "say in a sentence what the tool does and when to use it: models choose by it"
		description, at := text(doc.Root, "description")
		words := strings.FieldsFunc(description, func(r rune) bool { return r == ' ' || r == '_' || r == '-' || r == '\n' })
		switch {
		case at == nil:
			p.value(doc, tool.File, doc.Root, "the tool has no description", hint)
		case len(strings.TrimSpace(description)) == 0:
			p.value(doc, tool.File, at, "the description is empty", hint)
		case strings.EqualFold(strings.Join(words, " "), strings.Join(strings.FieldsFunc(tool.Name, func(r rune) bool { return r == '_' || r == '-' }), " ")):
			p.value(doc, tool.File, at, "the description says no more than the name", hint)
		// Other scripts need no spaces between words.
		case len(words) < 2 && len(description) == len([]rune(description)):
			p.value(doc, tool.File, at, "the description is too short to choose by", hint)
		}
	})
}

func requiredArguments(p *pass) {
	p.usable(func(tool manifest.Tool, doc *jsondoc.Document) {
		properties := doc.Root.Get("properties")
		known := map[string]bool{}
		if properties != nil {
			for _, m := range properties.Members {
				known[m.Name] = true
			}
		}
		for _, name := range []string{"patternProperties", "allOf", "anyOf", "oneOf", "if", "$ref"} {
			if doc.Root.Get(name) != nil {
				return // they may describe it
			}
		}
		for _, item := range texts(doc.Root.Get("required")) {
			if !known[item.Text] {
				p.value(doc, tool.File, item, fmt.Sprintf("%q is required, and the schema does not describe it", item.Text), near(item.Text, known, "describe it in properties"))
			}
		}
	})
}

// toolDefaults checks defaults of arguments, at any depth, and those of x-neuralis.
func toolDefaults(p *pass) {
	p.usable(func(tool manifest.Tool, doc *jsondoc.Document) {
		root, _ := doc.Root.Any().(map[string]any)
		if _, err := toolschema.Compile(root); err != nil {
			return // it was reported
		}
		check := func(pointer []string, value *jsondoc.Value, what string) {
			if fault := misfit(root, pointer, value); fault != "" {
				p.value(doc, tool.File, value, fmt.Sprintf("%s does not fit its own schema: %s", what, fault), "change one of them")
			}
		}
		var visit func(v *jsondoc.Value, pointer []string)
		visit = func(v *jsondoc.Value, pointer []string) {
			if value := v.Get("default"); value != nil && len(pointer) > 0 {
				check(pointer, value, "the default")
			}
			if properties := v.Get("properties"); properties != nil {
				for _, m := range properties.Members {
					visit(m.Value, append(slices.Clone(pointer), "properties", m.Name))
				}
			}
			if items := v.Get("items"); items != nil && items.Kind == jsondoc.Object {
				visit(items, append(slices.Clone(pointer), "items"))
			}
		}
		visit(doc.Root, nil)
		defaults := doc.Root.Get("x-neuralis").Get("defaults")
		if defaults == nil {
			return
		}
		properties := doc.Root.Get("properties")
		for _, m := range defaults.Members {
			switch {
			case properties.Get(m.Name) != nil:
				check([]string{"properties", m.Name}, m.Value, fmt.Sprintf("the default of %q", m.Name))
			case doc.Root.Get("additionalProperties") != nil && doc.Root.Get("additionalProperties").Text == "false":
				p.span(doc, tool.File, m.Start, m.End, fmt.Sprintf("defaults has %q, which is no argument of the tool", m.Name), "remove it")
			}
		}
	})
}

// misfit says why a value does not fit the part of a schema that a pointer leads to; empty where it does, or where nobody
// can tell.
func misfit(root map[string]any, pointer []string, value *jsondoc.Value) string {
	// The part is applied where it stands, so that what it refers to is still there.
	wrapped := maps.Clone(root)
	for _, keyword := range []string{"required", "type", "additionalProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "minProperties", "dependencies", "dependentRequired", "propertyNames", "unevaluatedProperties", "const", "enum"} {
		delete(wrapped, keyword)
	}
	const holder = "x-value"
	properties, _ := wrapped["properties"].(map[string]any)
	properties = maps.Clone(properties)
	if properties == nil {
		return ""
	}
	properties[holder] = map[string]any{"$ref": "#" + jsondoc.Pointer(pointer...)}
	wrapped["properties"] = properties
	compiled, err := toolschema.Compile(wrapped)
	if err != nil {
		return ""
	}
	err = compiled.Validate(map[string]any{holder: value.Any()})
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return ""
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	text := invalid.Error()
	if _, after, ok := strings.Cut(text, "': "); ok {
		text = after
	}
	return firstLine(text)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func clashingTools(p *pass) {
	seen := map[string]string{}
	for _, tool := range p.pkg.Tools {
		key := strings.ReplaceAll(strings.ToLower(tool.Name), "-", "_")
		if first, ok := seen[key]; ok {
			// The names are sorted with capitals first; the later file is the one to point at.
			file := tool.File
			if file == "" {
				file = tool.Source
			}
			p.inFile(file, fmt.Sprintf("the tools %s and %s are too easily mixed up", first, tool.Name), "rename one of them")
			continue
		}
		seen[key] = tool.Name
	}
}

// beside reports whether two packages lie side by side, as those of a project do.
func beside(a, b *pass) bool { return filepath.Dir(a.pkg.Dir) == filepath.Dir(b.pkg.Dir) }

// together finds what is wrong with packages that are used together: those of one run.
func together(passes []*pass) {
	ids, tools := map[string]*pass{}, map[string]*pass{}
	for _, p := range passes {
		if p == nil || p.pkg == nil {
			continue
		}
		if p.pkg.ID != "" && p.manifest != nil {
			if first := ids[p.pkg.ID]; first != nil && beside(first, p) {
				p.rule = &Rule{ID: "duplicate-id", Severity: manifest.SeverityError}
				at := p.manifest.Get("id")
				if at == nil {
					at = p.manifest
				}
				p.inManifest(at, fmt.Sprintf("the package in %s has the id %q too, and a host refuses both", first.dir, p.pkg.ID), "give each an id of its own")
			} else {
				ids[p.pkg.ID] = p
			}
		}
		for _, tool := range p.pkg.Tools {
			first := tools[tool.Name]
			if first == nil {
				tools[tool.Name] = p
				continue
			}
			if first == p || first.pkg.ID == p.pkg.ID || !beside(first, p) {
				continue
			}
			p.rule = &Rule{ID: "duplicate-tool", Severity: manifest.SeverityWarning}
			file := tool.File
			if file == "" {
				file = tool.Source
			}
			p.inFile(file, fmt.Sprintf("the package %s has a tool %q too, and callers reach one of them", first.pkg.ID, tool.Name), "give the tool a name of its own")
		}
	}
}
