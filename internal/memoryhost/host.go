package memoryhost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Host runs one package.
type Host struct {
	pkg      *manifest.Package
	plugin   *sandbox.Plugin
	instance *sandbox.Instance
	ports    *ports
}

// Options say what the package runs in.
type Options struct {
	// Log takes what the package logs, a line each.
	Log io.Writer
	// Getenv answers for config settings that name an environment variable as their fallback.
	Getenv func(string) string
	// Role is the role of the caller; empty for owner.
	Role string
}

// Start makes an instance of a package from its module.
func Start(ctx context.Context, engine *sandbox.Engine, pkg *manifest.Package, module []byte, opts Options) (*Host, error) {
	plugin, err := engine.Load(ctx, module, sandbox.Limits{AllowedHosts: pkg.Manifest.Network.AllowedHosts})
	if err != nil {
		return nil, err
	}
	instance, err := plugin.Instance(ctx)
	if err != nil {
		return nil, errors.Join(err, plugin.Close(context.WithoutCancel(ctx)))
	}
	if opts.Role == "" {
		opts.Role = "owner"
	}
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	if opts.Getenv == nil {
		opts.Getenv = func(string) string { return "" }
	}
	return &Host{pkg: pkg, plugin: plugin, instance: instance, ports: newPorts(pkg, opts)}, nil
}

// Close frees the instance.
func (h *Host) Close(ctx context.Context) error {
	return errors.Join(h.instance.Close(ctx), h.plugin.Close(ctx))
}

// session is the caller: somebody who may use every feature the package declares.
func (h *Host) session() map[string]any {
	features := []string{}
	for _, f := range h.pkg.Manifest.Features {
		features = append(features, f.ID)
	}
	return map[string]any{
		"userId": "local", "projectId": "local", "agentId": "local", "callerId": "local",
		"callerTrust": "first-party", "role": h.ports.opts.Role, "features": features,
	}
}

// CallTool calls a tool and returns the JSON of its result.
func (h *Host) CallTool(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	return h.call(ctx, sandbox.ExportTool, map[string]any{"tool": name, "args": args, "session": h.session()})
}

// Response is what a route answered.
type Response struct {
	Status     int               `json:"status"`
	Headers    map[string]string `json:"headers,omitempty"`
	Body       json.RawMessage   `json:"body,omitempty"`
	BodyBase64 string            `json:"bodyBase64,omitempty"`
}

// ErrNoResponse: the package answered a request with something that is no response.
var ErrNoResponse = errors.New("the answer is no response")

// CallRoute sends a request. target is the path below the package, escaped, with its query.
func (h *Host) CallRoute(ctx context.Context, method, target, body string) (*Response, error) {
	path, rawQuery, _ := strings.Cut(strings.TrimPrefix(target, "/"), "?")
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, fmt.Errorf("reading the query of %s: %w", target, err)
	}
	query := map[string]string{}
	for name := range values {
		query[name] = values.Get(name)
	}
	headers := map[string]string{}
	if json.Valid([]byte(body)) && body != "" {
		headers["content-type"] = "application/json"
	}
	output, err := h.call(ctx, sandbox.ExportRoute, map[string]any{
		"method": strings.ToUpper(method), "path": path, "query": query, "rawQuery": rawQuery,
		"headers": headers, "rawBody": body, "session": h.session(),
	})
	if err != nil {
		return nil, err
	}
	response := &Response{}
	if err := json.Unmarshal(output, response); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %w", method, target, ErrNoResponse, err)
	}
	return response, nil
}

func (h *Host) call(ctx context.Context, export string, request any) ([]byte, error) {
	input, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("writing the call: %w", err)
	}
	return h.instance.Call(ctx, export, input, h.ports)
}
