package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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

// maxModule bounds the plug-ins that are read: a hundred times what packages come to.
const maxModule = 256 << 20

// checkModule refuses what is no plug-in by the look of it: a pipe or a device would be read for ever.
// What is not there is left to whoever reads it to tell. name is the file as the user would write it.
func checkModule(file, name string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("looking at %s: %w", name, errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return refusef("%s is not a file: name a .wasm file, or the folder of a built package", name)
	case info.Size() > maxModule:
		return refusef("%s has %s; plug-ins of more than %s are not read", name, size(int(info.Size())), size(maxModule))
	}
	return nil
}
