package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/build/typegen"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

type typesOptions struct {
	*globals
	Dirs []string
}

func newTypesCommand(g *globals) *cobra.Command {
	opts := &typesOptions{globals: g}
	cmd := &cobra.Command{
		Use:   "types [dir…]",
		Short: "Write .neuralis/, the types for the editor",
		Long: `Write .neuralis/ alone, without a build: declarations of what the sandbox offers,
argument types from each tools/*.json, and a tsconfig.json to extend. Without a
folder it is written for the package that the current folder is in.`,
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Dirs = args
			return runTypes(opts)
		},
	}
	bindJSON(cmd, g)
	return cmd
}

// writeTypes writes .neuralis/ of a package that has just been made or added to, so that the editor knows its types
// before the first build. That it cannot is no reason to fail: a build says why.
func (g *globals) writeTypes(dir string) {
	pkg, diags := manifest.Load(dir)
	if pkg == nil || diags.HasErrors() || pkg.Runtime != manifest.RuntimeWASM && pkg.Runtime != manifest.RuntimeNode {
		return
	}
	if _, err := typegen.Generate(pkg); err != nil {
		g.IO.Printf("The types for the editor are not written: %s\n", terminal.Printable(err.Error()))
	}
}

// writtenTypes is one package in the result of `neuralis types --json`.
type writtenTypes struct {
	Dir     string   `json:"dir"`
	Changed []string `json:"changed"`
}

func runTypes(o *typesOptions) error {
	dirs, err := o.packageDirs(o.Dirs)
	if err != nil {
		return err
	}
	results := []writtenTypes{}
	var all manifest.Diagnostics
	for _, dir := range dirs {
		pkg, diags := manifest.Load(dir)
		all = append(all, placed(builtPackage{Dir: o.Show(dir), Diagnostics: diags})...)
		if pkg == nil || diags.HasErrors() {
			continue
		}
		changed, err := typegen.Generate(pkg)
		if err != nil {
			return err
		}
		results = append(results, writtenTypes{Dir: o.Show(dir), Changed: append([]string{}, changed...)})
		if !o.JSON {
			o.IO.Printf("%s  %s changed\n", filepath.Join(o.Show(dir), ".neuralis"), terminal.Plural(len(changed), "file"))
		}
	}
	if o.JSON {
		if err := o.IO.WriteJSON(map[string]any{"ok": !all.HasErrors(), "packages": results, "diagnostics": append(manifest.Diagnostics{}, all...)}); err != nil {
			return err
		}
	} else {
		terminal.PrintDiagnostics(o.IO, all)
	}
	if all.HasErrors() {
		return errFindings
	}
	return nil
}
