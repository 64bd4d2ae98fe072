package toolschema

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxSteps is how many schemas may be applied to values in one check. A schema can ask for a number that grows with
// every level of the value, and nobody may spend the host's time like that.
const maxSteps = 200_000

// maxParts is how many objects and arrays a schema may have. The time that compiling takes grows with the square of it.
const maxParts = 5_000

// location is the name of every schema; what its references are relative to.
const location = "tool:///schema.json"

// ErrTooLong says that a check took more steps than any reasonable one does.
var ErrTooLong = errors.New("checking takes too long")

// Schema is a compiled schema. It is for one check at a time, as it counts the steps.
type Schema struct {
	compiled *jsonschema.Schema
	steps    int
}

// Compile compiles a schema. The document is as [jsonschema.UnmarshalJSON] makes it, with numbers as json.Number.
func Compile(document any) (schema *Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			schema, err = nil, fmt.Errorf("it cannot be compiled: %v", r)
		}
	}()
	if parts(document) > maxParts {
		return nil, errTooLarge
	}
	s := &Schema{}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(compilePattern)
	c.AssertFormat()
	c.AssertVocabs()
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "tool:///steps",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return stepper{s}, nil
		},
	})
	if err := c.AddResource(location, document); err != nil {
		return nil, err
	}
	if s.compiled, err = c.Compile(location); err != nil {
		return nil, err
	}
	return s, nil
}

// errTooLarge is the fault of a schema that is not compiled for its size.
var errTooLarge = fmt.Errorf("it has more than %d objects and arrays", maxParts)

// parts counts objects and arrays.
func parts(value any) int {
	n := 0
	switch value := value.(type) {
	case map[string]any:
		n = 1
		for _, member := range value {
			n += parts(member)
		}
	case []any:
		n = 1
		for _, item := range value {
			n += parts(item)
		}
	}
	return n
}

// noLoader fetches nothing from anywhere.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("references to other files and to the network are not followed")
}

// tooLong is thrown when a check has taken too many steps.
type tooLong struct{}

// stepper counts: the schema library calls it for each schema that it has applied.
type stepper struct{ schema *Schema }

// Validate implements [jsonschema.SchemaExt].
func (s stepper) Validate(*jsonschema.ValidatorContext, any) {
	if s.schema.steps++; s.schema.steps > maxSteps {
		panic(tooLong{})
	}
}

// Validate checks a value, with numbers as json.Number. Its error is a *[jsonschema.ValidationError] where the value
// does not fit, and [ErrTooLong] where nobody can wait for the answer.
func (s *Schema) Validate(value any) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooLong:
			err = ErrTooLong
		default:
			panic(r)
		}
	}()
	s.steps = 0
	return s.compiled.Validate(value)
}
