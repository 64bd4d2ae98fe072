package mcpapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/manifest"
)

// view is what a session sees of a catalog. It does not change.
type view struct {
	tools     []listed // sorted by their keys, as are the others
	prompts   []*prompt
	resources []*resource
	templates []*resource

	promptOf   map[string]*prompt
	resourceOf map[string]*resource
	marks      marks
}

// listed is one element of a list.
type listed struct {
	key  string
	json json.RawMessage
}

// marks are what lists have in common that read the same.
type marks struct{ tools, prompts, resources [sha256.Size]byte }

// newView makes the view of a session. answers says of a package whether its code could be called, and describe what a tool
// is offered as.
func newView(c *catalog.Catalog, who session.Session, answers func(*catalog.Entry) bool, describe func(*manifest.Tool) *description) *view {
	v := &view{promptOf: map[string]*prompt{}, resourceOf: map[string]*resource{}}
	taken := map[string]bool{}  // templates
	for _, e := range c.All() { // in the order of their standing
		if e.Package == nil || !e.Usable() || !e.Scope.Includes(who) {
			continue
		}
		if there, _ := c.Entry(who, e.ID); there != e || !who.Has(e.Package.Manifest.Requires.AccessFeature) {
			continue
		}
		for _, skill := range e.Skills() {
			v.addPrompt(&prompt{Name: skill.Name, Description: skill.Description, entry: e, file: skill.File})
		}
		for _, file := range e.Package.Docs {
			if r, ok := document(e, file); ok {
				v.resourceOf[r.URI] = r
			}
		}
		if !answers(e) {
			continue
		}
		for i := range e.Package.Tools {
			tool := &e.Package.Tools[i]
			there, _, _ := c.Tool(who, tool.Name)
			if there != e || tool.Invalid || !who.Has(tool.Extension.Feature) {
				continue
			}
			v.addTool(e, tool, describe(tool), taken)
		}
	}
	for _, p := range v.promptOf {
		v.prompts = append(v.prompts, p)
	}
	for _, r := range v.resourceOf {
		v.resources = append(v.resources, r)
	}
	slices.SortFunc(v.tools, func(a, b listed) int { return cmp.Compare(a.key, b.key) })
	slices.SortFunc(v.prompts, func(a, b *prompt) int { return cmp.Compare(a.Name, b.Name) })
	byURI := func(a, b *resource) int { return cmp.Compare(a.URI, b.URI) }
	slices.SortFunc(v.resources, byURI)
	slices.SortFunc(v.templates, byURI)
	v.marks = v.mark()
	return v
}

// addTool takes a tool in as what it is offered as.
func (v *view) addTool(e *catalog.Entry, tool *manifest.Tool, d *description, taken map[string]bool) {
	switch {
	case d.listed != nil:
		v.tools = append(v.tools, listed{tool.Name, d.listed})
	case d.offer.Prompt != "":
		v.addPrompt(&prompt{Name: d.offer.Prompt, Title: title(tool), Description: tool.Description, Arguments: d.arguments, entry: e, tool: tool.Name})
	case d.offer.Resource != "":
		r := &resource{URI: d.offer.Resource, Name: tool.Name, Title: title(tool), Description: tool.Description, MIMEType: d.offer.MIMEType,
			entry: e, tool: tool.Name, template: d.template, arguments: d.arguments}
		switch {
		case r.template == nil && v.resourceOf[r.URI] == nil:
			v.resourceOf[r.URI] = r
		case r.template != nil && !taken[r.URI]:
			taken[r.URI] = true
			v.templates = append(v.templates, r)
		}
	}
}

// addPrompt takes a prompt in. One whose name is taken by a package of higher standing is there with its package in front.
func (v *view) addPrompt(p *prompt) {
	if v.promptOf[p.Name] != nil {
		p.Name = p.entry.ID + "/" + p.Name
	}
	if v.promptOf[p.Name] == nil {
		v.promptOf[p.Name] = p
	}
}

// find is the resource of a URI, with the values of its variables if it is one of a template.
func (v *view) find(uri string) (*resource, map[string]string) {
	if r := v.resourceOf[uri]; r != nil {
		return r, nil
	}
	for _, r := range v.templates {
		match := r.template.Match(uri)
		if match == nil {
			continue
		}
		values := map[string]string{}
		for _, name := range r.template.Varnames() {
			values[name] = match.Get(name).String()
		}
		return r, values
	}
	return nil, nil
}

// mark sums up the lists. How large documents are is left out: that one was edited changes no list.
func (v *view) mark() (m marks) {
	tools, prompts, resources := sha256.New(), sha256.New(), sha256.New()
	for _, t := range v.tools {
		tools.Write(t.json)
		tools.Write([]byte{'\n'})
	}
	encoder := json.NewEncoder(prompts)
	for _, p := range v.prompts {
		_ = encoder.Encode(p) // it is made of strings
	}
	encoder = json.NewEncoder(resources)
	for _, r := range slices.Concat(v.resources, v.templates) {
		_ = encoder.Encode(r)
	}
	tools.Sum(m.tools[:0])
	prompts.Sum(m.prompts[:0])
	resources.Sum(m.resources[:0])
	return m
}
