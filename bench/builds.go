package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// smallPackage writes a one-tool package into a folder of its own and returns the side that builds it, its
// source made new before each run.
func (w *World) smallPackage(ctx context.Context, name string) (Side, string, error) {
	dir, err := w.folder(name)
	if err != nil {
		return Side{}, "", err
	}
	if err := oneTool(name, 0).write(dir); err != nil {
		return Side{}, "", err
	}
	side := Side{
		Name: "neuralis build",
		Prepare: func(i int) error {
			return files{"src/tools/greet.ts": greetSource(i)}.write(dir)
		},
		Command: func(int) *exec.Cmd { return w.Neuralis(ctx, w.Cache, dir, "build") },
	}
	return side, dir, nil
}

// built reads a package's module and fails when it is not one.
func built(dir string) ([]byte, error) {
	module, err := os.ReadFile(filepath.Join(dir, "dist", "package.wasm"))
	if err != nil {
		return nil, fmt.Errorf("the build left no module: %w", err)
	}
	if !bytes.HasPrefix(module, []byte("\x00asm")) {
		return nil, errors.New("dist/package.wasm is no WebAssembly module")
	}
	return module, nil
}

// answers checks that what was just built really answers, so that no number stands for a build of nothing.
func (w *World) answers(ctx context.Context, dir, want string) error {
	cmd := w.Neuralis(ctx, w.Cache, dir, "call", "greet", `{"name":"Ada"}`)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("calling the built package: %w\n%s", err, out)
	}
	if !bytes.Contains(out, []byte(want)) {
		return fmt.Errorf("the built package answered %q, which lacks %q", out, want)
	}
	return nil
}

// noise compares a command with itself. What it shows is what no ratio in the table can be finer than.
func noise(ctx context.Context, w *World) (Row, error) {
	side, _, err := w.smallPackage(ctx, "noise")
	if err != nil {
		return Row{}, err
	}
	a, b, err := interleave(ctx, side, side, w.Runs)
	if err != nil {
		return Row{}, err
	}
	return ratioRow("neuralis build / itself", a, b), nil
}

func buildVersusPeer(ctx context.Context, w *World) ([]Row, error) {
	peers, err := w.Peers(ctx)
	if err != nil {
		return nil, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.New("node is not on the path: the peer needs Node.js 20 or later")
	}
	peerDir, err := w.folder("peer")
	if err != nil {
		return nil, err
	}
	ours, dir, err := w.smallPackage(ctx, "greet")
	if err != nil {
		return nil, err
	}
	output := filepath.Join(peerDir, "greet.wasm")
	peer := Side{
		Name:    "componentize-qjs",
		Prepare: func(i int) error { return peerGreet(i).write(peerDir) },
		Command: func(int) *exec.Cmd {
			// The program itself, without npx or a shell in front of it.
			cmd := exec.CommandContext(ctx, node, filepath.Join(peers, "node_modules", "componentize-qjs", "bin", "componentize-qjs"),
				"--wit", "greet.wit", "--js", "greet.js", "--output", output)
			cmd.Dir = peerDir
			return cmd
		},
	}
	a, b, err := interleave(ctx, peer, ours, w.Runs)
	if err != nil {
		return nil, err
	}
	if module, err := os.ReadFile(output); err != nil || !bytes.HasPrefix(module, []byte("\x00asm")) {
		return nil, fmt.Errorf("componentize-qjs left no component (%v)", err)
	}
	if err := w.answers(ctx, dir, fmt.Sprintf("Hello, Ada! (%d)", w.Runs)); err != nil {
		return nil, err
	}
	row := ratioRow("componentize-qjs / neuralis build", a, b).judged(">=", 20)
	row.Note = fmt.Sprintf("neuralis build takes %s here", seconds(spreadOf(b.wall()).Median))
	return []Row{row}, nil
}

