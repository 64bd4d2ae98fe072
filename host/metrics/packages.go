package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// PackageState is how a package is at one moment.
type PackageState struct {
	// Key names the package among all; see [catalog.Entry.Key]. It is the id alone for what belongs to the project.
	Key string
	// ID is the id of the package.
	ID string
	// Tier is how far the package is trusted.
	Tier trust.Tier
	// Status and Reason say how far it is there.
	Status catalog.Status
	Reason trust.Reason
	// Health is that of the code; the zero Health for packages without.
	Health runtime.Health
}

// counts are what the pool of a package had counted when it was last looked at.
type counts [2]uint64

// poolGauges and poolCounters are what is told of a pool.
var (
	poolGauges = [...]struct {
		name, help string
		of         func(runtime.Health) int
	}{
		{"neuralis_pool_instances", "Instances of packages there are.", func(h runtime.Health) int { return h.Instances }},
		{"neuralis_pool_idle_instances", "Instances of packages that no call uses.", func(h runtime.Health) int { return h.Idle }},
		{"neuralis_pool_waiting_calls", "Calls that wait for an instance of their package.", func(h runtime.Health) int { return h.Waiting }},
	}
	poolCounters = [...]struct {
		name, help string
		of         func(runtime.Health) uint64
	}{
		{"neuralis_pool_instances_started_total", "Instances of packages that were made.", func(h runtime.Health) uint64 { return h.Started }},
		{"neuralis_pool_instances_discarded_total", "Instances of packages that were of no use after a call.", func(h runtime.Health) uint64 { return h.Discarded }},
	}
)

func (m *Metrics) registerPackages() {
	m.packages = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "neuralis_packages", Help: "Packages that were found, by how far they are there.",
	}, []string{"tier", "status", "reason"})
	m.registry.MustRegister(m.packages)
	for i, g := range poolGauges {
		m.pools[i] = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: g.name, Help: g.help}, []string{"package", "tier"})
		m.registry.MustRegister(m.pools[i])
	}
	for i, c := range poolCounters {
		m.instances[i] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: c.name, Help: c.help}, []string{"package", "tier"})
		m.registry.MustRegister(m.instances[i])
	}
}

// readPackages brings the metrics of the packages up to date.
func (m *Metrics) readPackages() {
	var states []PackageState
	if m.opts.Packages != nil {
		states = m.opts.Packages()
	}
	m.forget()
	m.packages.Reset()
	for _, pool := range m.pools {
		pool.Reset()
	}
	seen := make(map[string]counts, len(states))
	for _, s := range states {
		m.packages.WithLabelValues(string(s.Tier), string(s.Status), string(s.Reason)).Inc()
		if s.Health == (runtime.Health{}) {
			continue // no code, or one of several folders of the same key that are not there
		}
		id := ""
		if s.Key == s.ID {
			id = m.label(s.ID)
		}
		for i, g := range poolGauges {
			m.pools[i].WithLabelValues(id, string(s.Tier)).Add(float64(g.of(s.Health)))
		}
		before, now := m.counted[s.Key], counts{}
		for i, c := range poolCounters {
			now[i] = c.of(s.Health)
			more := now[i]
			if more >= before[i] {
				more -= before[i] // or it is another pool, which began at zero
			}
			m.instances[i].WithLabelValues(id, string(s.Tier)).Add(float64(more))
		}
		seen[s.Key] = now
	}
	m.counted = seen
}

// forget ends the series of packages that are gone.
func (m *Metrics) forget() {
	m.mu.Lock()
	var gone []string
	for id := range m.named {
		if _, there := m.opts.Catalog().Entry(session.Session{}, id); !there {
			delete(m.named, id)
			gone = append(gone, id)
		}
	}
	m.mu.Unlock()
	for _, id := range gone {
		labels := prometheus.Labels{"package": id}
		m.calls.DeletePartialMatch(labels)
		m.durations.DeletePartialMatch(labels)
		m.rejections.DeletePartialMatch(labels)
		for _, counter := range m.instances {
			counter.DeletePartialMatch(labels)
		}
	}
}
