package mcpapi

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/manifest"
)

// prompt is a prompt: a skill, or a tool that is offered as one.
type prompt struct {
	Name        string     `json:"name"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Arguments   []argument `json:"arguments,omitempty"`

	entry *catalog.Entry
	file  string // of a skill
	tool  string
}

// message is one message of a prompt.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// getPrompt answers prompts/get.
func (c *client) getPrompt(ctx context.Context, ss *mcp.ServerSession, params *mcp.GetPromptParams) (mcp.Result, error) {
	p := c.view().promptOf[params.Name]
	if p == nil {
		return nil, invalid(nil, "there is no prompt %q", clip(params.Name))
	}
	if p.tool != "" {
		return c.promptOfTool(ctx, ss, p, params)
	}
	source, err := readFile(p.entry.Dir, p.file)
	if err != nil {
		c.server.opts.Log.Warn("a skill cannot be read", "package", p.entry.ID, "file", p.file, "error", err)
		return nil, fault(codeInternal, nil, "the skill %s cannot be read", p.Name)
	}
	front, _ := manifest.ParseSkill(p.file, source)
	text, err := encode(map[string]string{"type": "text", "text": strings.TrimLeft(string(source[front.Body:]), "\r\n")})
	if err != nil {
		return nil, err
	}
	return result(answeredPrompt{p.Description, []message{{"user", text}}})
}

// answeredPrompt is the result of prompts/get.
type answeredPrompt struct {
	Description string    `json:"description,omitempty"`
	Messages    []message `json:"messages"`
}

// promptOfTool makes a prompt of what a handler returns: messages, or blocks, each of which the user says.
func (c *client) promptOfTool(ctx context.Context, ss *mcp.ServerSession, p *prompt, params *mcp.GetPromptParams) (mcp.Result, error) {
	args, err := encode(params.Arguments)
	if err != nil || params.Arguments == nil {
		args = nil
	}
	r := c.call(ctx, ss, p.tool, args, params.GetProgressToken())
	if r.IsError {
		return nil, refusal(r)
	}
	answer := answeredPrompt{Description: p.Description}
	if json.Unmarshal(r.StructuredContent, &answer) == nil && len(answer.Messages) > 0 {
		for i, m := range answer.Messages {
			if m.Role != "user" && m.Role != "assistant" || len(m.Content) == 0 || m.Content[0] != '{' {
				return nil, fault(codeInternal, nil, "the tool %s returned messages of which number %d is none: each has a role, user or assistant, and a block of content", p.tool, i+1)
			}
			answer.Messages[i].Content = forModel(m.Content)
		}
		return result(answer)
	}
	answer = answeredPrompt{p.Description, []message{}}
	for _, block := range r.ForModel().Content {
		answer.Messages = append(answer.Messages, message{"user", block})
	}
	return result(answer)
}

// forModel is one block as a model is shown it.
func forModel(block json.RawMessage) json.RawMessage {
	return dispatch.Result{Content: []json.RawMessage{block}}.ForModel().Content[0]
}
