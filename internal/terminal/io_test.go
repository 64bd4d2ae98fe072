package terminal

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestColor(t *testing.T) {
	for _, test := range []struct {
		name     string
		terminal bool
		mode     ColorMode
		env      map[string]string
		want     bool
	}{
		{"a terminal", true, ColorAuto, nil, true},
		{"a pipe", false, ColorAuto, nil, false},
		{"NO_COLOR on a terminal", true, ColorAuto, map[string]string{"NO_COLOR": "1"}, false},
		{"empty NO_COLOR", true, ColorAuto, map[string]string{"NO_COLOR": ""}, true},
		{"CLICOLOR_FORCE in a pipe", false, ColorAuto, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"CLICOLOR_FORCE=0 in a pipe", false, ColorAuto, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{"NO_COLOR and CLICOLOR_FORCE", false, ColorAuto, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
		{"a dumb terminal", true, ColorAuto, map[string]string{"TERM": "dumb"}, false},
		{"CLICOLOR=0", true, ColorAuto, map[string]string{"CLICOLOR": "0"}, false},
		{"--color always beats NO_COLOR", false, ColorAlways, map[string]string{"NO_COLOR": "1"}, true},
		{"--color never on a terminal", true, ColorNever, map[string]string{"CLICOLOR_FORCE": "1"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := Test()
			if test.terminal {
				s.PretendTerminal(80)
			}
			s.SetEnv(test.env)
			s.SetColorMode(test.mode)
			for name, style := range map[string]Style{"out": s.OutStyle(), "err": s.ErrStyle()} {
				if style.Colored() != test.want {
					t.Errorf("%s: coloured = %v, want %v", name, style.Colored(), test.want)
				}
				if got := style.Bad("x"); (got != "x") != test.want {
					t.Errorf("%s: Bad(x) = %q", name, got)
				}
			}
		})
	}
}

func TestParseColorMode(t *testing.T) {
	if _, err := ParseColorMode("sometimes"); err == nil || !strings.Contains(err.Error(), "auto, always or never") {
		t.Errorf("got %v", err)
	}
	if mode, err := ParseColorMode("never"); mode != ColorNever || err != nil {
		t.Errorf("got %v, %v", mode, err)
	}
}

func TestStyleKeepsTextAsItIs(t *testing.T) {
	s, _ := Test()
	s.SetColorMode(ColorAlways)
	got := s.OutStyle().Dim("\ta  b\n\n  longer line")
	plain := strings.NewReplacer("\x1b[2m", "", "\x1b[0m", "", "\x1b[m", "").Replace(got)
	if plain != "\ta  b\n\n  longer line" {
		t.Errorf("got %q", got)
	}
}

func TestWidth(t *testing.T) {
	s, _ := Test()
	if got := s.Width(); got != 80 {
		t.Errorf("unknown: %d", got)
	}
	s.SetEnv(map[string]string{"COLUMNS": "132"})
	if got := s.Width(); got != 132 {
		t.Errorf("from COLUMNS: %d", got)
	}
	s.PretendTerminal(40)
	if got := s.Width(); got != 40 {
		t.Errorf("from the terminal: %d", got)
	}
}

func TestCanPrompt(t *testing.T) {
	s, _ := Test()
	if s.CanPrompt() {
		t.Error("in a pipe")
	}
	s.PretendTerminal(80)
	if !s.CanPrompt() {
		t.Error("not on a terminal")
	}
	s.SetEnv(map[string]string{"CI": "true"})
	if s.CanPrompt() {
		t.Error("in CI")
	}
}

func TestWriteJSON(t *testing.T) {
	s, streams := Test()
	if err := s.WriteJSON(map[string]string{"a": "<b>&"}); err != nil {
		t.Fatal(err)
	}
	if got, want := streams.Out.String(), "{\n  \"a\": \"<b>&\"\n}\n"; got != want {
		t.Errorf("got %q", got)
	}
	if err := s.WriteJSON(func() {}); err == nil {
		t.Error("a function was written")
	}
	if got := streams.Out.Len(); got != len("{\n  \"a\": \"<b>&\"\n}\n") {
		t.Error("something was written before the error")
	}
}

func TestPrintable(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain", "héllo\tworld\n", "héllo\tworld\n"},
		{"escape sequence", "a\x1b[31mred", `a\x1b[31mred`},
		{"carriage return", "a\rb", `a\x0db`},
		{"right-to-left override", "a\u202eb", `a\u202eb`},
		{"no-break space", "10\u00a0€", "10\u00a0€"},
		{"beyond the basic plane", "a\U000e0001", `a\U000e0001`},
		{"emoji", "👍", "👍"},
		{"not UTF-8", "a\xff", "a\ufffd"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Printable(test.in); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestJSONHoldsNothingATerminalActsOn(t *testing.T) {
	s, streams := Test()
	// C1 control, DEL, right-to-left override, a tag beyond the first plane, a byte that is no UTF-8.
	text := "a\u009b1mb\x7f\u202ec\U000e0041é<\xff"
	for name, v := range map[string]any{"string": text, "raw": json.RawMessage(`"` + text + `"`)} {
		streams.Out.Reset()
		if err := s.WriteJSON(v); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(streams.Out.String(), `\ufffd`, "\ufffd"); got != `"a\u009b1mb\u007f\u202ec\udb40\udc41é<`+"\ufffd\"\n" {
			t.Errorf("%s: %s", name, got)
		}
		var back string
		if err := json.Unmarshal(streams.Out.Bytes(), &back); err != nil || back != strings.ToValidUTF8(text, "\ufffd") {
			t.Errorf("%s: %q, %v", name, back, err)
		}
	}
}
