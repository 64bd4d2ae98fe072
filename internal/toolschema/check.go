package toolschema

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// maxFaults is how many faults of one schema are told.
const maxFaults = 20

// Check compiles the schema of a tool and says what is wrong with it, at its place in the tool's file. Tools without a
// schema, and those in whose files package manifest found faults, have no more.
func Check(tool manifest.Tool) manifest.Diagnostics {
	if tool.Schema == nil || tool.Invalid {
		return nil
	}
	doc, _ := jsondoc.Parse(tool.Schema, jsondoc.DefaultLimits())
	if doc.Root == nil {
		return nil
	}
	_, err := Compile(doc.Root.Any())
	if err == nil {
		return nil
	}
	c := checker{doc: doc}
	c.faults(err)
	var diags manifest.Diagnostics
	for _, p := range c.found {
		diags = append(diags, manifest.FromProblem(doc, tool.File, p, manifest.RuleToolSchema))
	}
	diags.Sort()
	return diags[:min(len(diags), maxFaults)]
}

// What to do about faults of each kind.
const (
	hintDraft     = `without "$schema" a schema is read as draft-07; "neuralis schema tool" prints what a tool file can hold`
	hintPattern   = `write a regular expression of JavaScript, as with the flag u; in JSON each \ is written twice`
	hintReference = `put the schema under "definitions" in this file, and refer to it as "#/definitions/…"`
	hintDialect   = `remove "$schema", or set it to "http://json-schema.org/draft-07/schema#"`
)

type checker struct {
	doc   *jsondoc.Document
	found []jsondoc.Problem
}

// faults finds out what an error of the schema library is about.
func (c *checker) faults(err error) {
	var (
		mismatch  *jsonschema.SchemaValidationError
		pattern   *jsonschema.InvalidRegexError
		dialect   *jsonschema.InvalidMetaSchemaURLError
		draft     *jsonschema.UnsupportedDraftError
		cycle     *jsonschema.MetaSchemaCycleError
		loading   *jsonschema.LoadURLError
		pointer   *jsonschema.JSONPointerNotFoundError
		anchor    *jsonschema.AnchorNotFoundError
		violation *jsonschema.ValidationError
	)
	switch {
	case errors.As(err, &mismatch) && errors.As(mismatch.Err, &violation):
		c.violations(violation, tokens(mismatch.URL))
	case errors.As(err, &pattern):
		at := c.doc.LookupPath(tokens(pattern.URL)...)
		if at.Found && at.Value.Kind == jsondoc.Object { // the expression is the name of a member
			at = c.doc.LookupPath(append(tokens(pattern.URL), pattern.Regex)...)
			c.name(at, patternFault(pattern.Regex, pattern.Err), hintPattern)
			return
		}
		c.value(at, patternFault(pattern.Regex, pattern.Err), hintPattern)
	case errors.As(err, &dialect), errors.As(err, &draft), errors.As(err, &cycle), errors.As(err, &loading) && c.isDialect(loading.URL):
		at := c.doc.LookupPath("$schema")
		c.value(at, fmt.Sprintf("%s is no draft of JSON Schema that is known here", text(at)), hintDialect)
	case errors.As(err, &loading):
		at := c.reference(loading.URL)
		c.value(at, fmt.Sprintf("%s leads out of the file: %v", text(at), loading.Err), hintReference)
	case errors.As(err, &pointer):
		at := c.reference(pointer.URL)
		c.value(at, fmt.Sprintf("%s leads to nothing in this schema", text(at)), hintReference)
	case errors.As(err, &anchor):
		at := c.reference(anchor.Reference)
		c.value(at, fmt.Sprintf("%s leads to nothing in this schema", text(at)), hintReference)
	case errors.Is(err, errTooLarge):
		c.value(jsondoc.Place{Value: c.doc.Root}, fmt.Sprintf("the schema cannot be used: %v", err), "make it smaller")
	default:
		c.value(jsondoc.Place{Value: c.doc.Root}, fmt.Sprintf("the schema cannot be used: %v", err), hintDraft)
	}
}

