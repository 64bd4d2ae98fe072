package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/runtime"
)

// The hooks that a package may export from src/lifecycle.ts, besides init and api.
const (
	hookStart       = "start"
	hookStop        = "stop"
	hookBootstrap   = "onBootstrapComplete"
	hookProvision   = "provisionProject"
	hookDeprovision = "deprovisionProject"
	hookRevoke      = "revokePrincipal"
)

// Start tells all packages with a lifecycle that the host has begun to work: each is started and then, when all are,
// told that they are. From then on, so is each package that a rescan finds or loads again. A package that fails is reported
// to the operator, and is there all the same: what of it needs what start would have done fails by itself. It is not
// started again before it is loaded again.
//
// When ctx ends, so do the hooks. A second time, Start does nothing.
func (h *Host) Start(ctx context.Context) {
	leave, err := h.enter(ctx)
	if err != nil {
		return
	}
	defer leave()
	h.live = true
	h.begin(ctx, h.unborn())
}

// unborn are the packages with a lifecycle that were not started yet.
func (h *Host) unborn() []*catalog.Entry {
	return slices.DeleteFunc(h.living(), func(e *catalog.Entry) bool { return h.lives[e.Key()].entry != nil })
}

// life is that of a package whose start was called.
type life struct {
	entry *catalog.Entry
	begun bool // start has not failed
}

// begin starts packages.
func (h *Host) begin(ctx context.Context, entries []*catalog.Entry) {
	lives := make([]life, len(entries))
	together(len(entries), func(i int) {
		if h.Ready() == nil { // whoever waits to close the host waits for no more
			lives[i] = life{entries[i], h.hook(ctx, entries[i], hookStart) == nil}
		}
	})
	started := []string{}
	for i, l := range lives {
		if l.entry == nil {
			return
		}
		h.lives[entries[i].Key()] = l
		if l.begun {
			started = append(started, l.entry.ID)
		}
	}
	together(len(entries), func(i int) {
		if lives[i].begun {
			_ = h.hook(ctx, entries[i], hookBootstrap, map[string]any{"packages": started})
		}
	})
}

// atOnce is how many hooks run at the same time, so that one that takes all of its time does not keep the others waiting.
const atOnce = 16

// together does something for each of n, several at a time.
func together(n int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i := range n {
		group.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = group.Wait()
}

// end tells packages of some keys that they are stopped, as far as they were started. slots are those there were.
func (h *Host) end(ctx context.Context, slots map[string]*slot, keys []string) {
	together(len(keys), func(i int) {
		if l, slot := h.lives[keys[i]], slots[keys[i]]; l.begun && slot != nil {
			_ = h.callHook(ctx, slot, l.entry, hookStop)
		}
	})
	for _, key := range keys {
		delete(h.lives, key)
	}
}

// ProvisionProject tells packages that a project is there now, and DeprovisionProject that it is gone.
func (h *Host) ProvisionProject(ctx context.Context, projectID string) error {
	return h.tellAll(ctx, hookProvision, projectID)
}

// DeprovisionProject tells packages that a project is gone.
func (h *Host) DeprovisionProject(ctx context.Context, projectID string) error {
	return h.tellAll(ctx, hookDeprovision, projectID)
}

// RevokePrincipal tells packages that a user or an agent has no access any more.
func (h *Host) RevokePrincipal(ctx context.Context, principal string) error {
	return h.tellAll(ctx, hookRevoke, principal)
}

// tellAll calls a hook of all packages. The error is that of the first one that failed; all were told.
func (h *Host) tellAll(ctx context.Context, hook string, arguments ...any) error {
	living := h.living()
	failed := make([]error, len(living))
	together(len(living), func(i int) {
		if err := h.hook(ctx, living[i], hook, arguments...); err != nil {
			failed[i] = fmt.Errorf("%s of the package %s: %w", hook, living[i].ID, err)
		}
	})
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// living are the packages with a lifecycle whose code can be run.
func (h *Host) living() []*catalog.Entry {
	var living []*catalog.Entry
	for _, e := range h.Catalog().All() {
		if h.runs(e) && e.Package.Lifecycle != "" {
			living = append(living, e)
		}
	}
	return living
}

func (h *Host) hook(ctx context.Context, e *catalog.Entry, hook string, arguments ...any) error {
	p, err := h.present(e)
	if err != nil || p == nil {
		return err
	}
	return h.callHook(ctx, p, e, hook, arguments...)
}

func (h *Host) callHook(ctx context.Context, p runtime.Package, e *catalog.Entry, hook string, arguments ...any) error {
	args, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	if len(arguments) == 0 {
		args = nil
	}
	ctx, cancel := runtime.WithDeadline(ctx, h.Config().LimitsFor(e.Tier).Deadline)
	defer cancel()
	_, err = p.CallLifecycle(ctx, runtime.LifecycleCall{Hook: hook, Args: args}) // on behalf of nobody
	if err != nil {
		h.opts.Log.Error("a hook of a package failed", "package", e.ID, "hook", hook, "error", err)
	}
	return err
}
