package limit

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// clock is a clock that tests turn.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_000_000, c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

func TestAllow(t *testing.T) {
	type step struct {
		wait  time.Duration
		limit int
		want  Decision
	}
	yes := func(remaining int) Decision { return Decision{Allowed: true, Remaining: remaining} }
	no := func(d time.Duration) Decision { return Decision{RetryAfter: d} }
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"no limit", []step{{0, 0, yes(-1)}, {0, 0, yes(-1)}, {0, -1, yes(-1)}}},
		{"one a minute", []step{{0, 1, yes(0)}, {0, 1, no(time.Minute)}, {time.Minute - 1, 1, no(1)}, {1, 1, yes(0)}}},
		{"refusals do not count", []step{{0, 1, yes(0)}, {30 * time.Second, 1, no(30 * time.Second)}, {30 * time.Second, 1, yes(0)}}},
		{"the window slides", []step{
			{0, 2, yes(1)}, {40 * time.Second, 2, yes(0)}, {0, 2, no(20 * time.Second)},
			{20 * time.Second, 2, yes(0)}, {0, 2, no(40 * time.Second)}, {39 * time.Second, 2, no(time.Second)},
		}},
		{"a lower limit", []step{
			{0, 3, yes(2)}, {time.Second, 3, yes(1)}, {time.Second, 3, yes(0)},
			{0, 2, no(59 * time.Second)}, {59 * time.Second, 2, yes(0)}, {0, 1, no(time.Minute)},
		}},
		{"a higher limit", []step{{0, 1, yes(0)}, {0, 2, yes(0)}, {0, 2, no(time.Minute)}}},
		{"a clock that goes back stands still", []step{{0, 1, yes(0)}, {-time.Hour, 1, no(time.Minute)}, {time.Hour + time.Minute, 1, yes(0)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c clock
			l := New(c.now)
			for i, s := range test.steps {
				c.advance(s.wait)
				if got := l.Allow("p", Tools, s.limit); got != s.want {
					t.Fatalf("step %d: got %+v, want %+v", i, got, s.want)
				}
			}
		})
	}
}

func TestCountedApart(t *testing.T) {
	var c clock
	l := New(c.now)
	for _, k := range []struct {
		pkg  string
		kind Kind
	}{{"a", Tools}, {"a", Routes}, {"b", Tools}, {"b", Routes}} {
		if !l.Allow(k.pkg, k.kind, 1).Allowed {
			t.Errorf("%v was refused its first call", k)
		}
		if l.Allow(k.pkg, k.kind, 1).Allowed {
			t.Errorf("%v was let through twice", k)
		}
	}
}

// naive is the definition: it remembers every call that was let through.
type naive struct{ let []time.Time }

func (n *naive) allow(now time.Time, limit int) Decision {
	var inside []time.Time
	for _, t := range n.let {
		if now.Sub(t) < Window {
			inside = append(inside, t)
		}
	}
	if len(inside) >= limit {
		return Decision{RetryAfter: inside[len(inside)-limit].Add(Window).Sub(now)}
	}
	n.let = append(n.let, now)
	return Decision{Allowed: true, Remaining: limit - len(inside) - 1}
}

func TestAgreesWithTheDefinition(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		var c clock
		l, model := New(c.now), map[string]*naive{}
		limit := 1 + random.IntN(40)
		for i := range 1500 {
			switch random.IntN(6) {
			case 0:
				c.advance(time.Duration(random.Int64N(int64(5 * time.Second))))
			case 1:
				c.advance(time.Duration(random.Int64N(3)))
			case 2:
				if random.IntN(60) == 0 {
					c.advance(time.Duration(random.Int64N(int64(3 * Window))))
				}
				if random.IntN(40) == 0 {
					limit = 1 + random.IntN(40)
				}
			}
			pkg := fmt.Sprint("p", random.IntN(2))
			if model[pkg] == nil {
				model[pkg] = &naive{}
			}
			if got, want := l.Allow(pkg, Tools, limit), model[pkg].allow(c.now(), limit); got != want {
				t.Fatalf("seed %d, call %d: got %+v, want %+v", seed, i, got, want)
			}
		}
	}
}

func TestExactUnderConcurrency(t *testing.T) {
	const limit, goroutines, each = 300, 50, 40
	var c clock
	l := New(c.now)
	for round := range 3 {
		var let atomic.Int64
		var group sync.WaitGroup
		for range goroutines {
			group.Go(func() {
				for range each {
					if l.Allow("p", Routes, limit).Allowed {
						let.Add(1)
					}
				}
			})
		}
		group.Wait()
		if let.Load() != limit {
			t.Errorf("round %d: %d calls were let through", round, let.Load())
		}
		c.advance(Window)
	}
}

func TestMemory(t *testing.T) {
	var c clock
	l := New(c.now)
	for i := range 1000 {
		l.Allow(fmt.Sprint(i), Tools, 60)
	}
	for range 5000 {
		l.Allow("busy", Tools, 700)
	}
	if r := l.counts[key{"busy", Tools}]; len(r.times) != 700 {
		t.Errorf("a ring for 700 calls has room for %d", len(r.times))
	}
	if got := l.Len(); got != 1001 {
		t.Errorf("%d packages are counted", got)
	}
	c.advance(Window)
	l.Allow("one more", Tools, 1)
	if got := l.Len(); got != 1 {
		t.Errorf("%d packages are counted after a minute without calls", got)
	}
}

func ExampleLimiter_Allow() {
	now := time.Unix(0, 0)
	l := New(func() time.Time { return now })
	for range 3 {
		fmt.Println(l.Allow("catalog", Tools, 2))
		now = now.Add(10 * time.Second)
	}
	// Output:
	// {true 1 0s}
	// {true 0 0s}
	// {false 0 40s}
}

func BenchmarkAllow(b *testing.B) {
	l := New(time.Now)
	for b.Loop() {
		l.Allow("p", Tools, 300)
	}
}