// violations are the places where a schema is not what the schema of schemas asks for. Those around the innermost ones
// only say that there are some.
func (c *checker) violations(e *jsonschema.ValidationError, base []string) {
	at := append(slices.Clone(base), e.InstanceLocation...)
	if k, ok := e.ErrorKind.(*kind.PropertyNames); ok {
		place := c.doc.LookupPath(append(at, k.Property)...)
		var format *kind.Format
		for _, cause := range e.Causes {
			if f, ok := cause.ErrorKind.(*kind.Format); ok {
				format = f
			}
		}
		if format == nil {
			c.name(place, fmt.Sprintf("the name %q is not allowed here", clip(k.Property)), hintDraft)
			return
		}
		c.name(place, patternFault(k.Property, format.Err), hintPattern)
		return
	}
	for _, cause := range e.Causes {
		c.violations(cause, base)
	}
	if len(e.Causes) > 0 {
		return
	}
	place := c.doc.LookupPath(at...)
	switch k := e.ErrorKind.(type) {
	case *kind.Format:
		if k.Want == "regex" {
			c.value(place, patternFault(fmt.Sprint(k.Got), k.Err), hintPattern)
			return
		}
	case *kind.Type:
		// Of several things that would do, the others say more.
		for _, p := range c.found {
			if place.Value != nil && p.Start == place.Value.Start {
				return
			}
		}
	}
	printer := message.NewPrinter(language.English)
	c.value(place, fmt.Sprintf("%s is no JSON Schema: %s", called(at), clip(e.ErrorKind.LocalizedString(printer))), hintDraft)
}

// called is how a message names a place.
func called(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return fmt.Sprintf("%q", clip(strings.Join(path, ".")))
}

func patternFault(pattern string, err error) string {
	return fmt.Sprintf("%q is no regular expression: %v", clip(pattern), clip(err.Error()))
}

func text(at jsondoc.Place) string {
	if at.Value == nil || at.Value.Kind != jsondoc.String {
		return "a reference"
	}
	return fmt.Sprintf("%q", clip(at.Value.Text))
}

// value reports a fault of a value.
func (c *checker) value(at jsondoc.Place, text, hint string) {
	if at.Value == nil {
		at.Value = c.doc.Root
	}
	start, end := at.Value.Start, at.Value.End
	if at.Value.Kind == jsondoc.Object || at.Value.Kind == jsondoc.Array {
		end = start + 1
	}
	c.report(start, end, text, hint)
}

// name reports a fault of a member's name.
func (c *checker) name(at jsondoc.Place, text, hint string) {
	if at.Key == nil {
		c.value(at, text, hint)
		return
	}
	c.report(at.Key.Start, at.Key.End, text, hint)
}

func (c *checker) report(start, end int, text, hint string) {
	p := jsondoc.Problem{Code: jsondoc.CodeModel, Start: start, End: end, Message: text, Hint: hint}
	for i, other := range c.found {
		if other.Start == start {
			// A value of the wrong type among several types is told by the first message; keep the one that is there.
			if strings.Contains(other.Message, ": got ") {
				c.found[i] = p
			}
			return
		}
	}
	c.found = append(c.found, p)
}

// tokens are the steps of a URL's fragment, a JSON Pointer.
func tokens(location string) []string {
	_, fragment, _ := strings.Cut(location, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	if !strings.HasPrefix(fragment, "/") {
		return nil
	}
	steps := strings.Split(fragment[1:], "/")
	for i, step := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	}
	return steps
}

// reference is the member that refers to a location: the library says where one leads, but not where it stands.
func (c *checker) reference(target string) jsondoc.Place {
	var places, leaving []jsondoc.Place
	base, _ := url.Parse(location)
	wanted := normal(target)
	var visit func(v *jsondoc.Value)
	visit = func(v *jsondoc.Value) {
		for i := range v.Members {
			m := &v.Members[i]
			switch m.Name {
			case "$ref", "$dynamicRef", "$recursiveRef":
				if m.Value.Kind != jsondoc.String {
					break
				}
				place := jsondoc.Place{Value: m.Value, Key: m, Found: true}
				if u, err := url.Parse(m.Value.Text); err == nil {
					full := base.ResolveReference(u).String()
					if bare, _, _ := strings.Cut(full, "#"); normal(full) == wanted || normal(bare) == wanted {
						places = append(places, place)
					}
				}
				if !strings.HasPrefix(m.Value.Text, "#") {
					leaving = append(leaving, place)
				}
			}
			visit(m.Value)
		}
		for _, item := range v.Items {
			visit(item)
		}
	}
	visit(c.doc.Root)
	// Where a part of the schema has a name of its own, references in it are relative to that.
	for _, p := range append(places, leaving...) {
		return p
	}
	return jsondoc.Place{Value: c.doc.Root}
}

// isDialect reports whether a location is that of the document's $schema.
func (c *checker) isDialect(location string) bool {
	v := c.doc.Root.Get("$schema")
	return v != nil && v.Kind == jsondoc.String && normal(v.Text) == normal(location)
}

// normal makes spellings of a location equal.
func normal(location string) string {
	if decoded, err := url.PathUnescape(location); err == nil {
		location = decoded
	}
	return strings.TrimSuffix(location, "#")
}

// clip shortens what others wrote for a message.
func clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return string(bytes.ToValidUTF8([]byte(text[:most]), nil)) + "…"
}
