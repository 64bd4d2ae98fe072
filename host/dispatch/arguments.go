package dispatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNesting is how deeply arrays and objects may be nested in arguments.
const maxNesting = 200

// Bounds of numbers in arguments: what lies beyond them is no number to a program, and reckoning with it exactly, as
// schemas ask for, takes for ever.
const (
	maxDigits   = 1000
	maxExponent = 400
)

// protoKey is a name that changes what an object is in JavaScript, when it is copied without care.
const protoKey = "__proto__"

// readArguments reads arguments: a JSON object such as every program reads in the same way. It returns the text and the
// value, with numbers as json.Number.
func readArguments(raw json.RawMessage, most int) (json.RawMessage, map[string]any, *Error) {
	if len(raw) > most {
		return nil, nil, invalid("", fmt.Sprintf("they are %d bytes long; at most %d are allowed", len(raw), most))
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), map[string]any{}, nil
	}
	value, fault := readValue(raw)
	if fault != nil {
		return nil, nil, fault
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, nil, invalid("", "they are not a JSON object")
	}
	return raw, object, nil
}

// readList reads the arguments of a method: a JSON array, such as every program reads in the same way.
func readList(raw json.RawMessage, most int) (json.RawMessage, *Error) {
	if len(raw) > most {
		return nil, invalid("", fmt.Sprintf("they are %d bytes long; at most %d are allowed", len(raw), most))
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("[]"), nil
	}
	value, fault := readValue(raw)
	if fault != nil {
		return nil, fault
	}
	if _, ok := value.([]any); !ok {
		return nil, invalid("", "they are not a JSON array")
	}
	return raw, nil
}

// readValue reads a JSON value without spaces around it, with numbers as json.Number.
func readValue(raw []byte) (any, *Error) {
	if fault := scan(raw); fault != "" {
		return nil, invalid("", fault)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, invalid("", notJSON(err))
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, invalid("", fmt.Sprintf("they are not JSON: something follows the value at byte %d", decoder.InputOffset()))
	}
	if path, fault := walk(value); fault != "" {
		return nil, invalid(path, fault)
	}
	return value, nil
}

func invalid(path, message string) *Error {
	at := ""
	if path != "" {
		at = "at " + path + ": "
	}
	return &Error{Code: CodeInvalidArguments, Message: at + message, Paths: []string{path}, Problems: []Problem{{path, message}}}
}

func notJSON(err error) string {
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Sprintf("they are not JSON: %v, at byte %d", err, syntax.Offset)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "they are not JSON: they end too early"
	}
	return fmt.Sprintf("they are not JSON: %v", err)
}

// scan finds what a decoder lets pass: text that is not UTF-8, escapes that stand for half a character, and nesting
// so deep that programs fail on it.
func scan(raw []byte) (fault string) {
	if !utf8.Valid(raw) {
		return "they are not UTF-8 text"
	}
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			n, ok := escape(raw[i:])
			if !ok {
				return fmt.Sprintf("at byte %d is half of a surrogate pair, which stands for no character", i+1)
			}
			i += n - 1
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return fmt.Sprintf("they are nested more than %d levels deep", maxNesting)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return ""
}

// escape is the length of the escape that text begins with; it is not ok for half of a surrogate pair. Malformed
// ones are for the decoder to find.
func escape(text []byte) (length int, ok bool) {
	unit, is := codeUnit(text)
	if !is || unit < 0xd800 || unit > 0xdfff {
		return min(2, len(text)), true
	}
	low, is := codeUnit(text[6:])
	return 12, unit < 0xdc00 && is && low >= 0xdc00 && low <= 0xdfff
}

// codeUnit reads an escape of the form \uXXXX.
func codeUnit(text []byte) (unit uint64, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return unit, err == nil
}

// walk finds names and numbers that would not be to a package what they are here.
func walk(value any) (path, fault string) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if name == protoKey {
				return pointer(name), "the name __proto__ is not allowed"
			}
			if path, fault := walk(member); fault != "" {
				return pointer(name) + path, fault
			}
		}
	case []any:
		for i, item := range value {
			if path, fault := walk(item); fault != "" {
				return pointer(strconv.Itoa(i)) + path, fault
			}
		}
	case json.Number:
		return "", checkNumber(string(value))
	}
	return "", ""
}

// checkNumber says what is wrong with a number.
func checkNumber(text string) (fault string) {
	if len(text) < 20 && !strings.ContainsAny(text, "eE") {
		return ""
	}
	if len(text) > maxDigits {
		return fmt.Sprintf("the number has more than %d digits", maxDigits)
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		if exponent, err := strconv.Atoi(text[at+1:]); err != nil || exponent > maxExponent || exponent < -maxExponent {
			return fmt.Sprintf("the exponent of the number %s is out of range", clip(text, 40))
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return fmt.Sprintf("the number %s is out of range", clip(text, 40))
	}
	return ""
}

// pointer is one step of a JSON Pointer (RFC 6901).
func pointer(tokens ...string) string {
	var out strings.Builder
	for _, t := range tokens {
		out.WriteByte('/')
		out.WriteString(strings.ReplaceAll(strings.ReplaceAll(t, "~", "~0"), "/", "~1"))
	}
	return out.String()
}

// clip shortens what others wrote for a message.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func itoa(n int) string { return strconv.Itoa(n) }
