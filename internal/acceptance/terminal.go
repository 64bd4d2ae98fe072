package acceptance

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a dialogue, or a wait for a server, may take.
const patience = 30 * time.Second

// terminal runs a command on a pseudo-terminal and holds a dialogue with it.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: terminal FILE command [args…]")
	}
	if runtime.GOOS == "windows" {
		ts.Fatalf("there are no pseudo-terminals here: guard this line with [!windows]")
	}
	cmd := exec.Command(lookPath(ts, args[1]), args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environment(ts)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	ts.Check(err)
	// Not an assertion: a command that waits for an answer which the dialogue does
	// not give must not hold the tests up until their deadline.
	defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
	s := &screen{tty: tty}
	exit, wanted := 0, false
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		verb, text, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		var err error
		switch verb {
		case "":
			continue
		case "expect":
			err = s.expect(text)
		case "send":
			_, err = io.WriteString(tty, text+"\r")
		case "key":
			_, err = io.WriteString(tty, text)
		case "interrupt":
			_, err = io.WriteString(tty, "\x03")
		case "exit":
			exit, err = strconv.Atoi(text)
			wanted = true
		default:
			err = errors.New("no such step")
		}
		if err != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			ts.Fatalf("%s: %v\non the screen:\n%s", strings.TrimSpace(line), err, s.all.String())
		}
	}
	s.drain()
	got := exitCode(ts, cmd.Wait())
	_ = tty.Close()
	text := strings.ReplaceAll(s.all.String(), "\r\n", "\n")
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(text), 0o644))
	ts.Logf("[screen]\n%s", text)
	if got != exit && (wanted || got != 0) {
		ts.Fatalf("exit code %d, want %d", got, exit)
	}
}

// screen is what a terminal has shown.
type screen struct {
	tty  *os.File
	all  bytes.Buffer
	seen int // how much of it has been expected
}

// expect reads until text has appeared after what was expected before.
func (s *screen) expect(text string) error {
	for {
		if i := bytes.Index(s.all.Bytes()[s.seen:], []byte(text)); i >= 0 {
			s.seen += i + len(text)
			return nil
		}
		if err := s.read(); err != nil {
			return err
		}
	}
}

func (s *screen) drain() {
	for s.read() == nil { // ends with EOF, or EIO on Linux, when the command does
	}
}

func (s *screen) read() error {
	part := make([]byte, 4096)
	n, err := s.tty.Read(part)
	s.all.Write(part[:n])
	if n > 0 {
		return nil
	}
	return err
}

// lookPath finds a command in the script's PATH.
func lookPath(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	ts.Fatalf("there is no command %q", name)
	return ""
}

// environment is what the script would give to a command. Testscript does not
// hand out its list, so it is the names that matter.
func environment(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "TERM", "CI", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS",
		"NEURALIS_CACHE_DIR", "GOCOVERDIR", "WORK"} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
