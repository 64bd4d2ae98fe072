package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/build/wasm"
	"github.com/neuralis-dev/neuralis/internal/cachedir"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

type buildOptions struct {
	*globals
	Dirs   []string
	Watch  bool
	Poll   bool
	Inputs bool
	build.Options
}

func newBuildCommand(g *globals) *cobra.Command {
	opts := &buildOptions{globals: g}
	cmd := &cobra.Command{
		Use:   "build [dir…]",
		Short: "Build packages into dist/",
		Long: `Build packages: TypeScript into one self-contained dist/package.wasm with its
source map and dist/routes.json; a node package into dist/src; a declarative
package is only checked. A folder with _packages/ stands for all packages in it.
Without a folder it is the package that the current folder is in.

dist/ is the last good build or the new one, whatever fails in between.`,
		Example: `  neuralis build
  neuralis build packages/* --minify
  neuralis build --watch`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Dirs = args
			return runBuild(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Out, "out", "o", "", "output `folder`, relative to each package (default dist)")
	flags.BoolVar(&opts.Minify, "minify", false, "shorten the code; stacks stay readable")
	flags.BoolVarP(&opts.Watch, "watch", "w", false, "build again on every change")
	flags.BoolVar(&opts.Poll, "poll", false, "with --watch: look at files again and again instead of waiting for notifications")
	flags.BoolVar(&opts.Inputs, "inputs", false, "with --json: list the files that went into each bundle")
	flags.StringVar(&opts.Compiler, "compiler", build.CompilerBuiltin, "what makes the plug-in: builtin, or extism-js where it is installed")
	_ = cmd.RegisterFlagCompletionFunc("compiler", cobra.FixedCompletions([]string{build.CompilerBuiltin, build.CompilerExtismJS}, cobra.ShellCompDirectiveNoFileComp))
	bindJSON(cmd, g)
	return cmd
}

// builtPackage is one package in the result of `neuralis build --json`.
type builtPackage struct {
	ID      string `json:"id,omitempty"`
	Dir     string `json:"dir"`
	Runtime string `json:"runtime,omitempty"`
	OK      bool   `json:"ok"`
	// Milliseconds is how long the build took.
	Milliseconds float64               `json:"milliseconds"`
	Out          string                `json:"out,omitempty"`
	Files        []build.File          `json:"files,omitempty"`
	Module       *build.ModuleInfo     `json:"module,omitempty"`
	Routes       []manifest.Route      `json:"routes,omitempty"`
	Logs         []wasm.LogLine        `json:"logs,omitempty"`
	Inputs       any                   `json:"inputs,omitempty"`
	Diagnostics  []manifest.Diagnostic `json:"diagnostics"`
}

func runBuild(ctx context.Context, o *buildOptions) error {
	if o.Compiler != build.CompilerBuiltin && o.Compiler != build.CompilerExtismJS {
		return usagef("--compiler is %s or %s, not %q", build.CompilerBuiltin, build.CompilerExtismJS, o.Compiler)
	}
	dirs, err := o.packageDirs(o.Dirs)
	if err != nil {
		return err
	}
	if o.Out != "" && filepath.IsAbs(o.Out) && len(dirs) > 1 {
		return usagef("--out %s is one folder for %d packages: give a folder relative to each of them", o.Out, len(dirs))
	}
	if !o.Watch {
		defer collectLate()()
	}
	progress := terminal.NewProgress(o.IO, "building", len(dirs))
	o.Options.CacheDir, o.Options.Toolchain = o.cacheDir(), readVersion().Version
	o.Options.ListInputs = o.Inputs
	o.Options.Environ = os.Environ()
	o.Options.OnColdStart = func() {
		progress.Note("Preparing the JavaScript engine for this machine; later builds find it in the cache.")
	}
	builder := build.New(o.Options)
	defer builder.Close(context.WithoutCancel(ctx))
	if o.Watch {
		progress.Close()
		return watchBuild(ctx, o, builder, dirs)
	}
	results := buildAll(ctx, o, builder, dirs, progress)
	progress.Close()
	if err := ctx.Err(); err != nil {
		return err // somebody stopped it: what failed because of that is no finding
	}
	return o.reportBuild(results)
}

// buildAll builds packages, as many at a time as there are processors.
func buildAll(ctx context.Context, o *buildOptions, builder build.Interface, dirs []string, progress *terminal.Progress) []builtPackage {
	results := make([]builtPackage, len(dirs))
	panics := make(chan any, len(dirs))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, dir := range dirs {
		group.Go(func() (err error) {
			// A panic belongs to the goroutine that runs the command, which reports it.
			defer func() {
				if v := recover(); v != nil {
					panics <- v
				}
			}()
			name := o.Show(dir)
			if name == "." {
				name = filepath.Base(dir)
			}
			progress.Start(name)
			results[i] = o.buildOne(ctx, builder, dir)
			r := results[i]
			if !r.OK {
				if ctx.Err() == nil { // else it was stopped, which is said once for all
					progress.Fail(name, "failed")
				}
				return nil
			}
			for _, line := range r.Logs {
				progress.Note(fmt.Sprintf("  %-5s %s", line.Level, terminal.Printable(line.Message)))
			}
			progress.Done(name, r.outcome())
			return nil
		})
	}
	_ = group.Wait()
	select {
	case v := <-panics:
		panic(v)
	default:
	}
	return results
}

func (o *buildOptions) buildOne(ctx context.Context, builder build.Interface, dir string) builtPackage {
	start := time.Now()
	r := builtPackage{Dir: o.Show(dir), Diagnostics: []manifest.Diagnostic{}}
	pkg, diags := manifest.Load(dir)
	if pkg != nil {
		r.ID, r.Runtime = pkg.ID, string(pkg.Runtime)
	}
	if pkg != nil && !diags.HasErrors() {
		result, more := builder.Build(ctx, pkg)
		diags = append(diags, more...)
		if result != nil {
			r.OK, r.Out = true, o.Show(result.Dir)
			r.Files, r.Module, r.Routes = result.Files, result.Module, result.Routes.Routes
			r.Logs = result.Logs
			if result.Inputs != nil {
				r.Inputs = result.Inputs
			}
		}
	}
	r.Milliseconds = float64(time.Since(start).Microseconds()) / 1000
	r.Diagnostics = append(r.Diagnostics, diags...)
	return r
}

// outcome is what a good build comes to, in a few words.
func (r builtPackage) outcome() string {
	took := fmt.Sprintf("%.0f ms", r.Milliseconds)
	switch {
	case r.Module != nil:
		return fmt.Sprintf("%s  %s  %s", filepath.Join(r.Out, build.ModuleFile), size(r.Module.ModuleSize), took)
	case len(r.Files) > 0:
		return fmt.Sprintf("%s  %s  %s", r.Out, terminal.Plural(len(r.Files), "file"), took)
	}
	return "checked, nothing to build"
}

// size is a number of bytes for people.
func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.2f MB", float64(n)/1e6)
}

