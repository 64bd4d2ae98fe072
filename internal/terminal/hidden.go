package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/term"
)

// The keys that mean something while a hidden answer is typed.
const (
	keyInterrupt = 0x03
	keyEnd       = 0x04
	keyBackspace = 0x08
	keyDelete    = 0x7f
	keyClear     = 0x15
)

// Hidden asks for one line that is not shown while it is typed. Ask only when [IO.CanPrompt]. The terminal stops
// showing what is typed before the question is there, so whoever answers at once is not shown either. Ctrl-C ends
// the question with [context.Canceled]. The answer is returned as it was typed, blanks too.
func (s *IO) Hidden(ctx context.Context, question string) (string, error) {
	if file, ok := s.In.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		state, err := term.MakeRaw(int(file.Fd()))
		if err != nil {
			return "", fmt.Errorf("hiding the answer: %w", err)
		}
		defer func() { _ = term.Restore(int(file.Fd()), state) }()
	}
	style := s.ErrStyle()
	fmt.Fprintf(s.Err, "%s %s ", style.Good("?"), style.Bold(question))
	defer fmt.Fprint(s.Err, "\r\n")

	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() { // a read from a terminal cannot be cancelled
		text, err := readHidden(s.In)
		answers <- answer{text, err}
	}()
	select {
	case a := <-answers:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func readHidden(in io.Reader) (string, error) {
	var line []byte
	key := make([]byte, 1) // no more than the line: what follows is not ours
	for {
		if n, err := in.Read(key); n == 0 {
			switch {
			case err == nil:
				continue
			case errors.Is(err, io.EOF):
				return "", ErrNoAnswer
			}
			return "", fmt.Errorf("reading the answer: %w", err)
		}
		switch key[0] {
		case '\r', '\n':
			return string(line), nil
		case keyInterrupt:
			return "", context.Canceled
		case keyEnd:
			return "", ErrNoAnswer
		case keyClear:
			line = line[:0]
		case keyBackspace, keyDelete:
			_, size := utf8.DecodeLastRune(line)
			line = line[:len(line)-size]
		default:
			if line = append(line, key[0]); len(line) > maxAnswer {
				return "", fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
			}
		}
	}
}