func buildLarge(ctx context.Context, w *World) ([]Row, error) {
	small, _, err := w.smallPackage(ctx, "small")
	if err != nil {
		return nil, err
	}
	dir, err := w.folder("large")
	if err != nil {
		return nil, err
	}
	if err := large(1_000_000).write(dir); err != nil {
		return nil, err
	}
	big := Side{
		Name:    "neuralis build (1 MB)",
		Prepare: func(i int) error { return files{"src/tools/greet.ts": largeGreet(i)}.write(dir) },
		Command: func(int) *exec.Cmd { return w.Neuralis(ctx, w.Cache, dir, "build") },
	}
	a, b, err := interleave(ctx, big, small, w.Runs)
	if err != nil {
		return nil, err
	}
	if err := w.answers(ctx, dir, fmt.Sprintf("Hello, Ada! (%d)", w.Runs)); err != nil {
		return nil, err
	}
	return []Row{ratioRow("build of a 1 MB bundle / of a small one", a, b).judged("<=", 3)}, nil
}

func buildCold(ctx context.Context, w *World) ([]Row, error) {
	dir, err := w.folder("cold")
	if err != nil {
		return nil, err
	}
	if err := oneTool("cold", 0).write(dir); err != nil {
		return nil, err
	}
	var runs samples
	for i := range w.Runs {
		cache, err := w.folder("cold-cache")
		if err != nil {
			return nil, err
		}
		side := Side{
			Name:    "neuralis build (cold)",
			Prepare: func(int) error { return files{"src/tools/greet.ts": greetSource(i)}.write(dir) },
			Command: func(int) *exec.Cmd { return w.Neuralis(ctx, cache, dir, "build") },
		}
		sample, err := side.run(ctx, i)
		if err != nil {
			return nil, err
		}
		if empty, err := isEmpty(cache); err != nil || empty {
			return nil, fmt.Errorf("the build kept nothing in the cache folder it was given, so it was not cold (%v)", err)
		}
		runs = append(runs, sample)
	}
	cpu := spreadOf(runs.cpu())
	row := Row{What: "first build ever", Unit: "s", Spread: spreadOf(runs.wall()), CPU: &cpu}
	return []Row{row.judged("<=", 1.5)}, nil
}

func isEmpty(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	return len(entries) == 0, err
}

func packageSize(ctx context.Context, w *World) ([]Row, error) {
	side, dir, err := w.smallPackage(ctx, "size")
	if err != nil {
		return nil, err
	}
	if _, err := side.run(ctx, 0); err != nil {
		return nil, err
	}
	module, err := built(dir)
	if err != nil {
		return nil, err
	}
	row := Row{What: "dist/package.wasm of a one-tool package", Unit: "MB", Spread: spreadOf([]float64{float64(len(module)) / 1e6})}
	return []Row{row.judged("<=", 1.3)}, nil
}

func buildMany(ctx context.Context, w *World) ([]Row, error) {
	const count = 50
	one, _, err := w.smallPackage(ctx, "one")
	if err != nil {
		return nil, err
	}
	dir, err := w.folder("many")
	if err != nil {
		return nil, err
	}
	args := []string{"build"}
	for n := range count {
		name := fmt.Sprintf("many-%d", n)
		if err := oneTool(name, n).write(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
		args = append(args, name)
	}
	many := Side{
		Name: "neuralis build of 50",
		Prepare: func(i int) error {
			for n := range count {
				source := files{"src/tools/greet.ts": greetSource(i*count + n)}
				if err := source.write(filepath.Join(dir, fmt.Sprintf("many-%d", n))); err != nil {
					return err
				}
			}
			return nil
		},
		Command: func(int) *exec.Cmd { return w.Neuralis(ctx, w.Cache, dir, args...) },
	}
	a, b, err := interleave(ctx, many, one, w.Runs)
	if err != nil {
		return nil, err
	}
	for n := range count {
		if _, err := built(filepath.Join(dir, fmt.Sprintf("many-%d", n))); err != nil {
			return nil, err
		}
	}
	return []Row{ratioRow("build of 50 packages / of one", a, b).judged("<=", 25)}, nil
}
