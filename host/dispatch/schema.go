package dispatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/manifest"
)

// maxSteps is how many schemas may be applied to values while one call's arguments are checked. A schema can ask for
// a number that grows with every level of the arguments, and nobody may spend the host's time like that.
const maxSteps = 200_000

// schemaURL is the name of every tool's schema; what its references are relative to.
const schemaURL = "tool:///schema.json"

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
	free []*validator
}

// validator is a compiled schema for one call at a time.
type validator struct {
	compiled *jsonschema.Schema
	steps    int
}

func newSchema(tool *manifest.Tool) *schema {
	return &schema{source: tool.Schema, invalid: tool.Invalid, extra: tool.Extension.Defaults}
}

// usable says why the schema cannot be used; nil when it can.
func (s *schema) usable() error {
	s.once.Do(func() {
		defer func() {
			if r := recover(); r != nil {
				s.err = fmt.Errorf("it cannot be compiled: %v", r)
			}
		}()
		s.err = s.prepare()
	})
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
	v, err := s.compile()
	if err != nil {
		return err
	}
	s.free = append(s.free, v)
	if s.defaults, err = findDefaults(s.document, s.extra); err != nil {
		return err
	}
	return nil
}

// compile makes a validator.
func (s *schema) compile() (*validator, error) {
	v := &validator{}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) { return compilePattern(pattern) })
	c.AssertFormat()
	c.AssertVocabs()
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL:     "tool:///steps",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) { return v, nil },
	})
	if err := c.AddResource(schemaURL, s.document); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(schemaURL)
	if err != nil {
		return nil, err
	}
	v.compiled = compiled
	return v, nil
}

// noLoader fetches nothing from anywhere.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("references to other files and to the network are not followed")
}

// tooMuch is thrown when checking has taken too many steps.
type tooMuch struct{}

// Validate implements jsonschema.SchemaExt: the schema library calls it for each schema that it has applied.
func (v *validator) Validate(*jsonschema.ValidatorContext, any) {
	if v.steps++; v.steps > maxSteps {
		panic(tooMuch{})
	}
}

// check puts defaults into the arguments, and checks what that makes. The text it returns is the one given where there
// was nothing to put in.
func (s *schema) check(args json.RawMessage, value map[string]any) (checked json.RawMessage, fault *Error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooMuch:
			checked, fault = nil, invalid("", "checking them takes too long; make them smaller")
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
	v, err := s.acquire()
	if err != nil {
		return nil, errorf(CodeSchemaUnavailable, "%v", err)
	}
	defer s.release(v)
	if err := v.validate(value); err != nil {
		return nil, err
	}
	return args, nil
}

func (s *schema) acquire() (*validator, error) {
	s.mu.Lock()
	if n := len(s.free); n > 0 {
		v := s.free[n-1]
		s.free = s.free[:n-1]
		s.mu.Unlock()
		return v, nil
	}
	s.mu.Unlock()
	return s.compile()
}

// maxFree is how many copies are kept.
const maxFree = 4

func (s *schema) release(v *validator) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < maxFree {
		s.free = append(s.free, v)
	}
}

func (v *validator) validate(value any) *Error {
	v.steps = 0
	err := v.compiled.Validate(value)
	if err == nil {
		return nil
	}
	if wrong := (*jsonschema.ValidationError)(nil); errors.As(err, &wrong) {
		return invalidArguments(wrong)
	}
	return invalid("", err.Error())
}
