package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/audit"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

func open(t testing.TB, dir string) *audit.Log {
	t.Helper()
	l, err := audit.Open(dir, func() time.Time { return time.Unix(0, 0) })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestRecord(t *testing.T) {
	who := session.Session{UserID: "ada", ProjectID: "shop", AgentID: "helper", CallerID: "orders", CallerTrust: trust.Trusted, Role: "member", Features: []string{"catalog.read"}}
	long := strings.Repeat("é", 3000)
	tests := []struct {
		name   string
		access audit.Access
		want   string
	}{
		{"an answer", audit.Access{Package: "catalog", Tier: trust.Trusted, Method: "GET", Path: "/catalog/p%201", Pattern: "catalog/:id", Status: 200, Took: 1234567, Caller: who, Request: "r1"},
			`{"time":"1970-01-01T00:00:00.000Z","package":"catalog","tier":"trusted","method":"GET","path":"/catalog/p%201","pattern":"catalog/:id","status":200,"tookMs":1.234,"caller":{"userId":"ada","projectId":"shop","agentId":"helper","callerId":"orders","callerTrust":"trusted","role":"member"},"request":"r1"}`},
		{"a refusal of nobody", audit.Access{Package: "user/bob/notes", Tier: trust.Untrusted, Method: "PUT", Path: "/x", Status: 403, Code: "feature-required"},
			`{"time":"1970-01-01T00:00:00.000Z","package":"user/bob/notes","tier":"untrusted","method":"PUT","path":"/x","status":403,"code":"feature-required","tookMs":0,"caller":{}}`},
		{"a query is left out", audit.Access{Package: "catalog", Tier: trust.Untrusted, Method: "GET", Path: "/x?token=s3cr3t", Status: 200},
			`{"time":"1970-01-01T00:00:00.000Z","package":"catalog","tier":"untrusted","method":"GET","path":"/x","status":200,"tookMs":0,"caller":{}}`},
		{"a line is one line", audit.Access{Package: "catalog", Tier: trust.Untrusted, Method: "GET\n{}", Path: "/\"\n\xff<", Status: 404},
			`{"time":"1970-01-01T00:00:00.000Z","package":"catalog","tier":"untrusted","method":"GET\n{}","path":"/\"\n` + "\uFFFD" + `<","status":404,"tookMs":0,"caller":{}}`},
		{"what is long is cut", audit.Access{Package: "catalog", Tier: "", Method: "GET", Path: long, Status: 414},
			`{"time":"1970-01-01T00:00:00.000Z","package":"catalog","tier":"","method":"GET","path":"` + long[:2048] + `…","status":414,"tookMs":0,"caller":{}}`},
		{"first-party", audit.Access{Package: "core", Tier: trust.FirstParty, Method: "GET", Path: "/x", Status: 200}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			l := open(t, dir)
			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			if err := l.Record(cancelled, test.access); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, "audit", "routes.jsonl"))
			if test.want == "" {
				if err == nil {
					t.Errorf("got %s", got)
				}
				return
			}
			if string(got) != test.want+"\n" {
				t.Errorf("got  %s\nwant %s, %v", got, test.want, err)
			}
			if lines, err := l.ReadNewest(t.Context(), 5); len(lines) != 1 || string(lines[0]) != test.want || err != nil {
				t.Errorf("read %s, %v", lines, err)
			}
		})
	}
}

func TestManyRecord(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 4 {
		l := open(t, dir) // as if it were another process
		all.Go(func() {
			for n := range 50 {
				if err := l.Record(t.Context(), audit.Access{Package: fmt.Sprint("p", i), Tier: trust.Untrusted, Status: n}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines, err := open(t, dir).ReadNewest(t.Context(), 1000)
	if len(lines) != 200 || err != nil {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	next := map[string]int{"p0": 49, "p1": 49, "p2": 49, "p3": 49}
	for _, text := range lines {
		var line struct {
			Package string
			Status  int
		}
		if err := json.Unmarshal(text, &line); err != nil || line.Status != next[line.Package] {
			t.Fatalf("%s, %v", text, err)
		}
		next[line.Package]--
	}
}

func TestFaults(t *testing.T) {
	if _, err := audit.Open("relative", time.Now); err == nil {
		t.Error("a relative folder was taken")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "audit"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Record(t.Context(), audit.Access{Package: "catalog", Tier: trust.Untrusted}); err == nil || !strings.Contains(err.Error(), "catalog") {
		t.Errorf("got %v", err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	log, err := audit.Open(dir, func() time.Time { return time.Unix(0, 0) })
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	err = log.Record(ctx, audit.Access{
		Package: "catalog", Tier: trust.Untrusted, Method: "GET", Path: "/catalog?key=1", Status: 200,
		Caller: session.Session{UserID: "ada"},
	})
	fmt.Println(err)
	lines, err := log.ReadNewest(ctx, 1)
	fmt.Println(string(lines[0]), err)
	// Output:
	// <nil>
	// {"time":"1970-01-01T00:00:00.000Z","package":"catalog","tier":"untrusted","method":"GET","path":"/catalog","status":200,"tookMs":0,"caller":{"userId":"ada"}} <nil>
}
