package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Kind is what kind of end a call came to.
type Kind string

// The kinds of ends.
const (
	// Unavailable: there is nothing that could answer. The package was not loaded, or is closed.
	Unavailable Kind = "unavailable"
	// Deadline: the time for the call was over.
	Deadline Kind = "deadline"
	// Cancelled: whoever called does not want the answer any more.
	Cancelled Kind = "cancelled"
	// Memory: the package wanted more memory than it may have.
	Memory Kind = "memory"
	// TooLarge: what was passed does not fit into the package's memory.
	TooLarge Kind = "too-large"
	// Handler: the package's own code failed.
	Handler Kind = "handler"
	// Stopped: what runs the code stopped.
	Stopped Kind = "stopped"
)

// Failure is a call without an answer.
type Failure struct {
	Kind Kind
	// Message says what happened, in words for whoever called.
	Message string
	// Name and Code are what the package's code calls the error: TypeError, never-settled.
	Name, Code string
	// File, Line and Column are where in the author's files it happened, as far as that is known.
	File         string
	Line, Column int
	// Stack are the calls that led there, each on a line, in the author's files.
	Stack string
	// Err is the cause.
	Err error

	thrown *manifest.Diagnostic // see [Failure.Diagnostic]
}

func (f *Failure) Error() string {
	if f.File != "" {
		return fmt.Sprintf("%s (%s:%d:%d)", f.Message, f.File, f.Line, f.Column)
	}
	return f.Message
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// TimeoutError is the cause of a context whose call took too long.
type TimeoutError struct{ Limit time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("it took longer than %s", e.Limit) }

// Timeout is true: the error is one of the network's too.
func (e *TimeoutError) Timeout() bool { return true }

// Is makes the error one of the deadlines there are.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// WithDeadline returns a context that ends the call made with it after so long; 0 is never. A deadline of ctx that
// comes sooner stays, and so does what it says.
func WithDeadline(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, &TimeoutError{limit})
}

// Interrupted is the failure of a call whose context has ended.
func Interrupted(ctx context.Context, err error) *Failure {
	cause := context.Cause(ctx)
	f := &Failure{Kind: Cancelled, Message: "the call was cancelled", Err: err}
	switch limit := (*TimeoutError)(nil); {
	case errors.As(cause, &limit):
		f.Kind, f.Message = Deadline, fmt.Sprintf("the call took longer than %s", limit.Limit)
	case errors.Is(cause, context.DeadlineExceeded):
		f.Kind, f.Message = Deadline, "the time for the call is over"
	case cause != nil && !errors.Is(cause, context.Canceled):
		f.Message += ": " + cause.Error()
	}
	return f
}

// failed is the failure for an error of the sandbox's, and guest what the guest's code ended in, if it did.
func failed(ctx context.Context, err error) (f *Failure, guest *sandbox.GuestError) {
	errors.As(err, &guest)
	switch {
	case errors.Is(err, sandbox.ErrInterrupted):
		return Interrupted(ctx, err), guest
	case errors.Is(err, sandbox.ErrTooLarge):
		return &Failure{Kind: TooLarge, Message: err.Error(), Err: err}, guest
	case exhausted(err):
		return &Failure{Kind: Memory, Message: "the package ran out of memory", Err: err}, guest
	case guest != nil:
		f := &Failure{Kind: Handler, Message: guest.Error(), Name: guest.Name, Code: guest.Code, Err: err}
		if ownWords(guest) {
			f.Message = guest.Message
		}
		return f, guest
	}
	return &Failure{Kind: Stopped, Message: err.Error(), Err: err}, nil
}

// ownWords reports whether an error is one of the guest's runtime, whose messages need no name in front.
func ownWords(e *sandbox.GuestError) bool {
	return e.Name == "Error" && e.Code != "" && e.Code != codeHandlerError
}

// codeHandlerError is the code of errors that the author's code threw (build/guest/src/runtime/errors.ts).
const codeHandlerError = "handler-error"

// exhausted reports whether a call ended for want of memory: the engine throws an InternalError, and stops where it
// cannot even do that.
func exhausted(err error) bool {
	var guest *sandbox.GuestError
	if errors.As(err, &guest) && guest != nil {
		return guest.Name == "InternalError" && strings.Contains(guest.Message, "out of memory")
	}
	text := err.Error()
	return errors.Is(err, sandbox.ErrTrapped) && (strings.Contains(text, "no memory") || strings.Contains(text, "out of memory"))
}
