package mcpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/mcpapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

var shop = map[string]string{
	"_packages/a/package.json":      pkg("a", `,"requires":{"accessFeature":"a.use"}`),
	"_packages/a/dist/package.wasm": emptyModule,
	"_packages/a/tools/list.json": `{"$schema":"http://json-schema.org/draft-07/schema#","title":"list","description":"List <all>","type":"object",
		"properties":{"z":{"type":"string"},"a":{"type":"integer","default":1.0}},"additionalProperties":false,
		"x-neuralis":{"annotations":{"title":"List","readOnlyHint":true,"destructiveHint":false,"category":"read"}}}`,
	"_packages/a/tools/read.json":         tool("", `"feature":"a.read",`),
	"_packages/a/tools/write.json":        tool("", `"feature":"a.write",`),
	"_packages/a/tools/broken.json":       `{"description":`,
	"_packages/a/src/tools/free.ts":       "export default () => 1",
	"_packages/a/skills/pack/SKILL.md":    "---\nname: pack\ndescription: How to pack\n---\n\n# Packing\n\nUse *care*.\n",
	"_packages/a/skills/bad/SKILL.md":     "no front matter",
	"_packages/a/docs/guide.md":           "# Guide\n",
	"_packages/a/docs/de/über uns.md":     "# Wir\n",
	"_packages/a/docs/logo.png":           "x",
	"_packages/open/package.json":         pkg("open", ""), // not built
	"_packages/open/tools/later.json":     tool("", ""),
	"_packages/open/skills/pack/SKILL.md": "---\nname: pack\ndescription: Another way\n---\nOther.",
	"_packages/node/package.json":         `{"name":"n","neuralis":{"id":"node","runtime":{"type":"node"}}}`,
	"_packages/node/tools/never.json":     tool("", ""),
	"_packages/none/package.json":         `{"name":"x","neuralis":{"id":"none"}}`,
	"_packages/none/tools/nothing.json":   tool("", ""),
	"_packages/m/package.json":            pkg("m", ""),
	"_packages/m/dist/package.wasm":       emptyModule,
	"_packages/m/tools/review.json":       tool(`"properties":{"file":{"type":"string","description":"Which"},"tone":{"enum":["kind","keen","dry"]}},"required":["file"],`, `"mcp":{"prompt":"review"},`),
	"_packages/m/tools/now.json":          tool("", `"mcp":{"resource":"time://now","mimeType":"text/plain"},`),
	"_packages/m/tools/bill.json":         tool(`"properties":{"id":{"type":"string"}},`, `"mcp":{"resource":"bill://{id}/pdf","mimeType":"application/pdf"},`),
	// No package has files of others for its own: this one is a tool, whatever it says.
	"_packages/m/tools/claim.json": tool("", `"mcp":{"resource":"neuralis://a/docs/guide.md"},`),
}

func names[T any](all []T, name func(T) string) string {
	var out []string
	for _, one := range all {
		out = append(out, name(one))
	}
	return strings.Join(out, " ")
}

