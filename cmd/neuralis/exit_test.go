package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

// runWith executes `neuralis try` where try is a verb that does what run does.
func runWith(t *testing.T, env map[string]string, run func(g *globals) error, flags ...string) (int, terminal.Streams) {
	t.Helper()
	streams, buffers := terminal.Test()
	streams.SetEnv(env)
	g := &globals{IO: streams}
	root := newRoot(g)
	try := &cobra.Command{Use: "try", Args: noArgs, RunE: func(*cobra.Command, []string) error { return run(g) }}
	bindJSON(try, g)
	root.AddCommand(try)
	return g.execute(context.Background(), root, append([]string{"try"}, flags...)), buffers
}

func TestExitCodes(t *testing.T) {
	failing := manifest.Diagnostics{{Rule: "r", Severity: manifest.SeverityError, File: "a.ts", Line: 1, Message: "broken"}}
	for _, test := range []struct {
		name string
		err  error
		code int
		out  string // in the message
		word string // the code in JSON, "" when the JSON is diagnostics
	}{
		{"nothing", nil, exitOK, "", ""},
		{"what has been said", errFindings, exitFindings, "", ""},
		{"what has been said, wrapped", fmt.Errorf("building: %w", errFindings), exitFindings, "", ""},
		{"usage", usagef("no such thing as %q", "x"), exitUsage, `no such thing as "x"`, "usage"},
		{"a refusal", refusef("not over a file"), exitFindings, "not over a file", "refused"},
		{"the file system", fmt.Errorf("writing: %w", fs.ErrPermission), exitInternal, "permission denied", "internal"},
		{"an interrupt", fmt.Errorf("building: %w", context.Canceled), exitInterrupted, "stopped", "interrupted"},
		{"no answer", terminal.ErrNoAnswer, exitInterrupted, "stopped", "interrupted"},
		{"problems", failing, exitFindings, "broken", ""},
		{"wrapped problems", fmt.Errorf("loading: %w", failing), exitFindings, "broken", ""},
		{"warnings alone", manifest.Diagnostics{{Severity: manifest.SeverityWarning, Message: "hm"}}, exitOK, "hm", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := func(*globals) error { return test.err }
			code, buffers := runWith(t, nil, run)
			if code != test.code || !strings.Contains(buffers.Err.String(), test.out) || buffers.Out.Len() > 0 {
				t.Errorf("code %d, err %q, out %q", code, buffers.Err, buffers.Out)
			}
			code, buffers = runWith(t, nil, run, "--json")
			if code != test.code || buffers.Err.Len() > 0 {
				t.Errorf("--json: code %d, err %q", code, buffers.Err)
			}
			if test.word == "" {
				return
			}
			var got failure
			if err := json.Unmarshal(buffers.Out.Bytes(), &got); err != nil || got.OK || got.Error.Code != test.word {
				t.Errorf("--json: %v %s", err, buffers.Out)
			}
		})
	}
}

func TestPanics(t *testing.T) {
	boom := func(*globals) error { panic(errors.New("boom\x1b[2J")) }
	code, buffers := runWith(t, nil, boom)
	text := buffers.Err.String()
	for _, want := range []string{"internal error", `boom\x1b[2J`, "Please report", issuesPage, "NEURALIS_DEBUG=1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if code != exitInternal || strings.Contains(text, "goroutine") {
		t.Errorf("code %d\n%s", code, text)
	}
	_, buffers = runWith(t, map[string]string{"NEURALIS_DEBUG": "1"}, boom)
	if text := buffers.Err.String(); !strings.Contains(text, "goroutine") || !strings.Contains(text, "TestPanics") {
		t.Errorf("no trace with NEURALIS_DEBUG:\n%s", text)
	}
	_, buffers = runWith(t, nil, boom, "--json")
	var got failure
	if err := json.Unmarshal(buffers.Out.Bytes(), &got); err != nil || got.Error.Code != "internal" {
		t.Errorf("--json: %v %s", err, buffers.Out)
	}
}

