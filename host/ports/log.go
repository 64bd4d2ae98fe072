package ports

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/neuralis-dev/neuralis/host/logs"
)

// maxLines is how many lines one call may log. A call that loops must not use up what the other calls of the package
// may log.
const maxLines = 500

// log writes a line of ctx.logger.
func (p *ports) log(ctx context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Level   string          `json:"level"`
		Message string          `json:"message"`
		Fields  json.RawMessage `json:"fields"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	p.write(ctx, logs.Level(r.Level), r.Message, r.Fields)
	return nil, nil
}

// write writes a line, if the call may still log.
func (p *ports) write(ctx context.Context, level logs.Level, message string, fields json.RawMessage) {
	if p.lines++; p.Package.Log == nil || p.lines > maxLines {
		return
	}
	p.Package.Log.Log(ctx, level, message, fields, p.what())
}

// what names the call in lines.
func (p *ports) what() logs.Call {
	return logs.Call{Tool: p.caller.Tool, Route: p.caller.Route, Request: p.caller.Request}
}

// endLog tells how much of what the call logged was not kept.
func (p *ports) endLog() {
	if p.Package.Log != nil && p.lines > maxLines {
		p.Package.Log.Log(context.Background(), logs.Warn, fmt.Sprintf("the call logged %d lines; those after the first %d were dropped", p.lines, maxLines), nil, p.what())
	}
}

// Log implements sandbox.Ports: it takes a line that the guest wrote to its console.
func (p *ports) Log(ctx context.Context, level int, message string) {
	p.write(ctx, logs.LevelOf(level), message, nil)
}
