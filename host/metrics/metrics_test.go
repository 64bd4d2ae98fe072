package metrics_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/metrics"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// packages makes a catalog of packages of the project, and of bob's own.
func packages(t testing.TB, project, bobs []string) *catalog.Catalog {
	t.Helper()
	root := t.TempDir()
	write := func(folder string, ids []string) {
		for _, id := range ids {
			dir := filepath.Join(root, folder, id)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"neuralis":{"id":"`+id+`"}}`), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("_packages", project)
	write("bob", bobs)
	roots := catalog.Roots{ProjectRoot: root}
	if len(bobs) > 0 {
		roots.Sources = []catalog.Source{{ID: "bobs", Path: filepath.Join(root, "bob"), RecognizesPackages: true, Scope: catalog.Scope{Kind: catalog.ScopeUser, Owner: "bob"}}}
	}
	return catalog.Scan(context.Background(), roots)
}

// compare compares metrics of some names with what they should be. The lines of comments are made of names.
func compare(t *testing.T, m *metrics.Metrics, want string, names ...string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(text(t, m)) {
		name, _, _ := strings.Cut(line, " ")
		name, _, _ = strings.Cut(name, "{")
		if slices.Contains(names, name) {
			got = append(got, strings.TrimSpace(line))
		}
	}
	var lines []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if !slices.Equal(got, lines) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func text(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("got %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestCalls(t *testing.T) {
	c := packages(t, []string{"shop"}, []string{"diary"})
	m := metrics.New(metrics.Options{Catalog: func() *catalog.Catalog { return c }})
	for _, o := range []dispatch.Observation{
		{Kind: "tools", Package: "shop", Tier: trust.Trusted, Target: "list", Duration: 3 * time.Millisecond},
		{Kind: "tools", Package: "shop", Tier: trust.Trusted, Target: "put", Duration: 70 * time.Second},
		{Kind: "tools", Package: "shop", Tier: trust.Trusted, Target: "put", Code: dispatch.CodeDeadlineExceeded, Duration: 30 * time.Second},
		{Kind: "tools", Package: "shop", Tier: trust.Trusted, Target: "put", Code: dispatch.CodeRateLimited},
		{Kind: "routes", Package: "diary", Tier: trust.Untrusted, Target: "GET secret"},
		{Kind: "routes", Package: "diary", Tier: trust.Untrusted, Target: "GET secret", Code: dispatch.CodeFeatureRequired},
		{Kind: "routes", Code: dispatch.CodeNotFound},
		{Kind: "tools", Code: dispatch.CodeUnknownTool},
		{Kind: "tools", Package: "never-seen", Code: dispatch.CodeInternal},
	} {
		m.Observe(o)
	}
	compare(t, m, `
		neuralis_calls_total{code="deadline-exceeded",kind="tools",package="shop",tier="trusted"} 1
		neuralis_calls_total{code="feature-required",kind="routes",package="",tier="untrusted"} 1
		neuralis_calls_total{code="internal-error",kind="tools",package="",tier=""} 1
		neuralis_calls_total{code="not-found",kind="routes",package="",tier=""} 1
		neuralis_calls_total{code="ok",kind="routes",package="",tier="untrusted"} 1
		neuralis_calls_total{code="ok",kind="tools",package="shop",tier="trusted"} 2
		neuralis_calls_total{code="rate-limited",kind="tools",package="shop",tier="trusted"} 1
		neuralis_calls_total{code="unknown-tool",kind="tools",package="",tier=""} 1
	`, "neuralis_calls_total")
	compare(t, m, `
		neuralis_rejections_total{code="feature-required",kind="routes",package=""} 1
		neuralis_rejections_total{code="not-found",kind="routes",package=""} 1
		neuralis_rejections_total{code="rate-limited",kind="tools",package="shop"} 1
		neuralis_rejections_total{code="unknown-tool",kind="tools",package=""} 1
	`, "neuralis_rejections_total")
	compare(t, m, `
		neuralis_call_duration_seconds_sum{kind="routes",package="",tier="untrusted"} 0
		neuralis_call_duration_seconds_count{kind="routes",package="",tier="untrusted"} 1
		neuralis_call_duration_seconds_sum{kind="tools",package="",tier=""} 0
		neuralis_call_duration_seconds_count{kind="tools",package="",tier=""} 1
		neuralis_call_duration_seconds_sum{kind="tools",package="shop",tier="trusted"} 100.003
		neuralis_call_duration_seconds_count{kind="tools",package="shop",tier="trusted"} 3
	`, "neuralis_call_duration_seconds_sum", "neuralis_call_duration_seconds_count")
	all := text(t, m)
	for _, hidden := range []string{"diary", "never-seen", "secret", "put"} {
		if strings.Contains(all, `"`+hidden) {
			t.Errorf("%q is told", hidden)
		}
	}
}

