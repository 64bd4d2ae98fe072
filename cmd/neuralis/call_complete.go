package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

// completeCall proposes what can be called: the tools of the package, and the routes of its last build. In a project they
// are those of all its packages. folder is what --package says.
func completeCall(g *globals, folder *string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || g.resolve() != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		dir := g.findAbove()
		if *folder != "" {
			dir = g.Path(*folder)
		}
		var names []string
		for _, dir := range packagesIn(dir) {
			if pkg, _ := manifest.Load(dir); pkg != nil {
				names = append(names, callable(pkg)...)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// packagesIn are the packages that a folder stands for: itself, or those of a project.
func packagesIn(dir string) []string {
	members, err := packagesOf(filepath.Join(dir, projectPackages))
	if err != nil || hasManifest(dir) {
		return []string{dir}
	}
	return members
}

// maxRouteTable is the size of tables of routes that are read, in bytes.
const maxRouteTable = 1 << 20

// callable are the tools and routes of a package, each with what it is behind a tab.
func callable(pkg *manifest.Package) []string {
	var names []string
	add := func(name, about string) {
		// A tab or line end would begin another proposal.
		clean := func(text string) string { return strings.Join(strings.Fields(terminal.Printable(text)), " ") }
		names = append(names, clean(name)+"\t"+clean(about))
	}
	for _, tool := range pkg.Tools {
		about := tool.Title
		if about == "" {
			about = tool.Description
		}
		add(tool.Name, about)
	}
	file := filepath.Join(pkg.Dir, build.DefaultOut, build.RoutesFile)
	text, err := regularfile.Read(file, maxRouteTable)
	if err != nil {
		return names
	}
	table, _ := manifest.ParseRouteTable(build.RoutesFile, text)
	for _, route := range table.Routes {
		for _, method := range route.Methods {
			add(method+" "+route.Pattern, route.Feature)
		}
	}
	return names
}
