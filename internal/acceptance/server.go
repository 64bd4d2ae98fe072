package acceptance

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// server is a command that runs beside the script, and what it has said so far.
type server struct {
	cmd *exec.Cmd

	mu    sync.Mutex
	said  bytes.Buffer  // on both of its streams, in the order in which it was read
	seen  int           // how much of it the script has waited for
	more  chan struct{} // closed and made anew when more is said, and closed when nothing more will be
	ended bool
	exit  error
}

// servers are those of a script, by the names that it gives them.
type servers map[string]*server

type serversKey struct{}

func running(ts *testscript.TestScript) servers { return ts.Value(serversKey{}).(servers) }

func named(ts *testscript.TestScript, name string) *server {
	s := running(ts)[name]
	if s == nil {
		ts.Fatalf("there is no server %q", name)
	}
	return s
}

// assignment is a variable of the environment in front of a command, as shells have it.
var assignment = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)

// address is how servers say where they are.
var address = regexp.MustCompile(`http://[^\s"/]+:\d+`)

// serverCommand starts a command and waits until it says where it is.
func serverCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: server NAME [VARIABLE=value…] command [args…]")
	}
	name, args := args[0], args[1:]
	env := environment(ts)
	for len(args) > 0 && assignment.MatchString(args[0]) {
		env, args = append(env, args[0]), args[1:]
	}
	cmd := exec.Command(lookPath(ts, args[0]), args[1:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), env
	s := &server{cmd: cmd, more: make(chan struct{})}
	// One pipe for both streams keeps what is said in its order.
	streams, writer, err := os.Pipe()
	ts.Check(err)
	cmd.Stdout, cmd.Stderr = writer, writer
	err = cmd.Start()
	_ = writer.Close()
	ts.Check(err)
	running(ts)[name] = s
	go s.listen(streams)
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		s.wait()
		ts.Logf("[%s]\n%s", name, s.text())
	})
	text, err := s.expect(address.FindStringIndex)
	if err != nil {
		ts.Fatalf("%s does not say where it is: %v\n%s", name, err, s.text())
	}
	ts.Setenv(name, text)
	ts.Setenv(name+"_PORT", text[strings.LastIndexByte(text, ':')+1:])
}

// listen takes what the command says, until it has ended.
func (s *server) listen(streams *os.File) {
	part := make([]byte, 4096)
	for {
		n, err := streams.Read(part)
		s.mu.Lock()
		s.said.Write(part[:n])
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			break
		}
	}
	_ = streams.Close()
	err := s.cmd.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.exit = true, err
	close(s.more)
}

// expect waits until something has been said after what was expected before.
func (s *server) expect(find func(string) []int) (string, error) {
	defer s.watched()()
	for {
		s.mu.Lock()
		text, more, ended := string(s.said.Bytes()[s.seen:]), s.more, s.ended
		at := find(text)
		if at != nil {
			s.seen += at[1]
		}
		s.mu.Unlock()
		switch {
		case at != nil:
			return text[at[0]:at[1]], nil
		case ended:
			return "", errors.New("it has ended without")
		}
		<-more
	}
}

// watched ends the command after a while, and with it what waits for it. That is no assertion: the test has failed anyway,
// and says what the command has said.
func (s *server) watched() (stop func()) {
	timer := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	return func() { timer.Stop() }
}

func (s *server) wait() error {
	defer s.watched()()
	for {
		s.mu.Lock()
		more, ended, exit := s.more, s.ended, s.exit
		s.mu.Unlock()
		if ended {
			return exit
		}
		<-more
	}
}

func (s *server) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// says waits until a server has said a text, after those that were waited for before.
func says(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] says NAME TEXT")
	}
	s := named(ts, args[0])
	if neg {
		if strings.Contains(s.text(), args[1]) {
			ts.Fatalf("%s has said %q:\n%s", args[0], args[1], s.text())
		}
		return
	}
	_, err := s.expect(func(said string) []int {
		if i := strings.Index(said, args[1]); i >= 0 {
			return []int{i, i + len(args[1])}
		}
		return nil
	})
	if err != nil {
		ts.Fatalf("%s does not say %q: %v\n%s", args[0], args[1], err, s.text())
	}
}

// signal sends a signal to a server.
func signal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || signals[args[1]] == nil {
		ts.Fatalf("usage: signal NAME HUP|INT|TERM")
	}
	ts.Check(named(ts, args[0]).cmd.Process.Signal(signals[args[1]]))
}

// ended waits for a server to end with an exit code. What it said is in the file of its name then.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ended NAME CODE")
	}
	s := named(ts, args[0])
	err := s.wait()
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(s.text()), 0o644))
	if got := exitCode(ts, err); args[1] != strconv.Itoa(got) {
		ts.Fatalf("%s has ended with %d, want %s:\n%s", args[0], got, args[1], s.text())
	}
}

// appears waits until a file is there, as long as there are requests without an answer that could make it.
func appears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: appears FILE")
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for last := false; ; last = ts.Value(exchangesKey{}).(exchanges).answered() {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if last {
			ts.Fatalf("there is no %s, and nobody who makes it", args[0])
		}
		<-tick.C
	}
}
