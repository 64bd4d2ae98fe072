package main

import (
	"context"
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
	// Builds run in this goroutine, which is the one that reports a panic.
	changes := make(chan watch.Change)
	watcher, err := watch.New(watch.Options{
		Changed: func(change watch.Change) {
			select {
			case changes <- change:
			case <-ctx.Done():
			}
		},
		Ignore: func(path string) bool {
			return build.IsOutput(filepath.Base(path)) || o.Out != "" && (path == o.Path(o.Out) || filepath.Base(path) == filepath.Base(o.Out))
		},
		Poll:   o.Poll,
		Notice: func(message string) { o.IO.Printf("Note: %s.\n", terminal.Printable(message)) },
	})
	if err != nil {
		return err
	}
	defer watcher.Close()
	// They are watched first, so that what changes during the first build is built again.
	if err := watcher.SetRoots(dirs); err != nil {
		return err
	}
	rebuild(dirs)
	if !o.JSON {
		o.IO.Printf("Watching %s. Press Ctrl-C to stop.\n", terminal.Plural(len(dirs), "package"))
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case change := <-changes:
			rebuild(change.Roots)
		}
	}
}
