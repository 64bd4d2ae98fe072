package metrics

import (
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/session"
)

// Options are what metrics are of. Each may be left out.
type Options struct {
	// Version is the version of the toolchain.
	Version string
	// Catalog returns what there is now. Only packages that are in it, and are the project's, are called by their ids.
	Catalog func() *catalog.Catalog
	// Packages returns how the packages are. It is asked whenever somebody reads the metrics.
	Packages func() []PackageState
	// Log is told when metrics cannot be read; nil discards.
	Log *slog.Logger
}

// answered is the value of the label code for calls that the package answered.
const answered = "ok"

// buckets are the bounds of the histogram of durations, in seconds: from what a call costs at least to the longest
// deadline that a tier has by itself.
var buckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}

// Metrics are the metrics of one host. They are safe for concurrent use.
type Metrics struct {
	opts     Options
	registry *prometheus.Registry

	calls      *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	rejections *prometheus.CounterVec
	requests   *prometheus.CounterVec
	inFlight   prometheus.Gauge

	// Of the packages; they are set before each reading, one reading at a time.
	reading   sync.Mutex
	packages  *prometheus.GaugeVec
	pools     [3]*prometheus.GaugeVec   // in the order of poolGauges
	instances [2]*prometheus.CounterVec // in the order of poolCounters
	counted   map[string]counts         // by the keys of packages

	mu    sync.Mutex
	named map[string]struct{} // ids that are labels
}

// New makes the metrics of a host, all of them zero.
func New(opts Options) *Metrics {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	m := &Metrics{opts: opts, registry: prometheus.NewPedanticRegistry(), counted: map[string]counts{}, named: map[string]struct{}{}}
	m.calls = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "neuralis_calls_total", Help: "Calls of tools, routes and APIs that have ended, by their code; ok is an answer of the package.",
	}, []string{"kind", "package", "tier", "code"})
	m.durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "neuralis_call_duration_seconds", Help: "How long calls took that were let through to a package.", Buckets: buckets,
	}, []string{"kind", "package", "tier"})
	m.rejections = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "neuralis_rejections_total", Help: "Calls that were not let through to a package's code, by their code. They are among the calls, too.",
	}, []string{"kind", "package", "code"})
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "neuralis_http_requests_total", Help: "HTTP requests that were answered, by the class of the status.",
	}, []string{"status"})
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "neuralis_http_requests_in_flight", Help: "HTTP requests that are being answered.",
	})
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "neuralis_build_info", Help: "The version of the host and of Go; always 1.",
	}, []string{"version", "go_version"})
	build.WithLabelValues(opts.Version, runtime.Version()).Set(1)
	m.registry.MustRegister(m.calls, m.durations, m.rejections, m.requests, m.inFlight, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registerPackages()
	return m
}

// Observe counts a call. It is for the option Observe of package dispatch.
func (m *Metrics) Observe(o dispatch.Observation) {
	code := string(o.Code)
	if code == "" {
		code = answered
	}
	// A package that goes in this moment may come back as a label with this call; the next reading takes it away.
	id := m.label(o.Package)
	m.calls.WithLabelValues(o.Kind, id, string(o.Tier), code).Inc()
	if Rejected(o.Code) {
		m.rejections.WithLabelValues(o.Kind, id, code).Inc()
		return // or quick refusals would pass for quick answers
	}
	m.durations.WithLabelValues(o.Kind, id, string(o.Tier)).Observe(o.Duration.Seconds())
}

// Rejected reports whether a code says that a call was not let through to the code of a package.
func Rejected(code dispatch.Code) bool {
	switch code {
	case dispatch.CodeUnknownTool, dispatch.CodeUnknownPackage, dispatch.CodeUnknownMethod, dispatch.CodeNotFound, dispatch.CodeMethodNotAllowed,
		dispatch.CodeFeatureRequired, dispatch.CodeRateLimited, dispatch.CodeInvalidArguments, dispatch.CodeTooLarge,
		dispatch.CodeSchemaUnavailable, dispatch.CodeRuntimeUnavailable, dispatch.CodeCallDepth:
		return true
	}
	return false
}

// Request counts an HTTP request that begins. done counts it as answered, and must be called once; a status that is
// none is counted as an error of the server.
func (m *Metrics) Request() (done func(status int)) {
	m.inFlight.Inc()
	return func(status int) {
		m.inFlight.Dec()
		if status < 100 || status > 599 {
			status = http.StatusInternalServerError
		}
		m.requests.WithLabelValues(strconv.Itoa(status/100) + "xx").Inc()
	}
}

// Gather implements prometheus.Gatherer.
func (m *Metrics) Gather() ([]*dto.MetricFamily, error) {
	m.reading.Lock()
	defer m.reading.Unlock()
	m.readPackages()
	return m.registry.Gather()
}

// Handler shows the metrics to whoever asks.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m, promhttp.HandlerOpts{ErrorLog: slog.NewLogLogger(m.opts.Log.Handler(), slog.LevelError)})
}

// label is the id of a package as a label: empty for what is not the project's.
func (m *Metrics) label(id string) string {
	if id == "" || m.opts.Catalog == nil {
		return ""
	}
	if _, ok := m.opts.Catalog().Entry(session.Session{}, id); !ok {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.named[id] = struct{}{}
	return id
}