// What is a rejection is decided for each code there is.
func TestRejected(t *testing.T) {
	ran := []dispatch.Code{dispatch.CodeDeadlineExceeded, dispatch.CodeCancelled, dispatch.CodeOutOfMemory, dispatch.CodeHandlerError,
		dispatch.CodeResultTooLarge, dispatch.CodeInternal}
	for _, code := range dispatch.Codes() {
		if metrics.Rejected(code) == slices.Contains(ran, code) {
			t.Errorf("%s: rejected is %v", code, metrics.Rejected(code))
		}
	}
	if metrics.Rejected("") {
		t.Error("an answer is a rejection")
	}
}

func TestPackages(t *testing.T) {
	c := packages(t, []string{"shop", "notes"}, []string{"diary", "drafts"})
	states := []metrics.PackageState{
		{Key: "shop", ID: "shop", Tier: trust.Trusted, Status: catalog.StatusReady, Health: runtime.Health{Ready: true, Instances: 3, Idle: 1, Waiting: 2, Started: 5, Discarded: 2}},
		{Key: "notes", ID: "notes", Tier: trust.Untrusted, Status: catalog.StatusReady},
		{Key: "node", ID: "node", Tier: trust.Untrusted, Status: catalog.StatusPartial, Reason: trust.ReasonUntrustedNode},
		{Key: "twice", ID: "twice", Tier: trust.Untrusted, Status: catalog.StatusError, Reason: trust.ReasonDuplicateID},
		{Key: "twice", ID: "twice", Tier: trust.Untrusted, Status: catalog.StatusError, Reason: trust.ReasonDuplicateID},
		{Key: "user/bob/diary", ID: "diary", Tier: trust.Untrusted, Status: catalog.StatusReady, Health: runtime.Health{Ready: true, Instances: 1, Started: 1}},
		{Key: "user/bob/drafts", ID: "drafts", Tier: trust.Untrusted, Status: catalog.StatusReady, Health: runtime.Health{Ready: true, Instances: 2, Idle: 2, Started: 2}},
	}
	m := metrics.New(metrics.Options{
		Catalog:  func() *catalog.Catalog { return c },
		Packages: func() []metrics.PackageState { return states },
	})
	compare(t, m, `
		neuralis_packages{reason="",status="ready",tier="trusted"} 1
		neuralis_packages{reason="",status="ready",tier="untrusted"} 3
		neuralis_packages{reason="duplicate-id",status="error",tier="untrusted"} 2
		neuralis_packages{reason="untrusted-node",status="partial",tier="untrusted"} 1
	`, "neuralis_packages")
	compare(t, m, `
		neuralis_pool_idle_instances{package="",tier="untrusted"} 2
		neuralis_pool_idle_instances{package="shop",tier="trusted"} 1
		neuralis_pool_instances{package="",tier="untrusted"} 3
		neuralis_pool_instances{package="shop",tier="trusted"} 3
		neuralis_pool_waiting_calls{package="",tier="untrusted"} 0
		neuralis_pool_waiting_calls{package="shop",tier="trusted"} 2
	`, "neuralis_pool_instances", "neuralis_pool_idle_instances", "neuralis_pool_waiting_calls")

	// The pools are other ones, and one of them has made less than the one before it.
	states[0].Health = runtime.Health{Ready: true, Instances: 1, Started: 1}
	states[5].Health.Started = 4
	compare(t, m, `
		neuralis_pool_instances_discarded_total{package="",tier="untrusted"} 0
		neuralis_pool_instances_discarded_total{package="shop",tier="trusted"} 2
		neuralis_pool_instances_started_total{package="",tier="untrusted"} 6
		neuralis_pool_instances_started_total{package="shop",tier="trusted"} 6
	`, "neuralis_pool_instances_started_total", "neuralis_pool_instances_discarded_total")
}

