package memoryhost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/host/outbound"
	"github.com/neuralis-dev/neuralis/manifest"
)

// ports answers the guest's requests out of memory.
type ports struct {
	pkg   *manifest.Package
	opts  Options
	lines map[string][]json.RawMessage
	store map[string]map[string]json.RawMessage
	locks map[int]lock
	next  int
	http  outbound.Client
}

type lock struct{ store, id string }

func newPorts(pkg *manifest.Package, opts Options) *ports {
	return &ports{pkg: pkg, opts: opts, lines: map[string][]json.RawMessage{}, store: map[string]map[string]json.RawMessage{}, locks: map[int]lock{},
		http: outbound.Client{AllowedHosts: pkg.Manifest.Network.AllowedHosts}}
}

// request is any request of the guest; each operation reads its own members.
type request struct {
	Op      string          `json:"op"`
	Rel     string          `json:"rel"`
	Path    string          `json:"path"`
	N       int             `json:"n"`
	Store   string          `json:"store"`
	ID      string          `json:"id"`
	Lock    int             `json:"lock"`
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Ms      float64         `json:"ms"`
	Level   string          `json:"level"`
	Message string          `json:"message"`
	Fields  json.RawMessage `json:"fields"`
}

// portError is an error with a code that the guest sees.
type portError struct{ code, message string }

func (e *portError) Error() string { return e.message }

// Answer implements sandbox.Ports.
func (p *ports) Answer(ctx context.Context, text []byte) []byte {
	var r request
	var result any
	err := json.Unmarshal(text, &r)
	if err == nil {
		result, err = p.answer(ctx, r, text)
	}
	answer := map[string]any{"ok": result}
	if err != nil {
		e := &portError{code: "host-error", message: err.Error()}
		errors.As(err, &e)
		if refused := (*outbound.Error)(nil); errors.As(err, &refused) {
			e = &portError{refused.Code, refused.Message}
		}
		answer = map[string]any{"error": map[string]string{"code": e.code, "message": e.message}}
	}
	if ctx.Err() != nil {
		answer["cancelled"] = context.Cause(ctx).Error()
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		return []byte(`{"error":{"code":"host-error","message":"the answer is not JSON"}}`)
	}
	return encoded
}

func (p *ports) answer(ctx context.Context, r request, text []byte) (any, error) {
	switch r.Op {
	case "timer.sleep":
		// More than a day is as long as the call may take.
		timer := time.NewTimer(time.Duration(min(max(r.Ms, 0), 864e5) * float64(time.Millisecond)))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return nil, nil
	case "log":
		p.write(r.Level, r.Message, r.Fields)
		return nil, nil
	case "credentials.resolve":
		return nil, nil
	case "config.get":
		return p.config(r.Key)
	case "data.path":
		if _, err := inside(r.Rel); err != nil {
			return nil, err
		}
		return "memory:/" + path.Clean(r.Rel), nil
	case "data.append":
		at, err := inside(r.Path)
		if err == nil {
			p.lines[at] = append(p.lines[at], r.Value)
		}
		return nil, err
	case "data.readNewest":
		at, err := inside(r.Path)
		lines := slices.Clone(p.lines[at])
		slices.Reverse(lines)
		return slices.Clip(append([]json.RawMessage{}, lines[:min(max(r.N, 0), len(lines))]...)), err
	}
	if r.Op == "http.request" {
		var request outbound.Request
		if err := json.Unmarshal(text, &request); err != nil {
			return nil, err
		}
		return p.http.Do(ctx, request)
	}
	if op, ok := strings.CutPrefix(r.Op, "store."); ok {
		return p.storeOp(op, r)
	}
	return nil, &portError{"unsupported", fmt.Sprintf("`neuralis call` has no %s", r.Op)}
}

// inside refuses paths that lead out of the data folder, as a real host does.
func inside(rel string) (string, error) {
	clean := path.Clean(rel)
	if rel == "" || path.IsAbs(rel) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(rel, "\\\x00:") {
		return "", &portError{"invalid-path", fmt.Sprintf("%q is no path inside the package's data folder", rel)}
	}
	return clean, nil
}

func (p *ports) storeOp(op string, r request) (any, error) {
	if op == "commit" || op == "abort" {
		l, ok := p.locks[r.Lock]
		if !ok {
			return nil, &portError{"no-lock", fmt.Sprintf("there is no update with the number %d", r.Lock)}
		}
		delete(p.locks, r.Lock)
		if op == "commit" {
			p.put(l.store, l.id, r.Value)
		}
		return nil, nil
	}
	name, err := inside(r.Store)
	if err != nil {
		return nil, err
	}
	records := p.store[name]
	if op == "list" {
		ids := make([]string, 0, len(records))
		for id := range records {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		values := []json.RawMessage{}
		for _, id := range ids {
			values = append(values, records[id])
		}
		return values, nil
	}
	if _, err := inside(r.ID); err != nil {
		return nil, err
	}
	value, found := records[r.ID]
	switch op {
	case "get":
		return value, nil
	case "exists":
		return found, nil
	case "put":
		p.put(name, r.ID, r.Value)
		return nil, nil
	case "delete":
		delete(records, r.ID)
		return found, nil
	case "begin":
		p.next++
		p.locks[p.next] = lock{name, r.ID}
		return map[string]any{"lock": p.next, "value": value}, nil
	}
	return nil, &portError{"unsupported", "there is no store." + op}
}

func (p *ports) put(store, id string, value json.RawMessage) {
	if p.store[store] == nil {
		p.store[store] = map[string]json.RawMessage{}
	}
	p.store[store][id] = value
}

func (p *ports) config(key string) (any, error) {
	for _, s := range p.pkg.Manifest.ConfigSettings {
		if s.Key != key {
			continue
		}
		if s.EnvFallback != "" {
			if v := p.opts.Getenv(s.EnvFallback); v != "" {
				if s.Type != "string" && json.Valid([]byte(v)) {
					return json.RawMessage(v), nil
				}
				return v, nil
			}
		}
		return s.Default, nil
	}
	return nil, &portError{"unknown-config", fmt.Sprintf("config key %q is not declared in configSettings", key)}
}

var levels = []string{"trace", "debug", "info", "warn", "error"}

// Log implements sandbox.Ports.
func (p *ports) Log(_ context.Context, level int, message string) {
	p.write(levels[min(max(level, 0), len(levels)-1)], message, nil)
}

func (p *ports) write(level, message string, fields json.RawMessage) {
	if len(fields) > 0 && !bytes.Equal(fields, []byte("null")) && !bytes.Equal(fields, []byte("{}")) {
		message += " " + string(fields)
	}
	fmt.Fprintf(p.opts.Log, "%-5s %s\n", level, message)
}
