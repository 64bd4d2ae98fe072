package dispatch

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/limit"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// handler answers a call, and step is a handler around the next one.
type handler[C, A any] func(ctx context.Context, call C) A
type step[C, A any] func(next handler[C, A]) handler[C, A]

// chain strings steps together, the first one being the outermost.
func chain[C, A any](last handler[C, A], steps ...step[C, A]) handler[C, A] {
	for i := len(steps) - 1; i >= 0; i-- {
		last = steps[i](last)
	}
	return last
}

// target is what a call is for and on whose behalf. Calls of each kind have one; what finds the package fills it in.
type target struct {
	who      session.Session
	entry    *catalog.Entry
	limits   trust.Limits
	features []string // that the caller needs
	what     string   // for messages: the tool x
	label    string   // for whoever observes

	pkg    runtime.Package // what runs the code
	unheld error           // or why nothing does
}

func (t *target) at() *target { return t }

// targeted is a call of any kind.
type targeted interface{ at() *target }

// recovered makes an answer of a panic.
func recovered[C, A any](report func(context.Context, any, []byte), refuse func(*Error) A) step[C, A] {
	return func(next handler[C, A]) handler[C, A] {
		return func(ctx context.Context, call C) (answer A) {
			defer func() {
				if r := recover(); r != nil {
					if report != nil {
						report(ctx, r, debug.Stack())
					}
					// What a panic says is for the operator.
					answer = refuse(errorf(CodeInternal, "the host failed; its log says more"))
				}
			}()
			return next(ctx, call)
		}
	}
}

// depthKey is the key, in a context, of how many calls of packages are around a call.
type depthKey struct{}

// Nested reports whether a call is made by a package that is answering another one, going by the context that
// [Options].Hold is given.
func Nested(ctx context.Context) bool {
	depth, _ := ctx.Value(depthKey{}).(int)
	return depth > 1
}

// bounded refuses calls that are nested too deeply.
func bounded[C, A any](most int, refuse func(*Error) A) step[C, A] {
	return func(next handler[C, A]) handler[C, A] {
		return func(ctx context.Context, call C) A {
			depth, _ := ctx.Value(depthKey{}).(int)
			if depth > most {
				return refuse(errorf(CodeCallDepth, "packages have called each other %d times within one call; no more are allowed", most))
			}
			return next(context.WithValue(ctx, depthKey{}, depth+1), call)
		}
	}
}

// gated refuses callers who lack a feature.
func gated[C targeted, A any](refuse func(*Error) A) step[C, A] {
	return func(next handler[C, A]) handler[C, A] {
		return func(ctx context.Context, call C) A {
			t := call.at()
			for _, feature := range t.features {
				if !t.who.Has(feature) {
					e := errorf(CodeFeatureRequired, "%s needs the feature %s, which the caller does not have", t.what, feature)
					e.Feature = feature
					return refuse(e)
				}
			}
			return next(ctx, call)
		}
	}
}

// rated refuses calls of a package that is called too often.
func rated[C targeted, A any](l *limit.Limiter, kind limit.Kind, perMinute func(trust.Limits) int, refuse func(*Error) A) step[C, A] {
	return func(next handler[C, A]) handler[C, A] {
		return func(ctx context.Context, call C) A {
			t := call.at()
			most := perMinute(t.limits)
			if d := l.Allow(t.entry.Key(), kind, most); !d.Allowed {
				e := errorf(CodeRateLimited, "the package %s answers %d calls a minute; try again in %d s", t.entry.ID, most, seconds(d.RetryAfter))
				e.RetryAfter = seconds(d.RetryAfter)
				return refuse(e)
			}
			return next(ctx, call)
		}
	}
}

// loadPatience is how long a call waits for its package to be loaded. That takes a moment with a machine's first package,
// whose code is compiled, and next to nothing with all others.
const loadPatience = time.Minute

// timed ends calls that take longer than they may. That a package has to be loaded first is not the call's doing.
func timed[C targeted, A any]() step[C, A] {
	return func(next handler[C, A]) handler[C, A] {
		return func(ctx context.Context, call C) A {
			t := call.at()
			if l, ok := t.pkg.(runtime.Loader); ok {
				_ = l.Load(ctx, loadPatience) // what became of it is told by the call
			}
			ctx, cancel := runtime.WithDeadline(ctx, t.limits.Deadline)
			defer cancel()
			return next(ctx, call)
		}
	}
}

// Observation is one call, for metrics.
type Observation struct {
	// Kind is tools, routes or apis.
	Kind string
	// Package and Tier are those of the package that was called; empty where none was found.
	Package string
	Tier    trust.Tier
	// Target is the name of the tool, the method and pattern of the route, or the method of the API, as far as there is
	// one.
	Target string
	// Code is what went wrong; empty for a call that the package answered.
	Code     Code
	Duration time.Duration
}

// observed tells of each call.
func observed[C targeted, A any](kind string, now func() time.Time, observe func(Observation), codeOf func(A) *Error) step[C, A] {
	return func(next handler[C, A]) handler[C, A] {
		if observe == nil {
			return next
		}
		return func(ctx context.Context, call C) A {
			start := now()
			answer := next(ctx, call)
			o := Observation{Kind: kind, Duration: now().Sub(start)}
			if e := codeOf(answer); e != nil {
				o.Code = e.Code
			}
			if entry := call.at().entry; entry != nil {
				o.Package, o.Tier, o.Target = entry.ID, entry.Tier, call.at().label
			}
			observe(o)
			return answer
		}
	}
}
