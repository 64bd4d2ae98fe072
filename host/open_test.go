package host_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/trust"
)

func TestOpen(t *testing.T) {
	w := newWorld(t, `{
		"builtins": ["builtin"],
		"trust": {"drop": "trusted"},
		"sources": [
			{"id": "docs", "path": "docs"},
			{"id": "team", "path": "team", "recognizesPackages": true},
			{"id": "hers", "path": "hers", "recognizesPackages": true, "scope": "user", "owner": "ada", "flaggedBy": "ada"},
			{"id": "bots", "path": "bots", "recognizesPackages": true, "scope": "agent", "owner": "bot"}],
		"users": [{"id": "ada", "role": "member"}], "roles": {"member": {}}}`,
		map[string]files{
			"builtin/core":   says("core", "core"),
			"_packages/drop": says("drop", "drop"),
			"team/shop":      says("shop", "shop"),
			"hers/notes":     says("notes", "notes"),
			"bots/helper":    says("helper", "helper"),
			"docs":           {"readme.md": "# Read me\n"},
		}).open()
	want := map[string]struct {
		tier trust.Tier
		mode trust.Mode
	}{
		"core":                  {trust.FirstParty, trust.ModeFull},
		"drop":                  {trust.Trusted, trust.ModeMetadataOnly},
		"shop":                  {trust.Untrusted, trust.ModeMetadataOnly},
		"user/ada/notes":        {trust.Untrusted, trust.ModeMetadataOnly},
		"agent/bot/helper":      {trust.Untrusted, trust.ModeMetadataOnly},
		"source.docs":           {trust.Untrusted, trust.ModeMetadataOnly},
		"source.team":           {trust.Untrusted, trust.ModeMetadataOnly},
		"user/ada/source.hers":  {trust.Untrusted, trust.ModeMetadataOnly},
		"agent/bot/source.bots": {trust.Untrusted, trust.ModeMetadataOnly},
	}
	for _, e := range w.Catalog().All() {
		if got := want[e.Key()]; got.tier != e.Tier || got.mode != e.Mode || e.Status != catalog.StatusReady {
			t.Errorf("%s: %s %s %s %s", e.Key(), e.Tier, e.Mode, e.Status, e.Message)
		}
		delete(want, e.Key())
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	for _, s := range w.States() {
		if !s.Health.Ready || s.Health.Started != 0 {
			t.Errorf("nobody has called %s yet: %+v", s.Key, s.Health)
		}
	}
	bot := ada
	bot.AgentID = "bot"
	for _, name := range []string{"core", "drop", "shop", "notes", "helper"} {
		if got := w.tool(bot, name, ""); got != name {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, err := os.Stat(w.at("_data")); err == nil {
		t.Error("something was stored, and nothing was there to store")
	}
}

func TestOpenRefuses(t *testing.T) {
	w := newWorld(t, `{"users": [{"id": "ada", "role": "member", "tokenEnv": "ADA_TOKEN"}], "roles": {"member": {}}}`, nil)
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	for _, test := range []struct {
		name string
		ctx  context.Context
		opts host.Options
		want string
	}{
		{"no config", t.Context(), host.Options{}, "needs a config"},
		{"a token that is not there", t.Context(), host.Options{Config: w.load(w.config)}, "ADA_TOKEN, which is not set"},
		{"a context that has ended", ended, host.Options{Config: w.load("{}")}, "enough"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := host.Open(test.ctx, test.opts); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A root that is not there, a package that is none and one that cannot be loaded are no reason for the others not to
// answer, and each is reported once.
func TestWhatIsWrongTakesNothingDown(t *testing.T) {
	w := newWorld(t, `{"builtins": ["nowhere"]}`, map[string]files{
		"_packages/good":    says("good", "good"),
		"_packages/broken":  {"package.json": `{"neuralis": {"id": 1}}`},
		"_packages/unbuilt": {"package.json": pkg("unbuilt", ""), "tools/u.json": tool("", "")},
		"_packages/garbage": says("garbage", ""),
	})
	must(t, os.WriteFile(w.at("_packages/garbage/dist/package.wasm"), []byte("\x00asm\x01\x00\x00\x00 and then something else"), 0o644))
	w.open()
	if got := w.tool(ada, "good", ""); got != "good" {
		t.Error(got)
	}
	for name, want := range map[string]string{"garbage": "runtime-unavailable: ", "u": "runtime-unavailable: "} {
		if got := w.tool(ada, name, ""); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := w.rescan(); got != "" {
		t.Errorf("changed: %s", got)
	}
	for _, once := range []string{"package=broken", "folder=" + w.at("nowhere"), "a package cannot be loaded"} {
		if n := strings.Count(w.log.String(), once); n != 1 {
			t.Errorf("%q is %d times in the log:\n%s", once, n, w.log.String())
		}
	}
	for _, s := range w.States() {
		if s.Key == "garbage" && (s.Status != catalog.StatusReady || !s.Health.Ready) {
			t.Errorf("after a rescan it is to be tried again: %+v", s)
		}
	}
	w.tool(ada, "garbage", "")
	for _, s := range w.States() {
		if s.Key == "garbage" && (s.Status != catalog.StatusError || s.Reason != trust.ReasonStartFailed) {
			t.Errorf("it could not be loaded: %+v", s)
		}
	}
	// Until it is what it should be.
	put(t, w.at("_packages/garbage"), says("garbage", "no garbage"))
	w.rescan()
	if got := w.tool(ada, "garbage", ""); got != "no garbage" {
		t.Error(got)
	}
}

// What could not be loaded is tried again by a rescan, also where nothing of the package has changed.
func TestLoadingIsTriedAgain(t *testing.T) {
	w := newWorld(t, "", map[string]files{"_packages/a": says("a", "a")}).open()
	// The module goes after it was found, and before it was loaded.
	module := w.at("_packages/a/dist/package.wasm")
	must(t, os.Rename(module, module+".away"))
	if got := w.tool(ada, "a", ""); !strings.HasPrefix(got, "runtime-unavailable: ") || strings.Contains(got, w.dir) {
		t.Errorf("got %s", got)
	}
	must(t, os.Rename(module+".away", module))
	if got := w.tool(ada, "a", ""); !strings.HasPrefix(got, "runtime-unavailable: ") {
		t.Errorf("nobody has looked again: %s", got)
	}
	if got := w.rescan(); got != "" {
		t.Errorf("changed: %s", got)
	}
	if got := w.tool(ada, "a", ""); got != "a" {
		t.Error(got)
	}
}
