package wasm

import (
	"bytes"
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Bytecode is compiled sources, by what they were compiled from. It is of use to the Compiler that
// made it and to others with the same core, and must come from nowhere else: the engine trusts it.
type Bytecode map[Key][]byte

// compileAll compiles the sources that are not known, as many at a time as there are processors.
// It returns the bytecode in the order of the sources, and by key.
func (c *Compiler) compileAll(ctx context.Context, sources []Source, keys []Key, known Bytecode) ([][]byte, Bytecode, error) {
	compiled := make([][]byte, len(sources))
	var missing []int
	for i, key := range keys {
		if compiled[i] = known[key]; compiled[i] == nil {
			missing = append(missing, i)
		}
	}
	var group errgroup.Group
	var next atomic.Int64
	for range min(len(missing), runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			// One instance compiles many sources: what each leaves behind is of no account.
			instance, err := c.instantiate(ctx)
			if err != nil {
				return err
			}
			defer instance.close()
			for {
				n := int(next.Add(1)) - 1
				if n >= len(missing) {
					return nil
				}
				i := missing[n]
				if compiled[i], err = instance.compile(sources[i]); err != nil {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	used := make(Bytecode, len(sources))
	for i, code := range compiled {
		used[keys[i]] = code
	}
	return compiled, used, nil
}

// compile returns the bytecode of a source.
func (i *instance) compile(source Source) ([]byte, error) {
	src, err := i.put(source.Code)
	if err != nil {
		return nil, err
	}
	file, err := i.put([]byte(source.Name))
	if err != nil {
		return nil, err
	}
	ptr, err := i.call(exportCompile, uint64(src), uint64(len(source.Code)), uint64(file))
	if err != nil {
		return nil, &EvalError{Message: err.Error()}
	}
	if ptr == 0 {
		return nil, i.failure()
	}
	code := bytes.Clone(i.lengthAt(ptr))
	for _, p := range []uint32{src, file, ptr} {
		if _, err := i.call(exportFree, uint64(p)); err != nil {
			return nil, err
		}
	}
	return code, nil
}
