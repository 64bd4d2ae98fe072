package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/devserver"
	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/internal/suggest"
	"github.com/neuralis-dev/neuralis/manifest"
)

// callArgs accepts a tool or a route and, after it, JSON. What is left without quotes on a shell arrives in pieces.
func callArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return fmt.Errorf("%s needs the name of a tool, or a route as in \"GET notes/milk\"", verb(cmd))
	case len(args) > 1 && isMethod(args[0]) && !json.Valid([]byte(args[1])) && args[1] != "-":
		return fmt.Errorf("a route is one argument, in quotes: %s %q", cmd.CommandPath(), args[0]+" "+args[1])
	case len(args) > 2:
		return fmt.Errorf("%s takes a tool or a route and its JSON, but got also %q: the JSON is one argument, in quotes", verb(cmd), args[2])
	}
	return nil
}

func isMethod(word string) bool {
	return slices.Contains([]string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions,
	}, strings.ToUpper(word))
}

// jsonFault says what is wrong with a text that should be JSON.
func jsonFault(text string) string {
	var v any
	err := json.Unmarshal([]byte(text), &v)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Sprint(err)
	}
	return fmt.Sprintf(`%v (at character %d); names and texts are in double quotes, as in '{"name":"Ada"}'`, err, syntax.Offset)
}

// noPackage is why the folder that --package names cannot be meant, in a project.
func (o *callOptions) noPackage(at *place, dir string, diags manifest.Diagnostics) error {
	if near := filepath.Join(at.Config.ProjectRoot, config.DropZone, o.Package); isPackage(near) {
		return refusef("there is no package in %s: did you mean --package %s?", o.Show(dir), o.Show(near))
	}
	if _, err := os.Stat(dir); err != nil {
		return refusef("there is no folder %s: --package is the folder of a package", o.Show(dir))
	}
	return placed(builtPackage{Dir: o.Show(dir), Diagnostics: diags})
}

// meant refuses to call a tool of another package than the one that --package names. Tools are found by their names
// alone, so such a call would be answered, by somebody else.
func (o *callOptions) meant(h *host.Host, who session.Session, pkg string, isRoute bool) error {
	if o.Package == "" || pkg == "" || isRoute {
		return nil
	}
	if entry, _, ok := h.Catalog().Tool(who, o.Target); ok && entry.ID != pkg {
		return refusef("the tool %s is that of the package %s in %s, not of %s: call it without --package",
			o.Target, entry.ID, o.Show(entry.Dir), pkg)
	}
	return nil
}

// hintFor says what to do about an error on the command line.
func (o *callOptions) hintFor(h *host.Host, who session.Session, e *dispatch.Error) string {
	switch e.Code {
	case dispatch.CodeFeatureRequired:
		with := fmt.Sprintf("--feature %s adds it", e.Feature)
		if roles := rolesWith(h, e.Feature); len(roles) > 0 {
			with = fmt.Sprintf("--as %s has it, and %s", strings.Join(roles, " or --as "), with)
		}
		return with
	case dispatch.CodeUnknownTool:
		if strings.Contains(o.Target, "/") {
			return fmt.Sprintf("a route is called with its method, as in \"GET %s\"", strings.TrimPrefix(o.Target, "/"))
		}
		var names []string
		for _, entry := range h.Catalog().Visible(who) {
			if entry.Package == nil {
				continue
			}
			for _, tool := range entry.Package.Tools {
				names = append(names, tool.Name)
			}
		}
		if near, ok := closestTool(o.Target, names); ok {
			return fmt.Sprintf("did you mean %s?", near)
		}
		return "a tool is a file tools/<name>.json with a handler src/tools/<name>.ts; neuralis inspect lists those of a package"
	case dispatch.CodeInvalidArguments:
		if _, tool, ok := h.Catalog().Tool(who, o.Target); ok {
			return fmt.Sprintf("they are the JSON after the tool's name; %s says what it takes", tool.File)
		}
	case dispatch.CodeNotFound:
		return "neuralis inspect lists the routes of a package"
	}
	return ""
}

// closestTool is the tool that a wrong name probably means: one that is spelled nearly so, or the only one that has more in front, as
// tools have the name of their package.
func closestTool(name string, names []string) (string, bool) {
	if near, ok := suggest.Closest(name, names); ok {
		return near, true
	}
	longer := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !strings.HasSuffix(s, "_"+name) })
	if len(longer) == 1 {
		return longer[0], true
	}
	return "", false
}

// rolesWith are the roles that have a feature, of those that the config or a package knows.
func rolesWith(h *host.Host, feature string) []string {
	known := map[string]bool{}
	for role := range h.Config().Roles {
		known[role] = true
	}
	for _, entry := range h.Catalog().All() {
		if entry.Package == nil {
			continue
		}
		for role := range entry.Package.Manifest.DefaultRoleGrants {
			known[role] = true
		}
	}
	var roles []string
	for role := range known {
		if (devserver.Identity{Role: role}).Session(h).Has(feature) {
			roles = append(roles, role)
		}
	}
	slices.Sort(roles)
	return roles
}
