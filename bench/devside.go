package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// devSide is a development server that answers one request: whose handler is in a file that somebody edits.
type devSide struct {
	Name string
	// Write makes the handler answer with a number.
	Write func(number int) error
	// Command starts the server at a port of this machine.
	Command func(port int) *exec.Cmd
	// Path is what the handler answers.
	Path string

	cmd    *exec.Cmd
	url    string
	output lockedBuffer
	client *http.Client
	ended  chan struct{}
}

// lockedBuffer keeps what a server says, for the message when something goes wrong.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.text.Len() > 1<<20 {
		b.text.Reset()
	}
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// devPatience is how long a server may take for anything.
const devPatience = 2 * time.Minute

// start starts the server, and returns the time from then to its first answer, which has the number.
func (s *devSide) start(ctx context.Context, number int) (time.Duration, error) {
	port, err := freePort()
	if err != nil {
		return 0, err
	}
	if err := s.Write(number); err != nil {
		return 0, err
	}
	s.cmd = s.Command(port)
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	s.cmd.WaitDelay = 20 * time.Second
	s.url = fmt.Sprintf("http://127.0.0.1:%d%s", port, s.Path)
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: 20 * time.Second}
	s.ended = make(chan struct{})
	begin := time.Now()
	if err := s.cmd.Start(); err != nil {
		return 0, fmt.Errorf("starting %s: %w", s.Name, err)
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait()
	}()
	// Between two looks is a moment, so that looking does not take the processor from what starts.
	if err := s.until(ctx, number, time.Millisecond); err != nil {
		s.stop()
		return 0, err
	}
	return time.Since(begin), nil
}

// save writes another handler, and returns the time from when it is written to its first answer.
func (s *devSide) save(ctx context.Context, number int) (time.Duration, error) {
	if err := s.Write(number); err != nil {
		return 0, err
	}
	begin := time.Now()
	err := s.until(ctx, number, 0)
	return time.Since(begin), err
}

// until asks again and again until the answer has a number.
func (s *devSide) until(ctx context.Context, number int, pause time.Duration) error {
	want := fmt.Sprintf("(%d)", number)
	last := "nothing"
	for deadline := time.Now().Add(devPatience); ; {
		body, err := s.ask(ctx)
		if err == nil && strings.Contains(body, want) {
			return nil
		}
		if last = body; err != nil {
			last = err.Error()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ended:
			return fmt.Errorf("%s has ended:\n%s", s.Name, s.output.String())
		default:
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s does not answer %s, but %s:\n%s", s.Name, want, last, s.output.String())
		}
		if pause > 0 {
			time.Sleep(pause)
		}
	}
}

func (s *devSide) ask(ctx context.Context) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return "", err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", response.Status, body)
	}
	return string(body), nil
}

// stop ends the server, and waits for it.
func (s *devSide) stop() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Signal(os.Interrupt)
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	s.client.CloseIdleConnections()
	s.cmd = nil
}

// freePort is a port that nobody listens at.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("a listener without a port")
	}
	return address.Port, nil
}
