package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/dispatch"
)

func TestClose(t *testing.T) {
	w := newWorld(t, `{"trust": {"caller": "trusted"}}`, map[string]files{
		"_packages/a": waits("a", "a"),
		"_packages/caller": {
			"package.json":         pkg("caller", wasm),
			"tools/caller.json":    tool("", ""),
			"src/tools/caller.ts":  "export default async (_: unknown, ctx: any) => { ctx.logger.info('waiting'); return (await ctx.callRoute('GET', 'caller/r')).body; };",
			"src/routes/caller.ts": "export const pattern = 'r'; export const GET = () => ({ status: 200, body: 'from the route' });",
		},
		"_packages/plain": {"package.json": pkg("plain", ""), "tools/plain.json": tool("", "")},
	})
	g := w.gate("waiting")
	w.open()
	answers := make(chan string, 2)
	for _, name := range []string{"a", "caller"} {
		go func() { answers <- w.tool(ada, name, "") }()
		<-g.entered
	}
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if err := w.Close(ended); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("with calls in flight: %v", err)
	}
	if w.Ready() == nil {
		t.Error("it is ready")
	}
	for what, got := range map[string]string{
		"tool": w.tool(ada, "a", ""), "route": w.route(ada, "caller/r"),
		"declarative": w.tool(ada, "plain", ""),
	} {
		if !strings.Contains(got, "runtime-unavailable") {
			t.Errorf("a %s: %s", what, got)
		}
	}
	if got := w.tool(ada, "a", ""); got != "runtime-unavailable: nothing runs the code of the package a: the host is stopping" {
		t.Error(got)
	}
	if _, fault := w.CallAPI(t.Context(), ada, "a", "x", nil); fault == nil || fault.Code != dispatch.CodeRuntimeUnavailable {
		t.Errorf("an API: %v", fault)
	}
	if _, err := w.Rescan(t.Context()); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("a rescan: %v", err)
	}
	if _, err := w.Reconfigure(t.Context(), w.Config()); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("another config: %v", err)
	}
	closed := make(chan error)
	go func() { closed <- w.Close(context.Background()) }()
	close(g.let)
	if err := <-closed; err != nil {
		t.Errorf("the second Close: %v", err)
	}
	for range 2 {
		got := <-answers
		if got != "a" && got != "from the route" && !strings.Contains(got, "stopping") && !strings.Contains(got, "stopped") {
			t.Errorf("a call that was in flight: %s", got)
		}
	}
	for range 2 {
		if err := w.Close(ended); err != nil {
			t.Errorf("closed already: %v", err)
		}
	}
}

// While Close waits, calls in flight finish, with what they call.
func TestCloseFinishesCalls(t *testing.T) {
	w := newWorld(t, `{"trust": {"caller": "trusted"}}`, map[string]files{"_packages/caller": {
		"package.json":        pkg("caller", wasm),
		"tools/caller.json":   tool("", ""),
		"src/tools/caller.ts": "export default async (_: unknown, ctx: any) => { ctx.logger.info('waiting'); return (await ctx.callRoute('GET', 'other/r')).body; };",
	}, "_packages/other": {
		"package.json":    pkg("other", wasm),
		"src/routes/r.ts": "export const pattern = 'r'; export const GET = () => ({ status: 200, body: 'from the route' });",
	}})
	g := w.gate("waiting")
	w.open()
	answer := make(chan string)
	go func() { answer <- w.tool(ada, "caller", "") }()
	<-g.entered
	closed := make(chan error)
	go func() { closed <- w.Close(context.Background()) }()
	for w.Ready() == nil { // until it lets no more in
	}
	close(g.let)
	if got := <-answer; got != "from the route" {
		t.Errorf("the call in flight: %s", got)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// Close does not wait longer than it may for a rescan, and a rescan does not wait for Close.
func TestCloseDuringRescan(t *testing.T) {
	f := wholeTool("a", "a")
	f["src/lifecycle.ts"] = "export const init = (ctx: any) => ctx; export const start = (ctx: any) => { ctx.logger.info('starting'); };"
	w := newWorld(t, "", nil)
	g := w.gate("starting")
	w.open()
	w.Start(t.Context())
	put(t, w.at("_packages/a"), f)
	rescanned := make(chan string)
	go func() {
		changes, err := w.Rescan(context.Background())
		rescanned <- fmt.Sprint(changed(changes), err)
	}()
	<-g.entered
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if err := w.Close(ended); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
	if _, err := w.Rescan(ended); err == nil {
		t.Error("a rescan that may not wait")
	}
	close(g.let)
	if got := <-rescanned; got != "+a<nil>" {
		t.Errorf("the rescan: %s", got)
	}
	if err := w.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
