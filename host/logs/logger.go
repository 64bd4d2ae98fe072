package logs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/neuralis-dev/neuralis/host/data"
)

// Call is what the host knows of the call during which something is logged. Each member may be empty.
type Call struct {
	Tool    string `json:"tool,omitempty"`
	Route   string `json:"route,omitempty"`
	Request string `json:"request,omitempty"` // an id that all lines of a request have
}

// Logger is the log of one package.
type Logger struct {
	logs  *Logs
	pkg   Package
	store *data.Store
	path  string

	writing sync.Mutex // lines are in the order in which they were let through
	budget  budget
	failing bool
}

// budget counts lines.
type budget struct {
	lines   float64
	at      time.Time
	dropped int
}

// take reports whether one more line may be written.
func (b *budget) take(now time.Time) bool {
	if passed := now.Sub(b.at); passed > 0 { // a clock that went back gives nothing
		if !b.at.IsZero() {
			b.lines = min(b.lines+passed.Seconds()*PerSecond, Burst)
		}
		b.at = now
	}
	if b.lines < 1 {
		b.dropped++
		return false
	}
	b.lines--
	return true
}

// Level returns the lowest level that is kept now.
func (l *Logger) Level() Level { return l.logs.options.Settings().LevelFor(l.pkg.ID) }

// Log writes a line, unless its level is below the one that is kept now. A level that there is not counts as
// info. Fields is a JSON value, usually an object, or empty. What is too long is cut, and says so.
func (l *Logger) Log(ctx context.Context, level Level, message string, fields json.RawMessage, call Call) {
	if level.Rank() >= len(Levels()) {
		level = Info
	}
	if level.Rank() < l.Level().Rank() {
		return
	}
	l.tell(l.keep(ctx, level, message, fields, call)...)
}

// keep writes a line if the package may still log, and returns what it wrote.
func (l *Logger) keep(ctx context.Context, level Level, message string, fields json.RawMessage, call Call) []record {
	now := l.logs.options.Now()
	l.writing.Lock()
	defer l.writing.Unlock()
	if !l.budget.take(now) {
		return nil
	}
	return append(l.tellDropped(ctx), l.write(ctx, l.record(now, level, message, fields, call)))
}

// tellDropped writes how many lines were dropped since the last one that was written.
func (l *Logger) tellDropped(ctx context.Context) []record {
	n := l.budget.dropped
	if n == 0 {
		return nil
	}
	l.budget.dropped = 0
	message := fmt.Sprintf("%d lines were dropped: the package logs more than %d lines a second", n, PerSecond)
	return []record{l.write(ctx, l.record(l.logs.options.Now(), Warn, message, nil, Call{}))}
}

// tell tells of lines that were kept. Nobody else waits meanwhile.
func (l *Logger) tell(kept ...record) {
	if l.logs.options.Kept == nil {
		return
	}
	for _, r := range kept {
		line := Line{Time: r.at, Package: r.Package, Level: r.Level, Message: r.Message, Call: r.Call}
		if r.Fields != nil {
			line.Fields, _ = encode(r.Fields)
			line.Fields = bytes.TrimSpace(line.Fields)
		}
		l.logs.options.Kept(line)
	}
}

func (l *Logger) write(ctx context.Context, r record) record {
	// A call that was cancelled still has its last words.
	err := l.store.Append(context.WithoutCancel(ctx), l.path, r.text, data.Rotation{MaxBytes: MaxFileBytes, Keep: Keep})
	if err != nil && !l.failing && l.logs.options.OnFault != nil {
		l.logs.options.OnFault(l.pkg.Key, err)
	}
	l.failing = err != nil
	return r
}

// ReadNewest returns the last n lines, the newest first.
func (l *Logger) ReadNewest(ctx context.Context, n int) ([]json.RawMessage, error) {
	return l.store.ReadNewest(ctx, l.path, n)
}

// record is a line.
type record struct {
	Time    string `json:"time"`
	Level   Level  `json:"level"`
	Package string `json:"package"`
	Message string `json:"message"`
	Fields  any    `json:"fields,omitempty"`
	Call

	at   time.Time
	text json.RawMessage
}

const (
	maxMessage = 16 << 10
	maxFields  = 16 << 10
	maxName    = 256
)

func (l *Logger) record(now time.Time, level Level, message string, fields json.RawMessage, call Call) record {
	redactor := l.logs.options.Redactor
	r := record{
		at:   now,
		Time: now.UTC().Format("2006-01-02T15:04:05.000Z07:00"), Level: level, Package: l.pkg.ID,
		// Masked first: a cut could leave a part of a secret that is not known any more.
		Message: clip(redactor.Redact(message), maxMessage),
		Fields:  redactor.fields(fields),
		Call:    Call{Tool: clip(call.Tool, maxName), Route: clip(call.Route, 2*maxName), Request: clip(call.Request, maxName)},
	}
	text, err := encode(r)
	if err != nil || len(text) > MaxLineBytes { // control characters take six bytes each
		r.Message, r.Fields = clip(r.Message, maxMessage/8), truncated{true, len(fields)}
		text, _ = encode(r)
	}
	r.text = text
	return r
}

func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return b.Bytes(), err
}

// truncated stands in the place of fields that are too long.
type truncated struct {
	Truncated bool `json:"truncated"`
	Bytes     int  `json:"bytes"`
}

// fields are the fields as they may be logged.
func (r *Redactor) fields(fields json.RawMessage) any {
	fields = bytes.TrimSpace(fields)
	switch {
	case len(fields) == 0, string(fields) == "null", string(fields) == "{}":
		return nil
	case len(fields) > maxFields:
		return truncated{true, len(fields)}
	}
	decoder := json.NewDecoder(bytes.NewReader(fields))
	decoder.UseNumber()
	var value any
	if !json.Valid(fields) || decoder.Decode(&value) != nil {
		return r.Redact(strings.ToValidUTF8(string(fields), "\uFFFD"))
	}
	return r.redactFields(value)
}

// clip cuts a text that is too long, and says how long it was.
func clip(text string, longest int) string {
	if len(text) <= longest {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	cut := longest
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.ToValidUTF8(text[:cut], "\uFFFD") + fmt.Sprintf("… (%d bytes)", len(text))
}
