package build

import (
	"bytes"
	"context"
	"sync"

	"github.com/neuralis-dev/neuralis/build/bundle"
	"github.com/neuralis-dev/neuralis/build/dispatcher"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Incremental builds one package again and again. Between builds it keeps what the bundler knows of files that have not
// changed, which costs memory; Close frees it. It is safe for concurrent use, one build at a time.
type Incremental struct {
	builder *Builder

	mu      sync.Mutex
	context *bundle.Context
	// What the context was made for.
	manifest []byte
}

var _ Interface = (*Incremental)(nil)

// Incremental makes an Interface for one package, by its folder's latest state.
func (b *Builder) Incremental() *Incremental { return &Incremental{builder: b} }

// Build implements [Interface]. It is always for the same package, as it was loaded now.
func (i *Incremental) Build(ctx context.Context, pkg *manifest.Package) (*Result, manifest.Diagnostics) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.builder.build(ctx, pkg, i.bundle)
}

func (i *Incremental) bundle(ctx context.Context, in bundle.Input) (bundle.Output, manifest.Diagnostics) {
	// What the manifest says (main, imports, sideEffects) decides how files are found.
	if i.context != nil && !bytes.Equal(i.manifest, in.Package.Source) {
		i.context.Close()
		i.context = nil
	}
	if i.context == nil {
		made, diags := bundle.NewContext(in)
		if diags.HasErrors() {
			return bundle.Output{}, diags
		}
		i.context, i.manifest = made, in.Package.Source
	}
	return i.context.Rebuild(ctx, dispatcher.Generate(in.Package))
}

// Close frees what is kept. The next build makes it again.
func (i *Incremental) Close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.context != nil {
		i.context.Close()
		i.context = nil
	}
}
