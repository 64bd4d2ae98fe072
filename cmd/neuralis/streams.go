package main

import (
	"context"
	"fmt"
	"io"
)

// checkedWriter remembers the first error, which those who print lines have no use for.
type checkedWriter struct {
	to  io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// maxInput bounds what is read from standard input: more does not fit into the memory of a plug-in.
const maxInput = 1 << 30

// readInput reads all of in, until ctx ends. The goroutine that waits for more then is left to the end
// of the process: nothing else ends a read.
func readInput(ctx context.Context, in io.Reader) (string, error) {
	type result struct {
		text []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(in, maxInput+1))
		read <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-read:
		if r.err != nil {
			return "", fmt.Errorf("reading the arguments from standard input: %w", r.err)
		}
		if len(r.text) > maxInput {
			return "", usagef("standard input is longer than %s", size(maxInput))
		}
		return string(r.text), nil
	}
}
