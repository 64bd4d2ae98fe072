package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ErrNoAnswer is returned by prompts when the input ends before an answer.
var ErrNoAnswer = errors.New("the input ended before an answer was given")

// Prompter asks questions one line at a time. It uses the terminal's own line
// editing, so it works over every connection and with screen readers, and costs
// the process nothing at start-up, unlike a full-screen form library.
// Ask only when [IO.CanPrompt].
type Prompter struct {
	ctx context.Context
	io  *IO
	in  *bufio.Reader
}

// NewPrompter reads answers from In and writes questions to Err. Make one per
// run: it buffers input, so a second one would miss what the first has read.
// Questions end with the context's error when it is cancelled, as by Ctrl-C.
func NewPrompter(ctx context.Context, s *IO) *Prompter {
	return &Prompter{ctx: ctx, io: s, in: bufio.NewReader(s.In)}
}

// Line asks for one line of text; an empty answer means the fallback. When check
// refuses an answer its error is shown and the question asked again.
func (p *Prompter) Line(question, fallback string, check func(string) error) (string, error) {
	style := p.io.ErrStyle()
	for {
		prompt := style.Bold(question)
		if fallback != "" {
			prompt += " " + style.Dim("("+Printable(fallback)+")")
		}
		fmt.Fprintf(p.io.Err, "%s %s ", style.Good("?"), prompt)
		answer, err := p.read()
		if err != nil {
			return "", err
		}
		if answer == "" {
			answer = fallback
		}
		if check == nil {
			return answer, nil
		}
		if err := check(answer); err != nil {
			fmt.Fprintf(p.io.Err, "  %s\n", style.Bad(err.Error()))
			continue
		}
		return answer, nil
	}
}

// Choice is one answer to choose from.
type Choice struct{ Value, About string }

// Choose asks for one of the choices, by number, by name or by an unambiguous
// beginning of a name; an empty answer means the first.
func (p *Prompter) Choose(question string, choices []Choice) (string, error) {
	style := p.io.ErrStyle()
	width := 0
	for _, c := range choices {
		width = max(width, len(c.Value))
	}
	fmt.Fprintf(p.io.Err, "%s %s\n", style.Good("?"), style.Bold(question))
	for i, c := range choices {
		fmt.Fprintf(p.io.Err, "  %d  %s  %s\n", i+1, style.Accent(fmt.Sprintf("%-*s", width, c.Value)), style.Dim(c.About))
	}
	for {
		fmt.Fprintf(p.io.Err, "  Number or name %s ", style.Dim("("+choices[0].Value+")"))
		answer, err := p.read()
		if err != nil {
			return "", err
		}
		if answer == "" {
			return choices[0].Value, nil
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(choices) {
			return choices[n-1].Value, nil
		}
		var found []string
		for _, c := range choices {
			if c.Value == answer {
				return c.Value, nil
			}
			if strings.HasPrefix(c.Value, answer) {
				found = append(found, c.Value)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		fmt.Fprintf(p.io.Err, "  %s\n", style.Bad(fmt.Sprintf("%q is none of them", Printable(answer))))
	}
}

// Confirm asks a yes-or-no question; an empty answer means the fallback.
func (p *Prompter) Confirm(question string, fallback bool) (bool, error) {
	style := p.io.ErrStyle()
	hint := "y/N"
	if fallback {
		hint = "Y/n"
	}
	for {
		fmt.Fprintf(p.io.Err, "%s %s %s ", style.Good("?"), style.Bold(question), style.Dim("("+hint+")"))
		answer, err := p.read()
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "":
			return fallback, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		fmt.Fprintf(p.io.Err, "  %s\n", style.Bad("answer y or n"))
	}
}

// maxAnswer bounds a line, so a file fed to the terminal cannot fill the memory.
const maxAnswer = 64 << 10

// read waits for a line in a goroutine, because a read from a terminal cannot
// be cancelled; after a cancellation the process ends and the goroutine with it.
func (p *Prompter) read() (string, error) {
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := p.readLine()
		answers <- answer{text, err}
	}()
	select {
	case a := <-answers:
		if a.err == nil || !errors.Is(a.err, ErrNoAnswer) {
			return a.text, a.err
		}
		fmt.Fprintln(p.io.Err) // leave the line of the question
		return "", a.err
	case <-p.ctx.Done():
		fmt.Fprintln(p.io.Err)
		return "", p.ctx.Err()
	}
}

func (p *Prompter) readLine() (string, error) {
	var line []byte
	for {
		part, err := p.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxAnswer:
			return "", fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
		case err == nil:
			return strings.TrimSpace(string(line)), nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			return strings.TrimSpace(string(line)), nil
		case errors.Is(err, io.EOF):
			return "", ErrNoAnswer
		default:
			return "", fmt.Errorf("reading the answer: %w", err)
		}
	}
}
