package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// Changes are the keys of packages that are there, gone or different since the last time, sorted.
type Changes struct {
	Added, Removed, Changed []string
}

// Any reports whether there are changes at all.
func (c Changes) Any() bool { return len(c.Added)+len(c.Removed)+len(c.Changed) > 0 }

// Rescan looks again at all roots. Packages that have changed answer the next call in their new version; those in folders
// that are held stay as they are, see [catalog.Roots].
func (h *Host) Rescan(ctx context.Context, held ...string) (Changes, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return Changes{}, err
	}
	defer leave()
	return h.rescan(ctx, h.now.Load().config, held)
}

// Reconfigure takes another config. It is all there from then on, or, if the error is not nil, nothing of it. Where
// packages and the host keep what they store cannot change while the host runs, and no package gets more trust than
// it had: both take a new host.
func (h *Host) Reconfigure(ctx context.Context, c *config.Config) (Changes, error) {
	if c == nil {
		return Changes{}, errors.New("a host needs a config")
	}
	leave, err := h.enter(ctx)
	if err != nil {
		return Changes{}, err
	}
	defer leave()
	before := h.now.Load().config
	for _, fixed := range []struct{ name, before, after string }{
		{"dataDir", before.DataDir, c.DataDir}, {"globalDir", before.GlobalDir, c.GlobalDir},
		{"credentials.keyFile", before.Credentials.KeyFile, c.Credentials.KeyFile},
		{"projectId", before.ProjectID, c.ProjectID},
	} {
		if fixed.before != fixed.after {
			return Changes{}, fmt.Errorf("%s cannot change from %q to %q while the host runs: stop it and start it again", fixed.name, fixed.before, fixed.after)
		}
	}
	return h.rescan(ctx, c, nil)
}

func (h *Host) rescan(ctx context.Context, c *config.Config, held []string) (Changes, error) {
	if err := h.Ready(); err != nil {
		return Changes{}, err
	}
	before := h.now.Load()
	roots := h.roots(c)
	roots.Previous, roots.Held = before.directory.Catalog(), held
	next, err := h.moment(c, catalog.Scan(ctx, roots), before.directory)
	if err != nil {
		return Changes{}, err
	}
	if ctx.Err() != nil {
		return Changes{}, context.Cause(ctx) // the scan was not one
	}
	changes := changesTo(before, next)
	again := h.loadedAgain(before, next, changes)
	h.end(ctx, h.all(), slices.Concat(changes.Removed, again))
	h.settle(before, next, again)
	h.reportProblems(before, next)
	if h.live {
		h.begin(ctx, h.unborn())
	}
	return changes, nil
}

// roots are where packages are looked for.
func (h *Host) roots(c *config.Config) catalog.Roots {
	roots := catalog.FromConfig(c)
	roots.Packages = h.opts.Packages
	roots.Now = h.opts.Now()
	return roots
}

// moment puts together what there is.
func (h *Host) moment(c *config.Config, found *catalog.Catalog, before *dispatch.Directory) (*moment, error) {
	verifier, err := config.NewVerifier(c, h.opts.LookupEnv)
	if err != nil {
		return nil, err
	}
	return &moment{config: c, verifier: verifier, directory: dispatch.NewDirectory(found, before)}, nil
}

// changesTo are the changes from one moment, which may be nil, to the next.
func changesTo(before, next *moment) (c Changes) {
	var old *catalog.Catalog
	if before != nil {
		old = before.directory.Catalog()
	}
	c.Added, c.Removed, c.Changed = catalog.Diff(old, next.directory.Catalog())
	return c
}

// loadedAgain are the keys of packages that were there before and have to be loaded again: they have changed, or what
// they may use has, or they could not be loaded.
func (h *Host) loadedAgain(before, next *moment, changes Changes) []string {
	again := slices.Clone(changes.Changed)
	slots := h.all()
	for _, e := range next.directory.Catalog().All() {
		key := e.Key()
		if slot := slots[key]; slot != nil && h.runs(e) && !slices.Contains(again, key) && (limitsChanged(before, next, e.Tier) || !slot.Health().Ready) {
			again = append(again, key)
		}
	}
	return again
}

// settle begins the next moment: it gives each package that has code its slot, and lets new versions into the slots of
// those that are to be loaded again. before is nil for the first moment.
func (h *Host) settle(before, next *moment, again []string) {
	entries := map[string]*catalog.Entry{}
	for _, e := range next.directory.Catalog().All() {
		if h.runs(e) {
			entries[e.Key()] = e
		}
	}
	// A call finds a package and its slot at different times, and must be able to tell that they do not belong
	// together. So what is found changes together with the slots; what goes is freed afterwards.
	var retire []func()
	h.mu.Lock()
	h.now.Store(next)
	for key, s := range h.slots {
		if entries[key] == nil {
			delete(h.slots, key)
			h.closing.Go(func() { _ = s.Close(context.Background()) })
		}
	}
	for key, e := range entries {
		if s := h.slots[key]; s == nil {
			h.slots[key] = &slot{runtime.NewSlot(h.loader(e)), versionOf(e)}
		} else if s.version != versionOf(e) || slices.Contains(again, key) {
			retire = append(retire, s.Replace(h.loader(e)))
			s.version = versionOf(e)
		}
	}
	h.mu.Unlock()
	for _, free := range retire {
		free()
	}
}

// limitsChanged reports whether packages of a tier have to be loaded again for other limits.
func limitsChanged(before, next *moment, t trust.Tier) bool {
	a, b := before.config.LimitsFor(t), next.config.LimitsFor(t)
	return a.MemoryMiB != b.MemoryMiB || a.CallRoute != b.CallRoute || a.Network != b.Network
}

// reportProblems tells the operator what is wrong with the roots and with packages, unless it was told before.
func (h *Host) reportProblems(before, next *moment) {
	var old *catalog.Catalog
	if before != nil {
		old = before.directory.Catalog()
	}
	found := next.directory.Catalog()
	for _, p := range found.Problems() {
		if !slices.Contains(old.Problems(), p) {
			h.opts.Log.Warn("a folder cannot be searched for packages", "folder", p.Root, "problem", p.Message)
		}
	}
	for _, e := range found.All() {
		same := func(o *catalog.Entry) bool {
			return o.Dir == e.Dir && o.Scope == e.Scope && o.Status == e.Status && o.Message == e.Message
		}
		if (e.Status == catalog.StatusError || e.Status == catalog.StatusPartial) && !slices.ContainsFunc(old.All(), same) {
			h.opts.Log.Warn("a package is not wholly there", "package", e.ID, "location", e.Location, "status", string(e.Status), "reason", string(e.Reason), "problem", e.Message)
		}
	}
}
