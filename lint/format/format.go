// Package format writes what the linter found for other programs: JSON, SARIF 2.1.0, workflow commands of GitHub, JUnit and
// Checkstyle.
//
// All of them say the same: every finding with its rule, severity, file, line and column, in the order of the report. What a
// format has no place for is in the message.
package format

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/lint"
	"github.com/neuralis-dev/neuralis/manifest"
)

// The formats.
const (
	JSON       = "json"
	SARIF      = "sarif"
	GitHub     = "github"
	JUnit      = "junit"
	Checkstyle = "checkstyle"
)

// Names are all formats.
func Names() []string { return []string{JSON, SARIF, GitHub, JUnit, Checkstyle} }

// Options say what is written.
type Options struct {
	// Base is the folder that files are named relative to.
	Base string
	// Version is that of the program.
	Version string
	// OK says whether the run passed: warnings alone may have failed it.
	OK bool
}

// Write writes a report in one of the formats.
func Write(w io.Writer, name string, report lint.Report, o Options) error {
	switch name {
	case JSON:
		return writeJSON(w, document(report, o))
	case SARIF:
		return writeJSON(w, sarif(report, o))
	case GitHub:
		return writeGitHub(w, report.All(o.Base))
	case JUnit:
		return writeXML(w, junit(report, o))
	case Checkstyle:
		return writeXML(w, checkstyle(report.All(o.Base), o))
	}
	return fmt.Errorf("there is no format %q", name)
}

// Document is the JSON form of a report.
type Document struct {
	OK          bool                  `json:"ok"`
	Counts      terminal.Counts       `json:"counts"`
	Packages    []DocumentPackage     `json:"packages"`
	Diagnostics []manifest.Diagnostic `json:"diagnostics"`
}

// DocumentPackage is one package in it.
type DocumentPackage struct {
	ID         string          `json:"id,omitempty"`
	Dir        string          `json:"dir"`
	Counts     terminal.Counts `json:"counts"`
	Suppressed int             `json:"suppressed"`
	Known      int             `json:"known"`
}

func document(report lint.Report, o Options) Document {
	all := report.All(o.Base)
	d := Document{OK: o.OK, Counts: terminal.Count(all), Packages: []DocumentPackage{}, Diagnostics: append([]manifest.Diagnostic{}, all...)}
	for _, p := range report.Packages {
		d.Packages = append(d.Packages, DocumentPackage{ID: p.ID, Dir: p.Dir, Counts: terminal.Count(p.Diagnostics), Suppressed: p.Suppressed, Known: p.Known})
	}
	return d
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

func writeXML(w io.Writer, v any) error {
	data, err := xml.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	return err
}

// whole is everything that a finding says, on one line or several.
func whole(d manifest.Diagnostic) string {
	if d.Hint == "" {
		return d.Message
	}
	return d.Message + "\nhint: " + d.Hint
}

// writeGitHub writes workflow commands, which GitHub shows at their lines. Their form is in its documentation under
// "Workflow commands for GitHub Actions".
func writeGitHub(w io.Writer, all manifest.Diagnostics) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	level := map[manifest.Severity]string{manifest.SeverityError: "error", manifest.SeverityWarning: "warning", manifest.SeverityInfo: "notice"}
	for _, d := range all {
		var properties []string
		set := func(name, value string) { properties = append(properties, name+"="+property.Replace(value)) }
		number := func(name string, value int) {
			if value > 0 {
				set(name, strconv.Itoa(value))
			}
		}
		if d.File != "" {
			set("file", d.File)
		}
		number("line", d.Line)
		number("col", d.Column)
		number("endColumn", d.EndColumn)
		set("title", d.Rule)
		if _, err := fmt.Fprintf(w, "::%s %s::%s\n", level[d.Severity], strings.Join(properties, ","), data.Replace(whole(d))); err != nil {
			return err
		}
	}
	return nil
}

// uri is a path as a relative reference: a segment may hold what a URI gives a meaning to.
func uri(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/")
}
