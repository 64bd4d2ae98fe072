package lint

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/manifest"
)

// Baseline are findings that somebody knows of and has put off. A finding is known again by rule, file and message, and not
// by its line: lines move. Of several that are alike, as many are known as there were.
type Baseline struct {
	// base is the folder that files are relative to.
	base  string
	known map[baselineKey]int
}

type baselineKey struct{ Rule, File, Message string }

// baselineFile is how a baseline is kept.
type baselineFile struct {
	Version  int             `json:"version"`
	Findings []baselineEntry `json:"findings"`
}

type baselineEntry struct {
	Rule    string `json:"rule"`
	File    string `json:"file"`
	Message string `json:"message"`
	Count   int    `json:"count,omitempty"`
}

// ReadBaseline reads a baseline. Files in it are relative to base.
func ReadBaseline(data []byte, base string) (*Baseline, error) {
	var file baselineFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("the baseline is not JSON: %w", err)
	}
	if file.Version != 1 {
		return nil, fmt.Errorf("the baseline has version %d, and this program reads version 1: write it anew", file.Version)
	}
	b := &Baseline{base: base, known: map[baselineKey]int{}}
	for _, e := range file.Findings {
		b.known[baselineKey{e.Rule, e.File, e.Message}] += max(1, e.Count)
	}
	return b, nil
}

// WriteBaseline is a baseline in which all findings of a report are known.
func WriteBaseline(r Report, base string) ([]byte, error) {
	file := baselineFile{Version: 1, Findings: []baselineEntry{}}
	at := map[baselineKey]int{}
	for _, d := range r.All(base) {
		key := baselineKey{d.Rule, d.File, d.Message}
		if i, ok := at[key]; ok {
			file.Findings[i].Count = max(1, file.Findings[i].Count) + 1
			continue
		}
		at[key] = len(file.Findings)
		file.Findings = append(file.Findings, baselineEntry{Rule: d.Rule, File: d.File, Message: d.Message})
	}
	data, err := json.MarshalIndent(file, "", "  ")
	return append(data, '\n'), err
}

// without leaves out what is known.
func (b *Baseline) without(dir string, found manifest.Diagnostics) (kept manifest.Diagnostics, known int) {
	if b == nil {
		return found, 0
	}
	prefix, err := filepath.Rel(b.base, dir)
	if err != nil {
		return found, 0
	}
	left := map[baselineKey]int{}
	for _, d := range found {
		key := baselineKey{d.Rule, join(prefix, d.File), d.Message}
		if _, ok := left[key]; !ok {
			left[key] = b.known[key]
		}
		if left[key] > 0 {
			left[key]--
			known++
			continue
		}
		kept = append(kept, d)
	}
	return kept, known
}
