package interop

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sdk is a client of the TypeScript SDK, in a process of its own.
type sdk struct {
	*testing.T
	in  io.Writer
	out *bufio.Scanner
}

// do lets the client do something, and returns what came of it.
func (s *sdk) do(step string) string {
	s.Helper()
	_, err := io.WriteString(s.in, step+"\n")
	must(s.T, err)
	if !s.out.Scan() {
		s.Fatalf("the client is gone: %v", s.out.Err())
	}
	return s.out.Text()
}

// expect lets the client do something, and wants all of the texts in what came of it.
func (s *sdk) expect(step string, texts ...string) {
	s.Helper()
	answer := s.do(step)
	for _, text := range texts {
		if !strings.Contains(answer, text) {
			s.Errorf("%s\ngot  %s\nwant %s", step, answer, text)
		}
	}
}

func TestTypeScriptSDK(t *testing.T) {
	s := newSite(t)
	cmd := node(t, filepath.Join(clients, "sdk.mjs"), s.url)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	c := &sdk{t, in, bufio.NewScanner(out)}
	c.out.Buffer(nil, 1<<20)

	c.expect(`{"do":"connect"}`, `"server":"neuralis"`, `"can":["completions","logging","prompts","resources","tools"]`)
	var list struct {
		OK struct{ Tools, Prompts, Resources []string }
	}
	must(t, json.Unmarshal([]byte(c.do(`{"do":"list"}`)), &list))
	for what, there := range map[string]bool{
		"tools":     len(list.OK.Tools) == 14 && slices.Contains(list.OK.Tools, "test_simple_text"),
		"prompts":   len(list.OK.Prompts) == 5 && slices.Contains(list.OK.Prompts, "try-everything"),
		"resources": len(list.OK.Resources) == 4 && slices.Contains(list.OK.Resources, "neuralis://everything/docs/resources.md"),
	} {
		if !there {
			t.Errorf("the %s are not those of the package: %+v", what, list.OK)
		}
	}
	c.expect(`{"do":"call","tool":"test_simple_text"}`, `{"ok":{"content":[{"type":"text","text":"This is a simple text response for testing."}]}}`)
	c.expect(`{"do":"call","tool":"test_sampling","args":{"prompt":"hello"}}`, "LLM response: HELLO")
	c.expect(`{"do":"call","tool":"test_elicitation","args":{"message":"ada"}}`, `action=accept, content={\"email\":\"ada@example.com\",\"username\":\"ada\"}`)
	c.expect(`{"do":"call","tool":"test_tool_with_progress"}`, `"progress":[0,50,100]`)
	c.expect(`{"do":"call","tool":"test_error_handling"}`, `"isError":true`, "intentionally", `"code":"handler-error"`)
	c.expect(`{"do":"call","tool":"test_sampling","args":{"wrong":1}}`, `"isError":true`, `"code":"invalid-arguments"`)
	c.expect(`{"do":"call","tool":"none"}`, `"error":{"code":-32602`, `"code":"unknown-tool"`)
	c.expect(`{"do":"prompt","name":"try-everything"}`, `"text":"# Trying everything`)
	c.expect(`{"do":"prompt","name":"none"}`, `"error":{"code":-32602`)
	c.expect(`{"do":"read","uri":"neuralis://everything/docs/resources.md"}`, `"mimeType":"text/markdown","text":"# Resources`)
	c.expect(`{"do":"read","uri":"test://none"}`, `"error":{"code":-32002`)
	c.expect(`{"do":"level","level":"info"}`, `{"ok":{}}`)
	c.expect(`{"do":"call","tool":"test_tool_with_logging"}`, "logged")
	for range 3 {
		c.expect(`{"do":"await","method":"notifications/message"}`, "ok")
	}

	// The package gets a tool, a prompt and another text of its page.
	c.expect(`{"do":"subscribe","uri":"neuralis://everything/docs/resources.md"}`, "ok")
	for name, text := range map[string]string{
		"tools/added.json":        `{"description":"New","type":"object","x-neuralis":{"annotations":{"category":"read"}}}`,
		"src/tools/added.ts":      `export default () => 'I am new.';`,
		"skills/fresh/SKILL.md":   "---\nname: fresh\ndescription: New too\n---\nFresh.\n",
		"docs/resources.md":       "# Nothing is left\n",
		"docs/more/of/it/page.md": "# More\n",
	} {
		path := filepath.Join(s.dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	s.build(t)
	_, err = s.host.Rescan(t.Context())
	must(t, err)
	s.server.Changed()
	for _, method := range []string{"tools/list_changed", "prompts/list_changed", "resources/list_changed", "resources/updated"} {
		c.expect(`{"do":"await","method":"notifications/`+method+`"}`, "ok")
	}
	c.expect(`{"do":"list"}`, `"added"`, `"fresh"`, `"neuralis://everything/docs/more/of/it/page.md"`)
	c.expect(`{"do":"call","tool":"added"}`, "I am new.")
	c.expect(`{"do":"read","uri":"neuralis://everything/docs/resources.md"}`, "# Nothing is left")

	must(t, in.Close())
	if err := cmd.Wait(); err != nil {
		t.Errorf("the client: %v", err)
	}
	if n := s.server.Sessions(); n != 0 {
		t.Errorf("%d sessions are left of a client that has gone", n)
	}
}

func TestInspector(t *testing.T) {
	s := newSite(t)
	for _, test := range []struct {
		name string
		args []string
		want []string
	}{
		{"tools", []string{"--method", "tools/list"}, []string{`"name": "test_simple_text"`, `"readOnlyHint": true`, `"additionalProperties": false`}},
		{"call", []string{"--method", "tools/call", "--tool-name", "json_schema_2020_12_tool", "--tool-arg", "name=Ada"}, []string{`These arguments fit: {\"name\":\"Ada\"}`}},
		{"prompts", []string{"--method", "prompts/list"}, []string{`"name": "try-everything"`}},
		{"resources", []string{"--method", "resources/list"}, []string{`"uri": "neuralis://everything/docs/resources.md"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			launcher := filepath.Join(clients, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
			cmd := node(t, append([]string{launcher, "--cli", s.url, "--transport", "http"}, test.args...)...)
			output, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, output)
			}
			for _, want := range test.want {
				if !strings.Contains(string(output), want) {
					t.Errorf("got\n%s\nwant %s", output, want)
				}
			}
		})
	}
}
