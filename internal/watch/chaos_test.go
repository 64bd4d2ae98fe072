package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// FuzzOperations does one thing after the other to a tree, without a pause, and then compares what was seen when told
// with what is there. Each byte is an operation, or part of one.
func FuzzOperations(f *testing.F) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 0))
		program := make([]byte, 20+random.IntN(200))
		for i := range program {
			program[i] = byte(random.UintN(256))
		}
		f.Add(byte(seed), program)
	}
	f.Fuzz(func(t *testing.T, mode byte, program []byte) {
		base := tempDir(t)
		write(t, base+"/proj/pkgs/a/f", "1")
		write(t, base+"/proj/out/b/f", "1")
		o := observe(t, modes[int(mode)%len(modes)].set, base+"/proj/pkgs", base+"/proj/other")
		operate(base+"/proj", program[:min(len(program), 1000)])
		o.settled()
		o.editAll()
	})
}

// operate does what a program says. What cannot be done is left out.
func operate(base string, program []byte) {
	next := func() int {
		if len(program) == 0 {
			return 0
		}
		b := program[0]
		program = program[1:]
		return int(b)
	}
	path := func() string {
		tops := []string{"pkgs", "pkgs", "pkgs", "out", "other"}
		path := filepath.Join(base, tops[next()%len(tops)])
		for range next() % 4 {
			path = filepath.Join(path, []string{"a", "b", "c", "f", "dist"}[next()%5])
		}
		return path
	}
	for count := 0; len(program) > 0; count++ {
		text := fmt.Sprint("step ", count)
		switch next() % 8 {
		case 0, 1:
			_ = os.WriteFile(path(), []byte(text), 0o644)
		case 2:
			to := path()
			if os.WriteFile(to+".tmp", []byte(text), 0o644) == nil && os.Rename(to+".tmp", to) != nil {
				_ = os.Remove(to + ".tmp")
			}
		case 3, 4:
			_ = os.MkdirAll(path(), 0o755)
		case 5:
			if to := path(); next()%2 == 0 {
				_ = os.RemoveAll(to)
			} else {
				_ = os.Remove(to)
			}
		case 6:
			_ = os.Rename(path(), path())
		case 7:
			from, to := path(), path()
			if target, err := filepath.Rel(filepath.Dir(from), to); err == nil && next()%2 == 0 {
				to = target
			}
			_ = os.Symlink(to, from)
		}
	}
}
