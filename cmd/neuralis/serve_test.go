package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

// A program that reads the log finds JSON in it and nothing else.
func TestFaultsOfTheConfigInTheLog(t *testing.T) {
	var out bytes.Buffer
	log, err := newLog(&out, "json")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{serveOptions: &serveOptions{globals: &globals{IO: &terminal.IO{Err: &out}}, Form: "json"}, log: log}
	s.show(manifest.Diagnostics{
		{Rule: "json-syntax", Severity: manifest.SeverityError, File: "neuralis.host.json", Line: 2, Column: 3, Message: "a\nfault", Frame: "  1 | {\n  2 | ]"},
		{Rule: "host-config", Severity: manifest.SeverityWarning, Message: "another"},
	})
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(lines) != 2 {
		t.Fatalf("logged %s", out.Bytes())
	}
	var line struct {
		Level, Msg, Rule, File string
		Line, Column           int
	}
	if err := json.Unmarshal(lines[0], &line); err != nil || line.Level != "ERROR" || line.Msg != "the config: a\nfault" || line.Rule != "json-syntax" || line.File != "neuralis.host.json" || line.Line != 2 || line.Column != 3 {
		t.Errorf("got %+v, %v", line, err)
	}
	if err := json.Unmarshal(lines[1], &line); err != nil || line.Level != "WARN" {
		t.Errorf("got %+v, %v", line, err)
	}
}

func TestNotReadyBeforeAllAreStarted(t *testing.T) {
	s := &server{}
	if err := s.Ready(); err == nil || err.Error() != "the host is starting" {
		t.Errorf("got %v", err)
	}
	s.stopping.Store(true)
	if err := s.Ready(); err == nil || err.Error() != "the host is stopping" {
		t.Errorf("got %v", err)
	}
}
