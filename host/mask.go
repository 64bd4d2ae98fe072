package host

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/neuralis-dev/neuralis/host/logs"
)

// masked returns a log in which secrets that packages were given are masked: an error that a package threw is in its own
// words, and may have one.
func masked(log *slog.Logger, redactor *logs.Redactor) *slog.Logger {
	return slog.New(&masking{log.Handler(), redactor})
}

// masking is a handler around another one.
type masking struct {
	next     slog.Handler
	redactor *logs.Redactor
}

func (m *masking) Enabled(ctx context.Context, level slog.Level) bool {
	return m.next.Enabled(ctx, level)
}

func (m *masking) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, m.redactor.Redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(m.attr(a))
		return true
	})
	return m.next.Handle(ctx, clean)
}

func (m *masking) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = m.attr(a)
	}
	return &masking{m.next.WithAttrs(clean), m.redactor}
}

func (m *masking) WithGroup(name string) slog.Handler {
	return &masking{m.next.WithGroup(name), m.redactor}
}

// attr masks what can hold text.
func (m *masking) attr(a slog.Attr) slog.Attr {
	switch value := a.Value.Resolve(); value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(m.redactor.Redact(value.String()))
	case slog.KindGroup:
		var members []slog.Attr
		for _, member := range value.Group() {
			members = append(members, m.attr(member))
		}
		a.Value = slog.GroupValue(members...)
	case slog.KindAny:
		a.Value = slog.StringValue(m.redactor.Redact(fmt.Sprint(value.Any())))
	default:
		a.Value = value
	}
	return a
}
