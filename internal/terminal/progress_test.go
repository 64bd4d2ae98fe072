package terminal

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestProgress(t *testing.T) {
	for _, test := range []struct {
		name            string
		terminal, quiet bool
		want            string
	}{
		{"in a pipe", false, false, "✓ a  10 kB\nlinking the engine\n✗ b\n"},
		{"quiet", true, true, ""},
		{"on a terminal", true, false, "building 0/2 a" +
			"\r\x1b[Kbuilding 0/2 a, b" +
			"\r\x1b[K✓ a  10 kB\nbuilding 1/2 b" +
			"\r\x1b[Klinking the engine\nbuilding 1/2 b" +
			"\r\x1b[K✗ b\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, streams := Test()
			if test.terminal {
				s.PretendTerminal(40)
			}
			s.SetColorMode(ColorNever)
			s.Quiet = test.quiet
			p := NewProgress(s, "building", 2)
			p.Start("a")
			p.Start("b")
			p.Done("a", "10 kB")
			p.Note("linking the engine")
			p.Fail("b", "")
			p.Close()
			if got := streams.Err.String(); got != test.want {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

func TestProgressFitsTheTerminal(t *testing.T) {
	s, streams := Test()
	s.PretendTerminal(30)
	s.SetColorMode(ColorNever)
	p := NewProgress(s, "building", 100)
	for i := range 20 {
		p.Start(fmt.Sprintf("package-%d", i))
	}
	p.Close()
	for _, line := range strings.Split(streams.Err.String(), "\r\x1b[K") {
		if n := len([]rune(line)); n >= 30 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if !strings.HasSuffix(streams.Err.String(), "\r\x1b[K") {
		t.Error("the line is left on the screen")
	}
}

func TestProgressFromManyGoroutines(t *testing.T) {
	s, streams := Test()
	p := NewProgress(s, "building", 50)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			name := fmt.Sprint("p", i)
			p.Start(name)
			p.Done(name, "")
		})
	}
	wg.Wait()
	p.Close()
	if got := strings.Count(streams.Err.String(), "✓"); got != 50 {
		t.Errorf("%d lines", got)
	}
}
