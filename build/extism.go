package build

import (
	"context"
	"errors"
	"strings"

	"github.com/neuralis-dev/neuralis/build/bundle"
	"github.com/neuralis-dev/neuralis/build/extismjs"
	"github.com/neuralis-dev/neuralis/manifest"
)

// withExtismJS replaces the plug-in of a build by the one that extism-js makes of the same sources.
// What the package says of itself stays that of our own snapshot, which has also shown that its
// top-level code runs.
func (b *Builder) withExtismJS(ctx context.Context, pkg *manifest.Package, m *made) manifest.Diagnostics {
	out, diags := bundle.Bundle(ctx, bundle.Input{Package: pkg, Minify: b.opts.Minify, Target: bundle.TargetExtismJS})
	if diags.HasErrors() {
		return unlike(diags)
	}
	plugin, err := extismjs.Compile(ctx, out.Code, b.opts.Environ)
	if err != nil {
		return manifest.Diagnostics{externalProblem(err)}
	}
	m.files[ModuleFile], m.files[MapFile] = plugin, out.Map
	m.result.Module = &ModuleInfo{Engine: extismjs.Program, Bundle: len(out.Code), ModuleSize: len(plugin)}
	return nil // the warnings are those of the first bundle
}

// topLevelAwait is how the bundler begins to say that a CommonJS module cannot have one.
const topLevelAwait = "Top-level await"

// unlike explains what only the bundle for extism-js cannot have.
func unlike(diags manifest.Diagnostics) manifest.Diagnostics {
	for i := range diags {
		if d := &diags[i]; strings.HasPrefix(d.Message, topLevelAwait) {
			d.Rule = RuleCompiler
			d.Message = "a plug-in made with extism-js cannot have a top-level await"
			d.Hint = "await in a handler or in init, or build with --compiler builtin"
		}
	}
	return diags
}

func externalProblem(err error) manifest.Diagnostic {
	d := problem(RuleCompiler, err)
	var failed *extismjs.FailedError
	switch {
	case errors.Is(err, extismjs.ErrMissing):
		d.Hint = "install extism-js from a release of the project extism/js-pdk on GitHub, with wasm-merge and wasm-opt of binaryen, and put them in the PATH; --compiler builtin needs none of them"
	case errors.As(err, &failed):
		d.Hint = "extism-js also needs wasm-merge and wasm-opt of binaryen in the PATH; --compiler builtin makes the same plug-in without it"
	}
	return d
}
