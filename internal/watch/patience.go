package watch

import "time"

const (
	// calm is how long nothing must happen after a change until it is told. Editors write a file in several steps, within
	// a millisecond or two.
	calm = 3 * time.Millisecond
	// calmest is the same for changes that look like more than a save.
	calmest = 100 * time.Millisecond
	// stretch is how many times as long changes that do not end are waited for.
	stretch = 10
	// many paths at once are more than a save: a checkout, a generator, a copy.
	many = 16
	// steady is after how many calls in a row that something changed during, changes are taken to go on and on.
	steady = 5
)

// patience decides how long to wait for changes to end. A save is told almost at once; the longer and the more changes come,
// the more of them come to one call.
type patience struct {
	first, last time.Time // of the changes that wait
	paths       int       // of them
	busy        int       // calls in a row during which something changed
	cut         int       // calls in a row that did not wait for calm
}

// note is told that there are changes, of so many paths since the last call.
func (p *patience) note(now time.Time, paths int) {
	if p.first.IsZero() {
		p.first = now
	}
	p.last, p.paths = now, paths
}

// due is when to call.
func (p *patience) due() time.Time {
	quiet := p.quiet()
	due := p.last.Add(quiet)
	if end := p.first.Add(stretch * quiet); end.Before(due) {
		return end
	}
	return due
}

func (p *patience) quiet() time.Duration {
	if p.paths > many {
		return calmest
	}
	return min(calmest, calm<<min(10, p.cut+max(0, p.busy-steady)))
}

// began is told that a call begins, and ended that it has, and whether there were changes meanwhile.
func (p *patience) began() {
	if p.due().Before(p.last.Add(p.quiet())) {
		p.cut++
	} else {
		p.cut = 0
	}
	p.first, p.last, p.paths = time.Time{}, time.Time{}, 0
}

func (p *patience) ended(changed bool) {
	if changed {
		p.busy++
	} else {
		p.busy = 0
	}
}
