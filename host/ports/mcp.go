package ports

import (
	"context"
	"encoding/json"

	"github.com/neuralis-dev/neuralis/host/runtime"
)

// client is the MCP client that called the tool.
func (p *ports) client(offered func(runtime.Offers) bool) (runtime.Client, error) {
	if p.caller.Client == nil || offered != nil && !offered(p.caller.Client.Offers()) {
		return nil, refuse(codeUnsupported, "there is no MCP client behind this call that could do that")
	}
	return p.caller.Client, nil
}

func (p *ports) mcpProgress(ctx context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Progress float64  `json:"progress"`
		Total    *float64 `json:"total"`
		Message  string   `json:"message"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	client, err := p.client(nil)
	if err != nil {
		return nil, err
	}
	return nil, client.Progress(ctx, r.Progress, r.Total, r.Message)
}

func (p *ports) mcpLog(ctx context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Level  string          `json:"level"`
		Data   json.RawMessage `json:"data"`
		Logger string          `json:"logger"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	client, err := p.client(nil)
	if err != nil {
		return nil, err
	}
	if p.lines++; p.lines > maxLines {
		return nil, nil
	}
	return nil, client.Log(ctx, r.Level, r.Data, r.Logger)
}

func (p *ports) mcpSample(ctx context.Context, request json.RawMessage) (any, error) {
	return p.askClient(request, func(o runtime.Offers) bool { return o.Sample }, func(c runtime.Client, params json.RawMessage) (json.RawMessage, error) {
		return c.Sample(ctx, params)
	})
}

func (p *ports) mcpElicit(ctx context.Context, request json.RawMessage) (any, error) {
	return p.askClient(request, func(o runtime.Offers) bool { return o.Elicit }, func(c runtime.Client, params json.RawMessage) (json.RawMessage, error) {
		return c.Elicit(ctx, params)
	})
}

// askClient asks the client something that it answers.
func (p *ports) askClient(request json.RawMessage, offered func(runtime.Offers) bool, ask func(runtime.Client, json.RawMessage) (json.RawMessage, error)) (any, error) {
	var r struct {
		Params json.RawMessage `json:"params"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	client, err := p.client(offered)
	if err != nil {
		return nil, err
	}
	return ask(client, r.Params)
}
