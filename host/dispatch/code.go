package dispatch

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Code says what went wrong. Codes are stable: programs compare them.
type Code string

// The codes.
const (
	// CodeUnknownTool: there is no tool of the name.
	CodeUnknownTool Code = "unknown-tool"
	// CodeUnknownPackage: there is no package of the id.
	CodeUnknownPackage Code = "unknown-package"
	// CodeUnknownMethod: the package's API has no method of the name.
	CodeUnknownMethod Code = "unknown-method"
	// CodeNotFound: no route matches the path.
	CodeNotFound Code = "not-found"
	// CodeMethodNotAllowed: the route does not answer the method.
	CodeMethodNotAllowed Code = "method-not-allowed"
	// CodeFeatureRequired: the caller lacks a feature.
	CodeFeatureRequired Code = "feature-required"
	// CodeRateLimited: the package was called too often.
	CodeRateLimited Code = "rate-limited"
	// CodeInvalidArguments: the arguments are no JSON, or not such as the schema asks for.
	CodeInvalidArguments Code = "invalid-arguments"
	// CodeTooLarge: a request is larger than the package can take.
	CodeTooLarge Code = "request-too-large"
	// CodeSchemaUnavailable: the tool declares a schema that cannot be used.
	CodeSchemaUnavailable Code = "schema-unavailable"
	// CodeRuntimeUnavailable: nothing runs the code of the package.
	CodeRuntimeUnavailable Code = "runtime-unavailable"
	// CodeDeadlineExceeded: the call took too long.
	CodeDeadlineExceeded Code = "deadline-exceeded"
	// CodeCancelled: whoever called does not want the answer any more.
	CodeCancelled Code = "cancelled"
	// CodeOutOfMemory: the package wanted more memory than it may have.
	CodeOutOfMemory Code = "out-of-memory"
	// CodeHandlerError: the package's code failed.
	CodeHandlerError Code = "handler-error"
	// CodeResultTooLarge: the result is larger than it may be.
	CodeResultTooLarge Code = "result-too-large"
	// CodeCallDepth: packages that call each other have done so too deeply.
	CodeCallDepth Code = "call-depth"
	// CodeInternal: the host itself failed.
	CodeInternal Code = "internal-error"
)

// Codes are all codes.
func Codes() []Code {
	return []Code{CodeUnknownTool, CodeUnknownPackage, CodeUnknownMethod, CodeNotFound, CodeMethodNotAllowed, CodeFeatureRequired,
		CodeRateLimited, CodeInvalidArguments, CodeTooLarge, CodeSchemaUnavailable, CodeRuntimeUnavailable, CodeDeadlineExceeded,
		CodeCancelled, CodeOutOfMemory, CodeHandlerError, CodeResultTooLarge, CodeCallDepth, CodeInternal}
}

// Status is the HTTP status for a code.
func (c Code) Status() int {
	switch c {
	case CodeUnknownTool, CodeUnknownPackage, CodeUnknownMethod, CodeNotFound:
		return http.StatusNotFound
	case CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case CodeFeatureRequired:
		return http.StatusForbidden
	case CodeRateLimited:
		return http.StatusTooManyRequests
	case CodeInvalidArguments:
		return http.StatusBadRequest
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeRuntimeUnavailable:
		return http.StatusServiceUnavailable
	case CodeDeadlineExceeded:
		return http.StatusGatewayTimeout
	case CodeCancelled:
		return statusClientClosedRequest
	case CodeCallDepth:
		return http.StatusLoopDetected
	}
	return http.StatusInternalServerError
}

// statusClientClosedRequest is no standard; servers commonly log it for callers that went away.
const statusClientClosedRequest = 499

// Error is why a call has no answer of the package's.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Package is the id of the package whose code failed, or that has none that runs; empty for other errors.
	Package string `json:"package,omitempty"`
	// RetryAfter is in how many seconds the call may be tried again, for CodeRateLimited.
	RetryAfter int `json:"retryAfter,omitempty"`
	// Feature is the feature that the caller lacks, for CodeFeatureRequired.
	Feature string `json:"feature,omitempty"`
	// Paths are the places in the arguments that are at fault, as JSON Pointers in order, each once, and Problems what
	// is wrong there; for CodeInvalidArguments.
	Paths    []string  `json:"paths,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	// Reason is a finer code: why there is no runtime, or what the package's own runtime calls the error.
	Reason string `json:"reason,omitempty"`
	// File, Line and Column are where in the package's sources the error happened, and Stack how it came there; for
	// errors of the package's code.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Stack  string `json:"stack,omitempty"`

	allow   []string         // methods, for CodeMethodNotAllowed
	failure *runtime.Failure // see [Error.Diagnostic]
}

// Problem is what is wrong at one place in the arguments.
type Problem struct {
	// Path is a JSON Pointer (RFC 6901); empty for the arguments as a whole.
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Diagnostic tells the author of the package about the error: what is wrong or, for what happened in their code, where
// that was, with the lines around it.
func (e *Error) Diagnostic() manifest.Diagnostic {
	if e.failure != nil {
		return e.failure.Diagnostic()
	}
	return manifest.Diagnostic{Rule: string(e.Code), Severity: manifest.SeverityError, Message: e.Message}
}

func errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// fromFailure is the error for a call that a runtime could not answer.
func fromFailure(pkg string, err error) *Error {
	var f *runtime.Failure
	if !errors.As(err, &f) {
		e := errorf(CodeInternal, "the runtime failed: %v", err)
		e.Package = pkg
		return e
	}
	e := &Error{Message: f.Error(), Package: pkg, File: f.File, Line: f.Line, Column: f.Column, Stack: f.Stack, failure: f}
	switch f.Kind {
	case runtime.Unavailable:
		e.Code = CodeRuntimeUnavailable
	case runtime.Deadline:
		e.Code = CodeDeadlineExceeded
	case runtime.Cancelled:
		e.Code = CodeCancelled
	case runtime.Memory:
		e.Code = CodeOutOfMemory
	case runtime.TooLarge:
		e.Code = CodeTooLarge
	default:
		e.Code, e.Reason = CodeHandlerError, f.Code
		if f.Kind == runtime.Stopped {
			e.Reason = "stopped"
		} else if e.Reason == string(CodeHandlerError) {
			e.Reason = ""
		}
	}
	return e
}

// seconds is a time in whole seconds, at least one, that is not over too early.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }
