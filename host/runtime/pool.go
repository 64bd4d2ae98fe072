package runtime

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/neuralis-dev/neuralis/host/sandbox"
)

// pool are the instances of one module. Callers beyond the most there may be wait in the order in which they came.
type pool struct {
	plugin *sandbox.Plugin
	opts   WASMOptions
	places chan struct{} // a token for each instance that may be used

	mu        sync.Mutex
	idle      []idleInstance // the one used last comes last, and is used next
	closed    bool
	instances int
	waiting   int
	started   uint64
	discarded uint64
	nested    map[*sandbox.Instance]bool // in use without a place
}

type idleInstance struct {
	*sandbox.Instance
	since time.Time
}

func newPool(plugin *sandbox.Plugin, opts WASMOptions) *pool {
	p := &pool{plugin: plugin, opts: opts, places: make(chan struct{}, opts.MaxInstances), nested: map[*sandbox.Instance]bool{}}
	for range opts.MaxInstances {
		p.places <- struct{}{}
	}
	return p
}

// get takes an instance, or makes one. The error is a *Failure.
func (p *pool) get(ctx context.Context) (*sandbox.Instance, error) {
	extra := nested(ctx)
	if !extra {
		if err := p.place(ctx); err != nil {
			return nil, err
		}
	}
	instance, err := p.take(ctx, extra)
	if err != nil && !extra {
		p.places <- struct{}{}
	}
	return instance, err
}

// place waits for a place.
func (p *pool) place(ctx context.Context) error {
	select {
	case <-p.places:
		return nil
	default:
	}
	p.mu.Lock()
	p.waiting++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.waiting--
		p.mu.Unlock()
	}()
	select {
	case <-p.places:
		return nil
	case <-ctx.Done():
		f := Interrupted(ctx, context.Cause(ctx))
		f.Message += fmt.Sprintf("; it waited for one of %d calls of the package to end", p.opts.MaxInstances)
		return f
	}
}

// take is for callers that have a place, or need none.
func (p *pool) take(ctx context.Context, extra bool) (*sandbox.Instance, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, &Failure{Kind: Unavailable, Message: errClosed.Error(), Err: errClosed}
	}
	if n := len(p.idle); n > 0 {
		instance := p.idle[n-1].Instance
		p.idle[n-1] = idleInstance{}
		p.idle = p.idle[:n-1]
		p.mark(instance, extra)
		p.mu.Unlock()
		return instance, nil
	}
	p.instances++
	p.started++
	p.mu.Unlock()
	instance, err := guard(func() (*sandbox.Instance, error) { return p.plugin.Instance(ctx) })
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil:
		p.mark(instance, extra)
		return instance, nil
	case ctx.Err() != nil:
		p.instances--
		return nil, Interrupted(ctx, err)
	}
	p.instances--
	return nil, &Failure{Kind: Unavailable, Message: fmt.Sprintf("the package cannot be started: %v", err), Err: err}
}

func (p *pool) mark(instance *sandbox.Instance, extra bool) {
	if extra {
		p.nested[instance] = true
	}
}

// put gives an instance back. One that is not to be kept is closed.
func (p *pool) put(instance *sandbox.Instance, keep bool) {
	p.mu.Lock()
	extra := p.nested[instance]
	delete(p.nested, instance)
	if !keep {
		p.discarded++
	}
	if keep = keep && !p.closed && len(p.idle) < p.opts.MaxInstances; keep {
		p.idle = append(p.idle, idleInstance{instance, p.opts.Now()})
	} else {
		p.instances--
	}
	p.mu.Unlock()
	if !keep {
		closeInstance(instance)
	}
	if !extra {
		p.places <- struct{}{}
	}
}

// dropIdle closes instances that nobody has wanted for a while.
func (p *pool) dropIdle() {
	p.mu.Lock()
	before := p.opts.Now().Add(-p.opts.IdleAfter)
	n := 0
	for n < len(p.idle) && !p.idle[n].since.After(before) {
		n++
	}
	old := slices.Clone(p.idle[:n])
	p.idle = slices.Delete(p.idle, 0, n)
	p.instances -= n
	p.mu.Unlock()
	for _, i := range old {
		closeInstance(i.Instance)
	}
}

// close closes what is idle; what is in use is closed when it is given back.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.instances -= len(idle)
	p.mu.Unlock()
	for _, i := range idle {
		closeInstance(i.Instance)
	}
}

func (p *pool) health() Health {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := Health{Ready: !p.closed, Instances: p.instances, Idle: len(p.idle), Waiting: p.waiting, Started: p.started, Discarded: p.discarded}
	if p.closed {
		h.Reason = errClosed.Error()
	}
	return h
}

// closeInstance frees an instance. That it cannot be freed properly is nobody's fault who could do something.
func closeInstance(instance *sandbox.Instance) {
	_, _ = guard(func() (struct{}, error) { return struct{}{}, instance.Close(context.Background()) })
}
