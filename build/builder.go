package build

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/neuralis-dev/neuralis/build/bundle"
	"github.com/neuralis-dev/neuralis/build/split"
	"github.com/neuralis-dev/neuralis/build/wasm"
	"github.com/neuralis-dev/neuralis/internal/atomicfile"
	"github.com/neuralis-dev/neuralis/internal/sourcemap"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Builder is the Interface that does the work. It keeps the engine between builds and is safe for
// concurrent use; Close it when done.
type Builder struct {
	opts Options

	once     sync.Once
	ready    chan struct{} // closed when the compiler was tried
	compiler *wasm.Compiler
	failed   error
}

// New makes a builder. It starts nothing: the engine is loaded when the first package needs it.
func New(opts Options) *Builder { return &Builder{opts: opts, ready: make(chan struct{})} }

// Warm begins to load the engine, so that it is ready when a bundle is.
func (b *Builder) Warm(ctx context.Context) {
	b.once.Do(func() {
		go func() {
			defer close(b.ready)
			b.compiler, b.failed = wasm.New(context.WithoutCancel(ctx), wasm.Options{
				CacheDir:    b.opts.CacheDir,
				Toolchain:   b.opts.Toolchain,
				OnColdStart: b.opts.OnColdStart,
			})
		}()
	})
}

