package data

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tests below kill writers. A writer is this test program, started again with its task in the environment.
const taskVariable = "DATA_TEST_TASK"

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

// killedRecords is how many records the writers write to.
const killedRecords = 5

// entry is a record or a line that shows when it is torn or mixed.
type entry struct {
	N    int    `json:"n"`
	Fill string `json:"fill"`
	Last int    `json:"last"`
}

func newEntry(n int) json.RawMessage {
	value, _ := json.Marshal(entry{n, strings.Repeat(string(rune('a'+n%26)), n%9000), n})
	return value
}

func readEntry(value json.RawMessage) (int, error) {
	var e entry
	if value == nil {
		return 0, nil
	}
	if err := json.Unmarshal(value, &e); err != nil {
		return 0, err
	}
	if string(newEntry(e.N)) != string(value) {
		return 0, fmt.Errorf("a mixture: %.100s", value)
	}
	return e.N, nil
}

// killedRotation keeps all lines.
var killedRotation = Rotation{MaxBytes: 50_000, Keep: MaxKeep}

// perform is what a started writer does.
func perform(task, dir string) error {
	ctx := context.Background()
	s, err := Open(dir, Options{Volatile: true, LockWait: time.Hour})
	if err != nil {
		return err
	}
	f, err := s.FileStore("items")
	if err != nil {
		return err
	}
	switch task {
	case "write": // for ever, and say what was written
		values, err := s.ReadNewest(ctx, "log.jsonl", 1)
		if err != nil {
			return err
		}
		line := 0
		if len(values) > 0 {
			if line, err = readEntry(values[0]); err != nil {
				return err
			}
		}
		for i := 0; ; i++ {
			id := fmt.Sprint("r", i%killedRecords)
			var n int
			if _, err := f.Update(ctx, id, func(old json.RawMessage) (json.RawMessage, error) {
				n, err = readEntry(old)
				n++
				return newEntry(n), err
			}); err != nil {
				return err
			}
			fmt.Println(id, n)
			line++
			if err := s.Append(ctx, "log.jsonl", newEntry(line), killedRotation); err != nil {
				return err
			}
			fmt.Println("log", line)
		}
	case "count": // a thousand
		for range 1000 {
			if _, err := f.Update(ctx, "n", func(old json.RawMessage) (json.RawMessage, error) {
				n := 0
				if old != nil {
					n, err = strconv.Atoi(string(old))
				}
				return json.RawMessage(strconv.Itoa(n + 1)), err
			}); err != nil {
				return err
			}
		}
		return nil
	case "hold": // a lock, for ever
		if _, err := f.Begin(ctx, "held"); err != nil {
			return err
		}
		fmt.Println("held")
		select {}
	}
	return fmt.Errorf("unknown task %q", task)
}

func start(t *testing.T, task, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	command := exec.Command(program, dir)
	command.Env = append(os.Environ(), taskVariable+"="+task)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() { kill(t, command) })
	return command, bufio.NewScanner(output)
}

func kill(t *testing.T, command *exec.Cmd) {
	if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	_ = command.Wait()
}

// TestKills kills a writer again and again at any moment, and looks whether all it had reported is there, whole.
func TestKills(t *testing.T) {
	rounds, atMost := 25, 400
	if testing.Short() {
		rounds = 5
	}
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, Options{Volatile: true})
	f := records(t, s, "items")
	reported := map[string]int{}
	total := 0
	for range rounds {
		command, output := start(t, "write", dir)
		read := func() {
			name, number, _ := strings.Cut(output.Text(), " ")
			if n, err := strconv.Atoi(number); err == nil { // the last line may be torn
				reported[name] = n
				total++
			}
		}
		for range 1 + rand.N(atMost) {
			if !output.Scan() {
				t.Fatal("the writer ended by itself")
			}
			read()
		}
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for output.Scan() { // what it had reported before it was killed
			read()
		}
		_ = command.Wait()

		for i := range killedRecords {
			id := fmt.Sprint("r", i)
			value, err := f.Get(t.Context(), id)
			must(t, err)
			if n, err := readEntry(value); err != nil || n != reported[id] && n != reported[id]+1 {
				t.Fatalf("the record %s is %d, %v, and %d was reported", id, n, err, reported[id])
			} else {
				reported[id] = n
			}
		}
		values, err := s.ReadNewest(t.Context(), "log.jsonl", 1<<20)
		must(t, err)
		slices.Reverse(values)
		for i, value := range values {
			if n, err := readEntry(value); err != nil || n != i+1 {
				t.Fatalf("line %d is %d, %v", i+1, n, err)
			}
		}
		if n := reported["log"]; len(values) != n && len(values) != n+1 {
			t.Fatalf("there are %d lines, and %d were reported", len(values), n)
		}
		reported["log"] = len(values)
	}
	t.Logf("%d writes in %d lives", total, rounds)

	// What the dead left goes with the next write.
	must(t, open(t, dir, Options{Volatile: true}).Append(t.Context(), "log.jsonl", json.RawMessage(`1`), killedRotation))
	for i := range killedRecords {
		must(t, records(t, open(t, dir, Options{Volatile: true}), "items").Put(t.Context(), fmt.Sprint("r", i), json.RawMessage(`1`)))
	}
	entries, err := os.ReadDir(filepath.Join(dir, "items"))
	must(t, err)
	if len(entries) != killedRecords {
		t.Errorf("left behind: %v", entries)
	}
}

func TestTwoProcessesLoseNoUpdate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	var all sync.WaitGroup
	for range 3 {
		command, output := start(t, "count", dir)
		all.Go(func() {
			for output.Scan() {
			}
			if err := command.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	f := records(t, open(t, dir, Options{}), "items")
	if v, err := f.Get(t.Context(), "n"); string(v) != "3000" || err != nil {
		t.Errorf("counted %s, %v", v, err)
	}
}

func TestAKillLeavesNoLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	command, output := start(t, "hold", dir)
	if !output.Scan() {
		t.Fatal("it did not get the lock")
	}
	impatient := records(t, open(t, dir, Options{LockWait: time.Millisecond}), "items")
	wantCode(t, impatient.Put(t.Context(), "held", json.RawMessage(`1`)), CodeLocked)
	kill(t, command)
	must(t, records(t, open(t, dir, Options{}), "items").Put(t.Context(), "held", json.RawMessage(`1`)))
}
