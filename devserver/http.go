package devserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/httpapi"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/openapi"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// The paths of the server that the API of a host has not.
const (
	PathMCP      = "/mcp"
	PathEvents   = "/api/events"
	PathLogs     = "/api/logs"
	PathProblems = "/api/problems"
	PathOpenAPI  = "/api/openapi.json"
)

// Handler answers over HTTP: the API of a host, MCP, and what happens while one works. guard looks at each request first.
func (s *Server) Handler(guard Guard) http.Handler {
	api := author{s.host, s}
	identify := func(r *http.Request) (session.Session, error) {
		id, err := s.opts.Identity.of(r)
		if err != nil {
			return session.Session{}, fmt.Errorf("%s: %w", IdentityHeader, err)
		}
		return s.sessionOf(id), nil
	}
	caller := func(r *http.Request) (session.Session, error) { return httpapi.Caller(r.Context()), nil }
	return guard.Wrap(httpapi.New(httpapi.Options{
		Host: api, Identify: identify, Log: s.opts.Log, MaxBodyBytes: int64(s.host.Config().HTTP.MaxBodyBytes),
		Mounts: map[string]http.Handler{
			PathMCP:      s.mcp.Handler(caller),
			PathEvents:   s.opts.Events,
			PathLogs:     http.HandlerFunc(s.recentLogs),
			PathProblems: http.HandlerFunc(s.problems),
			PathOpenAPI:  httpapi.OpenAPI(api, openapi.Options{Title: "Neuralis project", Version: s.opts.Toolchain}),
		},
	}))
}

// author is the host for the one who works on its packages, who may do everything.
type author struct {
	*host.Host
	server *Server
}

// Admin implements httpapi.Host.
func (author) Admin(session.Session) bool { return true }

// Rescan implements httpapi.Host. What is found is told as events.
func (a author) Rescan(context.Context) error {
	a.server.Rescan()
	return nil
}

// anyOrigin lets requests of all origins through, where somebody else has looked at them.
func anyOrigin() *http.CrossOriginProtection {
	all := http.NewCrossOriginProtection()
	all.AddInsecureBypassPattern("/")
	return all
}

// Of the lines that packages log, so many are told, and at most so many.
const (
	defaultLines = 100
	mostLines    = 1000
)

// recentLogs answers with the last lines that packages logged, the newest first. The query's package names one, n says how
// many, and level from which level on.
func (s *Server) recentLogs(w http.ResponseWriter, r *http.Request) {
	if !reading(w, r) {
		return
	}
	query := r.URL.Query()
	n := defaultLines
	if text := query.Get("n"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 || n > mostLines {
			refuse(w, http.StatusBadRequest, "invalid-request", fmt.Sprintf("n: %q is not a number from 1 to %d", clipped(text), mostLines))
			return
		}
	}
	least := logs.Level(cmp.Or(query.Get("level"), string(logs.Trace)))
	if !slices.Contains(logs.Levels(), least) {
		refuse(w, http.StatusBadRequest, "invalid-request", fmt.Sprintf("level: %q is none of %v", clipped(string(least)), logs.Levels()))
		return
	}
	lines := []json.RawMessage{}
	for _, e := range s.host.Catalog().Visible(httpapi.Caller(r.Context())) {
		if e.Kind != catalog.KindPackage || !e.Usable() || query.Get("package") != "" && query.Get("package") != e.ID {
			continue
		}
		logger, err := s.host.Logs().For(logs.Package{Key: e.Key(), ID: e.ID, FirstParty: e.Tier == trust.FirstParty})
		if err != nil {
			continue
		}
		found, err := logger.ReadNewest(r.Context(), mostLines)
		if err != nil {
			refuse(w, http.StatusInternalServerError, "internal-error", "the log cannot be read: "+err.Error())
			return
		}
		lines = append(lines, found...)
	}
	answer(w, map[string]any{"lines": newest(lines, least, n)})
}

// newest are the n newest lines of a level, the newest first.
func newest(lines []json.RawMessage, least logs.Level, n int) []json.RawMessage {
	type dated struct {
		time string
		line json.RawMessage
	}
	var kept []dated
	for _, line := range lines {
		var head struct {
			Time  string     `json:"time"`
			Level logs.Level `json:"level"`
		}
		if json.Unmarshal(line, &head) == nil && head.Level.Rank() >= least.Rank() {
			kept = append(kept, dated{head.Time, line})
		}
	}
	slices.SortStableFunc(kept, func(a, b dated) int { return cmp.Compare(b.time, a.time) })
	newest := []json.RawMessage{}
	for _, d := range kept[:min(n, len(kept))] {
		newest = append(newest, d.line)
	}
	return newest
}

// problems answers with what is wrong with packages whose last save broke them.
func (s *Server) problems(w http.ResponseWriter, r *http.Request) {
	if !reading(w, r) {
		return
	}
	type broken struct {
		Dir         string `json:"dir"`
		Diagnostics any    `json:"diagnostics"`
	}
	all := []broken{}
	for dir, diags := range s.project.Problems() {
		all = append(all, broken{dir, diags})
	}
	slices.SortFunc(all, func(a, b broken) int { return cmp.Compare(a.Dir, b.Dir) })
	answer(w, map[string]any{"packages": all})
}

// reading reports whether a request reads. If not, it is answered.
func reading(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	refuse(w, http.StatusMethodNotAllowed, "method-not-allowed", "this is read with GET")
	return false
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
}
