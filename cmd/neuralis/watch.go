package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/internal/watch"
)

// watchBuild builds once and then again whenever something changes, until it is interrupted. A
// build that fails leaves dist/ as it was, and the next one gets its chance.
func watchBuild(ctx context.Context, o *buildOptions, builder build.Interface, dirs []string) error {
	rebuild := func(dirs []string) {
		progress := terminal.NewProgress(o.IO, "building", len(dirs))
		results := buildAll(ctx, o, builder, dirs, progress)
		progress.Close()
		_ = o.reportBuild(results) // errFindings is for the exit code of a run that ends
	}
	rebuild(dirs)
	if !o.JSON {
		o.IO.Printf("Watching %s. Press Ctrl-C to stop.\n", terminal.Plural(len(dirs), "package"))
	}
	ignore := func(path string) bool {
		return build.IsOutput(filepath.Base(path)) || o.Out != "" && (path == o.Path(o.Out) || filepath.Base(path) == filepath.Base(o.Out))
	}
	if err := watch.Run(ctx, dirs, ignore, rebuild); err != nil {
		return fmt.Errorf("%w (build again by hand, or watch fewer folders)", err)
	}
	return nil
}
