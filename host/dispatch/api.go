package dispatch

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/runtime"
)

// apiCall is a call of a package's API on its way through the steps.
type apiCall struct {
	target
	id, method string
	args       json.RawMessage
}

type apiAnswer struct {
	result json.RawMessage
	err    *Error
}

func refusedAPI(e *Error) apiAnswer { return apiAnswer{err: e} }

// findAPI finds the package as the caller sees it.
func findAPI(opts Options) step[*apiCall, apiAnswer] {
	return func(next handler[*apiCall, apiAnswer]) handler[*apiCall, apiAnswer] {
		return func(ctx context.Context, call *apiCall) apiAnswer {
			release, ok := opts.hold(ctx, &call.target, func(directory *Directory) bool {
				entry, ok := directory.catalog.Entry(call.who, call.id)
				if ok = ok && entry.Usable() && entry.Kind == catalog.KindPackage; ok {
					call.entry = entry
				}
				return ok
			})
			defer release()
			if !ok {
				return refusedAPI(errorf(CodeUnknownPackage, "there is no package %q", clip(call.id, 100)))
			}
			call.limits = opts.Limits(call.entry.Tier)
			call.features = needs(call.entry, "")
			call.what, call.label = "the API of the package "+call.entry.ID, clip(call.method, 100)
			return next(ctx, call)
		}
	}
}

// readAPI lets calls through whose arguments are such as a package can read.
func readAPI(opts Options) step[*apiCall, apiAnswer] {
	return func(next handler[*apiCall, apiAnswer]) handler[*apiCall, apiAnswer] {
		return func(ctx context.Context, call *apiCall) apiAnswer {
			args, err := readList(call.args, opts.MaxArgumentBytes)
			if err != nil {
				err.Message = fmt.Sprintf("the arguments of %s of the package %s are not what it takes: %s", call.label, call.entry.ID, err.Message)
				return refusedAPI(err)
			}
			call.args = args
			return next(ctx, call)
		}
	}
}

// runAPI calls the method.
func runAPI() handler[*apiCall, apiAnswer] {
	return func(ctx context.Context, call *apiCall) apiAnswer {
		pkg, unavailable := call.running()
		if unavailable != nil {
			return refusedAPI(unavailable)
		}
		result, err := pkg.CallLifecycle(ctx, runtime.LifecycleCall{
			Caller: runtime.Caller{Session: call.who, Request: requestOf(ctx)}, Hook: "api", Method: call.method, Args: call.args,
		})
		if err != nil {
			e := fromFailure(call.entry.ID, err)
			switch {
			case e.Reason == "unknown-hook":
				e.Code, e.Reason, e.failure = CodeUnknownMethod, "", nil
			case e.Code == CodeTooLarge:
				e.Code, e.failure = CodeInvalidArguments, nil // as for tools
			}
			return refusedAPI(e)
		}
		if most := call.limits.MaxResultBytes; most > 0 && len(result) > most {
			return refusedAPI(tooLarge(len(result), most))
		}
		return apiAnswer{result: result}
	}
}
