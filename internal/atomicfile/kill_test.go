package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The tests below kill writers. A writer is this test program, started again with its task in the environment.
const taskVariable = "ATOMICFILE_TEST_TASK"

func TestMain(m *testing.M) {
	if task := os.Getenv(taskVariable); task != "" {
		if err := perform(task, os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// perform is what a started writer does with a path.
func perform(task, path string) error {
	how, system, _ := strings.Cut(task, " ")
	switch how {
	case "publish": // for ever, and say each time what was published
		for n := 1; ; n++ {
			p, err := newPublisher(path, Options{Volatile: true})
			if err != nil {
				return err
			}
			p.exchange = systems()[system]
			if err := p.publish(context.Background(), generation(n)); err != nil {
				return err
			}
			fmt.Println(n)
		}
	case "step": // once, and before each change to the disk wait for a line
		p, err := newPublisher(path, Options{Volatile: true})
		if err != nil {
			return err
		}
		p.exchange = systems()[system]
		input := bufio.NewReader(os.Stdin)
		p.step = func() {
			fmt.Println("step")
			if _, err := input.ReadString('\n'); err != nil {
				os.Exit(2) // the test is gone
			}
		}
		return p.publish(context.Background(), generation(2))
	case "write": // for ever
		for n := 1; ; n++ {
			if err := WriteFile(path, oneWord(n), 0o644); err != nil {
				return err
			}
			fmt.Println(n)
		}
	}
	return fmt.Errorf("unknown task %q", task)
}

func oneWord(n int) []byte { return []byte(strings.Repeat(fmt.Sprintf("%d ", n), 5000)) }

// writer is a started writer.
type writer struct {
	t       *testing.T
	command *exec.Cmd
	input   interface{ Write([]byte) (int, error) }
	output  *bufio.Scanner
}

func start(t *testing.T, task, path string) *writer {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, path)
	command.Env = append(os.Environ(), taskVariable+"="+task)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	w := &writer{t, command, input, bufio.NewScanner(output)}
	t.Cleanup(w.kill)
	return w
}

// lines waits for n lines of the writer. It reports false when there are no more.
func (w *writer) lines(n int) bool {
	for range n {
		if !w.output.Scan() {
			return false
		}
	}
	return true
}

// goOn lets a writer in steps take the next one.
func (w *writer) goOn() {
	if _, err := w.input.Write([]byte("\n")); err != nil {
		w.t.Error(err)
	}
}

// kill ends the writer without giving it a chance to do anything more.
func (w *writer) kill() {
	if err := w.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		w.t.Error(err)
	}
	_ = w.command.Wait()
}

// viewGeneration is the generation in a folder, which must be whole.
func viewGeneration(t *testing.T, dir string) (n int) {
	t.Helper()
	err := View(t.Context(), dir, func(root *os.Root) error {
		var err error
		n, err = readGeneration(root)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return n
}

// wantClean looks whether a folder has a generation and someone's files, and nothing else is beside it.
func wantClean(t *testing.T, dir string, n int) {
	t.Helper()
	want := map[string]string{"mine": "mine", "src/0/mine": "mine"}
	for _, f := range generation(n) {
		want[f.Path] = string(f.Data)
	}
	if got := tree(t, dir); !maps.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	if got := names(t, filepath.Dir(dir)); !slices.Equal(got, []string{"dist"}) {
		t.Errorf("left behind: %q", got)
	}
}

// published makes a folder with generation 1 and someone's files.
func published(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dist")
	if err := Publish(t.Context(), dir, generation(1), Options{Volatile: true}); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "mine"), "mine")
	put(t, filepath.Join(dir, "src", "0", "mine"), "mine")
	return dir
}

// TestPublishKilledAtEachStep kills a publisher before each of its changes to the disk.
func TestPublishKilledAtEachStep(t *testing.T) {
	for system := range systems() {
		t.Run(system, func(t *testing.T) {
			sawOld, sawNew, finished := false, false, false
			for step := 1; !finished; step++ {
				dir := published(t)
				w := start(t, "step "+system, dir)
				finished = !w.lines(1)
				for i := 1; i < step && !finished; i++ {
					w.goOn()
					finished = !w.lines(1)
				}
				w.kill()

				gap := !exists(dir)
				if gap && system == "of this system" && mustExchange() {
					t.Errorf("step %d: the folder is gone", step)
				}
				n := viewGeneration(t, dir)
				sawOld, sawNew = sawOld || n == 1, sawNew || n == 2
				if n == 1 && sawNew {
					t.Errorf("step %d: back to the old folder", step)
				}
				if gap && n != 1 {
					t.Errorf("step %d: generation %d was put back", step, n)
				}
				// Whatever is left, the next run works and cleans up.
				if step%2 == 0 {
					if err := Recover(t.Context(), dir); err != nil {
						t.Errorf("step %d: %v", step, err)
					}
					if got := viewGeneration(t, dir); got != n {
						t.Errorf("step %d: generation %d became %d", step, n, got)
					}
				}
				if err := Publish(t.Context(), dir, generation(3), Options{Volatile: true}); err != nil {
					t.Errorf("step %d: %v", step, err)
				}
				wantClean(t, dir, 3)
			}
			if !sawOld || !sawNew {
				t.Errorf("saw the old folder: %t, the new one: %t", sawOld, sawNew)
			}
		})
	}
}

// mustExchange reports whether this system has an exchange that the file system of the tests is sure to know.
func mustExchange() bool {
	dir, err := os.MkdirTemp("", "exchange")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if os.Mkdir(a, 0o755) != nil || os.Mkdir(b, 0o755) != nil {
		return false
	}
	exchanged, err := exchange(a, b)
	return exchanged && err == nil
}

// TestPublishKilledAnywhere kills publishers at work, with readers watching.
func TestPublishKilledAnywhere(t *testing.T) {
	for system := range systems() {
		t.Run(system, func(t *testing.T) {
			dir := published(t)
			done := make(chan struct{})
			var readers sync.WaitGroup
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						viewGeneration(t, dir)
					}
				}
			})
			if system == "of this system" && mustExchange() {
				// Any path in the folder can be opened at any time.
				readers.Go(func() {
					for {
						select {
						case <-done:
							return
						default:
							if _, err := os.ReadFile(filepath.Join(dir, "number")); err != nil && !errors.Is(err, fs.ErrNotExist) {
								t.Error(err)
							} else if err != nil && !exists(dir) {
								t.Error("the folder is gone")
							}
						}
					}
				})
			}
			for round := range 20 {
				w := start(t, "publish "+system, dir)
				w.lines(1 + round%4)
				w.kill()
				viewGeneration(t, dir)
			}
			close(done)
			readers.Wait()
			if err := Publish(t.Context(), dir, generation(7), Options{Volatile: true}); err != nil {
				t.Error(err)
			}
			wantClean(t, dir, 7)
		})
	}
}