func (o *buildOptions) reportBuild(results []builtPackage) error {
	failed := false
	var diags manifest.Diagnostics
	for _, r := range results {
		failed = failed || !r.OK
		diags = append(diags, placed(r)...)
	}
	if o.JSON {
		if err := o.IO.WriteJSON(map[string]any{"ok": !failed, "packages": results}); err != nil {
			return err
		}
	} else {
		terminal.PrintDiagnostics(o.IO, diags)
	}
	if failed {
		return errFindings
	}
	return nil
}

// placed gives diagnostics the folder of their package, as seen from where the user is.
func placed(r builtPackage) manifest.Diagnostics {
	at := func(file string) string {
		if file == "" || filepath.IsAbs(file) || strings.Contains(file, ":") {
			return file
		}
		return filepath.ToSlash(filepath.Join(r.Dir, filepath.FromSlash(file)))
	}
	out := make(manifest.Diagnostics, len(r.Diagnostics))
	for i, d := range r.Diagnostics {
		if d.File == "" && d.Line == 0 {
			d.File = filepath.ToSlash(r.Dir)
		} else {
			d.File = at(d.File)
		}
		notes := make([]manifest.Note, len(d.Notes))
		for j, n := range d.Notes {
			n.File = at(n.File)
			notes[j] = n
		}
		d.Notes = notes
		out[i] = d
	}
	return out
}

// packageDirs are the folders of the packages that the arguments mean.
func (g *globals) packageDirs(args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{g.packageAbove()}
	}
	var dirs []string
	seen := map[string]bool{}
	add := func(dir string) {
		if !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	for _, arg := range args {
		dir := g.Path(arg)
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, refusef("there is no folder %s", arg)
		case err != nil:
			return nil, fmt.Errorf("looking at %s: %w", arg, errors.Unwrap(err))
		case !info.IsDir():
			return nil, usagef("%s is not a folder: name the folder of a package", arg)
		}
		zone := filepath.Join(dir, projectPackages)
		if filepath.Base(dir) == projectPackages {
			zone = dir
		}
		members, err := packagesOf(zone)
		if err != nil || hasManifest(dir) {
			add(dir)
			continue
		}
		for _, member := range members {
			add(member)
		}
	}
	if len(dirs) == 0 {
		return nil, refusef("there is no package in %s", strings.Join(args, ", "))
	}
	return dirs, nil
}

func isPackage(dir string) bool {
	for _, name := range []string{manifest.PackageJSON, manifest.NeuralisPackageJSON} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// cacheDir is where the engine's machine code is kept; empty when there is no safe place for it.
func (g *globals) cacheDir() string {
	dir, warning := cachedir.Find(g.IO.Getenv)
	if warning != "" {
		g.IO.Printf("%s\n", terminal.Printable(warning))
	}
	return dir
}
