//lint:file-ignore SA1019 log messages and sampling are deprecated in a version of the protocol that is not spoken here.

package mcpapi

import (
	"context"
	"fmt"
	"runtime/debug"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/dispatch"
)

const codeInternal = jsonrpc.CodeInternalError

// receive answers the methods whose answers depend on who asks, and leaves the rest to the SDK.
func (c *client) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (answer mcp.Result, err error) {
		defer func() {
			if thrown := recover(); thrown != nil {
				c.server.opts.Log.Error("the host panicked, which is a fault of its own", "panic", fmt.Sprint(thrown), "stack", string(debug.Stack()))
				answer, err = nil, fault(codeInternal, nil, "the host failed")
			}
		}()
		ss, _ := request.GetSession().(*mcp.ServerSession)
		// The context is that of the request which began the session.
		ctx = dispatch.WithRequest(ctx, c.requestID(request.GetExtra()))
		switch params := request.GetParams().(type) {
		case *mcp.InitializeParams:
			c.begin()
		case *mcp.ListToolsParams:
			return c.listTools(params)
		case *mcp.ListPromptsParams:
			return c.listPrompts(params)
		case *mcp.ListResourcesParams:
			return c.listResources(params)
		case *mcp.ListResourceTemplatesParams:
			return c.listTemplates(params)
		case *mcp.CallToolParamsRaw:
			return c.callTool(ctx, ss, params)
		case *mcp.GetPromptParams:
			return c.getPrompt(ctx, ss, params)
		case *mcp.ReadResourceParams:
			return c.readResource(ctx, ss, params)
		case *mcp.SetLoggingLevelParams:
			if _, err := level(string(params.Level)); err != nil {
				return nil, invalid(nil, "%v", err)
			}
		}
		return next(ctx, method, request)
	}
}

func (c *client) listTools(params *mcp.ListToolsParams) (mcp.Result, error) {
	var cursor string
	if params != nil {
		cursor = params.Cursor
	}
	part, next, err := page(c.view().tools, func(t listed) string { return t.key }, cursor, c.server.opts.PageSize)
	if err != nil {
		return nil, err
	}
	all := []any{}
	for _, t := range part {
		all = append(all, t.json)
	}
	return list("tools", all, next)
}

func (c *client) listPrompts(params *mcp.ListPromptsParams) (mcp.Result, error) {
	var cursor string
	if params != nil {
		cursor = params.Cursor
	}
	part, next, err := page(c.view().prompts, func(p *prompt) string { return p.Name }, cursor, c.server.opts.PageSize)
	if err != nil {
		return nil, err
	}
	all := []any{}
	for _, p := range part {
		all = append(all, p)
	}
	return list("prompts", all, next)
}

func (c *client) listResources(params *mcp.ListResourcesParams) (mcp.Result, error) {
	var cursor string
	if params != nil {
		cursor = params.Cursor
	}
	return c.resourcesOf("resources", c.view().resources, cursor)
}

func (c *client) listTemplates(params *mcp.ListResourceTemplatesParams) (mcp.Result, error) {
	var cursor string
	if params != nil {
		cursor = params.Cursor
	}
	return c.resourcesOf("resourceTemplates", c.view().templates, cursor)
}

func (c *client) resourcesOf(name string, resources []*resource, cursor string) (mcp.Result, error) {
	part, next, err := page(resources, func(r *resource) string { return r.URI }, cursor, c.server.opts.PageSize)
	if err != nil {
		return nil, err
	}
	all := []any{}
	for _, r := range part {
		all = append(all, r.listing())
	}
	return list(name, all, next)
}

// list is the result of a list.
func list(name string, all []any, next string) (mcp.Result, error) {
	answer := map[string]any{name: all}
	if next != "" {
		answer["nextCursor"] = next
	}
	return result(answer)
}

// complete answers completion/complete from what the schemas of arguments list.
func (c *client) complete(_ context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	v, ref := c.view(), request.Params.Ref
	var arguments []argument
	switch ref.Type {
	case "ref/prompt":
		p := v.promptOf[ref.Name]
		if p == nil {
			return nil, invalid(nil, "there is no prompt %q", clip(ref.Name))
		}
		arguments = p.Arguments
	case "ref/resource":
		found := v.resourceOf[ref.URI] != nil
		for _, r := range v.templates {
			if r.URI == ref.URI {
				found, arguments = true, r.arguments
			}
		}
		if !found {
			return nil, notFound(ref.URI)
		}
	}
	values, total := completions(arguments, request.Params.Argument.Name, request.Params.Argument.Value)
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: total, HasMore: total > len(values)}}, nil
}

// clip shortens what a client sent, for messages.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
