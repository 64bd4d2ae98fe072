package watch

import (
	"testing"
	"time"
)

// TestPatience plays changes against a clock, and says when they are told.
func TestPatience(t *testing.T) {
	const ms = time.Millisecond
	start := time.Unix(1000, 0)
	for _, test := range []struct {
		name  string
		times []time.Duration // of changes
		paths int
		busy  int
		cut   int
		want  time.Duration
	}{
		{"one save", []time.Duration{0}, 1, 0, 0, 3 * ms},
		{"a save in steps", []time.Duration{0, ms, 2 * ms}, 2, 0, 0, 5 * ms},
		{"changes that go on", []time.Duration{0, 10 * ms, 20 * ms, 29 * ms}, 2, 0, 0, 30 * ms},
		{"a checkout", []time.Duration{0, 10 * ms}, 17, 0, 0, 110 * ms},
		{"a long checkout", []time.Duration{0, 990 * ms}, 5000, 0, 0, 1000 * ms},
		{"saves during calls", []time.Duration{0}, 1, 5, 0, 3 * ms},
		{"changes during all calls", []time.Duration{0}, 1, 8, 0, 24 * ms},
		{"changes for ever", []time.Duration{0}, 1, 1000, 0, 100 * ms},
		{"changes that went on for long", []time.Duration{0, 40 * ms}, 1, 0, 4, 88 * ms},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := patience{busy: test.busy, cut: test.cut}
			for _, at := range test.times {
				p.note(start.Add(at), test.paths)
			}
			if got := p.due().Sub(start); got != test.want {
				t.Errorf("told after %s, not %s", got, test.want)
			}
		})
	}
	var p patience
	for range 3 { // changes without an end
		p.note(start, 1)
		p.note(start.Add(stretch*calmest), 1)
		p.began()
		p.ended(true)
	}
	if p.cut != 3 || p.busy != 3 {
		t.Errorf("%+v", p)
	}
	p.note(start, 1)
	p.began()
	p.ended(false)
	if p != (patience{}) {
		t.Errorf("after a quiet change: %+v", p)
	}
}
