package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

type inspectOptions struct {
	*globals
	Target string
	named  bool // somebody named the target
}

func newInspectCommand(g *globals) *cobra.Command {
	opts := &inspectOptions{globals: g}
	cmd := &cobra.Command{
		Use:   "inspect [dir|wasm]",
		Short: "Show what a built package holds",
		Long: `Show what a plug-in holds: tools, routes, lifecycle, sizes, the engine, what it
imports from its host and what it exports: of the package that the current folder
is in, or of a package's folder, its dist/, or any .wasm file that is named.`,
		Example: `  neuralis inspect
  neuralis inspect dist/package.wasm --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.named = len(args) == 1; opts.named {
				opts.Target = args[0]
			}
			return runInspect(cmd.Context(), opts)
		},
	}
	bindJSON(cmd, g)
	return cmd
}

func runInspect(ctx context.Context, o *inspectOptions) error {
	target := o.Path(o.Target)
	if !o.named {
		target = o.packageAbove()
	}
	found, err := build.Inspect(ctx, target)
	if err != nil {
		if reason := noPlugin(target); reason != nil {
			return reason
		}
		return &refusal{err}
	}
	found.File = o.Show(found.File)
	if o.JSON {
		return o.IO.WriteJSON(found)
	}
	style := o.IO.OutStyle()
	row := func(name, format string, args ...any) {
		fmt.Fprintf(o.IO.Out, "  %s  %s\n", style.Dim(fmt.Sprintf("%-9s", name)), terminal.Printable(fmt.Sprintf(format, args...)))
	}
	list := func(name string, values []string) {
		if len(values) > 0 {
			row(name, "%s", strings.Join(values, ", "))
		}
	}
	title := found.ID
	if title == "" {
		title = "foreign plug-in"
	} else if found.Version != "" {
		title += " " + found.Version
	}
	fmt.Fprintf(o.IO.Out, "%s\n", style.Bold(terminal.Printable(title)))
	row("file", "%s  %s", found.File, size(found.Bytes))
	if found.Format == "neuralis" {
		row("core", "%s  %s  %s", found.Engine, size(found.CoreBytes), found.Core[:12])
		row("image", "%s in %s", size(found.ImageBytes), terminal.Plural(found.ImageSegments, "segment"))
		if found.Toolchain != "" {
			row("built by", "neuralis %s", found.Toolchain)
		}
	}
	row("memory", "%d KiB at the start", found.MemoryKiB)
	if found.MapBytes > 0 {
		row("map", "%s", size(found.MapBytes))
	}
	list("tools", found.Tools)
	for i, r := range found.Routes {
		name := ""
		if i == 0 {
			name = "routes"
		}
		feature := ""
		if r.Feature != "" {
			feature = "  needs " + r.Feature
		}
		row(name, "%s %s%s", strings.Join(r.Methods, ","), r.Pattern, feature)
	}
	list("lifecycle", found.Lifecycle)
	list("exports", found.Exports)
	list("imports", found.Imports)
	return nil
}

// noPlugin is why a build makes no plug-in of the package in a folder, nil if it makes one or there is no package.
func noPlugin(dir string) error {
	pkg, _ := manifest.Load(dir)
	switch {
	case pkg == nil || pkg.Runtime == manifest.RuntimeWASM:
		return nil
	case pkg.Runtime == manifest.RuntimeNone:
		return refusef("the package %s has no code, so there is no plug-in to look into", pkg.ID)
	}
	return refusef("the package %s has the runtime %s: only those with wasm are built into a plug-in", pkg.ID, pkg.Runtime)
}
