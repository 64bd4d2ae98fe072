package host

import (
	"context"
	"encoding/json"

	"github.com/neuralis-dev/neuralis/host/logs"
)

// Line is a line that a package logged. What is known to be secret is masked in it.
type Line struct {
	// Package is the id of the package.
	Package string
	Level   logs.Level
	Message string
	// Fields is a JSON value, usually an object, or empty.
	Fields json.RawMessage
	// Call is the call during which it was logged.
	Call logs.Call
}

// tee is the log of a package, of which somebody is told besides.
type tee struct {
	logger   *logs.Logger
	pkg      string
	redactor *logs.Redactor
	tell     func(Line)
}

func (t *tee) Log(ctx context.Context, level logs.Level, message string, fields json.RawMessage, call logs.Call) {
	t.logger.Log(ctx, level, message, fields, call)
	if t.tell != nil && level.Rank() >= t.logger.Level().Rank() {
		line := Line{Package: t.pkg, Level: level, Message: t.redactor.Redact(message), Call: call}
		if len(fields) > 0 {
			line.Fields = json.RawMessage(t.redactor.Redact(string(fields)))
		}
		t.tell(line)
	}
}
