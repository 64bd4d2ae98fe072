package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/internal/terminal"
)

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestResultsThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"version", "--json"}, {"--help"}, {"help", "new"}, {"--version"}, {"explain"}, {"explain", "missing-import"}, {"schema", "manifest"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			streams, buffers := terminal.Test()
			streams.Out = fullDisk{}
			if code := execute(context.Background(), args, streams); code != exitInternal {
				t.Errorf("code %d", code)
			}
			if !strings.Contains(buffers.Err.String(), "no space left on device") {
				t.Errorf("stderr %q", buffers.Err)
			}
		})
	}
}

func TestInputThatNeverEnds(t *testing.T) {
	never, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := readInput(ctx, never); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if text, err := readInput(context.Background(), strings.NewReader("{}")); err != nil || text != "{}" {
		t.Errorf("got %q, %v", text, err)
	}
}

// Whoever stops a run is told so, however deep inside the work that was noticed.
func TestStopped(t *testing.T) {
	code, buffers := runWith(t, nil, func(*globals) error { return fmt.Errorf("building: %w", context.Canceled) })
	if code != exitInterrupted || !strings.Contains(buffers.Err.String(), "stopped, nothing more was done") {
		t.Errorf("code %d: %s", code, buffers.Err)
	}
}
