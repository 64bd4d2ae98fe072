package main

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestSpreadOf(t *testing.T) {
	for _, test := range []struct {
		name    string
		figures []float64
		want    Spread
	}{
		{"one", []float64{3}, Spread{3, 3, 3, 1}},
		{"odd, unsorted", []float64{5, 1, 3}, Spread{3, 1, 5, 3}},
		{"even takes the middle of two", []float64{4, 1, 2, 9}, Spread{3, 1, 9, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := spreadOf(test.figures); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
	if got := spreadOf(nil); !math.IsNaN(got.Median) || got.N != 0 {
		t.Errorf("no figures: got %+v", got)
	}
}

func TestRatiosArePairwise(t *testing.T) {
	got := ratios([]float64{10, 40}, []float64{5, 10})
	if !reflect.DeepEqual(got, []float64{2, 4}) {
		t.Errorf("got %v", got)
	}
}

func TestTarget(t *testing.T) {
	for _, test := range []struct {
		name   string
		target Target
		median float64
		want   bool
	}{
		{"at least, met", Target{">=", 20}, 21, true},
		{"at least, exactly", Target{">=", 20}, 20, true},
		{"at least, missed", Target{">=", 20}, 19.9, false},
		{"at most, met", Target{"<=", 3}, 2, true},
		{"at most, missed", Target{"<=", 3}, 3.1, false},
		{"no figure is never a success", Target{"<=", 3}, math.NaN(), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.target.met(Spread{Median: test.median}); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	all := []Benchmark{{Name: "build-cold"}, {Name: "build-large"}, {Name: "size"}}
	for _, test := range []struct {
		name     string
		patterns []string
		want     string
		err      string
	}{
		{"none means all", nil, "build-cold build-large size", ""},
		{"by name", []string{"size"}, "size", ""},
		{"by pattern, in the suite's order", []string{"size", "build-*"}, "build-cold build-large size", ""},
		{"unknown", []string{"speed"}, "", `no benchmark is named "speed"; -list shows them`},
	} {
		t.Run(test.name, func(t *testing.T) {
			chosen, err := choose(all, test.patterns)
			message := ""
			if err != nil {
				message = err.Error()
			}
			var names []string
			for _, b := range chosen {
				names = append(names, b.Name)
			}
			if strings.Join(names, " ") != test.want || message != test.err {
				t.Errorf("got %q, error %q", names, message)
			}
		})
	}
}

func TestReport(t *testing.T) {
	cpu := Spread{25, 24, 26, 3}
	report := Report{
		Machine: Machine{OS: "linux", Arch: "amd64", CPUs: 2, Go: "go1.26"},
		Noise:   &Row{What: "neuralis build / itself", Unit: "x", Spread: Spread{1, 0.95, 1.1, 3}},
		Results: []Result{
			{Name: "build-vs-peer", Rows: []Row{(Row{What: "peer / ours", Unit: "x", Spread: Spread{22, 20, 30, 3}, CPU: &cpu}).judged(">=", 20)}},
			{Name: "size", Rows: []Row{(Row{What: "package.wasm", Unit: "MB", Spread: Spread{1.5, 1.5, 1.5, 1}}).judged("<=", 1.3)}},
			{Name: "call", Error: "no host"},
		},
	}
	var out strings.Builder
	if err := report.writeTable(&out); err != nil {
		t.Fatal(err)
	}
	const want = `linux/amd64, 2 processors, go1.26
noise: neuralis build / itself is 1x (0.95x to 1.1x) over 3 pairs; no ratio below is finer than that

benchmark      what                       median  min     max     n  cpu median  target     met
build-vs-peer  peer / ours                22x     20x     30x     3  25x         >= 20x     yes
size           package.wasm               1.5 MB  1.5 MB  1.5 MB  1              <= 1.3 MB  NO
call           could not run (see below)                                                    

call: no host
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
	if !report.missed() || !report.broken() {
		t.Errorf("missed %v, broken %v", report.missed(), report.broken())
	}
	out.Reset()
	if err := report.writeJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, report) {
		t.Errorf("JSON loses something:\n%s", out.String())
	}
}

func TestLargeIsTheSameEverywhere(t *testing.T) {
	one, two := large(200_000), large(200_000)
	if !reflect.DeepEqual(one, two) {
		t.Error("two runs made different packages")
	}
	total := 0
	for name, text := range one {
		if strings.HasPrefix(name, "src/lib/module") {
			total += len(text)
		}
	}
	if total < 200_000 || total > 230_000 {
		t.Errorf("the modules hold %d bytes", total)
	}
}