func TestUnknownCommandsAreExplained(t *testing.T) {
	streams, buffers := terminal.Test()
	if code := execute(context.Background(), []string{"shcema"}, streams); code != exitUsage {
		t.Errorf("code %d", code)
	}
	for _, want := range []string{`unknown command "shcema"`, "schema", `Run "neuralis --help"`} {
		if !strings.Contains(buffers.Err.String(), want) {
			t.Errorf("no %q in\n%s", want, buffers.Err)
		}
	}
}

// TestEveryVerbIsDescribed holds the command tree to what help and man pages need.
func TestEveryVerbIsDescribed(t *testing.T) {
	streams, _ := terminal.Test()
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: its Short is a phrase without a full stop, not %q", cmd.CommandPath(), cmd.Short)
		}
		if cmd.HasParent() && !cmd.Parent().HasParent() && cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.CommandPath())
		}
		if cmd.RunE == nil && cmd.HasParent() {
			t.Errorf("%s has no RunE", cmd.CommandPath())
		}
		page := string(manPage(cmd, "1.2.3"))
		for _, section := range []string{".TH ", ".SH NAME\n", ".SH SYNOPSIS\n", ".SH DESCRIPTION\n"} {
			if !strings.Contains(page, section) {
				t.Errorf("the man page of %s has no %q", cmd.CommandPath(), section)
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(newRoot(&globals{IO: streams}))
}

// TestStartUpIsLight keeps packages out whose initialisation costs every start
// of the program a noticeable part of its time.
func TestStartUpIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, heavy := range []struct{ pkg, instead string }{
		{"github.com/charmbracelet/huh", "terminal.Prompter"},
		{"github.com/charmbracelet/bubbletea", "terminal.Progress"},
		{"github.com/atotto/clipboard", "nothing: it looks for programs when it is initialised"},
		{"github.com/spf13/cobra/doc", "manPage"},
		{"github.com/russross/blackfriday/v2", "manPage"},
	} {
		for _, dep := range deps {
			if dep == heavy.pkg {
				t.Errorf("%s is linked in; use %s", heavy.pkg, heavy.instead)
			}
		}
	}
}

func TestExplanations(t *testing.T) {
	page := []byte("# T\n\n| rule | other |\n|---|---|\n| `no-rule` | x | y |\n\n## Loading\n\n| rule | what happened | what to do |\n|---|---|---|\n" +
		"| `a-b` | `x` is \\| odd | see [the page](p.md) |\n| `c` | stopped | |\n\n## Else\n\n| `d` | no table of rules | x |\n")
	got := explanations(page)
	want := []explanation{{"a-b", "Loading", "x is | odd", "see the page"}, {"c", "Loading", "stopped", ""}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v", got)
	}
	manual, err := rulesPage()
	if err != nil {
		t.Fatal(err)
	}
	if all := explanations(manual); len(all) < 20 {
		t.Errorf("the manual has %d rules", len(all))
	}
}

func TestRoff(t *testing.T) {
	for in, want := range map[string]string{
		"--json":    `\-\-json`,
		`a\b`:       `a\eb`,
		".TH is it": `\&.TH is it`,
		"'quoted'":  `\&'quoted'`,
		"a.b":       "a.b",
	} {
		if got := roff(in); got != want {
			t.Errorf("roff(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	g := &globals{Dir: "/home/ada/work"}
	if got := g.Show(g.Path("pkg")); got != "pkg" {
		t.Errorf("below: %s", got)
	}
	if got := g.Show("/etc"); got != "/etc" {
		t.Errorf("elsewhere: %s", got)
	}
	g.dir = "work"
	if got := g.Show(g.Path("pkg")); got != "work/pkg" {
		t.Errorf("below --dir: %s", got)
	}
	for in, want := range map[string]string{"a/b": "a/b", "a b": "'a b'", "it's": `'it'\''s'`, "": "''"} {
		if got := shellWord(in); got != want {
			t.Errorf("shellWord(%q) = %s", in, got)
		}
	}
}
