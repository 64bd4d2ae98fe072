package host

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/logs"
)

func TestMasked(t *testing.T) {
	const secret = "s3cret-value"
	redactor := &logs.Redactor{}
	redactor.Add(secret)
	for name, write := range map[string]func(*slog.Logger){
		"a message": func(l *slog.Logger) { l.Error("with " + secret) },
		"a text":    func(l *slog.Logger) { l.Error("x", "a", secret) },
		"an error":  func(l *slog.Logger) { l.Error("x", "error", errors.New("it threw "+secret)) },
		"a group":   func(l *slog.Logger) { l.Error("x", slog.Group("g", slog.Any("in", []string{secret}))) },
		"before":    func(l *slog.Logger) { l.With("a", secret).WithGroup("g").Error("x", "b", secret) },
		"later":     func(l *slog.Logger) { l.Error("x", "a", valuer(secret)) },
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			write(masked(slog.New(slog.NewJSONHandler(&out, nil)), redactor))
			if text := out.String(); strings.Contains(text, secret) || !strings.Contains(text, logs.Mask) {
				t.Error(text)
			}
		})
	}
	var out strings.Builder
	log := masked(slog.New(slog.NewTextHandler(&out, nil)), redactor)
	log.Debug("below the level")
	log.Warn("x", "n", 1, "ok", true)
	if text := out.String(); !strings.HasSuffix(text, "level=WARN msg=x n=1 ok=true\n") || strings.Contains(text, "below") {
		t.Errorf("got %s", text)
	}
}

type valuer string

func (v valuer) LogValue() slog.Value { return slog.StringValue(string(v)) }
