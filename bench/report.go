package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
)

// Report is everything one run found, and what -json prints.
type Report struct {
	Machine Machine  `json:"machine"`
	Noise   *Row     `json:"noise,omitempty"`
	Results []Result `json:"results"`
}

// Machine is what a reader needs to place the figures.
type Machine struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
}

// Result is one benchmark: its rows, or why it could not run.
type Result struct {
	Name  string `json:"name"`
	Rows  []Row  `json:"rows,omitempty"`
	Error string `json:"error,omitempty"`
}

func thisMachine() Machine {
	return Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()}
}

// broken says that a benchmark could not run; missed that one of the targets is not met.
func (r Report) broken() bool {
	for _, result := range r.Results {
		if result.Error != "" {
			return true
		}
	}
	return false
}

func (r Report) missed() bool {
	for _, result := range r.Results {
		for _, row := range result.Rows {
			if row.Met != nil && !*row.Met {
				return true
			}
		}
	}
	return false
}

func (r Report) writeJSON(out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

func (r Report) writeTable(out io.Writer) error {
	m := r.Machine
	fmt.Fprintf(out, "%s/%s, %d processors, %s\n", m.OS, m.Arch, m.CPUs, m.Go)
	if r.Noise != nil {
		fmt.Fprintf(out, "noise: %s is %s (%s to %s) over %d pairs; no ratio below is finer than that\n", r.Noise.What,
			figure(r.Noise.Spread.Median, "x"), figure(r.Noise.Spread.Min, "x"), figure(r.Noise.Spread.Max, "x"), r.Noise.Spread.N)
	}
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "benchmark\twhat\tmedian\tmin\tmax\tn\tcpu median\ttarget\tmet")
	var notes []string
	for _, result := range r.Results {
		if result.Error != "" {
			fmt.Fprintf(table, "%s\tcould not run (see below)\t\t\t\t\t\t\t\n", result.Name)
			notes = append(notes, result.Name+": "+result.Error)
		}
		for _, row := range result.Rows {
			fmt.Fprintln(table, strings.Join(cells(result.Name, row), "\t"))
			if row.Note != "" {
				notes = append(notes, result.Name+": "+row.Note)
			}
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintf(out, "\n%s\n", note)
	}
	return nil
}

func cells(name string, row Row) []string {
	cpu, target, met := "", "", ""
	if row.CPU != nil {
		cpu = figure(row.CPU.Median, row.Unit)
	}
	if row.Target != nil {
		target = row.Target.Op + " " + figure(row.Target.Value, row.Unit)
	}
	if row.Met != nil {
		met = map[bool]string{true: "yes", false: "NO"}[*row.Met]
	}
	s := row.Spread
	return []string{name, row.What, figure(s.Median, row.Unit), figure(s.Min, row.Unit), figure(s.Max, row.Unit),
		fmt.Sprint(s.N), cpu, target, met}
}

// figure prints three significant digits and the unit.
func figure(value float64, unit string) string {
	if unit == "x" {
		return fmt.Sprintf("%.3gx", value)
	}
	return fmt.Sprintf("%.3g %s", value, unit)
}

func seconds(value float64) string {
	if value < 1 {
		return fmt.Sprintf("%.0f ms", value*1000)
	}
	return fmt.Sprintf("%.2f s", value)
}
