package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/data"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/outbound"
	"github.com/neuralis-dev/neuralis/host/ports"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// runs reports whether the code of a package can be run here.
func (h *Host) runs(e *catalog.Entry) bool {
	if !e.Usable() || e.Package == nil || h.runtimes[e.Package.Runtime] == nil {
		return false
	}
	if _, demoted := trust.Demotion(e.Tier, e.Package.Runtime); demoted {
		return false
	}
	return e.Package.Runtime != manifest.RuntimeWASM || e.ModuleHash != ""
}

// slot is a package for as long as it is there, in one version after another.
type slot struct {
	*runtime.Slot
	version version // the one that is called now
}

// version is what tells one version of a package from the next.
type version struct{ dir, manifest, module, routes, tier, mode string }

func versionOf(e *catalog.Entry) version {
	return version{e.Dir, e.ManifestHash, e.ModuleHash, e.RoutesHash, string(e.Tier), string(e.Mode)}
}

// present is what runs the code of a package now, whatever its version; nil where it is gone.
func (h *Host) present(e *catalog.Entry) (runtime.Package, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errStopped
	}
	if s := h.slots[e.Key()]; s != nil {
		return s, nil
	}
	return nil, nil
}

// hold implements the option of the dispatcher. What it holds is a call in flight.
func (h *Host) hold(ctx context.Context, e *catalog.Entry) (runtime.Package, func(), error) {
	switch {
	case e.Package != nil && e.Package.Runtime == "":
		return nil, nil, errors.New("it has none")
	case e.Package != nil && h.runtimes[e.Package.Runtime] == nil:
		return nil, nil, fmt.Errorf("this host runs no code of the kind %q", e.Package.Runtime)
	case !h.runs(e):
		return nil, nil, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed && !dispatch.Nested(ctx) {
		return nil, nil, errStopped
	}
	s := h.slots[e.Key()]
	if s == nil || s.version != versionOf(e) {
		return nil, nil, dispatch.ErrReplaced
	}
	p, release := s.Hold()
	h.calls++
	return p, func() {
		release()
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.calls--; h.calls == 0 && h.closed {
			close(h.drained)
		}
	}, nil
}

// loader is what loads a version of a package.
func (h *Host) loader(e *catalog.Entry) func(context.Context) (runtime.Package, error) {
	return func(ctx context.Context) (runtime.Package, error) {
		c := h.now.Load().config
		limits := c.LimitsFor(e.Tier)
		hosts := e.Package.Manifest.Network.AllowedHosts
		if !limits.Network {
			hosts = nil
		}
		mine, err := h.portsOf(e, limits, hosts)
		if err != nil {
			return nil, err
		}
		p, err := h.runtimes[e.Package.Runtime].Load(ctx, runtime.Source{
			ID: e.ID, Version: e.Package.Manifest.Version, Package: e.Package, Dir: e.Dir, Module: e.Module, Hash: e.ModuleHash,
			Limits: limits, AllowedHosts: hosts, Ports: ports.New(mine),
		})
		if err != nil {
			h.opts.Log.Error("a package cannot be loaded", "package", e.ID, "location", e.Location, "error", err)
		}
		return p, err
	}
}

// portsOf is what a package reaches of the host.
func (h *Host) portsOf(e *catalog.Entry, limits trust.Limits, hosts []string) (ports.Package, error) {
	store, err := h.store(e.Key())
	if err != nil {
		return ports.Package{}, fmt.Errorf("opening the data of %s: %w", e.ID, err)
	}
	logger, err := h.logs.For(logs.Package{Key: e.Key(), ID: e.ID, FirstParty: e.Tier == trust.FirstParty})
	if err != nil {
		return ports.Package{}, fmt.Errorf("opening the log of %s: %w", e.ID, err)
	}
	return ports.Package{
		ID: e.ID, Tier: e.Tier, Limits: limits, Data: store,
		Log:         logger,
		Credentials: h.credentials.For(e.Key(), e.Package.Manifest.Credentials),
		Settings:    e.Package.Manifest.ConfigSettings,
		Value: func(key string) (json.RawMessage, bool) {
			value, ok := h.now.Load().config.Values[key]
			return value, ok
		},
		Getenv: func(name string) string {
			value, _ := h.opts.LookupEnv(name)
			return value
		},
		Others: h.dispatcher,
		HTTP:   &outbound.Client{AllowedHosts: hosts},
		Report: h.reportPanic,
	}, nil
}

// store is the data of a package. It is the same over all versions, since it keeps writes in their order.
func (h *Host) store(key string) (*data.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if store := h.stores[key]; store != nil {
		return store, nil
	}
	dir, err := data.PackageDir(h.now.Load().config.DataDir, key)
	if err != nil {
		return nil, err
	}
	store, err := data.Open(dir, data.Options{Volatile: h.opts.VolatileData})
	if err != nil {
		return nil, err
	}
	h.stores[key] = store
	return store, nil
}

// State is how a package is at one moment.
type State struct {
	// Key names the package among all; see [catalog.Entry.Key].
	Key    string
	ID     string
	Tier   trust.Tier
	Status catalog.Status
	Reason trust.Reason
	// Health is that of the code; the zero Health for packages without.
	Health runtime.Health
}

// States are those of all packages, sorted by their keys. They are for the operator: nothing is left out.
func (h *Host) States() []State {
	slots := h.all()
	var states []State
	for _, e := range h.Catalog().All() {
		if e.Kind != catalog.KindPackage {
			continue
		}
		s := State{Key: e.Key(), ID: e.ID, Tier: e.Tier, Status: e.Status, Reason: e.Reason}
		if slot := slots[s.Key]; slot != nil && e.Usable() {
			s.Health = slot.Health()
			if !s.Health.Ready {
				s.Status, s.Reason = catalog.StatusError, trust.ReasonStartFailed
			}
		}
		states = append(states, s)
	}
	slices.SortStableFunc(states, func(a, b State) int { return cmp.Compare(a.Key, b.Key) })
	return states
}
