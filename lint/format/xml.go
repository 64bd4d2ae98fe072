package format

import (
	"encoding/xml"

	"github.com/neuralis-dev/neuralis/lint"
	"github.com/neuralis-dev/neuralis/manifest"
)

// A suite of JUnit is a package, and each finding is a case that fails; those that fail no run are skipped ones. A package
// without findings is one case that passes.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

func junit(report lint.Report, o Options) junitSuites {
	all := junitSuites{Name: "neuralis lint"}
	for _, p := range report.Packages {
		suite := junitSuite{Name: p.Dir}
		if p.ID != "" {
			suite.Name = p.ID
		}
		for _, d := range (lint.Report{Packages: []lint.Package{p}}).All(o.Base) {
			text := d.Error()
			if d.Frame != "" {
				text += "\n" + d.Frame
			}
			if d.Hint != "" {
				text += "\nhint: " + d.Hint
			}
			c := junitCase{Name: d.Rule + " at " + place(d), Class: d.File, File: d.File, Line: d.Line}
			message := &junitMessage{Message: d.Message, Type: d.Rule, Text: text}
			if d.Severity == manifest.SeverityInfo || d.Severity == manifest.SeverityWarning && o.OK {
				message.Type = ""
				c.Skipped = message
				suite.Skipped++
			} else {
				c.Failure = message
				suite.Failures++
			}
			suite.Cases = append(suite.Cases, c)
		}
		if len(suite.Cases) == 0 {
			suite.Cases = []junitCase{{Name: "lint", Class: suite.Name}}
		}
		suite.Tests = len(suite.Cases)
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Suites = append(all.Suites, suite)
	}
	return all
}

// place is where a finding is, in the form that editors know.
func place(d manifest.Diagnostic) string {
	d.Message = ""
	at := d.Error()
	if len(at) > 2 {
		return at[:len(at)-2]
	}
	return "the package"
}

type (
	checkstyleLog struct {
		XMLName xml.Name         `xml:"checkstyle"`
		Version string           `xml:"version,attr"`
		Files   []checkstyleFile `xml:"file"`
	}
	checkstyleFile struct {
		Name   string            `xml:"name,attr"`
		Errors []checkstyleError `xml:"error"`
	}
	checkstyleError struct {
		Line     int    `xml:"line,attr,omitempty"`
		Column   int    `xml:"column,attr,omitempty"`
		Severity string `xml:"severity,attr"`
		Message  string `xml:"message,attr"`
		Source   string `xml:"source,attr"`
	}
)

func checkstyle(all manifest.Diagnostics, o Options) checkstyleLog {
	log := checkstyleLog{Version: "4.3"}
	at := map[string]int{}
	for _, d := range all {
		i, ok := at[d.File]
		if !ok {
			i = len(log.Files)
			at[d.File] = i
			log.Files = append(log.Files, checkstyleFile{Name: d.File})
		}
		log.Files[i].Errors = append(log.Files[i].Errors, checkstyleError{Line: d.Line, Column: d.Column, Severity: string(d.Severity), Message: whole(d), Source: "neuralis." + d.Rule})
	}
	return log
}
