package bundle

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/build/dispatcher"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Input says what to bundle and how.
type Input struct {
	// Package is the package as loaded. Its Dir must exist.
	Package *manifest.Package
	// Dispatcher is the entry module's text; nil means what dispatcher.Generate writes.
	// It is not read from disk, so a bundle never sees a half-written or edited file.
	Dispatcher []byte
	// Minify shortens the module. Stacks stay readable through the map.
	Minify bool
	// ListInputs asks for Output.Inputs, which costs reading the bundler's report.
	ListInputs bool
	// Target is what the module is for.
	Target Target
}

// Target is the engine that a bundle runs in.
type Target int

const (
	// TargetSandbox is our own: the bundle is an ES module.
	TargetSandbox Target = iota
	// TargetExtismJS is that of Extism's js-pdk: the bundle is a CommonJS module that exports
	// handleTool, handleRoute and handleLifecycle. See build/guest/src/extism-js.ts.
	TargetExtismJS
)

// Output is a bundle, whole in memory.
type Output struct {
	// Code is one module without imports, of the kind that the target wants.
	Code []byte
	// Map is its source map (version 3, with sourcesContent). Code does not name it.
	Map []byte
	// Inputs are the files the bundle was made of, sorted by path; nil unless asked for.
	Inputs []InputFile
}

// Bundle makes the module of a sandboxed package. The diagnostics may hold warnings when
// the output is good; when they hold an error the output is empty. A cancelled ctx gives the
// error diagnostic "cancelled".
func Bundle(ctx context.Context, in Input) (Output, manifest.Diagnostics) {
	c, diags := NewContext(in)
	if diags.HasErrors() {
		return Output{}, diags
	}
	defer c.Close()
	return c.Rebuild(ctx, nil)
}

// Context bundles one package again and again and keeps between the runs what has not
// changed. It is for one goroutine at a time.
type Context struct {
	in         Input
	dir        string
	dispatcher atomic.Pointer[[]byte]
	globals    wanted
	asked      wanted // what the sources mention; globals may be more
	build      api.BuildContext
	folders    folders
	installation
	installedConfigs
}

// NewContext makes a Context; the first Rebuild prepares the bundler. Close it when done.
func NewContext(in Input) (*Context, manifest.Diagnostics) {
	// The bundler names files by where they really are, so the folder must be named
	// the same way, else every path in the map would begin with "../".
	dir, err := filepath.EvalSymlinks(in.Package.Dir)
	if err != nil {
		return nil, bundlerFailure("cannot open the package folder: %v", err)
	}
	c := &Context{in: in, dir: dir}
	text := in.Dispatcher
	if text == nil {
		text = dispatcher.Generate(in.Package)
	}
	c.dispatcher.Store(&text)
	return c, nil
}

// prepare makes the bundler ready to inject these globals.
func (c *Context) prepare(globals wanted) manifest.Diagnostics {
	c.Close()
	build, err := api.Context(c.options(globals))
	if err != nil {
		return c.diagnostics(err.Errors, manifest.SeverityError)
	}
	c.build, c.globals = build, globals
	return nil
}

// Close frees what the context keeps.
func (c *Context) Close() {
	if c.build != nil {
		c.build.Dispose()
		c.build = nil
	}
}

// Rebuild bundles what is on disk now. A non-nil text replaces the dispatcher, which a caller
// needs when a tool or route was added or removed.
func (c *Context) Rebuild(ctx context.Context, text []byte) (Output, manifest.Diagnostics) {
	if text != nil {
		c.dispatcher.Store(&text)
	}
	if diags := configFaults(c.dir); diags.HasErrors() {
		return Output{}, diags
	}
	// A save may bring a Web API into use, or an npm package into the package.
	if globals := c.mentioned(); c.build == nil || !c.asked.equal(globals) {
		if diags := c.prepare(globals); diags.HasErrors() {
			return Output{}, diags
		}
		c.asked = globals
	}
	result, err := c.run(ctx)
	if err == nil && len(result.Errors) == 0 && !c.globals.covers(result.Metafile) {
		if diags := c.prepare(wanted{all: true}); diags.HasErrors() {
			return Output{}, diags
		}
		result, err = c.run(ctx)
	}
	if err != nil {
		return Output{}, cancelled(err)
	}

	diags := c.diagnostics(result.Warnings, manifest.SeverityWarning)
	if len(result.Errors) > 0 {
		failed := c.explain(result.Errors)
		failed = append(failed, diags...)
		failed.Sort()
		return Output{}, failed
	}
	if escaped := c.escapes(result.Metafile); escaped.HasErrors() {
		return Output{}, append(escaped, diags...)
	}

	var out Output
	for _, file := range result.OutputFiles {
		if bytes.HasSuffix([]byte(file.Path), []byte(".map")) {
			out.Map = file.Contents
		} else {
			out.Code = file.Contents
		}
	}
	if c.in.ListInputs {
		inputs, err := listInputs(result.Metafile)
		if err != nil {
			return Output{}, bundlerFailure("cannot read the bundler's list of inputs: %v", err)
		}
		out.Inputs = inputs
	}
	diags.Sort()
	return out, diags
}

// run bundles once. The error is that of ctx.
func (c *Context) run(ctx context.Context) (api.BuildResult, error) {
	build := c.build
	result, err := rebuild(ctx, build)
	if err != nil {
		// It may be at work still, and disposing of it waits for that. The next run makes another.
		c.build, c.globals = nil, wanted{}
		go build.Dispose()
	}
	return result, err
}

// rebuild runs the bundler until it is ready or ctx ends. The bundler looks for a cancellation between files
// only, and one file can keep it for minutes: it is then left to end by itself.
func rebuild(ctx context.Context, build api.BuildContext) (api.BuildResult, error) {
	if err := ctx.Err(); err != nil {
		return api.BuildResult{}, err
	}
	done := make(chan api.BuildResult, 1)
	go func() { done <- build.Rebuild() }()
	select {
	case result := <-done:
		return result, ctx.Err()
	case <-ctx.Done():
		go build.Cancel()
		return api.BuildResult{}, ctx.Err()
	}
}

// cancelled is the one diagnostic that is not about the package.
func cancelled(err error) manifest.Diagnostics {
	message := "the build was cancelled"
	if errors.Is(err, context.DeadlineExceeded) {
		message = "the build ran out of time"
	}
	return manifest.Diagnostics{{Rule: RuleCancelled, Severity: manifest.SeverityError, Message: message}}
}
