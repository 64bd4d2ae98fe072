package host_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

// alive is a package whose hooks log that they were called, and with what. Those named in failing throw afterwards.
func alive(id string, failing ...string) files {
	hook := func(name, parameters, arguments string) string {
		fails := ""
		for _, f := range failing {
			if f == name {
				fails = " throw new Error('" + name + " of " + id + " failed');"
			}
		}
		return "export function " + name + "(state: any" + parameters + ") { state.logger.info('" + id + " " + name + "' + JSON.stringify([" + arguments + "]));" + fails + " }\n"
	}
	f := wholeTool(id, id)
	f["src/lifecycle.ts"] = "export const init = (ctx: any) => ctx;\n" +
		hook("start", "", "") + hook("stop", "", "") + hook("onBootstrapComplete", ", info: any", "info") +
		hook("provisionProject", ", id: any", "id") + hook("deprovisionProject", ", id: any", "id") + hook("revokePrincipal", ", who: any", "who")
	return f
}

// hooks are the hooks that were called since the last time, in order.
func (w *world) hooks() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, line := range w.lines {
		all = append(all, line.Message)
	}
	w.lines = nil
	return strings.Join(all, "; ")
}

// phases are the calls of hooks in the order in which one follows the other: those of one hook are made together, and
// sorted here.
func phases(hooks string) string {
	name := func(call string) string {
		_, hook, _ := strings.Cut(call, " ")
		hook, _, _ = strings.Cut(hook, "[")
		return hook
	}
	var sorted []string
	for all := strings.Split(hooks, "; "); len(all) > 0; {
		n := 1
		for n < len(all) && name(all[n]) == name(all[0]) {
			n++
		}
		slices.Sort(all[:n])
		sorted, all = append(sorted, all[:n]...), all[n:]
	}
	return strings.Join(sorted, "; ")
}

func TestLifecycle(t *testing.T) {
	w := newWorld(t, "", map[string]files{
		"_packages/a": alive("a"), "_packages/b": alive("b", "start"), "_packages/c": alive("c", "onBootstrapComplete", "provisionProject", "stop"),
		"_packages/plain": says("plain", "plain"),
	}).open()
	ctx := t.Context()
	expect := func(what, want string) {
		t.Helper()
		if got, want := phases(w.hooks()), phases(want); got != want {
			t.Errorf("%s: %s; want %s", what, got, want)
		}
	}
	reported := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if n := strings.Count(w.log.String(), text); n != 1 {
				t.Errorf("%q was reported %d times:\n%s", text, n, w.log.String())
			}
		}
	}
	w.rescan()
	expect("before the host is started", "")
	w.Start(ctx)
	expect("the start", `a start[]; b start[]; c start[]; a onBootstrapComplete[{"packages":["a","c"]}]; c onBootstrapComplete[{"packages":["a","c"]}]`)
	reported("start of b failed", "onBootstrapComplete of c failed")
	w.Start(ctx)
	expect("a second time", "")
	for _, name := range []string{"a", "b", "c", "plain"} {
		if got := w.tool(ada, name, ""); got != name {
			t.Errorf("%s: %s", name, got)
		}
	}
	expect("calls", "")

	if err := w.ProvisionProject(ctx, "q"); err == nil || !strings.Contains(err.Error(), "provisionProject of the package c: provisionProject of c failed") && !strings.Contains(err.Error(), "provisionProject of c failed") {
		t.Errorf("got %v", err)
	}
	expect("a project", `a provisionProject["q"]; b provisionProject["q"]; c provisionProject["q"]`)
	must(t, w.DeprovisionProject(ctx, "q"))
	expect("a project less", `a deprovisionProject["q"]; b deprovisionProject["q"]; c deprovisionProject["q"]`)
	must(t, w.RevokePrincipal(ctx, "eve"))
	expect("a user less", `a revokePrincipal["eve"]; b revokePrincipal["eve"]; c revokePrincipal["eve"]`)

	// A package that could not be started is not tried again and again.
	w.rescan()
	expect("a rescan", "")
	put(t, w.at("_packages/b"), alive("b"))
	put(t, w.at("_packages/d"), alive("d"))
	next := alive("a")
	next["package.json"] = strings.ReplaceAll(next["package.json"], "1.0.0", "1.0.1")
	put(t, w.at("_packages/a"), next)
	must(t, os.RemoveAll(w.at("_packages/c")))
	if got := w.rescan(); got != "+d -c ~a ~b" {
		t.Errorf("changed: %s", got)
	}
	expect("packages come, change and go", `c stop[]; a stop[]; a start[]; b start[]; d start[]; `+
		`a onBootstrapComplete[{"packages":["a","b","d"]}]; b onBootstrapComplete[{"packages":["a","b","d"]}]; d onBootstrapComplete[{"packages":["a","b","d"]}]`)
	reported("stop of c failed")
	w.rescan()
	expect("nothing changes", "")

	// Another limit of memory makes instances anew, and so the package begins anew.
	if _, err := w.Reconfigure(ctx, w.load(`{"limits": {"untrusted": {"memoryMiB": 32}}}`)); err != nil {
		t.Fatal(err)
	}
	expect("another limit", `a stop[]; b stop[]; d stop[]; a start[]; b start[]; d start[]; `+
		`a onBootstrapComplete[{"packages":["a","b","d"]}]; b onBootstrapComplete[{"packages":["a","b","d"]}]; d onBootstrapComplete[{"packages":["a","b","d"]}]`)

	must(t, os.WriteFile(w.at("_packages/d/package.json"), []byte("{"), 0o644))
	w.rescan()
	expect("one breaks", "d stop[]")
	must(t, w.Close(ctx))
	expect("the end", "a stop[]; b stop[]")
	must(t, w.Close(ctx))
	if err := w.ProvisionProject(ctx, "q"); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("after the end: %v", err)
	}
	expect("after the end", "")
}