// listing is everything that a client sees.
func listing(t *testing.T, c *mcp.ClientSession) string {
	t.Helper()
	ctx := context.Background()
	tools, err := c.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := c.ListPrompts(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	resources, err := c.ListResources(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	templates, err := c.ListResourceTemplates(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join([]string{
		names(tools.Tools, func(o *mcp.Tool) string { return o.Name }),
		names(prompts.Prompts, func(o *mcp.Prompt) string { return o.Name }),
		names(resources.Resources, func(o *mcp.Resource) string { return o.URI }),
		names(templates.ResourceTemplates, func(o *mcp.ResourceTemplate) string { return o.URITemplate }),
	}, " | ")
}

func TestWhatIsListed(t *testing.T) {
	s := newServer(t, mcpapi.Options{Host: newFake(t, shop)})
	for _, test := range []struct {
		name string
		who  session.Session
		want string
	}{
		{"with features", ada, "claim free list read | open/pack pack review | neuralis://a/docs/de/%C3%BCber%20uns.md neuralis://a/docs/guide.md time://now | bill://{id}/pdf"},
		{"without", bob, "claim | pack review | time://now | bill://{id}/pdf"},
		{"with another feature", session.Session{UserID: "eve", Features: []string{"a.use", "a.write"}},
			"claim free list write | open/pack pack review | neuralis://a/docs/de/%C3%BCber%20uns.md neuralis://a/docs/guide.md time://now | bill://{id}/pdf"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := listing(t, connect(t, s, test.who, nil)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestSomebodysOwnIsTheirs(t *testing.T) {
	h := newFake(t, nil)
	h.owned = t.TempDir()
	write(t, h.owned, map[string]string{"mine/package.json": pkg("mine", ""), "mine/dist/package.wasm": emptyModule, "mine/tools/own.json": tool("", ""), "notes.md": "x"})
	h.rescan()
	s := newServer(t, mcpapi.Options{Host: h})
	if got := listing(t, connect(t, s, ada, nil)); got != "own |  | neuralis://source.own/notes.md | " {
		t.Errorf("ada sees %s", got)
	}
	if got := listing(t, connect(t, s, bob, nil)); got != " |  |  | " {
		t.Errorf("bob sees %s", got)
	}
}

func TestToolIsDescribedAsItsAuthorDid(t *testing.T) {
	h := newFake(t, shop)
	s := newServer(t, mcpapi.Options{Host: h})
	answers := stdio(t, s, ada, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	var list struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(answers[2]), &list); err != nil || len(list.Result.Tools) != 4 {
		t.Fatalf("%v in %s", err, answers[2])
	}
	want := `{"name":"list","title":"List","description":"List <all>","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","title":"list","description":"List <all>","type":"object",` +
		`"properties":{"z":{"type":"string"},"a":{"type":"integer","default":1.0}},"additionalProperties":false},"annotations":{"title":"List","readOnlyHint":true,"destructiveHint":false}}`
	if got := unescape(string(list.Result.Tools[2])); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := string(list.Result.Tools[1]); got != `{"name":"free","inputSchema":{"type":"object"}}` {
		t.Errorf("without a schema: %s", got)
	}
}

// unescape undoes what some writers of JSON do for HTML.
func unescape(text string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(text)
}

func TestPages(t *testing.T) {
	files := map[string]string{"_packages/a/package.json": pkg("a", ""), "_packages/a/dist/package.wasm": emptyModule}
	for i := range 25 {
		files[fmt.Sprintf("_packages/a/tools/t%02d.json", i)] = tool("", "")
		files[fmt.Sprintf("_packages/a/docs/d%02d.md", i)] = "x"
	}
	h := newFake(t, files)
	s := newServer(t, mcpapi.Options{Host: h, PageSize: 10})
	c := connect(t, s, ada, nil)
	ctx := context.Background()
	seen := map[string]int{}
	var sizes []int
	params := &mcp.ListToolsParams{}
	for {
		list, err := c.ListTools(ctx, params)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range list.Tools {
			seen[one.Name]++
		}
		sizes = append(sizes, len(list.Tools))
		if list.NextCursor == "" {
			break
		}
		if params.Cursor == "" {
			// What the cursor stands at may be gone by the time that it is used.
			if err := os.Remove(filepath.Join(h.dir, "_packages/a/tools/t09.json")); err != nil {
				t.Fatal(err)
			}
			h.rescan()
		}
		params.Cursor = list.NextCursor
	}
	if !slices.Equal(sizes, []int{10, 10, 5}) || len(seen) != 25 || slices.Max(slices.Collect(maps.Values(seen))) != 1 {
		t.Errorf("pages of %v, %d tools", sizes, len(seen))
	}
	count := 0
	for _, err := range c.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		count++
	}
	if count != 25 {
		t.Errorf("%d resources", count)
	}
	if _, err := c.ListTools(ctx, &mcp.ListToolsParams{Cursor: "%"}); err == nil || !strings.Contains(err.Error(), "cursor") {
		t.Errorf("a cursor that is none: %v", err)
	}
}

func TestPromptsAndResources(t *testing.T) {
	h := newFake(t, shop)
	write(t, h.dir, map[string]string{"_packages/a/docs/late.md": "late"}) // after the scan
	h.call = func(_ context.Context, _ session.Session, name string, args json.RawMessage) dispatch.Result {
		block := func(text string) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"type":"text","text":%q}`, text))
		}
		switch {
		case strings.Contains(string(args), "fail"):
			return failed(dispatch.CodeHandlerError, "it failed")
		case strings.Contains(string(args), "messages"):
			return dispatch.Result{StructuredContent: json.RawMessage(`{"messages":[{"role":"assistant","content":{"type":"text","text":"hm","_meta":{"a":1}}}]}`)}
		case strings.Contains(string(args), "faulty"):
			return dispatch.Result{StructuredContent: json.RawMessage(`{"messages":[{"role":"assistant","content":{"type":"text","text":"hm"}},{"role":"boss"}]}`)}
		}
		return dispatch.Result{Content: []json.RawMessage{block(name + string(args)), json.RawMessage(`{"type":"image","mimeType":"image/png","data":"AA==","_meta":{"a":1}}`)}}
	}
	c := connect(t, newServer(t, mcpapi.Options{Host: h}), ada, nil)
	ctx := context.Background()
	prompt := func(name string, args map[string]string) string {
		r, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: args})
		if err != nil {
			return err.Error()
		}
		return text(t, r)
	}
	read := func(uri string) string {
		r, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return err.Error()
		}
		return text(t, r)
	}
	for _, test := range []struct{ name, got, want string }{
		{"skill", prompt("pack", nil), `{"description":"How to pack","messages":[{"content":{"type":"text","text":"# Packing\n\nUse *care*.\n"},"role":"user"}]}`},
		{"skill of the same name", prompt("open/pack", nil), `{"description":"Another way","messages":[{"content":{"type":"text","text":"Other."},"role":"user"}]}`},
		{"no prompt", prompt("nope", nil), `there is no prompt "nope"`},
		{"tool as prompt", prompt("review", map[string]string{"file": "x"}), `{"description":"A tool","messages":[{"content":{"type":"text","text":"review{\"file\":\"x\"}"},"role":"user"},{"content":{"type":"image","mimeType":"image/png","data":"AA=="},"role":"user"}]}`},
		{"messages", prompt("review", map[string]string{"file": "messages"}), `{"description":"A tool","messages":[{"content":{"type":"text","text":"hm"},"role":"assistant"}]}`},
		{"messages that are none", prompt("review", map[string]string{"file": "faulty"}), `of which number 2 is none`},
		{"prompt fails", prompt("review", map[string]string{"file": "fail"}), "it failed"},
		{"document", read("neuralis://a/docs/de/%C3%BCber%20uns.md"), `"contents":[{"uri":"neuralis://a/docs/de/%C3%BCber%20uns.md","mimeType":"text/markdown","text":"# Wir\n"}]`},
		{"document that the catalog has not seen", read("neuralis://a/docs/late.md"), `there is no resource "neuralis://a/docs/late.md"`},
		{"out of the folder", read("neuralis://a/docs/../package.json"), `there is no resource`},
		{"tool as resource", read("time://now"), `"contents":[{"uri":"time://now","mimeType":"text/plain","text":"now"},{"uri":"time://now","mimeType":"image/png","blob":"AA=="}]`},
		{"template", read("bill://7/pdf"), `"text":"bill{\"id\":\"7\"}"`},
		{"template that fails", read("bill://fail/pdf"), `it failed`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", test.got, test.want)
			}
		})
	}
	complete := func(ref *mcp.CompleteReference, name, value string) string {
		r, err := c.Complete(ctx, &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: name, Value: value}})
		if err != nil {
			return err.Error()
		}
		return text(t, r.Completion)
	}
	if got := complete(&mcp.CompleteReference{Type: "ref/prompt", Name: "review"}, "tone", "K"); got != `{"total":2,"values":["kind","keen"]}` {
		t.Errorf("completions: %s", got)
	}
	if got := complete(&mcp.CompleteReference{Type: "ref/resource", URI: "bill://{id}/pdf"}, "id", ""); got != `{"values":[]}` {
		t.Errorf("completions: %s", got)
	}
}

func TestDocumentsStayInTheirFolder(t *testing.T) {
	h := newFake(t, map[string]string{"secret.md": "secret", "_packages/a/package.json": pkg("a", ""), "_packages/a/docs/x.md": "x"})
	doc := filepath.Join(h.dir, "_packages/a/docs/x.md")
	c := connect(t, newServer(t, mcpapi.Options{Host: h}), ada, nil)
	replace := func(with func() error) string {
		if err := os.Remove(doc); err != nil {
			t.Fatal(err)
		}
		if err := with(); err != nil {
			t.Skip(err)
		}
		_, err := c.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: "neuralis://a/docs/x.md"})
		return fmt.Sprint(err)
	}
	if got := replace(func() error { return os.Symlink(filepath.Join(h.dir, "secret.md"), doc) }); !strings.Contains(got, "cannot be read") || strings.Contains(got, h.dir) {
		t.Errorf("a link out of the folder: %s", got)
	}
	if got := replace(func() error { return os.Mkdir(doc, 0o755) }); !strings.Contains(got, "cannot be read") {
		t.Errorf("a folder: %s", got)
	}
	if got := replace(func() error { return os.WriteFile(doc, make([]byte, 5<<20), 0o644) }); !strings.Contains(got, "cannot be read") {
		t.Errorf("too large: %s", got)
	}
	if got := replace(func() error { return nil }); !strings.Contains(got, "there is no resource") {
		t.Errorf("gone: %s", got)
	}
}
