package dispatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// defaults are what a schema has for members that are left out: those in "default" of a property, of objects within
// objects and arrays too, where these are there. Defaults below anyOf, oneOf, not, if and the like are none, as they
// may be of a schema that does not hold.
type defaults struct {
	members map[string]memberDefault
	items   *defaults
	all     []*defaults // that hold besides
	useful  bool        // there is one somewhere below
}

type memberDefault struct {
	value json.RawMessage // nil where there is none
	below *defaults
}

// findDefaults finds the defaults of a schema document. extra are defaults for whole arguments, an object, which come
// before those of the schema.
func findDefaults(document any, extra json.RawMessage) (*defaults, error) {
	f := defaultsFinder{root: document, known: map[string]*defaults{}}
	found := f.of(document, "#")
	if len(bytes.TrimSpace(extra)) > 0 {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(extra))
		object, ok := value.(map[string]any)
		if err != nil || !ok {
			return nil, fmt.Errorf("its x-neuralis.defaults are no JSON object")
		}
		first := &defaults{members: map[string]memberDefault{}, useful: len(object) > 0}
		for name, member := range object {
			text, err := encode(member)
			if err != nil {
				return nil, err
			}
			first.members[name] = memberDefault{value: text}
		}
		found = &defaults{all: []*defaults{first, found}}
	}
	if !found.prune(map[*defaults]int{}) {
		return nil, nil
	}
	return found, nil
}

// defaultsFinder goes through a schema. Parts are known by their places, as references may lead back to them.
type defaultsFinder struct {
	root  any
	known map[string]*defaults
}

func (f *defaultsFinder) of(node any, at string) *defaults {
	if d, ok := f.known[at]; ok {
		return d
	}
	d := &defaults{}
	f.known[at] = d
	object, ok := node.(map[string]any)
	if !ok {
		return d
	}
	if ref, ok := object["$ref"].(string); ok {
		if target, ok := f.resolve(ref); ok {
			d.all = append(d.all, f.of(target, ref))
		}
		return d
	}
	if properties, ok := object["properties"].(map[string]any); ok {
		d.members = map[string]memberDefault{}
		for name, property := range properties {
			m := memberDefault{below: f.of(property, at+"/properties"+pointer(name))}
			if p, ok := property.(map[string]any); ok {
				if value, ok := p["default"]; ok {
					if text, err := encode(value); err == nil {
						m.value, d.useful = text, true
					}
				}
			}
			d.members[name] = m
		}
	}
	if items, ok := object["items"].(map[string]any); ok {
		d.items = f.of(items, at+"/items")
	}
	if all, ok := object["allOf"].([]any); ok {
		for i, one := range all {
			d.all = append(d.all, f.of(one, fmt.Sprintf("%s/allOf/%d", at, i)))
		}
	}
	return d
}

// resolve follows a reference within the schema.
func (f *defaultsFinder) resolve(ref string) (any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || path != "" && path[0] != '/' {
		return nil, false
	}
	node := f.root
	if path == "" {
		return node, true
	}
	for _, token := range strings.Split(path[1:], "/") {
		object, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if node, ok = object[token]; !ok {
			return nil, false
		}
	}
	return node, true
}

// How far prune has come with a part.
const (
	pruning = iota + 1
	pruned
)

// prune finds out where there is anything to do, so that the rest costs nothing at a call.
func (d *defaults) prune(state map[*defaults]int) bool {
	if d == nil {
		return false
	}
	switch state[d] {
	case pruning:
		// On the way to itself a part counts as useful: leaving it out could be wrong, and looking costs little.
		return true
	case pruned:
		return d.useful
	}
	state[d] = pruning
	for name, m := range d.members {
		if m.below.prune(state) {
			d.useful = true
		} else {
			m.below = nil
		}
		if m.below == nil && m.value == nil {
			delete(d.members, name)
		} else {
			d.members[name] = m
		}
	}
	if d.items.prune(state) {
		d.useful = true
	} else {
		d.items = nil
	}
	var all []*defaults
	for _, one := range d.all {
		if one.prune(state) {
			all = append(all, one)
			d.useful = true
		}
	}
	d.all = all
	state[d] = pruned
	return d.useful
}

// filling is one way through arguments. It throws tooMuch when it takes too many steps.
type filling struct{ steps, depth int }

// fill puts defaults into a value, and reports whether it did.
func (f *filling) fill(d *defaults, value any) (changed bool) {
	if d == nil {
		return false
	}
	if f.steps++; f.steps > maxSteps || f.depth > maxDepthOfDefaults {
		panic(tooMuch{})
	}
	f.depth++
	defer func() { f.depth-- }()
	for _, one := range d.all {
		changed = f.fill(one, value) || changed
	}
	switch value := value.(type) {
	case map[string]any:
		for name, m := range d.members {
			member, there := value[name]
			if !there && m.value != nil {
				// A copy each time: what is filled in may be filled further.
				fresh, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.value))
				if err != nil {
					continue
				}
				value[name], member, there, changed = fresh, fresh, true, true
			}
			if there {
				changed = f.fill(m.below, member) || changed
			}
		}
	case []any:
		if d.items == nil {
			break
		}
		for _, item := range value {
			changed = f.fill(d.items, item) || changed
		}
	}
	return changed
}

// maxDepthOfDefaults is how many schemas may lead to one another; a default may hold what it is the default of.
const maxDepthOfDefaults = 2000
