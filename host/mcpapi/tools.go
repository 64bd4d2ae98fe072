package mcpapi

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/manifest"
)

// title is what people call a tool.
func title(tool *manifest.Tool) string {
	return cmp.Or(tool.Extension.Annotations.Title, tool.Title)
}

// description is what a tool is offered as.
type description struct {
	listed    json.RawMessage // as a tool; nil for others
	offer     offer
	template  *uritemplate.Template // where the offer is one
	arguments []argument
}

func newDescription(tool *manifest.Tool) *description {
	d := &description{}
	o, special := offerOf(tool)
	if special && o.Prompt == "" {
		var variables bool
		if d.template, variables, special = template(o.Resource); !variables { // and what is no URI is no resource
			d.template = nil
		}
	}
	if special {
		d.offer, d.arguments = o, argumentsOf(tool)
	} else {
		d.listed, _ = listing(tool) // package manifest has read it before
	}
	return d
}

// descriptions keep what was made of tool files as long as the files stay as they are: most do in any change.
type descriptions struct{ now, before map[toolFile]*description }

// toolFile is all that a description is made of.
type toolFile struct{ name, text string }

// age forgets what was not asked for since the last time.
func (d *descriptions) age() { d.now, d.before = map[toolFile]*description{}, d.now }

func (d *descriptions) of(tool *manifest.Tool) *description {
	key := toolFile{tool.Name, string(tool.Schema)}
	known := d.now[key]
	if known == nil {
		known = d.before[key]
	}
	if known == nil {
		known = newDescription(tool)
	}
	d.now[key] = known
	return known
}

// listing is how a tool is listed.
func listing(tool *manifest.Tool) (json.RawMessage, error) {
	schema, err := inputSchema(tool.Schema)
	if err != nil {
		return nil, err
	}
	type annotations struct {
		Title           string `json:"title,omitempty"`
		ReadOnlyHint    *bool  `json:"readOnlyHint,omitempty"`
		DestructiveHint *bool  `json:"destructiveHint,omitempty"`
		IdempotentHint  *bool  `json:"idempotentHint,omitempty"`
		OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`
	}
	a := tool.Extension.Annotations
	return encode(struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations annotations     `json:"annotations,omitzero"`
	}{tool.Name, title(tool), tool.Description, schema, annotations{a.Title, a.ReadOnlyHint, a.DestructiveHint, a.IdempotentHint, a.OpenWorldHint}})
}

// inputSchema is the schema of a tool file as its author wrote it, without what is for the platform. A tool without a
// schema takes any object.
func inputSchema(file json.RawMessage) (json.RawMessage, error) {
	if len(file) == 0 {
		return json.RawMessage(`{"type":"object"}`), nil
	}
	all, err := members(file)
	if err != nil {
		return nil, err
	}
	typed := false
	kept := all[:0]
	for _, m := range all {
		typed = typed || m.name == "type"
		if m.name != "x-neuralis" {
			kept = append(kept, m)
		}
	}
	if !typed { // the protocol wants it said
		kept = append(kept, member{"type", json.RawMessage(`"object"`)})
	}
	return object(kept)
}

// callTool answers tools/call.
func (c *client) callTool(ctx context.Context, ss *mcp.ServerSession, params *mcp.CallToolParamsRaw) (mcp.Result, error) {
	r := c.call(ctx, ss, params.Name, params.Arguments, params.GetProgressToken())
	if r.Err != nil && r.Err.Code == dispatch.CodeUnknownTool {
		return nil, invalid(r.Err, "%s", r.Err.Message)
	}
	// What is for programs stays with the result; models are shown the blocks.
	meta := r.Meta
	r = r.ForModel()
	r.Meta = meta
	return result(r)
}

// call calls a tool for the client, which the tool may turn to meanwhile.
func (c *client) call(ctx context.Context, ss *mcp.ServerSession, name string, args json.RawMessage, token any) dispatch.Result {
	ctx, end := c.bound(ctx)
	defer end()
	return c.server.opts.Host.CallTool(dispatch.WithClient(ctx, &caller{session: ss, token: token}), c.who(), name, args)
}

// refusal is the error of the protocol for a call that failed where the protocol has no other way to say so.
func refusal(r dispatch.Result) error {
	if r.Err == nil {
		return fault(codeInternal, nil, "%s", textOf(r))
	}
	switch r.Err.Code {
	case dispatch.CodeInvalidArguments, dispatch.CodeUnknownTool:
		return invalid(r.Err, "%s", r.Err.Message)
	}
	return fault(codeInternal, r.Err, "%s", r.Err.Message)
}

// textOf is the first text of a result.
func textOf(r dispatch.Result) string {
	for _, raw := range r.Content {
		var block struct{ Text string }
		if json.Unmarshal(raw, &block) == nil && block.Text != "" {
			return block.Text
		}
	}
	return "the call failed"
}
