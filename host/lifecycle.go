package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

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
	started := []string{}
	for _, e := range entries {
		if h.Ready() != nil {
			return // whoever waits to close the host waits for no more
		}
		l := life{e, h.hook(ctx, e, hookStart) == nil}
		h.lives[e.Key()] = l
		if l.begun {
			started = append(started, e.ID)
		}
	}
	for _, e := range entries {
		if h.lives[e.Key()].begun {
			_ = h.hook(ctx, e, hookBootstrap, map[string]any{"packages": started})
		}
	}
}

// end tells packages of some keys that they are stopped, as far as they were started. slots are those there were.
func (h *Host) end(ctx context.Context, slots map[string]*slot, keys []string) {
	for _, key := range keys {
		if l, slot := h.lives[key], slots[key]; l.begun && slot != nil {
			_ = h.callHook(ctx, slot, l.entry, hookStop)
		}
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
	var first error
	for _, e := range h.living() {
		if err := h.hook(ctx, e, hook, arguments...); err != nil && first == nil {
			first = fmt.Errorf("%s of the package %s: %w", hook, e.ID, err)
		}
	}
	return first
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
