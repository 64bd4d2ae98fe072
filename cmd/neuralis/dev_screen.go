package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"github.com/neuralis-dev/neuralis/devserver"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

// devScreen shows what happens while somebody works: a line for each event, and frames for what is wrong. It writes to
// standard error, as MCP may have standard output; with JSON, each event is a line on standard output.
type devScreen struct {
	io     *terminal.IO
	json   bool
	quiet  bool // a client reads what is on standard error, if anybody does
	events <-chan devserver.Event
	stop   func()

	mu sync.Mutex
}

func newDevScreen(io *terminal.IO, events *devserver.Events, asJSON, stdio bool) *devScreen {
	_, next, stop := events.Subscribe(events.Last())
	return &devScreen{io: io, json: asJSON && !stdio, quiet: stdio, events: next, stop: stop}
}

// run shows events until stop is called.
func (s *devScreen) run() {
	for event := range s.events {
		s.show(event)
	}
}

func (s *devScreen) show(e devserver.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.json {
		if line, err := json.Marshal(e); err == nil {
			fmt.Fprintf(s.io.Out, "%s\n", line)
		}
		return
	}
	style := s.io.ErrStyle()
	name := terminal.Printable(e.Package)
	took := style.Dim(milliseconds(e.Milliseconds))
	switch e.Kind {
	case devserver.KindBuilt:
		s.line(style.Good("✓"), name, "built", took)
		s.problems(e)
	case devserver.KindMended:
		s.line(style.Good("✓"), name, "is right again")
	case devserver.KindBroken:
		s.line(style.Bad("✗"), orDir(name, e.Dir), "is broken; its last good version goes on")
		s.problems(e)
	case devserver.KindChanged:
		if len(e.Removed) > 0 {
			s.line(style.Dim("-"), terminal.Printable(strings.Join(e.Removed, ", ")), "gone")
		}
		if len(e.Added) > 0 {
			s.line(style.Good("+"), terminal.Printable(strings.Join(e.Added, ", ")), "there")
		}
	case devserver.KindCalled:
		mark, outcome := style.Accent("→"), "ok"
		if e.Code != "" {
			mark, outcome = style.Bad("→"), style.Bad(e.Code)
		}
		s.line(mark, terminal.Printable(e.Target), outcome, took, style.Dim(name))
	case devserver.KindLogged:
		s.line(style.Dim("·"), style.Dim(terminal.Printable(fmt.Sprintf("%-5s %s", e.Level, e.Message))))
	case devserver.KindNotice:
		mark := style.Dim("·")
		if e.Level == "error" {
			mark = style.Bad("✗")
		}
		s.line(mark, terminal.Printable(e.Message))
	}
}

func orDir(name, dir string) string {
	if name == "" {
		return terminal.Printable(dir)
	}
	return name
}

func milliseconds(ms float64) string {
	switch {
	case ms <= 0:
		return ""
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}

// line writes words behind a mark. Standard error is quiet where only problems are wanted.
func (s *devScreen) line(mark string, words ...string) {
	if s.io.Quiet {
		return
	}
	var said []string
	for _, word := range words {
		if word != "" {
			said = append(said, word)
		}
	}
	fmt.Fprintf(s.io.Err, "%s %s\n", mark, strings.Join(said, "  "))
}

// problems prints the diagnostics of an event.
func (s *devScreen) problems(e devserver.Event) {
	if len(e.Diagnostics) > 0 {
		terminal.PrintDiagnostics(s.io, placed(builtPackage{Dir: e.Dir, Diagnostics: e.Diagnostics}))
	}
}

// warn says something that must be seen.
func (s *devScreen) warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	style := s.io.ErrStyle()
	fmt.Fprintf(s.io.Err, "%s %s\n", style.Warn("warning:"), text)
}

// ready says where the server is and what there is.
func (s *devScreen) ready(address string, server *devserver.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.json || s.io.Quiet {
		return // with JSON it is an event
	}
	style := s.io.ErrStyle()
	fmt.Fprintf(s.io.Err, "\n  %s  %s\n", style.Bold("neuralis dev"), style.Accent(address))
	fmt.Fprintf(s.io.Err, "  MCP  %s    API  %s\n\n", address+devserver.PathMCP, address+"/api/catalog")
	for _, e := range server.Host().Catalog().All() {
		if e.Kind == catalog.KindPackage {
			fmt.Fprintf(s.io.Err, "  %s\n", packageLine(style, e))
		}
	}
	if s.io.CanPrompt() {
		fmt.Fprintf(s.io.Err, "\n  %s\n", style.Dim("r look again · o open · c clear · q quit"))
	}
	fmt.Fprintln(s.io.Err)
}

// packageLine is a package with its status.
func packageLine(style terminal.Style, e *catalog.Entry) string {
	status := style.Good(string(e.Status))
	if e.Status != catalog.StatusReady {
		status = style.Warn(string(e.Status))
	}
	line := fmt.Sprintf("%-20s %s", terminal.Printable(e.ID), status)
	if e.Reason != "" {
		return line + "  " + string(e.Reason) + "  " + style.Dim(terminal.Printable(e.Message))
	}
	return line + "  " + style.Dim(contents(e.Package, len(e.Routes.Routes)))
}

// contents counts what a package has.
func contents(p *manifest.Package, routes int) string {
	var parts []string
	for _, part := range []struct {
		n    int
		noun string
	}{{len(p.Tools), "tool"}, {routes, "route"}, {len(p.Skills), "skill"}, {len(p.Docs), "doc"}} {
		if part.n > 0 {
			parts = append(parts, terminal.Plural(part.n, part.noun))
		}
	}
	return strings.Join(parts, ", ")
}

// key does what a key is for.
func (s *devScreen) key(ctx context.Context, key byte, address string, server *devserver.Server, quit func()) {
	switch key {
	case 'r', 'R':
		server.Rescan()
		s.show(devserver.Event{Kind: devserver.KindNotice, Level: "info", Message: "looking again"})
	case 'o', 'O':
		openBrowser(ctx, address+"/api/catalog")
	case 'c', 'C':
		if s.json {
			return
		}
		s.mu.Lock()
		fmt.Fprint(s.io.Err, "\x1b[H\x1b[2J\x1b[3J")
		s.mu.Unlock()
		s.ready(address, server)
	case 'q', 'Q', 4: // Ctrl-D
		quit()
	}
}

// openBrowser shows an address in the user's browser, if there is one.
func openBrowser(ctx context.Context, address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if command := exec.CommandContext(ctx, name, args...); command.Start() == nil {
		go func() { _ = command.Wait() }()
	}
}
