package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestHidden(t *testing.T) {
	tests := []struct {
		name, typed, want string
		err               error
	}{
		{"a line", "s3cr3t\rrest", "s3cr3t", nil},
		{"a line of a pipe", "s3cr3t\n", "s3cr3t", nil},
		{"blanks", " a b \r", " a b ", nil},
		{"nothing", "\r", "", nil},
		{"corrected", "aé\x7fb\x08\x08\x08\x08c\r", "c", nil},
		{"begun again", "abc\x15d\r", "d", nil},
		{"interrupted", "abc\x03", "", context.Canceled},
		{"ended", "abc\x04", "", ErrNoAnswer},
		{"cut off", "abc", "", ErrNoAnswer},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, streams := Test()
			streams.In.WriteString(test.typed)
			got, err := s.Hidden(t.Context(), "Value?")
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %q, %v", got, err)
			}
			if shown := streams.Err.String(); shown != "? Value? \r\n" || streams.Out.Len() != 0 {
				t.Errorf("shown: %q", shown)
			}
		})
	}
	s, streams := Test()
	streams.In.WriteString(strings.Repeat("x", maxAnswer+1) + "\r")
	if _, err := s.Hidden(t.Context(), "Value?"); err == nil || strings.Contains(err.Error(), "xx") {
		t.Errorf("got %v", err)
	}
}

func TestHiddenEndsWithItsContext(t *testing.T) {
	s, _ := Test()
	in, out := io.Pipe()
	defer out.Close()
	s.In = in
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Hidden(ctx, "Value?"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
