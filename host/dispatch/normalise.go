package dispatch

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Members of results and blocks.
const (
	memberContent    = "content"
	memberStructured = "structuredContent"
	memberIsError    = "isError"
	memberMeta       = "_meta"
)

// normalise makes a result of what a handler returned.
//
// An object with a content array of blocks is a result already, and so is one of structuredContent, isError and _meta
// alone. Every other value is plain: a string is one text; anything else is its JSON as a text, and an object is
// the structured content besides. Nothing is nothing.
func normalise(raw json.RawMessage) (Result, *Error) {
	raw = bytes.TrimSpace(raw)
	if !json.Valid(raw) {
		return Result{}, malformed("what it returned is no JSON")
	}
	switch raw[0] {
	case 'n':
		return Result{}, nil
	case '"':
		return Result{Content: []json.RawMessage{textBlock(raw)}}, nil
	case '{':
		members := objectOf(raw)
		if blocks, ok := blocksOf(members[memberContent]); ok || onlyStructured(members) {
			return formed(members, blocks)
		}
		return Result{Content: []json.RawMessage{jsonBlock(raw)}, StructuredContent: raw}, nil
	}
	return Result{Content: []json.RawMessage{jsonBlock(raw)}}, nil
}

func malformed(what string) *Error {
	e := errorf(CodeHandlerError, "the tool's result cannot be used: %s", what)
	e.Reason = "invalid-result"
	return e
}

// block is one block of content, as far as it matters.
type block struct {
	raw     json.RawMessage
	kind    string
	members map[string]json.RawMessage
}

// blocksOf reads an array of blocks; ok is false for what is none.
func blocksOf(raw json.RawMessage) (blocks []block, ok bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	for _, one := range arrayOf(raw) {
		if one[0] != '{' {
			return nil, false
		}
		b := block{raw: one, members: objectOf(one)}
		kind := b.members["type"]
		if len(kind) == 0 || kind[0] != '"' {
			return nil, false
		}
		b.kind = stringOf(kind)
		blocks = append(blocks, b)
	}
	return blocks, true
}

// onlyStructured reports whether an object is a result without content.
func onlyStructured(members map[string]json.RawMessage) bool {
	for name := range members {
		if name != memberStructured && name != memberIsError && name != memberMeta {
			return false
		}
	}
	_, structured := members[memberStructured]
	return structured
}

// formed is the result for one that a handler has formed itself.
func formed(members map[string]json.RawMessage, blocks []block) (Result, *Error) {
	var r Result
	for i, b := range blocks {
		keep, missing := b.check()
		if missing != "" {
			return Result{}, malformed(fmt.Sprintf("content[%d], of the type %s, has no %s", i, b.kind, missing))
		}
		if keep {
			r.Content = append(r.Content, b.raw)
		}
	}
	present := func(name string) json.RawMessage {
		if value := members[name]; len(value) > 0 && value[0] != 'n' {
			return value
		}
		return nil
	}
	r.StructuredContent, r.Meta = present(memberStructured), present(memberMeta)
	r.IsError = string(members[memberIsError]) == "true"
	if _, ok := members[memberContent]; !ok && r.StructuredContent != nil {
		// Clients that know no structured content read the text.
		r.Content = []json.RawMessage{jsonBlock(r.StructuredContent)}
	}
	return r, nil
}

// check says whether to keep a block, and what it lacks for its type.
func (b block) check() (keep bool, missing string) {
	var needs []string
	first := byte('"')
	switch b.kind {
	case "text":
		needs = []string{"text"}
	case "image", "audio":
		needs = []string{"data", "mimeType"}
	case "resource":
		needs, first = []string{"resource"}, '{'
	default:
		return false, ""
	}
	for _, name := range needs {
		if value := b.members[name]; len(value) == 0 || value[0] != first {
			return false, map[byte]string{'"': "text in ", '{': "object in "}[first] + name
		}
	}
	return true, ""
}

// textBlock is a text block of a JSON string.
func textBlock(text json.RawMessage) json.RawMessage {
	out := make([]byte, 0, len(text)+24)
	out = append(out, `{"type":"text","text":`...)
	out = append(out, text...)
	return append(out, '}')
}

// jsonBlock is a text block whose text is a JSON value.
func jsonBlock(value json.RawMessage) json.RawMessage {
	text, err := encode(string(value))
	if err != nil {
		text = []byte(`""`) // a string can always be written
	}
	return textBlock(text)
}
