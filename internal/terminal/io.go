package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/muesli/termenv"
	"golang.org/x/term"
)

// ColorMode says when colour is used.
type ColorMode string

// The values of the --color flag.
const (
	ColorAuto   ColorMode = "auto"   // on terminals, unless the environment says otherwise
	ColorAlways ColorMode = "always" // in pipes and files too
	ColorNever  ColorMode = "never"
)

// ParseColorMode reads the value of a --color flag.
func ParseColorMode(s string) (ColorMode, error) {
	switch mode := ColorMode(s); mode {
	case ColorAuto, ColorAlways, ColorNever:
		return mode, nil
	}
	return "", fmt.Errorf("invalid colour mode %q: use auto, always or never", s)
}

// defaultWidth is assumed where no terminal tells its width.
const defaultWidth = 80

// IO is the standard streams of one run and what is known about them.
// Make one with [System] or [Test]; the zero value has no streams.
type IO struct {
	In  io.Reader
	Out io.Writer // results
	Err io.Writer // progress, diagnostics, prompts

	// Quiet drops what only tells that things went well: progress, summaries of
	// success, next steps. Results and diagnostics are always printed.
	Quiet bool

	inTTY, outTTY, errTTY bool
	mode                  ColorMode
	lookupEnv             func(string) (string, bool)
	size                  func() (width int, ok bool)
}

// System gives the streams of this process. It makes no terminal queries.
func System() *IO {
	s := &IO{
		In:        os.Stdin,
		Out:       os.Stdout,
		Err:       os.Stderr,
		inTTY:     term.IsTerminal(int(os.Stdin.Fd())),
		outTTY:    term.IsTerminal(int(os.Stdout.Fd())),
		errTTY:    term.IsTerminal(int(os.Stderr.Fd())),
		mode:      ColorAuto,
		lookupEnv: os.LookupEnv,
	}
	s.size = func() (int, bool) {
		for _, f := range []*os.File{os.Stderr, os.Stdout, os.Stdin} {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
				return width, true
			}
		}
		return 0, false
	}
	// Consoles on Windows interpret escape sequences only when asked to; elsewhere
	// these calls do nothing.
	if s.outTTY {
		_, _ = termenv.EnableVirtualTerminalProcessing(termenv.NewOutput(os.Stdout))
	}
	if s.errTTY {
		_, _ = termenv.EnableVirtualTerminalProcessing(termenv.NewOutput(os.Stderr))
	}
	return s
}

// Streams are the buffers behind an IO made by [Test].
type Streams struct{ In, Out, Err *bytes.Buffer }

// Test gives an IO on buffers: no terminals, an empty environment, 80 columns.
func Test() (*IO, Streams) {
	b := Streams{In: new(bytes.Buffer), Out: new(bytes.Buffer), Err: new(bytes.Buffer)}
	return &IO{
		In: b.In, Out: b.Out, Err: b.Err,
		mode:      ColorAuto,
		lookupEnv: func(string) (string, bool) { return "", false },
		size:      func() (int, bool) { return 0, false },
	}, b
}

// PretendTerminal makes all three streams count as a terminal of the given
// width, for tests of what people see.
func (s *IO) PretendTerminal(width int) {
	s.inTTY, s.outTTY, s.errTTY = true, true, true
	s.size = func() (int, bool) { return width, true }
}

// SetEnv replaces the environment that colour decisions read, for tests.
func (s *IO) SetEnv(env map[string]string) {
	s.lookupEnv = func(key string) (string, bool) { v, ok := env[key]; return v, ok }
}

// LookupEnv is the value of an environment variable, and whether there is one.
func (s *IO) LookupEnv(key string) (string, bool) { return s.lookupEnv(key) }

// Getenv is the value of an environment variable, or "".
func (s *IO) Getenv(key string) string {
	v, _ := s.lookupEnv(key)
	return v
}

// SetColorMode applies a --color flag.
func (s *IO) SetColorMode(mode ColorMode) { s.mode = mode }

// OutIsTerminal reports whether results are read by a person.
func (s *IO) OutIsTerminal() bool { return s.outTTY }

// ErrIsTerminal reports whether messages are read by a person as they appear.
func (s *IO) ErrIsTerminal() bool { return s.errTTY }

// CanPrompt reports whether a question can be asked and answered: a terminal
// for typing, a terminal for the question, and no CI that merely allocates one.
func (s *IO) CanPrompt() bool {
	if ci := s.Getenv("CI"); ci != "" && ci != "false" && ci != "0" {
		return false
	}
	return s.inTTY && s.errTTY
}

// Width is the number of columns to lay text out in: the terminal's, else the
// COLUMNS variable, else 80.
func (s *IO) Width() int {
	if width, ok := s.size(); ok {
		return width
	}
	if width, err := strconv.Atoi(s.Getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	return defaultWidth
}

// OutStyle is the style for what is written to Out.
func (s *IO) OutStyle() Style { return newStyle(s.colored(s.outTTY)) }

// ErrStyle is the style for what is written to Err.
func (s *IO) ErrStyle() Style { return newStyle(s.colored(s.errTTY)) }

// colored decides by the flag, then NO_COLOR, then CLICOLOR_FORCE, then whether
// the stream is a terminal that can show colour. A variable counts as set when
// it is not empty, as no-color.org has it.
func (s *IO) colored(tty bool) bool {
	switch s.mode {
	case ColorAlways:
		return true
	case ColorNever:
		return false
	}
	if s.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := s.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	if s.Getenv("TERM") == "dumb" || s.Getenv("CLICOLOR") == "0" {
		return false
	}
	return tty
}

// Printf writes a line about the work to Err, unless the run is quiet.
func (s *IO) Printf(format string, args ...any) {
	if !s.Quiet {
		fmt.Fprintf(s.Err, format, args...)
	}
}

// WriteJSON writes v to Out as one indented JSON document and a newline.
// HTML characters are left as they are; what a terminal would act on instead of showing it, control
// characters and those that change the direction of text, is escaped.
func (s *IO) WriteJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	_, err := io.WriteString(s.Out, escapeJSON(b.String()))
	return err
}

// escapeJSON escapes what is not shown as it is. JSON has such characters in strings only, where an escape
// means the same.
func escapeJSON(text string) string {
	shown := func(r rune) bool { return r == '\n' || r != unicode.ReplacementChar && unicode.IsGraphic(r) }
	if strings.IndexFunc(text, func(r rune) bool { return !shown(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case shown(r) || r == unicode.ReplacementChar: // bytes that are no UTF-8 become the latter
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}