// TestPublishKilledTheFirstTime kills publishers of a folder that was not there.
func TestPublishKilledTheFirstTime(t *testing.T) {
	finished := false
	for step := 1; !finished; step++ {
		dir := filepath.Join(t.TempDir(), "dist")
		w := start(t, "step of this system", dir)
		finished = !w.lines(1)
		for i := 1; i < step && !finished; i++ {
			w.goOn()
			finished = !w.lines(1)
		}
		w.kill()
		err := View(t.Context(), dir, func(root *os.Root) error {
			_, err := readGeneration(root)
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("step %d: %v", step, err)
		}
		if err := Publish(t.Context(), dir, generation(3), Options{Volatile: true}); err != nil {
			t.Errorf("step %d: %v", step, err)
		}
		if n := viewGeneration(t, dir); n != 3 {
			t.Errorf("step %d: generation %d", step, n)
		}
		if got := names(t, filepath.Dir(dir)); !slices.Equal(got, []string{"dist"}) {
			t.Errorf("step %d: left behind: %q", step, got)
		}
	}
}

func TestWriteFileKilledAnywhere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	put(t, path, string(oneWord(0)))
	for round := range 20 {
		w := start(t, "write", path)
		w.lines(1 + round%5)
		w.kill()
		got := get(t, path)
		n := 0
		if _, err := fmt.Sscanf(got, "%d", &n); err != nil || got != string(oneWord(n)) {
			t.Errorf("round %d: the file is a mixture: %.20q, %v", round, got, err)
		}
	}
	if err := Sweep(dir); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("left behind: %q", got)
	}
}
