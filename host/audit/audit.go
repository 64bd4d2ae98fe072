package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/neuralis-dev/neuralis/host/data"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// The bounds of the log.
const (
	// MaxFileBytes is how long a file gets.
	MaxFileBytes = 16 << 20
	// Keep is how many full files are kept.
	Keep = 20
)

const (
	file    = "routes.jsonl"
	maxPath = 2 << 10
	maxWord = 256
)

// Access is one call of a route.
type Access struct {
	// Package is the key of the package: its id, for those of a user or an agent with the owner in front.
	Package string
	// Tier is how far the package is trusted.
	Tier trust.Tier
	// Method and Path are those of the request; from a ? on, the path is left out.
	Method, Path string
	// Pattern is the pattern that matched; it may be empty.
	Pattern string
	// Status is the status that was answered.
	Status int
	// Code is the error code of the host where the package was not reached, such as feature-required.
	Code string
	// Took is how long the answer took.
	Took time.Duration
	// Caller is who called, and in which scope.
	Caller session.Session
	// Request is an id that the lines of a request have in all logs; it may be empty.
	Request string
}

// Log is the audit log of a host. It may be used by many goroutines at once.
type Log struct {
	store *data.Store
	now   func() time.Time
}

// Open returns the log below the host's dataDir, which is absolute. It touches no disk.
func Open(dataDir string, now func() time.Time) (*Log, error) {
	store, err := data.Open(filepath.Join(dataDir, "audit"), data.Options{Private: true})
	if err != nil {
		return nil, err
	}
	return &Log{store: store, now: now}, nil
}

// line is a line of the log.
type line struct {
	Time    string     `json:"time"`
	Package string     `json:"package"`
	Tier    trust.Tier `json:"tier"`
	Method  string     `json:"method"`
	Path    string     `json:"path"`
	Pattern string     `json:"pattern,omitempty"`
	Status  int        `json:"status"`
	Code    string     `json:"code,omitempty"`
	TookMS  float64    `json:"tookMs"`
	Caller  caller     `json:"caller"`
	Request string     `json:"request,omitempty"`
}

// caller is the scope of a call: a session without its features.
type caller struct {
	UserID      string     `json:"userId,omitempty"`
	ProjectID   string     `json:"projectId,omitempty"`
	AgentID     string     `json:"agentId,omitempty"`
	CallerID    string     `json:"callerId,omitempty"`
	CallerTrust trust.Tier `json:"callerTrust,omitempty"`
	Role        string     `json:"role,omitempty"`
}

// Record writes a line, unless the package is first-party. A cancelled ctx does not keep the line from being
// written: the access took place.
func (l *Log) Record(ctx context.Context, a Access) error {
	if a.Tier == trust.FirstParty {
		return nil
	}
	path, _, _ := strings.Cut(a.Path, "?")
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(line{
		Time:    l.now().UTC().Format("2006-01-02T15:04:05.000Z07:00"),
		Package: word(a.Package), Tier: a.Tier,
		Method: word(a.Method), Path: clip(path, maxPath), Pattern: clip(a.Pattern, maxPath),
		Status: a.Status, Code: word(a.Code),
		TookMS: float64(a.Took.Microseconds()) / 1e3,
		Caller: caller{
			UserID: word(a.Caller.UserID), ProjectID: word(a.Caller.ProjectID), AgentID: word(a.Caller.AgentID),
			CallerID: word(a.Caller.CallerID), CallerTrust: a.Caller.CallerTrust, Role: word(a.Caller.Role),
		},
		Request: word(a.Request),
	})
	if err != nil {
		return fmt.Errorf("write the audit line of %s %s: %w", a.Method, a.Package, err)
	}
	err = l.store.Append(context.WithoutCancel(ctx), file, text.Bytes(), data.Rotation{MaxBytes: MaxFileBytes, Keep: Keep})
	if err != nil {
		return fmt.Errorf("write the audit line of a call of %s: %w", a.Package, err)
	}
	return nil
}

// ReadNewest returns the last n lines, the newest first.
func (l *Log) ReadNewest(ctx context.Context, n int) ([]json.RawMessage, error) {
	return l.store.ReadNewest(ctx, file, n)
}

func word(text string) string { return clip(text, maxWord) }

// clip cuts what is too long.
func clip(text string, longest int) string {
	if len(text) > longest {
		for longest > 0 && !utf8.RuneStart(text[longest]) {
			longest--
		}
		text = text[:longest] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
