package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// A project's package of the kinds node and mcp is there as far as it declares something, and nothing that the host does
// runs its code: the code would leave a mark.
func TestCodeOutsideOfTheSandboxIsNotRun(t *testing.T) {
	w := newWorld(t, `{"sources": [{"id": "kb", "path": "kb", "recognizesPackages": true}], "trust": {"packages-node": "trusted"}}`, nil)
	mark := w.at("mark")
	script := fmt.Sprintf("require('fs').writeFileSync(%q, 'here');\n", filepath.ToSlash(mark))
	for _, at := range []string{"_packages", "kb"} {
		for _, kind := range []string{"node", "mcp"} {
			id := strings.Trim(at, "_") + "-" + kind
			dir := filepath.Join(w.at(at), kind)
			must(t, files{
				"package.json":                   pkg(id, `,"runtime":{"type":"`+kind+`","entry":{"command":"./server","module":"index.js"}}`),
				"server":                         "#!/bin/sh\ntouch '" + mark + "'\n",
				"index.js":                       script,
				"tools/" + id + ".json":          tool("", ""),
				"src/tools/" + id + ".ts":        script,
				"dist/src/tools/" + id + ".js":   script,
				"dist/src/routes/r.js":           script,
				"dist/src/lifecycle.js":          script,
				"src/lifecycle.ts":               script,
				"src/routes/r.ts":                script,
				"dist/routes.json":               fmt.Sprintf(`{"version":1,"routes":[{"pattern":"%s","methods":["GET"],"source":"src/routes/r.ts"}]}`, id),
				"skills/" + id + "/SKILL.md":     "---\nname: " + id + "\ndescription: What it is.\n---\n",
				"node_modules/.hooks/install.js": script,
			}.write(dir))
			must(t, os.Chmod(filepath.Join(dir, "server"), 0o755))
		}
	}
	w.open()
	w.Start(t.Context())
	for round := range 2 {
		for at, ids := range map[string][]string{"node": {"packages-node", "kb-node"}, "mcp": {"packages-mcp", "kb-mcp"}} {
			for _, id := range ids {
				e, ok := w.Catalog().Entry(ada, id)
				if !ok || e.Reason != trust.Reason("untrusted-"+at) || e.Mode != trust.ModeMetadataOnly || len(e.Skills()) != 1 || len(e.Code.Tools) != 1 {
					t.Fatalf("%s: %+v", id, e)
				}
				r := w.CallTool(t.Context(), ada, id, nil)
				if r.Err == nil || r.Err.Code != dispatch.CodeRuntimeUnavailable || r.Err.Reason != "untrusted-"+at {
					t.Errorf("%s: %+v", id, r.Err)
				}
				if got := w.route(ada, id+"/"+id); !strings.HasPrefix(got, "503 ") {
					t.Errorf("%s: %s", id, got)
				}
				if _, fault := w.CallAPI(t.Context(), ada, id, "x", nil); fault == nil || fault.Code != dispatch.CodeRuntimeUnavailable {
					t.Errorf("%s: %v", id, fault)
				}
			}
		}
		must(t, w.ProvisionProject(t.Context(), "q"))
		must(t, w.RevokePrincipal(t.Context(), "eve"))
		if round == 0 {
			must(t, os.WriteFile(w.at("_packages/node/package.json"), []byte(pkg("packages-node", `,"runtime":{"type":"node"},"description":"another"`)), 0o644))
			if got := w.rescan(); got != "~packages-node" {
				t.Errorf("changed: %s", got)
			}
		}
	}
	must(t, w.Close(t.Context()))
	if _, err := os.Stat(mark); err == nil {
		t.Error("code of a package was run")
	}
}

// A module is not run before somebody calls it: neither when it is found, nor when the host starts.
func TestModulesAreNotRunBeforeTheyAreCalled(t *testing.T) {
	f := wholeTool("a", "a")
	f["src/lifecycle.ts"] = "export const init = (ctx: any) => { ctx.logger.info('init'); return {}; };"
	w := newWorld(t, "", map[string]files{"_packages/a": f}).open()
	w.rescan()
	if got := w.kept(); len(got) != 0 || w.States()[0].Health.Started != 0 {
		t.Errorf("it ran: %v", got)
	}
	w.tool(ada, "a", "")
	w.tool(ada, "a", "")
	if got := strings.Join(w.kept(), ";"); got != "info init" {
		t.Errorf("got %v", got)
	}
}
