package dispatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/internal/toolschema"
	"github.com/neuralis-dev/neuralis/manifest"
)

// maxSteps is how many parts of a schema may be looked at while the defaults for one call are filled in. A schema can
// ask for a number that grows with every level of the arguments, and nobody may spend the host's time like that.
const maxSteps = 200_000

// schema is the schema of a tool's arguments. It is compiled when it is first used, and once; while several calls are
// checked at the same time there are as many copies, as each counts its steps.
type schema struct {
	source  json.RawMessage
	invalid bool // the file has faults that discovery reported
	extra   json.RawMessage

	once     sync.Once
	err      error // why it cannot be used
	document any
	defaults *defaults

	mu   sync.Mutex
	free []*toolschema.Schema
}

func newSchema(tool *manifest.Tool) *schema {
	return &schema{source: tool.Schema, invalid: tool.Invalid, extra: tool.Extension.Defaults}
}

// usable says why the schema cannot be used; nil when it can.
func (s *schema) usable() error {
	s.once.Do(func() { s.err = s.prepare() })
	return s.err
}

func (s *schema) prepare() error {
	if s.invalid || s.source == nil {
		return errors.New("its file has faults")
	}
	var err error
	if s.document, err = jsonschema.UnmarshalJSON(bytes.NewReader(s.source)); err != nil {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	compiled, err := toolschema.Compile(s.document)
	if err != nil {
		return err
	}
	s.free = append(s.free, compiled)
	if s.defaults, err = findDefaults(s.document, s.extra); err != nil {
		return err
	}
	return nil
}

// tooMuch is thrown when filling in defaults has taken too many steps.
type tooMuch struct{}

func takesTooLong() *Error { return invalid("", "checking them takes too long; make them smaller") }

// check puts defaults into the arguments, and checks what that makes. The text it returns is the one given where there
// was nothing to put in.
func (s *schema) check(args json.RawMessage, value map[string]any) (checked json.RawMessage, fault *Error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooMuch:
			checked, fault = nil, takesTooLong()
		default:
			panic(r)
		}
	}()
	if new(filling).fill(s.defaults, value) {
		text, err := encode(value)
		if err != nil {
			return nil, errorf(CodeInternal, "the arguments cannot be written: %v", err)
		}
		args = text
	}
	compiled, err := s.acquire()
	if err != nil {
		return nil, errorf(CodeSchemaUnavailable, "%v", err)
	}
	defer s.release(compiled)
	if err := compiled.Validate(value); err != nil {
		return nil, refusedBy(err)
	}
	return args, nil
}

func (s *schema) acquire() (*toolschema.Schema, error) {
	s.mu.Lock()
	if n := len(s.free); n > 0 {
		compiled := s.free[n-1]
		s.free = s.free[:n-1]
		s.mu.Unlock()
		return compiled, nil
	}
	s.mu.Unlock()
	return toolschema.Compile(s.document)
}

// maxFree is how many copies are kept.
const maxFree = 4

func (s *schema) release(compiled *toolschema.Schema) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < maxFree {
		s.free = append(s.free, compiled)
	}
}

// refusedBy is the error for arguments that a schema refused.
func refusedBy(err error) *Error {
	if wrong := (*jsonschema.ValidationError)(nil); errors.As(err, &wrong) {
		return invalidArguments(wrong)
	}
	if errors.Is(err, toolschema.ErrTooLong) {
		return takesTooLong()
	}
	return invalid("", err.Error())
}
