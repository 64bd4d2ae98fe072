package bundle

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/neuralis-dev/neuralis/internal/nesting"
)

// The bundler's parser calls itself for what is nested, and a stack that overflows ends a Go program without
// a word to the author. Long before that, what it does with some chains takes minutes. What a person or a generator
// writes comes nowhere near these limits.
const (
	// maxNesting is how many brackets may be open, and how many operators may wait for their operand.
	maxNesting = 10_000
	// maxChain is how many words, signs and brackets there may be between the beginnings and ends of statements and of
	// elements of lists, in all brackets that are open at one place: each may stand for one level.
	maxChain = 10_000
	// shallow is the size of files that cannot be nested so deeply that it matters, in bytes.
	shallow = 32 << 10
	// nested begins the message; the diagnostic gets its rule by it.
	nested = "the code is nested"
)

// deep is the message about a file that must not be parsed, or nil. It is a guess from the words and signs of the
// text, made in one quick pass over the few files that are large.
func deep(name, shown string, info fs.FileInfo) *api.Message {
	if info.Size() < shallow || !isCode(name) && path.Ext(name) != ".json" {
		return nil
	}
	source, err := readRegular(name)
	if err != nil {
		return nil // the bundler says it better
	}
	at, levels := nesting.Beyond(source, maxNesting, maxChain, path.Ext(name) != ".json")
	if at < 0 {
		return nil
	}
	start := bytes.LastIndexByte(source[:at], '\n') + 1
	return &api.Message{
		Text:     fmt.Sprintf(nested+" more than %d levels deep", levels),
		Location: &api.Location{File: shown, Line: bytes.Count(source[:at], []byte{'\n'}) + 1, Column: at - start, LineText: string(source[start:at])},
	}
}
