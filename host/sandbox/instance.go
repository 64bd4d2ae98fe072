package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	extism "github.com/extism/go-sdk"

	"github.com/neuralis-dev/neuralis/internal/interrupt"
	"github.com/neuralis-dev/neuralis/internal/linearmemory"
)

// Ports is what the host lends to a running call: it answers the guest's requests, JSON in and
// JSON out. It is called on the goroutine of the call.
type Ports interface {
	Answer(ctx context.Context, request []byte) (response []byte)
	// Log takes a line the guest wrote to its console, with a level from 0 (trace) to 4 (error).
	Log(ctx context.Context, level int, message string)
}

// GuestError is an error that the guest's own code ended in. Stack has positions in the bundle.
type GuestError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack"`
	Code    string `json:"code"`
}

func (e *GuestError) Error() string {
	if e.Name == "" {
		return e.Message
	}
	return e.Name + ": " + e.Message
}

// The ways in which a call ends that the guest's code has no say in. Where nothing else is said, the
// instance is of no use afterwards.
var (
	// ErrInterrupted: the context of the call ended first.
	ErrInterrupted = errors.New("the call was interrupted")
	// ErrTrapped: the engine stopped.
	ErrTrapped = errors.New("the sandbox stopped")
	// ErrTooLarge: the input does not fit into the memory the plug-in may use. The instance can go on.
	ErrTooLarge = errors.New("the input is too large")
	// ErrUnusable: an earlier call left the instance in no state to go on.
	ErrUnusable = errors.New("the instance is not usable any more")
)

// Instance is one running copy of a plug-in. It is for one goroutine at a time.
type Instance struct {
	plugin   *extism.Plugin
	memory   *linearmemory.Watch
	unusable bool
	largest  int              // input, in bytes
	cells    *interrupt.Cells // to interrupt it by; nil where the runtime does it
	direct   bool             // its memory is read and written here, without the kernel
}

// Usable reports whether another call can be made.
func (i *Instance) Usable() bool { return !i.unusable }

// Close frees the instance. A second time it does nothing.
func (i *Instance) Close(ctx context.Context) error {
	i.unusable = true
	err := i.plugin.CloseWithContext(ctx)
	i.memory.Release()
	return err
}

// callKey is the key in a call's context of the call.
type callKey struct{}

// call is a call while it runs.
type call struct {
	ports    Ports
	instance *Instance
	ready    []byte // what the guest may take
	input    []byte
	output   []byte
}

// Call runs an export with the given input and returns its output. An error of the guest's own is
// a *GuestError; when the context ended the call it is ErrInterrupted, with the *GuestError that
// tells where, if there is one.
func (i *Instance) Call(ctx context.Context, export string, input []byte, ports Ports) ([]byte, error) {
	if i.unusable {
		return nil, ErrUnusable
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx))
	}
	if len(input) > i.largest {
		return nil, fmt.Errorf("%w: %d bytes; at most %d fit into the plug-in's memory", ErrTooLarge, len(input), i.largest)
	}
	running := false
	i.plugin.SetLogger(func(level extism.LogLevel, message string) {
		// The SDK writes a line of its own when the function is called, and others before that.
		switch {
		case !running:
			running = message == "Calling function : "+export
		case ports != nil:
			ports.Log(ctx, int(level-extism.LogLevelTrace), message)
		}
	})
	if i.cells != nil {
		// The runtime looks at nothing while our core runs; the cells end it. They are memory of
		// the instance, which lives until after this function has returned.
		stop := i.cells.When(ctx)
		defer stop()
	}
	c := &call{ports: ports, instance: i, input: input}
	if i.direct {
		input = nil
	}
	status, output, err := i.plugin.CallWithContext(context.WithValue(ctx, callKey{}, c), export, input)
	if err == nil && status == 0 {
		if i.direct {
			output = c.output
		}
		return output, nil
	}
	text := i.plugin.GetError()
	fail := ParseGuestError(text)
	if err != nil && err.Error() != text { // no message of the guest's: the engine stopped
		i.unusable = true
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx))
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("%w: %s", ErrTrapped, strings.TrimPrefix(first, "wasm error: "))
	}
	if ctx.Err() != nil {
		i.unusable = true
		if fail == nil { // no error of the guest's to tell where it was
			return nil, fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx))
		}
		return nil, fmt.Errorf("%w: %w: %w", ErrInterrupted, context.Cause(ctx), fail)
	}
	if fail == nil {
		fail = &GuestError{Message: fmt.Sprintf("%s ended with status %d and no message", export, status)}
	}
	return nil, fail
}

// ParseGuestError reads the text that a call failed with; it is nil for no text. Engines that
// cannot set an error, but only throw one, put its name in front and its stack behind: then the JSON
// is the rest of the first line.
func ParseGuestError(text string) *GuestError {
	if text == "" {
		return nil
	}
	e := &GuestError{}
	if json.Unmarshal([]byte(text), e) == nil {
		return e
	}
	first, _, _ := strings.Cut(text, "\n")
	if at := strings.IndexByte(first, '{'); at >= 0 && json.Unmarshal([]byte(first[at:]), e) == nil {
		return e
	}
	return &GuestError{Message: text}
}
