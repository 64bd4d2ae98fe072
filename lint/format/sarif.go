package format

import (
	"github.com/neuralis-dev/neuralis/lint"
	"github.com/neuralis-dev/neuralis/manifest"
)

// The parts of SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format") that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string       `json:"id"`
		ShortDescription     sarifText    `json:"shortDescription"`
		Help                 sarifText    `json:"help"`
		DefaultConfiguration sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex *int            `json:"ruleIndex,omitempty"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

func sarifLevel(s manifest.Severity) string {
	switch s {
	case manifest.SeverityError:
		return "error"
	case manifest.SeverityWarning:
		return "warning"
	}
	return "note"
}

func sarif(report lint.Report, o Options) sarifLog {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "neuralis lint", Version: o.Version, InformationURI: "https://github.com/neuralis-dev/neuralis", Rules: []sarifRule{}}
	index := map[string]int{}
	for i, r := range lint.Rules() {
		index[r.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: r.ID, ShortDescription: sarifText{r.Summary}, Help: sarifText{r.Todo}, DefaultConfiguration: sarifDefault{sarifLevel(r.Severity)},
		})
	}
	for _, d := range report.All(o.Base) {
		result := sarifResult{RuleID: d.Rule, Level: sarifLevel(d.Severity), Message: sarifText{whole(d)}}
		if i, ok := index[d.Rule]; ok {
			result.RuleIndex = &i
		}
		if d.File != "" {
			result.Locations = []sarifLocation{{Physical: physical(d.File, d.Line, d.Column, d.EndColumn)}}
		}
		for _, n := range d.Notes {
			if n.File != "" {
				result.Related = append(result.Related, sarifLocation{Physical: physical(n.File, n.Line, n.Column, 0), Message: &sarifText{n.Message}})
			}
		}
		run.Results = append(run.Results, result)
	}
	return sarifLog{Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func physical(file string, line, column, end int) sarifPhysical {
	p := sarifPhysical{Artifact: sarifArtifact{uri(file)}}
	if line > 0 {
		p.Region = &sarifRegion{StartLine: line, StartColumn: column, EndColumn: end}
	}
	return p
}