func (b *Builder) engine(ctx context.Context) (*wasm.Compiler, error) {
	b.Warm(ctx)
	select {
	case <-b.ready:
		return b.compiler, b.failed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close frees the engine. No build may be running.
func (b *Builder) Close(ctx context.Context) error {
	b.once.Do(func() { close(b.ready) })
	<-b.ready
	if b.compiler == nil {
		return nil
	}
	return b.compiler.Close(ctx)
}

// Build implements Interface.
func (b *Builder) Build(ctx context.Context, pkg *manifest.Package) (*Result, manifest.Diagnostics) {
	return b.build(ctx, pkg, bundle.Bundle)
}

// bundler makes the bundle of a sandboxed package.
type bundler func(context.Context, bundle.Input) (bundle.Output, manifest.Diagnostics)

func (b *Builder) build(ctx context.Context, pkg *manifest.Package, bundler bundler) (*Result, manifest.Diagnostics) {
	start := time.Now()
	if err := b.opts.checkOut(pkg); err != nil {
		return nil, manifest.Diagnostics{problem(RuleOutput, err)}
	}
	if pkg.Runtime == manifest.RuntimeWASM {
		b.Warm(ctx)
	}
	// First, because a package's tsconfig.json extends one of the files that are written, and the bundler reads it.
	diags := Check(pkg)
	var made *made
	var more manifest.Diagnostics
	var beside sync.WaitGroup // what is left for the next build is written beside what this one is for
	defer beside.Wait()
	switch pkg.Runtime {
	case manifest.RuntimeWASM:
		made, more = b.sandboxed(ctx, pkg, bundler, &beside)
	case manifest.RuntimeNode:
		made, more = transpiled(ctx, pkg)
	default:
		if diags.HasErrors() {
			return nil, diags
		}
		return &Result{Package: pkg, Dir: b.opts.outDir(pkg), Duration: time.Since(start)}, diags
	}
	if diags = append(diags, more...); diags.HasErrors() {
		return nil, diags
	}
	result := made.result
	result.Package, result.Dir = pkg, b.opts.outDir(pkg)
	result.Routes = made.routes
	made.files[RoutesFile] = made.routes.Bytes()
	files := make([]atomicfile.File, 0, len(made.files))
	for path, data := range made.files {
		files = append(files, atomicfile.File{Path: path, Data: data})
		result.Files = append(result.Files, File{Path: path, Bytes: len(data)})
	}
	slices.SortFunc(result.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if err := atomicfile.Publish(ctx, result.Dir, files, atomicfile.Options{Volatile: true, Replaces: b.opts.replaces(pkg)}); err != nil {
		return nil, append(diags, problem(RuleOutput, fmt.Errorf("writing %s: %w", result.Dir, err)))
	}
	result.Duration = time.Since(start)
	return &result, diags
}

// made is a build that is not written yet.
type made struct {
	files  map[string][]byte // by path in the output folder
	routes manifest.RouteTable
	result Result
}

func problem(rule string, err error) manifest.Diagnostic {
	return manifest.Diagnostic{Rule: rule, Severity: manifest.SeverityError, Message: err.Error()}
}

// sandboxed builds a wasm package.
func (b *Builder) sandboxed(ctx context.Context, pkg *manifest.Package, bundler bundler, beside *sync.WaitGroup) (*made, manifest.Diagnostics) {
	out, diags := bundler(ctx, bundle.Input{Package: pkg, Minify: b.opts.Minify, ListInputs: b.opts.ListInputs})
	if diags.HasErrors() {
		return nil, diags
	}
	made, more := b.freeze(ctx, pkg, out, beside)
	if made != nil && b.opts.Compiler == CompilerExtismJS {
		more = append(more, b.withExtismJS(ctx, pkg, made)...)
	}
	return made, append(diags, more...)
}

// freeze makes the plug-in of a bundle.
func (b *Builder) freeze(ctx context.Context, pkg *manifest.Package, out bundle.Output, beside *sync.WaitGroup) (*made, manifest.Diagnostics) {
	compiler, err := b.engine(ctx)
	if err != nil {
		return nil, manifest.Diagnostics{problem(RuleCompiler, err)}
	}
	id := wasm.Identity{ID: pkg.ID, Version: pkg.Version}
	core := compiler.Core().Core
	var before kept
	folder := b.keptFolder(pkg)
	if len(out.Code) >= split.Threshold && folder != "" {
		before = recall(folder)
	}
	sources, names, lines := b.sources(out, before.Names)
	placed := beginWithLines(out.Map, lines)
	module, err := compiler.Snapshot(ctx, sources, before.earlier(folder, core), id)
	if err != nil && len(sources) > 1 && ctx.Err() == nil {
		// In pieces the bundle may be refused where it is right whole; what is wrong stays wrong,
		// and is reported in terms of the whole.
		lines = nil
		module, err = compiler.Snapshot(ctx, []wasm.Source{{Name: BundleName, Code: out.Code}}, nil, id)
	}
	if err != nil {
		return nil, manifest.Diagnostics{b.evaluationProblem(ctx, pkg, err, out)}
	}
	if lines != nil && folder != "" {
		beside.Go(func() { before.remember(folder, core, names, module) })
	}
	if lines != nil {
		if out.Map, err = placed(); err != nil {
			return nil, manifest.Diagnostics{problem(RuleCompiler, err)}
		}
	}
	routes, diags := describedRoutes(pkg, module.Describe, out)
	if diags.HasErrors() {
		return nil, diags
	}
	meta := compiler.Core()
	return &made{
		files:  map[string][]byte{ModuleFile: module.WASM, MapFile: out.Map},
		routes: manifest.RouteTable{Version: manifest.RouteTableVersion, Routes: routes},
		result: Result{
			Inputs: out.Inputs,
			Logs:   module.Logs,
			Module: &ModuleInfo{
				Engine: meta.Engine, Core: meta.Core, Bundle: len(out.Code),
				Image: module.ImageBytes, MemoryKiB: module.Pages * 64, ModuleSize: len(module.WASM),
			},
		},
	}, nil
}

// misshapen is how the guest's runtime begins to say that a module is not what its folder asks for.
var misshapen = regexp.MustCompile(`^(?:Error: )?(src/[^:]+): (.*)$`)

// evaluationProblem leads what the package's code threw back to the author's file.
func (b *Builder) evaluationProblem(ctx context.Context, pkg *manifest.Package, err error, out bundle.Output) manifest.Diagnostic {
	var thrown *wasm.EvalError
	if !errors.As(err, &thrown) {
		return problem(RuleCompiler, err)
	}
	m, mapErr := sourcemap.Parse(out.Map)
	if mapErr != nil {
		m = nil
	}
	d := m.Diagnostic(BundleName, sourcemap.Thrown{Name: thrown.Name, Message: thrown.Message, Stack: thrown.Stack})
	d.Rule = RuleEvaluation
	switch {
	case thrown.TimedOut:
		d.Rule = RuleTimeout
		d.Hint = "code at the top level of a module runs once, while the package is built: do work that takes long in init or in a handler"
	case thrown.Pending:
		d.Rule = RulePending
		d.Hint = "move the await into init (src/lifecycle.ts) or into a handler: while the package is built there is no host, and no timer or request that could resolve a promise"
		b.placeAwaits(ctx, pkg, &d)
	case sourcemap.Internal(d.File) && misshapen.MatchString(d.Message):
		parts := misshapen.FindStringSubmatch(d.Message)
		d.Rule, d.Message, d.Notes = RuleShape, parts[2], nil
		m.AtExport(&d, parts[1], exportMeant(parts[1], parts[2]))
	case d.Hint == "":
		d.Hint = "code at the top level of a module runs once, while the package is built"
		if d.File == "" {
			d.Hint += "; throw an Error, which knows where it was made"
		}
	}
	return d
}

// placeAwaits finds the top-level awaits of a package, of which one never settled: the engine does not say which.
// The bundler names them when it is asked for a format that cannot have any.
func (b *Builder) placeAwaits(ctx context.Context, pkg *manifest.Package, d *manifest.Diagnostic) {
	_, found := bundle.Bundle(ctx, bundle.Input{Package: pkg, Target: bundle.TargetExtismJS})
	for _, f := range found {
		if !strings.HasPrefix(f.Message, topLevelAwait) {
			continue
		}
		if d.File == "" {
			d.File, d.Line, d.Column, d.EndColumn, d.Frame = f.File, f.Line, f.Column, f.EndColumn, f.Frame
		}
		d.Notes = append(d.Notes, manifest.Note{Message: "awaits at the top level", File: f.File, Line: f.Line, Column: f.Column})
	}
}

// transpiled builds a node package.
func transpiled(ctx context.Context, pkg *manifest.Package) (*made, manifest.Diagnostics) {
	out, diags := bundle.Transpile(ctx, pkg)
	if diags.HasErrors() {
		return nil, diags
	}
	m := &made{files: map[string][]byte{}, routes: out.Routes}
	for _, f := range out.Files {
		m.files[strings.TrimPrefix(f.Path, DefaultOut+"/")] = f.Contents
	}
	return m, diags
}
