package lint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/suggest"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// near is a hint that proposes the nearest of some names, or otherwise does.
func near(word string, names map[string]bool, otherwise string) string {
	if found, ok := suggest.Closest(word, slices.Sorted(maps.Keys(names))); ok {
		return fmt.Sprintf("did you mean %q?", found)
	}
	return otherwise
}

// asked calls visit for each place that asks for a feature.
func (p *pass) asked(visit func(feature string, report func(message, hint string))) {
	inManifest := func(name string, at *jsondoc.Value) {
		if at != nil && manifest.ValidFeature(name) {
			visit(name, func(message, hint string) { p.inManifest(at, message, hint) })
		}
	}
	inManifest(text(p.manifest.Get("requires"), "accessFeature"))
	for _, member := range []string{"events", "channels"} {
		for _, item := range objects(p.manifest.Get(member)) {
			inManifest(text(item, "feature"))
		}
	}
	for _, tool := range p.pkg.Tools {
		doc := tool.Document()
		if name, at := text(doc.Root.Get("x-neuralis"), "feature"); at != nil && manifest.ValidFeature(name) {
			visit(name, func(message, hint string) { p.value(doc, tool.File, at, message, hint) })
		}
	}
	for _, file := range p.pkg.RouteSources {
		f := p.sources[file]
		if f == nil {
			continue
		}
		for _, e := range f.Exports {
			if e.Name != "feature" {
				continue
			}
			if name, ok := e.Value.Constant(); ok && manifest.ValidFeature(name) {
				visit(name, func(message, hint string) { p.inSource(f, e.Value.Value().Offset, message, hint) })
			}
		}
	}
}

func undeclaredFeatures(p *pass) {
	declared := p.declared("features", "id")
	p.asked(func(feature string, report func(message, hint string)) {
		if !declared[feature] {
			report(fmt.Sprintf("the package does not declare the feature %q, so no role has it unless an operator gives it", feature),
				near(feature, declared, "declare it in features, unless it is the platform's or another package's"))
		}
	})
}

func unusedFeatures(p *pass) {
	used := map[string]bool{}
	p.asked(func(feature string, _ func(message, hint string)) { used[feature] = true })
	mentioned := func(feature string) bool {
		for _, file := range p.order {
			if slices.Contains(p.sources[file].Strings(), feature) {
				return true
			}
		}
		return false
	}
	if !p.pkg.Runtime.Valid() || p.pkg.Runtime == manifest.RuntimeMCP || p.unread || p.pkg.Runtime == manifest.RuntimeNode && len(p.order) == 0 {
		return // the code is not seen, or not all of it
	}
	for _, item := range objects(p.manifest.Get("features")) {
		id, at := text(item, "id")
		if at != nil && !used[id] && manifest.ValidFeature(id) && !mentioned(id) {
			p.inManifest(at, fmt.Sprintf("nothing asks for the feature %q", id), near(id, used, "ask for it in a tool, a route or requires.accessFeature, or remove it"))
		}
	}
}

// unknownKeys compares the manifest and the x-neuralis of tools with their JSON Schemas.
func unknownKeys(p *pass) {
	var manifestSchema, toolSchema map[string]any
	if json.Unmarshal(manifest.ManifestSchema(), &manifestSchema) != nil || json.Unmarshal(manifest.ToolSchema(), &toolSchema) != nil {
		return // a test of package manifest would have failed
	}
	p.unknownIn(p.doc, p.pkg.ManifestFile, p.manifest, manifestSchema, []string{"lint", "trust", "trustTier", "provenance"})
	extension, _ := toolSchema["properties"].(map[string]any)["x-neuralis"].(map[string]any)
	for _, tool := range p.pkg.Tools {
		if doc := tool.Document(); doc.Root != nil {
			p.unknownIn(doc, tool.File, doc.Root.Get("x-neuralis"), extension, nil)
		}
	}
}

// unknownIn reports the members of v that schema does not have.
func (p *pass) unknownIn(doc *jsondoc.Document, file string, v *jsondoc.Value, schema map[string]any, more []string) {
	if v == nil || schema == nil {
		return
	}
	if items, ok := schema["items"].(map[string]any); ok {
		for _, item := range v.Items {
			p.unknownIn(doc, file, item, items, nil)
		}
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok || v.Kind != jsondoc.Object {
		return
	}
	known := map[string]bool{}
	for name := range properties {
		known[name] = true
	}
	for i := range v.Members {
		m := &v.Members[i]
		inner, ok := properties[m.Name].(map[string]any)
		if ok {
			p.unknownIn(doc, file, m.Value, inner, nil)
			continue
		}
		if slices.Contains(more, m.Name) || strings.HasPrefix(m.Name, "x-") || strings.HasPrefix(m.Name, "//") || known[m.Name] {
			continue
		}
		p.span(doc, file, m.Start, m.End, fmt.Sprintf("nothing reads %q", m.Name), near(m.Name, known, "remove it, or call it x-"+m.Name+" when it is for you alone"))
	}
}
