package openapi

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/manifest"
)

// dialect is what the schemas of tools are written in.
const dialect = "http://json-schema.org/draft-07/schema#"

// Options say what a document is about.
type Options struct {
	// Title and Version are those of the API, which is the host's.
	Title, Version string
	// Server is the address that paths start at, such as http://127.0.0.1:7878; empty for wherever the document is from.
	Server string
	// Tokens says that requests need a bearer token.
	Tokens bool
}

// object is a JSON object. Its members are written in the order of their names, so that documents can be compared.
type object = map[string]any

// Document writes the document for what a caller is shown.
func Document(c *catalog.Catalog, who session.Session, o Options) ([]byte, error) {
	paths := object{}
	tags := []object{{"name": "host", "description": "What the host itself answers."}}
	fixed(paths)
	for _, e := range c.Visible(who) {
		if e.Kind != catalog.KindPackage || !e.Usable() {
			continue
		}
		if there, _ := c.Entry(who, e.ID); there != e {
			continue
		}
		tag := object{"name": e.ID}
		if e.Package.Description != "" {
			tag["description"] = e.Package.Description
		}
		used := false
		for i := range e.Package.Tools {
			tool := &e.Package.Tools[i]
			if owner, _, ok := c.Tool(who, tool.Name); ok && owner == e {
				paths["/api/tools/"+escaped(tool.Name)] = object{"post": toolOperation(e, tool)}
				used = true
			}
		}
		for _, route := range e.Routes.Routes {
			path, parameters := template(route.Pattern)
			item := object{}
			for _, method := range route.Methods {
				item[strings.ToLower(method)] = routeOperation(e, route, method, parameters)
			}
			paths["/api/packages/"+escaped(e.ID)+"/"+path] = item
			used = true
		}
		if used {
			tags = append(tags, tag)
		}
	}
	document := object{
		"openapi":           "3.1.0",
		"jsonSchemaDialect": dialect,
		"info":              object{"title": o.Title, "version": o.Version},
		"paths":             paths,
		"tags":              tags,
		"components": object{
			"schemas":   object{"Error": errorSchema(), "ToolResult": resultSchema()},
			"responses": object{"Error": object{"description": "The host has not let the request through, or the package failed.", "content": jsonOf(reference("schemas", "Error"))}},
		},
	}
	if o.Server != "" {
		document["servers"] = []object{{"url": o.Server}}
	}
	if o.Tokens {
		document["components"].(object)["securitySchemes"] = object{"token": object{"type": "http", "scheme": "bearer"}}
		document["security"] = []object{{"token": []string{}}}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// fixed adds what every host answers.
func fixed(paths object) {
	get := func(id, summary string, open bool) object {
		operation := object{"operationId": id, "summary": summary, "tags": []string{"host"},
			"responses": object{"200": object{"description": "The answer.", "content": jsonOf(object{"type": "object"})}, "default": reference("responses", "Error")}}
		if open {
			operation["security"] = []object{}
		}
		return object{"get": operation}
	}
	paths["/api/catalog"] = get("catalog", "What the caller is shown: packages, tools, routes and skills.", false)
	paths["/healthz"] = get("health", "Whether the process lives.", true)
	paths["/readyz"] = get("readiness", "Whether calls are answered.", true)
	rescan := get("rescan", "Look for packages again; for admins.", false)
	paths["/api/rescan"] = object{"post": rescan["get"]}
}

// toolOperation describes a call of a tool.
func toolOperation(e *catalog.Entry, tool *manifest.Tool) object {
	operation := object{
		"operationId": "tool." + tool.Name,
		"tags":        []string{e.ID},
		"requestBody": object{"description": "The arguments.", "content": jsonOf(argumentsOf(tool))},
		"responses": object{
			"200":     object{"description": "What the tool answered; isError says that it could not do what was asked.", "content": jsonOf(reference("schemas", "ToolResult"))},
			"default": object{"description": "The tool was not called, or failed. The error is in structuredContent.", "content": jsonOf(reference("schemas", "ToolResult"))},
		},
	}
	describe(operation, tool.Title, tool.Description, tool.Extension.Feature)
	return operation
}

func describe(operation object, summary, description, feature string) {
	if summary != "" {
		operation["summary"] = summary
	}
	if feature != "" {
		if description != "" {
			description += "\n\n"
		}
		description += "Needs the feature " + feature + "."
		operation["x-neuralis-feature"] = feature
	}
	if description != "" {
		operation["description"] = description
	}
}

// argumentsOf is the schema of a tool's arguments.
func argumentsOf(tool *manifest.Tool) any {
	var members map[string]json.RawMessage
	if tool.Invalid || json.Unmarshal(tool.Schema, &members) != nil || members == nil {
		return object{"type": "object"}
	}
	for _, name := range []string{"x-neuralis", "$schema"} {
		delete(members, name)
	}
	if local(tool.Schema) {
		// A reference within the schema would be one within the document.
		members["$id"] = json.RawMessage(`"urn:neuralis:tool:` + escaped(tool.Name) + `"`)
	}
	return members
}

// local reports whether a schema refers to places in itself.
func local(schema json.RawMessage) bool { return bytes.Contains(schema, []byte(`"$ref"`)) }

// routeOperation describes one method of a route.
func routeOperation(e *catalog.Entry, route manifest.Route, method string, parameters []object) object {
	operation := object{
		"operationId": "route." + e.ID + "." + strings.ToLower(method) + "." + route.Pattern,
		"tags":        []string{e.ID},
		"responses":   object{"default": object{"description": "What the route answers, or an error of the host's."}},
	}
	if len(parameters) > 0 {
		operation["parameters"] = parameters
	}
	switch method {
	case "POST", "PUT", "PATCH":
		operation["requestBody"] = object{"content": object{"*/*": object{"schema": object{}}}}
	}
	describe(operation, method+" "+route.Pattern, "", route.Feature)
	return operation
}

// template writes a pattern as a path template, and its parameters.
func template(pattern string) (path string, parameters []object) {
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if segment == "" || segment[0] != ':' && segment[0] != '*' {
			segments[i] = escaped(segment)
			continue
		}
		name := segment[1:]
		parameter := object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}}
		if segment[0] == '*' {
			parameter["description"] = "The rest of the path; it may have slashes."
		}
		parameters = append(parameters, parameter)
		segments[i] = "{" + name + "}"
	}
	return strings.Join(segments, "/"), parameters
}

// escaped is a name as a segment of a path that has no templates in it.
func escaped(name string) string {
	var out strings.Builder
	for _, b := range []byte(name) {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("-_.~@", b) >= 0 {
			out.WriteByte(b)
			continue
		}
		const digits = "0123456789ABCDEF"
		out.Write([]byte{'%', digits[b>>4], digits[b&15]})
	}
	return out.String()
}

func jsonOf(schema any) object { return object{"application/json": object{"schema": schema}} }

func reference(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }

func errorSchema() object {
	text := object{"type": "string"}
	return object{"type": "object", "required": []string{"error"}, "properties": object{"error": object{
		"type": "object", "required": []string{"code", "message"},
		"properties": object{"code": text, "message": text, "reason": text, "feature": text, "retryAfter": object{"type": "integer"}},
	}}}
}

func resultSchema() object {
	return object{"type": "object", "required": []string{"content"}, "properties": object{
		"content":           object{"type": "array", "items": object{"type": "object"}},
		"structuredContent": object{"type": "object"},
		"isError":           object{"type": "boolean"},
		"_meta":             object{"type": "object"},
	}}
}
