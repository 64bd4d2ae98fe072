package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"path"
	"slices"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// Sources are evaluated in stages, so that the next build can begin where this one was before the first source that
// has changed since: most of a large package is libraries and files that nobody touches, and reading their bytecode,
// linking and evaluating them costs as much as all else.
//
// To be of use the memory between two stages must depend on nothing but the sources before it, and the memory after the
// last one must be the same whether the stages before were run or their memory came from the cache:
//
//   - Where stages begin follows from the names and sizes of the sources before.
//   - Promise jobs run after the last stage only, as they do after a bundle that is one module.
//   - Each stage has an instance of its own, which takes the memory over. The engine's count of loops, which decides
//     when it asks for the time, begins anew in each, and so does the stack.
//   - Clock, random numbers and log lines go on where they were.

const (
	stageSize     = 64 << 10 // bytes of sources that end a stage
	smallestStage = 16 << 10 // those that let it end with a folder, beyond which other things change

	emptyRuntime = 4096 // bytes, more than the engine's runtime structure has
)

// seams are the indices of the sources that begin a stage, the first of them 0.
func seams(sources []Source) []int {
	starts := []int{0}
	size := 0
	for i, s := range sources {
		if i > 0 && (size >= stageSize || size >= smallestStage && path.Dir(s.Name) != path.Dir(sources[i-1].Name)) {
			starts = append(starts, i)
			size = 0
		}
		size += len(s.Code)
	}
	return starts
}

// Checkpoint is the memory after the first sources of a Snapshot.
type Checkpoint struct {
	Sources int    // that were evaluated
	Memory  []byte // in the format that Earlier.Checkpoint reads
}

// evaluation is an instance that has evaluated all sources, and what came of them besides.
type evaluation struct {
	instance   *instance
	keys       []Key
	bytecode   Bytecode
	checkpoint *Checkpoint
}

// evaluate evaluates the sources, from the earlier checkpoint on where it is of use.
func (c *Compiler) evaluate(ctx context.Context, sources []Source, earlier *Earlier) (*evaluation, error) {
	r := &evaluation{keys: keysOf(sources)}
	chains := c.chains(r.keys)
	starts := seams(sources)
	i, done := c.resumed(ctx, chains, starts, earlier)
	if i == nil {
		var err error
		if i, err = c.instantiate(ctx); err != nil {
			return nil, err
		}
	}
	// The next change is likely to be where this one was, or, with nothing to compare with, in what the author's
	// handlers are: those come last.
	keep := len(sources)
	if len(earlier.Keys) > 0 {
		keep = earlier.firstChange(r.keys)
	}
	for n := len(starts) - 1; n >= 0; n-- {
		if starts[n] <= keep {
			keep = starts[n]
			break
		}
	}
	var known Bytecode
	if earlier.Bytecode != nil {
		known = earlier.Bytecode(r.keys[done:])
	}
	compiled, used, err := c.compileAll(ctx, sources[done:], r.keys[done:], known)
	if err != nil {
		i.close()
		return nil, err
	}
	r.bytecode = used
	for at := done; ; {
		n, begins := slices.BinarySearch(starts, at)
		if begins {
			n++
		}
		if n == len(starts) {
			if err := i.load(compiled[at-done:]); err != nil {
				i.close()
				return nil, err
			}
			r.instance = i
			return r, nil
		}
		end := starts[n]
		if err := i.loadStage(compiled[at-done : end-done]); err != nil {
			i.close()
			return nil, err
		}
		if end == keep {
			memory, err := i.checkpoint(chains[end], end)
			if err != nil {
				i.close()
				return nil, err
			}
			r.checkpoint = &Checkpoint{Sources: end, Memory: memory}
		}
		if i, err = i.successor(); err != nil {
			return nil, err
		}
		at = end
	}
}

// resumed is an instance that has evaluated the first done sources in an earlier Snapshot, or nil.
func (c *Compiler) resumed(ctx context.Context, chains []Key, starts []int, earlier *Earlier) (i *instance, done int) {
	if earlier.Checkpoint == nil {
		return nil, 0
	}
	file, err := earlier.Checkpoint()
	if err != nil {
		return nil, 0
	}
	defer file.Close()
	h, err := readCheckpoint(file, chains)
	if err != nil {
		return nil, 0
	}
	// The source behind it has a part in whether a stage begins there.
	if _, begins := slices.BinarySearch(starts, int(h.Count)); !begins {
		return nil, 0
	}
	i = c.unstarted(ctx)
	if err := i.resume(file, h); err != nil {
		i.close()
		return nil, 0
	}
	return i, int(h.Count)
}

// successor ends this instance and returns a new one that goes on with its memory.
func (i *instance) successor() (*instance, error) {
	pages := uint32(len(i.memory()) / wasmbin.PageSize)
	i.watch.PassOn()
	i.close()
	next := &instance{ctx: i.ctx, c: i.c, kernel: i.kernel, watch: i.watch}
	if err := next.start(pages); err != nil {
		i.watch.Release()
		return nil, err
	}
	next.clearStack()
	return next, nil
}

// clearStack makes the stack what it is in a new memory. Between calls nothing on it is alive, but what was there
// could shine through where the engine copies more than it has written.
func (i *instance) clearStack() {
	stack := i.memory()[i.c.cells.stackBottom:i.c.cells.stackTop]
	at := 0
	for at < len(stack) && binary.LittleEndian.Uint64(stack[at:]) == 0 {
		at += 8
	}
	clear(stack[at:])
}

// loadStage evaluates the last of the compiled sources, and with it those that it imports, but runs no promise jobs
// and collects no garbage. For that time the glue believes in a runtime structure that has no jobs and no objects. The
// head of a list of the engine is two words, and the list is empty when the second is the address of the first: in
// memory in which each word is the address of the one before it every list is, wherever in the structure it lies.
func (i *instance) loadStage(compiled [][]byte) error {
	cell := i.memory()[i.c.cells.runtime():]
	runtime := binary.LittleEndian.Uint32(cell)
	bottom := i.c.cells.stackBottom // the far end of the stack, which only its guard would let nobody reach
	for at := bottom; at < bottom+emptyRuntime; at += 4 {
		binary.LittleEndian.PutUint32(i.memory()[at:], at-4)
	}
	binary.LittleEndian.PutUint32(cell, bottom)
	err := i.load(compiled)
	binary.LittleEndian.PutUint32(i.memory()[i.c.cells.runtime():], runtime)
	clear(i.memory()[bottom : bottom+emptyRuntime])
	// A top-level await settles when jobs run; sources that import it wait for it.
	if thrown := (*EvalError)(nil); errors.As(err, &thrown) && thrown.Pending {
		return nil
	}
	return err
}
