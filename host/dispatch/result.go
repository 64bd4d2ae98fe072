package dispatch

import (
	"bytes"
	"encoding/json"
)

// Result is what a tool answers: a result of the Model Context Protocol.
type Result struct {
	// Content are blocks of the types text, image, audio and resource, byte for byte as the package wrote them.
	Content []json.RawMessage
	// StructuredContent is the result as data; nil where there is none.
	StructuredContent json.RawMessage
	// IsError says that the call failed: by what the package says, or by Err.
	IsError bool
	// Meta is what is meant for programs between the package and the model.
	Meta json.RawMessage
	// Err is why the package has not answered; it is also in Content and StructuredContent. Nil for answers of the
	// package's.
	Err *Error
}

// MarshalJSON writes the result as the protocol has it.
func (r Result) MarshalJSON() ([]byte, error) {
	out := struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent,omitempty"`
		IsError           bool              `json:"isError,omitempty"`
		Meta              json.RawMessage   `json:"_meta,omitempty"`
	}{r.Content, r.StructuredContent, r.IsError, r.Meta}
	if out.Content == nil {
		out.Content = []json.RawMessage{}
	}
	return encode(out)
}

// encode writes JSON that is not meant for HTML.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// refused is the result of a call that failed.
func refused(e *Error) Result {
	r := Result{IsError: true, Err: e}
	if block, err := encode(map[string]string{"type": "text", "text": e.Message}); err == nil {
		r.Content = []json.RawMessage{block}
	}
	r.StructuredContent, _ = encode(map[string]*Error{"error": e})
	return r
}

// size is how long the result is as JSON, but for a few bytes.
func (r Result) size() int {
	n := len(r.StructuredContent) + len(r.Meta)
	for _, block := range r.Content {
		n += len(block) + 1
	}
	return n
}

// ForModel is the result as a model is shown it: without _meta, also in the blocks and the resources in them.
func (r Result) ForModel() Result {
	r.Meta = nil
	blocks := make([]json.RawMessage, len(r.Content))
	for i, block := range r.Content {
		blocks[i] = withoutMeta(block)
	}
	r.Content = blocks
	return r
}

var metaName = []byte("meta")

// withoutMeta takes _meta out of a block and its resource. A block without it stays as it is.
func withoutMeta(block json.RawMessage) json.RawMessage {
	if !bytes.Contains(block, metaName) && !bytes.Contains(block, []byte(`\u`)) {
		return block
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(block, &members) != nil {
		return block
	}
	_, changed := members["_meta"]
	delete(members, "_meta")
	if resource, ok := members["resource"]; ok {
		var inner map[string]json.RawMessage
		if json.Unmarshal(resource, &inner) == nil && inner["_meta"] != nil {
			delete(inner, "_meta")
			if text, err := encode(inner); err == nil {
				members["resource"], changed = text, true
			}
		}
	}
	if !changed {
		return block
	}
	if text, err := encode(members); err == nil {
		return text
	}
	return block
}
