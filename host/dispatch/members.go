package dispatch

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Results are looked into at each call, and json.Unmarshal would check what is valid again at each level. The functions
// here find the parts of a value that is known to be valid JSON.

// objectOf finds the members of an object, of several with one name the last.
func objectOf(valid json.RawMessage) map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	for rest := inside(valid); len(rest) > 0; {
		name := rest[:lengthOf(rest)]
		rest = after(rest[len(name):]) // the colon
		value := rest[:lengthOf(rest)]
		members[stringOf(name)] = value
		rest = after(rest[len(value):])
	}
	return members
}

// arrayOf finds the elements of an array.
func arrayOf(valid json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	for rest := inside(valid); len(rest) > 0; {
		value := rest[:lengthOf(rest)]
		all = append(all, value)
		rest = after(rest[len(value):])
	}
	return all
}

// stringOf is the text of a JSON string.
func stringOf(valid json.RawMessage) string {
	if bytes.IndexByte(valid, '\\') < 0 {
		return string(valid[1 : len(valid)-1])
	}
	var text string
	_ = json.Unmarshal(valid, &text) // it is one
	return text
}

// space are the characters that JSON lets stand between others.
const space = " \t\r\n"

// inside is what is between the brackets of a value, without the space before and after it.
func inside(valid json.RawMessage) json.RawMessage {
	return bytes.Trim(valid[1:len(valid)-1], space)
}

// after is what follows the comma or the colon after a value; empty at the end.
func after(rest json.RawMessage) json.RawMessage {
	rest = bytes.TrimLeft(rest, space)
	if len(rest) == 0 {
		return nil
	}
	return bytes.TrimLeft(rest[1:], space)
}

// lengthOf is how long the value is that a text begins with.
func lengthOf(text json.RawMessage) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 {
				continue
			}
			// A number or a word.
			for i < len(text) && !strings.ContainsRune(space+",:]}", rune(text[i])) {
				i++
			}
			return i
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}
