package main

import (
	"math"
	"sort"
)

// Spread is how a list of figures lies: what a reader needs to judge whether a difference means
// anything.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	N      int     `json:"n"`
}

// spreadOf returns the spread of the figures; an empty list gives NaN.
func spreadOf(figures []float64) Spread {
	if len(figures) == 0 {
		return Spread{Median: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	}
	sorted := append([]float64(nil), figures...)
	sort.Float64s(sorted)
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + sorted[middle]) / 2
	}
	return Spread{Median: median, Min: sorted[0], Max: sorted[len(sorted)-1], N: len(sorted)}
}

// ratios divides pair by pair: a[i] and b[i] ran one after the other, under the same conditions.
func ratios(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = a[i] / b[i]
	}
	return out
}

// Target is a bound that a median must keep.
type Target struct {
	// Op is ">=" or "<=".
	Op    string  `json:"op"`
	Value float64 `json:"value"`
}

func (t Target) met(s Spread) bool {
	if t.Op == ">=" {
		return s.Median >= t.Value
	}
	return s.Median <= t.Value
}