// Without Start, no hook is called at all.
func TestNotStarted(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/a": alive("a")}).open()
	put(t, w.at("_packages/b"), alive("b"))
	w.rescan()
	w.tool(ada, "a", "")
	must(t, w.Close(t.Context()))
	if got := w.hooks(); got != "" {
		t.Error(got)
	}
}

// A hook that never ends is ended by the deadline of its tier, and by the context of who waits.
func TestHooksThatHang(t *testing.T) {
	f := alive("a")
	f["src/lifecycle.ts"] = "export const init = () => ({}); export const start = () => { for (;;); }; export const provisionProject = (_: any, id: string) => { if (id === 'bad') for (;;); };"
	w := newWorld(t, `{"limits": {"untrusted": {"deadlineMs": 50}}}`, map[string]files{"_packages/a": f}).open()
	w.Start(t.Context())
	if text := w.log.String(); !strings.Contains(text, "longer than 50ms") {
		t.Errorf("got %s", text)
	}
	if err := w.ProvisionProject(t.Context(), "bad"); err == nil || !strings.Contains(err.Error(), "longer than 50ms") {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.ProvisionProject(ended, "good"); err == nil {
		t.Error("a context that has ended")
	}
	if _, err := w.Reconfigure(t.Context(), w.load("")); err != nil {
		t.Fatal(err)
	}
	if got := w.tool(ada, "a", ""); got != "a" {
		t.Error(got)
	}
}

// The stop of a package waits until nobody is in it any more.
func TestStopComesLast(t *testing.T) {
	f := alive("a")
	f["src/tools/a.ts"] = "export default (_: unknown, ctx: any) => { ctx.logger.info('waiting'); ctx.logger.info('answered'); return 'a'; };"
	w := newWorld(t, "", map[string]files{"_packages/a": f})
	g := w.gate("waiting")
	w.open()
	w.Start(t.Context())
	answer := make(chan string)
	go func() { answer <- w.tool(ada, "a", "") }()
	<-g.entered
	closed := make(chan error)
	go func() { closed <- w.Close(context.Background()) }()
	for w.Ready() == nil {
	}
	close(g.let)
	if got := <-answer; got != "a" {
		t.Error(got)
	}
	must(t, <-closed)
	if got, want := w.hooks(), `a start[]; a onBootstrapComplete[{"packages":["a"]}]; waiting; answered; a stop[]`; got != want {
		t.Errorf("got %s", got)
	}
}
