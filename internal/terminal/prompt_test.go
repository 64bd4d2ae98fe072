package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestPrompts(t *testing.T) {
	s, streams := Test()
	s.PretendTerminal(80)
	s.SetColorMode(ColorNever)
	streams.In.WriteString("\nBad!\r\ngood\n9\nno\nno\nb\nsk\n2\n\nx\ny\n\nlast")
	p := NewPrompter(context.Background(), s)
	check := func(answer string) error {
		if strings.Contains(answer, "!") {
			return errors.New("no exclamation marks")
		}
		return nil
	}
	choices := []Choice{{"node", "full"}, {"nothing", "empty"}, {"skills", "no code"}, {"b", ""}}
	line := func(fallback string) (string, error) { return p.Line("Id", fallback, check) }
	choose := func() (string, error) { return p.Choose("Kind?", choices) }
	for i, step := range []struct {
		name string
		ask  func() (string, error)
		want string
	}{
		{"an empty answer is the fallback", func() (string, error) { return line("first") }, "first"},
		{"a refused answer is asked for again", func() (string, error) { return line("") }, "good"},
		{"a choice out of range, an ambiguous one twice, a full name", choose, "b"},
		{"the beginning of a name", choose, "skills"},
		{"a number", choose, "nothing"},
		{"an empty choice is the first", choose, "node"},
	} {
		if got, err := step.ask(); got != step.want || err != nil {
			t.Fatalf("%d %s: %q, %v", i, step.name, got, err)
		}
	}
	if ok, err := p.Confirm("Go?", false); !ok || err != nil {
		t.Errorf("confirm: %v %v", ok, err)
	}
	if ok, err := p.Confirm("Go?", true); !ok || err != nil {
		t.Errorf("confirm by default: %v %v", ok, err)
	}
	if got, err := p.Line("End", "", nil); got != "last" || err != nil {
		t.Errorf("without a line end: %q %v", got, err)
	}
	if _, err := p.Line("End", "x", nil); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("at the end: %v", err)
	}
	for _, want := range []string{"? Id (first) ", "no exclamation marks", `"no" is none of them`, "answer y or n"} {
		if !strings.Contains(streams.Err.String(), want) {
			t.Errorf("no %q in\n%s", want, streams.Err)
		}
	}
}

func TestPromptEndsWithTheContext(t *testing.T) {
	s, _ := Test()
	r, w := io.Pipe()
	defer w.Close()
	s.In = r
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewPrompter(ctx, s).Line("Id", "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPromptRefusesEndlessLines(t *testing.T) {
	s, streams := Test()
	streams.In.WriteString(strings.Repeat("a", maxAnswer+1))
	if _, err := NewPrompter(context.Background(), s).Line("Id", "", nil); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("got %v", err)
	}
}
