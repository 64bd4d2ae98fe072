package jsonedit

import (
	"errors"
	"fmt"

	"github.com/tailscale/hujson"
)

// maxDepth is how deeply arrays and objects may be nested: the parser calls itself for each level, and a stack that
// overflows ends the program.
const maxDepth = 1000

var errTooDeep = fmt.Errorf("nested more than %d levels deep", maxDepth)

// tooDeep counts brackets outside of strings.
func tooDeep(source []byte) bool {
	depth := 0
	for i := 0; i < len(source); i++ {
		switch source[i] {
		case '"':
			for i++; i < len(source) && source[i] != '"' && source[i] != '\n'; i++ {
				if source[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return false
}

// Standard gives a document with comments and trailing commas as JSON without them.
func Standard(source []byte) ([]byte, error) {
	if tooDeep(source) {
		return nil, errTooDeep
	}
	standard, err := hujson.Standardize(source)
	if err != nil {
		return nil, errors.Join(errors.New("not readable as JSON"), err)
	}
	return standard, nil
}
