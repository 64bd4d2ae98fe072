package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// small mounts a file system with a little space as the dataDir of a world.
func (w *world) small() {
	w.Helper()
	dir := w.at("_data")
	must(w, os.MkdirAll(dir, 0o755))
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		w.Skipf("no file system can be mounted here: %v", err)
	}
	w.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			w.Error(err)
		}
	})
}

func diskWorld(t *testing.T) *world {
	f := keeper()
	f["src/routes/r.ts"] = "export const pattern = 'r'; export const GET = (_: unknown, ctx: any) => { ctx.logger.info('here'); return { status: 200, body: 'here' }; };"
	w := newWorld(t, `{"limits": {"untrusted": {"toolsPerMinute": 0, "routesPerMinute": 0}}}`, map[string]files{"_packages/keeper": f})
	w.small()
	return w.open()
}

// When the disk is full, packages are told, what is stored stays, and calls that store nothing go on; when there is space
// again, all is as before.
func TestDiskFull(t *testing.T) {
	w := diskWorld(t)
	expect := func(args, want string) {
		t.Helper()
		if got := w.tool(ada, "keeper", args); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %.300s; want %s", args, got, want)
		}
	}
	large := `"` + strings.Repeat("x", 70<<10) + `"`
	expect(`{"do":"put","id":"a","value":"old"}`, "done")
	expect(`{"do":"append","path":"lines","value":"old"}`, "done")
	const full = "handler-error: HostError: "
	expect(`{"do":"put","id":"a","value":`+large+`}`, full)
	expect(`{"do":"append","path":"lines","value":`+large+`}`, full)
	// Now filled by somebody else, to the last byte.
	_ = os.WriteFile(w.at("_data/full"), make([]byte, 100<<10), 0o644)
	expect(`{"do":"put","id":"a","value":"new"}`, full)
	expect(`{"do":"put","id":"b","value":"new"}`, full)
	expect(`{"do":"count","id":"n"}`, full)
	expect(`{"do":"get","id":"a"}`, `"old"`)
	expect(`{"do":"newest","path":"lines"}`, `["old"]`)
	for range 3 {
		// The file of the log has room in its last page or not; the answer is there anyway.
		if got := w.route(ada, "keeper/r"); got != "200 here" {
			t.Error(got)
		}
	}
	if got := w.rescan(); got != "" {
		t.Errorf("changed: %s", got)
	}
	log := w.log.String()
	if n := strings.Count(log, "the log of a package cannot be written"); n > 1 || !strings.Contains(log, "audit log") {
		t.Errorf("the operator is told %d times: %s", n, log)
	}
	must(t, os.Remove(w.at("_data/full")))
	expect(`{"do":"put","id":"a","value":"new"}`, "done")
	expect(`{"do":"get","id":"a"}`, `"new"`)
	expect(`{"do":"append","path":"lines","value":"new"}`, "done")
	expect(`{"do":"newest","path":"lines"}`, `["new","old"]`)
	if got := w.route(ada, "keeper/r"); got != "200 here" {
		t.Error(got)
	}
	text, err := os.ReadFile(w.at("_data/audit/routes.jsonl"))
	must(t, err)
	if !strings.Contains(string(text), `"path":"keeper/r"`) || strings.Contains(string(text), "torn") {
		t.Errorf("the audit: %s", text)
	}
}

func TestReadOnlyDisk(t *testing.T) {
	w := diskWorld(t)
	if got := w.tool(ada, "keeper", `{"do":"put","id":"a","value":"old"}`); got != "done" {
		t.Fatal(got)
	}
	if err := unix.Mount("", w.at("_data"), "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	for args, want := range map[string]string{
		`{"do":"put","id":"a"}`: "handler-error: HostError: ", `{"do":"count","id":"a"}`: "handler-error: HostError: ",
		`{"do":"append","path":"lines"}`: "handler-error: HostError: ", `{"do":"get","id":"a"}`: `"old"`, `{"do":"list"}`: `["old"]`,
		`{"do":"newest","path":"lines"}`: "[]",
	} {
		got := w.tool(ada, "keeper", args)
		if !strings.HasPrefix(got, want) || strings.Contains(got, w.dir) {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got := w.route(ada, "keeper/r"); got != "200 here" {
		t.Error(got)
	}
	if text := w.log.String(); !strings.Contains(text, "the log of a package cannot be written") || !strings.Contains(text, "audit log") {
		t.Errorf("the operator is not told: %s", text)
	}
}

// The folder of all data becomes a file while the host runs.
func TestDataDirBecomesAFile(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/keeper": keeper()}).open()
	if got := w.tool(ada, "keeper", `{"do":"put","id":"a","value":"old"}`); got != "done" {
		t.Fatal(got)
	}
	must(t, os.Rename(w.at("_data"), w.at("away")))
	must(t, os.WriteFile(w.at("_data"), []byte("a file"), 0o644))
	for _, args := range []string{`{"do":"put","id":"a"}`, `{"do":"get","id":"a"}`, `{"do":"append","path":"lines"}`} {
		if got := w.tool(ada, "keeper", args); !strings.HasPrefix(got, "handler-error: HostError: ") || strings.Contains(got, w.dir) {
			t.Errorf("%s: %s", args, got)
		}
	}
	must(t, os.Remove(w.at("_data")))
	must(t, os.Rename(w.at("away"), w.at("_data")))
	if got := w.tool(ada, "keeper", `{"do":"get","id":"a"}`); got != `"old"` {
		t.Error(got)
	}
	if content, err := os.ReadFile(filepath.Join(w.at("_data/packages/keeper/s"), "a.json")); strings.TrimSpace(string(content)) != `"old"` {
		t.Errorf("%s, %v", content, err)
	}
}