// TestGone: the series of a package end when it is gone.
func TestGone(t *testing.T) {
	c := packages(t, []string{"shop", "notes"}, nil)
	states := []metrics.PackageState{{Key: "shop", ID: "shop", Tier: trust.Trusted, Status: catalog.StatusReady, Health: runtime.Health{Ready: true, Started: 1}}}
	m := metrics.New(metrics.Options{
		Catalog:  func() *catalog.Catalog { return c },
		Packages: func() []metrics.PackageState { return states },
	})
	for _, id := range []string{"shop", "notes"} {
		m.Observe(dispatch.Observation{Kind: "tools", Package: id, Tier: trust.Trusted})
		m.Observe(dispatch.Observation{Kind: "tools", Package: id, Tier: trust.Trusted, Code: dispatch.CodeRateLimited})
	}
	if !strings.Contains(text(t, m), `"shop"`) {
		t.Fatal("shop is not there")
	}
	c, states = packages(t, []string{"notes"}, nil), nil
	m.Observe(dispatch.Observation{Kind: "tools", Package: "shop", Tier: trust.Trusted}) // one that was in flight
	if all := text(t, m); strings.Contains(all, `"shop"`) || !strings.Contains(all, `"notes"`) {
		t.Errorf("got %s", all)
	}
}

func TestRequests(t *testing.T) {
	m := metrics.New(metrics.Options{Version: "1.2.3"})
	for _, status := range []int{200, 204, 304, 404, 499, 500, 504, 0, 1000} {
		m.Request()(status)
	}
	m.Request()
	done := m.Request()
	m.Request()
	done(200)
	compare(t, m, `
		neuralis_http_requests_in_flight 2
		neuralis_http_requests_total{status="2xx"} 3
		neuralis_http_requests_total{status="3xx"} 1
		neuralis_http_requests_total{status="4xx"} 2
		neuralis_http_requests_total{status="5xx"} 4
	`, "neuralis_http_requests_in_flight", "neuralis_http_requests_total")
	all := text(t, m)
	for _, want := range []string{`neuralis_build_info{go_version="go`, `version="1.2.3"} 1`, "go_memstats_heap_inuse_bytes ", "go_goroutines "} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not there", want)
		}
	}
}

// Two hosts in one process have metrics of their own.
func TestApart(t *testing.T) {
	one, other := metrics.New(metrics.Options{}), metrics.New(metrics.Options{})
	one.Request()(200)
	compare(t, other, "", "neuralis_http_requests_total")
}

// TestLint asks what promtool would ask, of metrics of which each has a value.
func TestLint(t *testing.T) {
	problems, err := testutil.GatherAndLint(full(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// full are metrics of which each has a value.
func full(t *testing.T) *metrics.Metrics {
	c := packages(t, []string{"shop"}, nil)
	m := metrics.New(metrics.Options{
		Catalog: func() *catalog.Catalog { return c },
		Packages: func() []metrics.PackageState {
			return []metrics.PackageState{{Key: "shop", ID: "shop", Tier: trust.Trusted, Status: catalog.StatusReady, Health: runtime.Health{Ready: true}}}
		},
	})
	m.Observe(dispatch.Observation{Kind: "tools", Package: "shop", Tier: trust.Trusted})
	m.Observe(dispatch.Observation{Kind: "tools", Package: "shop", Tier: trust.Trusted, Code: dispatch.CodeRateLimited})
	m.Request()(200)
	return m
}

func TestConcurrently(t *testing.T) {
	c := packages(t, []string{"shop"}, nil)
	empty := packages(t, nil, nil)
	var turn sync.Mutex
	now := c
	m := metrics.New(metrics.Options{
		Catalog: func() *catalog.Catalog {
			turn.Lock()
			defer turn.Unlock()
			return now
		},
		Packages: func() []metrics.PackageState {
			return []metrics.PackageState{{Key: "shop", ID: "shop", Tier: trust.Trusted, Status: catalog.StatusReady, Health: runtime.Health{Ready: true, Started: 1}}}
		},
	})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 20 {
				done := m.Request()
				m.Observe(dispatch.Observation{Kind: "tools", Package: "shop", Tier: trust.Trusted})
				turn.Lock()
				if now = c; (i+n)%2 == 0 {
					now = empty
				}
				turn.Unlock()
				if i < 3 {
					if _, err := m.Gather(); err != nil {
						t.Error(err)
					}
				}
				done(200)
			}
		})
	}
	all.Wait()
	compare(t, m, "neuralis_http_requests_in_flight 0\nneuralis_http_requests_total{status=\"2xx\"} 160", "neuralis_http_requests_in_flight", "neuralis_http_requests_total")
}
