//lint:file-ignore SA1019 log messages and sampling are deprecated in a version of the protocol that is not spoken here.

package mcpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/neuralis-dev/neuralis/host/runtime"
)

// caller is the client during one call, as the package that is called sees it.
type caller struct {
	session *mcp.ServerSession
	token   any // of progress; nil when the client wants to hear of none
}

var _ runtime.Client = (*caller)(nil)

// Offers implements runtime.Client.
func (c *caller) Offers() runtime.Offers {
	params := c.session.InitializeParams()
	if params == nil || params.Capabilities == nil {
		return runtime.Offers{}
	}
	return runtime.Offers{Sample: params.Capabilities.Sampling != nil, Elicit: params.Capabilities.Elicitation != nil}
}

// Progress implements runtime.Client.
func (c *caller) Progress(ctx context.Context, progress float64, total *float64, message string) error {
	if c.token == nil {
		return nil
	}
	params := &mcp.ProgressNotificationParams{ProgressToken: c.token, Progress: progress, Message: message}
	if total != nil {
		params.Total = *total
	}
	return c.session.NotifyProgress(ctx, params)
}

// levels are those of the protocol, and what they are called elsewhere.
var levels = []mcp.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func level(name string) (mcp.LoggingLevel, error) {
	switch name {
	case "trace":
		return "debug", nil
	case "warn":
		return "warning", nil
	}
	if l := mcp.LoggingLevel(name); slices.Contains(levels, l) {
		return l, nil
	}
	return "", fmt.Errorf("there is no level %q; there are %v", clip(name), levels)
}

// Log implements runtime.Client. Whether the client hears of it depends on the level that it has set.
func (c *caller) Log(ctx context.Context, name string, data json.RawMessage, logger string) error {
	l, err := level(name)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		data = json.RawMessage("null")
	}
	return c.session.Log(ctx, &mcp.LoggingMessageParams{Level: l, Logger: logger, Data: data})
}

// paramsKey is the key, in a context, of the parameters with which the next request goes out.
type paramsKey struct{}

// asWritten sends parameters as the package wrote them: in their order, and with what the SDK knows nothing of.
func asWritten(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if raw, ok := ctx.Value(paramsKey{}).(json.RawMessage); ok {
			request = rawRequest{request, &rawParams{json: raw}}
		}
		return next(ctx, method, request)
	}
}

var errNoObject = errors.New("the parameters must be an object")

// Sample implements runtime.Client.
func (c *caller) Sample(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	if _, err := members(params); err != nil {
		return nil, errNoObject
	}
	answer, err := c.session.CreateMessageWithTools(context.WithValue(ctx, paramsKey{}, params), nil)
	if err != nil {
		return nil, fmt.Errorf("the client has not sampled: %w", err)
	}
	return encode(answer)
}

// Elicit implements runtime.Client.
func (c *caller) Elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var known mcp.ElicitParams
	if err := json.Unmarshal(params, &known); err != nil {
		return nil, errNoObject
	}
	// Whether the client can do what is asked for is seen to by the SDK. The form is the client's to check, and its user's
	// answer the package's: both know more kinds of schemas than the SDK does.
	known.RequestedSchema = nil
	answer, err := c.session.Elicit(context.WithValue(ctx, paramsKey{}, params), &known)
	if err != nil {
		return nil, fmt.Errorf("the client's user was not asked: %w", err)
	}
	return encode(answer)
}
