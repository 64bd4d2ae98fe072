package filelock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// Other processes in these tests are this test program, started again with its task in the environment.
const taskVariable = "FILELOCK_TEST_TASK"

func TestMain(m *testing.M) {
	if task := os.Getenv(taskVariable); task != "" {
		if err := perform(task, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func perform(task, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	switch task {
	case "hold":
		if _, err := Acquire(context.Background(), root, "lock"); err != nil {
			return err
		}
		fmt.Println("held")
		select {}
	case "count":
		return count(context.Background(), root, 300)
	case "greedy":
		fmt.Println("started")
		return count(context.Background(), root, 1<<40)
	}
	return fmt.Errorf("unknown task %q", task)
}

// count adds to a number in a file, under a lock.
func count(ctx context.Context, root *os.Root, times int) error {
	for range times {
		lock, err := Acquire(ctx, root, "lock")
		if err != nil {
			return err
		}
		text, err := root.ReadFile("number")
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(text))
		if err != nil {
			return err
		}
		if err := root.WriteFile("number", []byte(strconv.Itoa(n+1)), 0o600); err != nil {
			return err
		}
		lock.Release()
	}
	return nil
}

func newRoot(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	if err := root.WriteFile("number", []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func start(t *testing.T, task, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, dir)
	command.Env = append(os.Environ(), taskVariable+"="+task)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	return command, bufio.NewScanner(output)
}

func TestProcessesAndGoroutinesLoseNothing(t *testing.T) {
	root := newRoot(t)
	var all sync.WaitGroup
	for range 2 {
		command, output := start(t, "count", root.Name())
		all.Go(func() {
			for output.Scan() {
			}
			if err := command.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for range 4 {
		all.Go(func() {
			if err := count(t.Context(), root, 75); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if text, err := root.ReadFile("number"); err != nil || string(text) != "900" {
		t.Errorf("got %s, %v", text, err)
	}
	entries, err := os.ReadDir(root.Name())
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// A process that takes the lock again and again does not keep others from it.
func TestGreedy(t *testing.T) {
	root := newRoot(t)
	_, output := start(t, "greedy", root.Name())
	output.Scan()
	if err := count(t.Context(), root, 50); err != nil {
		t.Error(err)
	}
}

func TestAKillLetsGo(t *testing.T) {
	root := newRoot(t)
	command, output := start(t, "hold", root.Name())
	if !output.Scan() {
		t.Fatal("it did not get the lock")
	}
	if lock, err := Try(root, "lock"); lock != nil || err != nil {
		t.Fatalf("got %v, %v", lock, err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	waiting := make(chan error)
	go func() {
		_, err := Acquire(ctx, root, "lock")
		waiting <- err
	}()
	cancel(cause)
	if err := <-waiting; !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	lock, err := Acquire(t.Context(), root, "lock")
	if err != nil {
		t.Fatal(err)
	}
	lock.Release()
	lock.Release()
}

func TestALockStaysInside(t *testing.T) {
	root := newRoot(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Symlink(outside, filepath.Join(root.Name(), "lock")); err != nil {
		t.Skip(err)
	}
	if lock, err := Acquire(t.Context(), root, "lock"); err == nil {
		lock.Release()
		t.Error("a link was followed")
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was made outside")
	}
}
