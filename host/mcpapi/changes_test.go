package mcpapi_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

func TestClientsAreToldWhatHasChangedForThem(t *testing.T) {
	h := newFake(t, shop)
	var regrant func(session.Session) (session.Session, error)
	s := newServer(t, mcpapi.Options{Host: h, Regrant: func(who session.Session) (session.Session, error) {
		if regrant == nil {
			return who, nil
		}
		return regrant(who)
	}})
	adas, bobs := newChanges(), newChanges()
	a, b := connect(t, s, ada, adas.options()), connect(t, s, bob, bobs.options())
	ctx := context.Background()
	change := func(files map[string]string) {
		t.Helper()
		write(t, h.dir, files)
		h.rescan()
		s.Changed()
	}
	// A round trip later, what was sent before has been seen: messages to one client keep their order. The SDK sends
	// notifications of lists a moment after the change, so what is not to come is looked for after one that is.
	quiet := func(what string, of ...chan string) {
		t.Helper()
		for _, c := range []*mcp.ClientSession{a, b} {
			if err := c.Ping(ctx, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, notifications := range of {
			select {
			case <-notifications:
				t.Errorf("%s: somebody was told too much", what)
			default:
			}
		}
	}

	change(map[string]string{"_packages/a/tools/more.json": tool("", `"feature":"a.read",`)})
	<-adas.tools
	quiet("a tool that bob does not see", bobs.tools, adas.prompts, adas.resources, adas.tools)
	if list, err := a.ListTools(ctx, nil); err != nil || len(list.Tools) != 5 {
		t.Errorf("there are %d tools, %v", len(list.Tools), err)
	}

	change(map[string]string{"_packages/open/skills/pack/SKILL.md": "---\nname: pack\ndescription: Another way\n---\nChanged below."})
	change(map[string]string{"_packages/open/skills/pack/SKILL.md": "---\nname: pack\ndescription: A third way\n---\n"})
	<-adas.prompts
	<-bobs.prompts
	quiet("a description of a skill", adas.tools, bobs.tools, adas.prompts, bobs.prompts)

	change(map[string]string{"_packages/a/docs/new.md": "x"})
	<-adas.resources
	quiet("a document", bobs.resources, adas.tools, adas.prompts)

	change(nil)
	change(map[string]string{"_packages/a/docs/new.md": "longer"})
	quiet("nothing", adas.tools, adas.prompts, adas.resources, bobs.resources)

	// What may be done is a change too.
	regrant = func(who session.Session) (session.Session, error) {
		if who.UserID == "bob" {
			who.Features = []string{"a.use"}
		}
		return who, nil
	}
	change(nil)
	<-bobs.tools
	<-bobs.prompts
	<-bobs.resources
	quiet("what bob may do now", adas.tools, adas.prompts, adas.resources)

	// Documents that are watched.
	uri := "neuralis://a/docs/new.md"
	if err := a.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	change(map[string]string{"_packages/a/docs/new.md": "even longer than that"})
	if got := <-adas.updated; got != uri {
		t.Errorf("updated: %s", got)
	}
	if err := os.Remove(filepath.Join(h.dir, "_packages/a/docs/new.md")); err != nil {
		t.Fatal(err)
	}
	change(nil)
	<-adas.updated
	<-adas.resources
	if err := a.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	change(map[string]string{"_packages/a/docs/new.md": "again"})
	<-adas.resources
	quiet("a document that is not watched any more", adas.updated, bobs.updated)

	// Who is nobody any more is gone.
	regrant = func(who session.Session) (session.Session, error) {
		if who.UserID == "bob" {
			return session.Session{}, errors.New("there is no such user")
		}
		return who, nil
	}
	s.Changed()
	if err := b.Wait(); err != nil {
		t.Logf("bob's connection: %v", err)
	}
	if n := s.Sessions(); n != 1 {
		t.Errorf("%d clients are there", n)
	}
	if err := a.Ping(ctx, nil); err != nil {
		t.Error(err)
	}
}
