package manifest

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Methods returns the HTTP methods that a route file can export handlers for, in the order in which lists
// of methods are written.
func Methods() []string { return slices.Clone(methods) }

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// sortMethods puts methods into the order of [Methods]; unknown ones come last.
func sortMethods(list []string) {
	rank := func(m string) int {
		if i := slices.Index(methods, m); i >= 0 {
			return i
		}
		return len(methods)
	}
	slices.SortFunc(list, func(a, b string) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra - rb
		}
		return strings.Compare(a, b)
	})
}

// Router finds the route for a request to a package. It is immutable and safe for concurrent use.
type Router struct {
	root *routerNode
}

// routerNode is what the routes say about paths that begin in one way. Each path of nodes is one beginning,
// so a search visits a node at most once.
type routerNode struct {
	literals map[string]*routerNode
	param    *routerNode
	end      *target // a pattern ends here
	rest     *target // a pattern goes on with *rest
}

type target struct {
	route   Route
	pattern Pattern
}

// NewRouter makes a router. It is an error if a pattern is malformed, if a route has no or an unknown
// method, or if two patterns match the same paths; the error names all such routes.
func NewRouter(routes []Route) (*Router, error) {
	r := &Router{root: &routerNode{}}
	var faults []error
	for _, route := range routes {
		pattern, err := ParsePattern(route.Pattern)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", route.Source, err))
			continue
		}
		if err := checkMethods(route.Methods); err != nil {
			faults = append(faults, fmt.Errorf("%s: pattern %q: %w", route.Source, route.Pattern, err))
			continue
		}
		route.Methods = slices.Clone(route.Methods)
		sortMethods(route.Methods)
		if err := r.add(&target{route, pattern}); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return r, nil
}

func checkMethods(list []string) error {
	if len(list) == 0 {
		return errors.New("the route handles no method")
	}
	for i, m := range list {
		if !slices.Contains(methods, m) {
			return fmt.Errorf("unknown method %q; there are %s", clip(m), strings.Join(methods, ", "))
		}
		if slices.Contains(list[:i], m) {
			return fmt.Errorf("the method %s is there twice", m)
		}
	}
	return nil
}

func (r *Router) add(t *target) error {
	node := r.root
	place := &node.end
	for _, s := range t.pattern.segments {
		switch s.kind {
		case segmentLiteral:
			next := node.literals[s.text]
			if next == nil {
				if node.literals == nil {
					node.literals = map[string]*routerNode{}
				}
				next = &routerNode{}
				node.literals[s.text] = next
			}
			node, place = next, &next.end
		case segmentParam:
			if node.param == nil {
				node.param = &routerNode{}
			}
			node, place = node.param, &node.param.end
		case segmentRest:
			place = &node.rest
		}
	}
	if other := *place; other != nil {
		return fmt.Errorf("%s: pattern %q matches the same paths as %q in %s; change one of them",
			t.route.Source, t.route.Pattern, other.route.Pattern, other.route.Source)
	}
	*place = t
	return nil
}

// MatchResult says how a search for a route ended.
type MatchResult int

// The ways in which a search for a route ends.
const (
	// NotFound: no pattern matches the path; for HTTP, status 404.
	NotFound MatchResult = iota
	// MethodNotAllowed: the route for the path does not handle the method; for HTTP, status 405.
	MethodNotAllowed
	// Matched: there is a route.
	Matched
)

// String is the result's name.
func (r MatchResult) String() string {
	switch r {
	case NotFound:
		return "not found"
	case MethodNotAllowed:
		return "method not allowed"
	case Matched:
		return "matched"
	}
	return fmt.Sprintf("MatchResult(%d)", int(r))
}

// Match is the route that a search found. It is zero when nothing was found.
type Match struct {
	// Route is the route whose pattern matches the path.
	Route Route
	// Method is the method whose handler to call. It is GET for a HEAD request to a route without a handler
	// of its own for it: the response is the same, and its body is not sent.
	Method string
	// Params are the path's values for the parameters, percent-decoded.
	Params map[string]string
	// Allowed are the methods that Route handles, HEAD included where GET is: what an Allow header says.
	Allowed []string
}

// Match finds the route for a method and a path below the package. The path is still percent-encoded and
// does not begin with a slash, though one is forgiven; it is without query.
//
// The path is split at its slashes and each segment is decoded after that, so an encoded slash is part of a
// value and never changes which route is found. Among the patterns that match, the one that is more specific
// in the first segment in which they differ wins: a literal before a :param before a *rest. That choice is
// made by the path alone: if the winner does not handle the method, the result is [MethodNotAllowed].
//
// Nothing matches a path with an empty segment (a doubled slash, or one at the end), with a malformed
// percent-encoding, or with a segment that does not decode to UTF-8 text without NUL. Nothing matches a
// path with a segment "." or ".." either, or one that has such a part between slashes or backslashes after
// decoding: handlers may use values as paths.
func (r *Router) Match(method, escapedPath string) (Match, MatchResult) {
	segments, ok := splitPath(escapedPath)
	if !ok {
		return Match{}, NotFound
	}
	t := r.root.find(segments)
	if t == nil {
		return Match{}, NotFound
	}
	m := Match{Route: t.route, Allowed: slices.Clone(t.route.Methods)}
	m.Route.Methods = slices.Clone(t.route.Methods)
	if slices.Contains(m.Allowed, "GET") && !slices.Contains(m.Allowed, "HEAD") {
		m.Allowed = append(m.Allowed, "HEAD")
		sortMethods(m.Allowed)
	}
	switch {
	case slices.Contains(t.route.Methods, method):
		m.Method = method
	case method == "HEAD" && slices.Contains(t.route.Methods, "GET"):
		m.Method = "GET"
	default:
		return m, MethodNotAllowed
	}
	m.Params = map[string]string{}
	for i, s := range t.pattern.segments {
		switch s.kind {
		case segmentParam:
			m.Params[s.text] = segments[i]
		case segmentRest:
			m.Params[s.text] = strings.Join(segments[i:], "/")
		}
	}
	return m, Matched
}

// find searches the most specific pattern for what is left of a path.
func (n *routerNode) find(segments []string) *target {
	if len(segments) == 0 {
		return n.end
	}
	if next := n.literals[segments[0]]; next != nil {
		if t := next.find(segments[1:]); t != nil {
			return t
		}
	}
	if n.param != nil {
		if t := n.param.find(segments[1:]); t != nil {
			return t
		}
	}
	return n.rest
}

// splitPath is a path's segments, decoded. It is not ok for paths that no pattern matches.
func splitPath(escaped string) (segments []string, ok bool) {
	escaped = strings.TrimPrefix(escaped, "/")
	if escaped == "" {
		return nil, true
	}
	segments = strings.Split(escaped, "/")
	for i, s := range segments {
		decoded, err := url.PathUnescape(s)
		if err != nil || decoded == "" || !utf8.ValidString(decoded) || strings.ContainsRune(decoded, 0) || dotted(decoded) {
			return nil, false
		}
		segments[i] = decoded
	}
	return segments, true
}

// dotted reports whether a part of a decoded segment means another folder.
func dotted(segment string) bool {
	parts := strings.FieldsFunc(segment, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.Contains(parts, ".") || slices.Contains(parts, "..")
}
