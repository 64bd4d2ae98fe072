package mcpapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/yosida95/uritemplate/v3"

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

// newView makes the view of a session. answers says of a package whether its code could be called.
func newView(c *catalog.Catalog, who session.Session, answers func(*catalog.Entry) bool) *view {
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
			v.addTool(e, tool, taken)
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
func (v *view) addTool(e *catalog.Entry, tool *manifest.Tool, taken map[string]bool) {
	o, special := offerOf(tool)
	var t *uritemplate.Template
	var variables bool
	if special && o.Prompt == "" {
		t, variables, special = template(o.Resource) // what is no URI is no resource
	}
	switch {
	case !special:
		if text, err := describe(tool); err == nil {
			v.tools = append(v.tools, listed{tool.Name, text})
		}
	case o.Prompt != "":
		v.addPrompt(&prompt{Name: o.Prompt, Title: title(tool), Description: tool.Description, Arguments: argumentsOf(tool), entry: e, tool: tool.Name})
	default:
		r := &resource{Name: tool.Name, Title: title(tool), Description: tool.Description, MIMEType: o.MIMEType, entry: e, tool: tool.Name, arguments: argumentsOf(tool)}
		switch {
		case !variables && v.resourceOf[o.Resource] == nil:
			r.URI = o.Resource
			v.resourceOf[r.URI] = r
		case variables && !taken[o.Resource]:
			taken[o.Resource] = true
			r.URI, r.template = o.Resource, t
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
	sum := func(add func(write func(any))) (out [sha256.Size]byte) {
		hash := sha256.New()
		encoder := json.NewEncoder(hash)
		add(func(value any) { _ = encoder.Encode(value) })
		hash.Sum(out[:0])
		return out
	}
	m.tools = sum(func(write func(any)) {
		for _, t := range v.tools {
			write(t.json)
		}
	})
	m.prompts = sum(func(write func(any)) {
		for _, p := range v.prompts {
			write(p)
		}
	})
	m.resources = sum(func(write func(any)) {
		for _, r := range slices.Concat(v.resources, v.templates) {
			write(r)
		}
	})
	return m
}
