package dispatch

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/manifest"
)

// toolCall is a call of a tool on its way through the steps.
type toolCall struct {
	target
	name   string
	args   json.RawMessage
	tool   *manifest.Tool
	schema *schema
}

// findTool finds the tool as the caller sees it.
func findTool(opts Options) step[*toolCall, Result] {
	return func(next handler[*toolCall, Result]) handler[*toolCall, Result] {
		return func(ctx context.Context, call *toolCall) Result {
			release, ok := opts.hold(ctx, &call.target, func(directory *Directory) (ok bool) {
				if call.entry, call.tool, ok = directory.catalog.Tool(call.who, call.name); ok {
					call.schema = directory.schema(call.entry, call.tool)
				}
				return ok
			})
			defer release()
			if !ok {
				return refused(errorf(CodeUnknownTool, "there is no tool %q", clip(call.name, 100)))
			}
			call.limits = opts.Limits(call.entry.Tier)
			call.features = needs(call.entry, call.tool.Extension.Feature)
			call.what, call.label = "the tool "+call.tool.Name, call.tool.Name
			return next(ctx, call)
		}
	}
}

// checked lets calls through whose arguments fit the tool's schema, and puts in what the schema has for those left out.
func checked(opts Options) step[*toolCall, Result] {
	return func(next handler[*toolCall, Result]) handler[*toolCall, Result] {
		return func(ctx context.Context, call *toolCall) Result {
			args, value, err := readArguments(call.args, opts.MaxArgumentBytes)
			if call.schema != nil {
				// A schema that cannot be used is the news, whatever the arguments are.
				if unusable := call.schema.usable(); unusable != nil {
					return refused(errorf(CodeSchemaUnavailable, "the tool %s cannot be called, since its schema cannot be used: %v", call.name, unusable))
				}
				if err == nil {
					args, err = call.schema.check(args, value)
				}
			}
			if err != nil {
				err.Message = fmt.Sprintf("the arguments of %s are not what it takes: %s", call.name, err.Message)
				return refused(err)
			}
			call.args = args
			return next(ctx, call)
		}
	}
}

// runTool calls the handler, and makes a result of what it returned.
func runTool() handler[*toolCall, Result] {
	return func(ctx context.Context, call *toolCall) Result {
		pkg, unavailable := call.running()
		if unavailable != nil {
			return refused(unavailable)
		}
		raw, err := pkg.CallTool(ctx, runtime.ToolCall{
			Caller: runtime.Caller{Session: call.who, Client: clientOf(ctx), Tool: call.name, Request: requestOf(ctx)},
			Name:   call.name, Arguments: call.args,
		})
		if err != nil {
			return refused(toolFailure(call, fromFailure(call.entry.ID, err)))
		}
		return capped(raw, call.limits.MaxResultBytes)
	}
}

// toolFailure says some failures in words that fit tools.
func toolFailure(call *toolCall, e *Error) *Error {
	switch {
	case e.Code == CodeTooLarge:
		e.Code, e.failure = CodeInvalidArguments, nil
	case e.Code == CodeHandlerError && e.Reason == string(CodeUnknownTool):
		// The package declares the tool and has no handler for it.
		e.Code, e.Message, e.failure = CodeRuntimeUnavailable, fmt.Sprintf("the package %s has no handler for the tool %s", call.entry.ID, call.name), nil
	}
	return e
}

// capped is the funnel that the results of every runtime pass: they are put into form, and none is larger than it may
// be. most is in bytes; 0 is no limit.
func capped(raw json.RawMessage, most int) Result {
	if most > 0 && len(raw) > most {
		return refused(tooLarge(len(raw), most)) // without looking at what is in it
	}
	result, err := normalise(raw)
	if err != nil {
		return refused(err)
	}
	if size := result.size(); most > 0 && size > most {
		return refused(tooLarge(size, most))
	}
	return result
}

func tooLarge(size, most int) *Error {
	return errorf(CodeResultTooLarge, "the result is %d bytes long; at most %d are allowed", size, most)
}
