package bundle

import (
	"bytes"
	"fmt"
	"os"
	"path"

	"github.com/evanw/esbuild/pkg/api"
)

// The bundler's parser calls itself for what is nested, and a stack that overflows ends a Go program without
// a word to the author. What a person or a generator writes comes nowhere near these limits.
const (
	// maxNesting is how many brackets may be open, and how many operators may wait for their operand.
	maxNesting = 10_000
	// shallow is the size of files that cannot be nested so deeply that it matters, in bytes.
	shallow = 32 << 10
	// nested begins the message; the diagnostic gets its rule by it.
	nested = "the code is nested"
)

// deep is the message about a file that must not be parsed, or nil. It is a guess from the brackets and
// operators of the text, made in one quick pass over the few files that are large: chains of statements and
// of calls, which can be as deep, pass it.
func deep(name, shown string) *api.Message {
	if info, err := os.Stat(name); err != nil || info.Size() < shallow || !isCode(name) && path.Ext(name) != ".json" {
		return nil
	}
	source, err := readRegular(name)
	if err != nil {
		return nil // the bundler says it better
	}
	at := nestedBeyond(source, maxNesting)
	if at < 0 {
		return nil
	}
	start := bytes.LastIndexByte(source[:at], '\n') + 1
	return &api.Message{
		Text:     fmt.Sprintf(nested+" more than %d levels deep", maxNesting),
		Location: &api.Location{File: shown, Line: bytes.Count(source[:at], []byte{'\n'}) + 1, Column: at - start, LineText: string(source[start:at])},
	}
}

// nestedBeyond is the offset at which a text is nested more deeply than limit, or -1.
func nestedBeyond(source []byte, limit int) int {
	brackets, waiting := 0, 0
	operator := true // the token before was one, so that + and - are signs of what follows
	for i := 0; i < len(source); i++ {
		switch b := source[i]; b {
		case '\'', '"':
			i = stringEnd(source, i)
			operator = false
		case '/':
			i = commentEnd(source, i)
		case '(', '[', '{':
			brackets++
			operator = true
		case ')', ']', '}':
			brackets = max(brackets-1, 0)
			waiting, operator = 0, false
		case ';', ',':
			waiting, operator = 0, true
		case '!', '~', '?', '=':
			waiting++
			operator = true
		case '+', '-', '*':
			if operator {
				waiting++
			}
			operator = true
		case ' ', '\t', '\r', '\n':
		default:
			operator = false
			if !wordByte(b) {
				continue
			}
			start := i
			for i+1 < len(source) && wordByte(source[i+1]) {
				i++
			}
			switch string(source[start : i+1]) {
			case "typeof", "void", "delete", "await", "yield", "new":
				waiting++
				operator = true
			}
		}
		if brackets > limit || waiting > limit {
			return i
		}
	}
	return -1
}

// stringEnd is where a string that begins at i ends, at the latest at the end of the line.
func stringEnd(source []byte, i int) int {
	quote := source[i]
	for i++; i < len(source) && source[i] != quote && source[i] != '\n'; i++ {
		if source[i] == '\\' {
			i++
		}
	}
	return min(i, len(source)-1)
}

// commentEnd is where a comment that begins at i ends, and i where none does.
func commentEnd(source []byte, i int) int {
	rest := source[i:]
	end := -1
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = bytes.IndexByte(rest, '\n')
	case bytes.HasPrefix(rest, []byte("/*")):
		if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			end += 3
		}
	default:
		return i
	}
	if end < 0 {
		return len(source) - 1
	}
	return i + end
}
