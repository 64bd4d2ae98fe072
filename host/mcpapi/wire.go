package mcpapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rawResult is a result that is written as it is, so that nothing of what packages said is lost in between.
type rawResult struct {
	mcp.ResultBase
	json json.RawMessage
}

func (r *rawResult) MarshalJSON() ([]byte, error) { return r.json, nil }

// result makes a result of a value.
func result(value any) (mcp.Result, error) {
	text, err := encode(value)
	if err != nil {
		return nil, err
	}
	return &rawResult{json: text}, nil
}

// rawParams are parameters that are written as they are.
type rawParams struct {
	mcp.ParamsBase
	json json.RawMessage
}

func (p *rawParams) MarshalJSON() ([]byte, error) { return p.json, nil }

// rawRequest is a request with other parameters than the SDK has put together.
type rawRequest struct {
	mcp.Request
	params *rawParams
}

func (r rawRequest) GetParams() mcp.Params { return r.params }

// encode writes JSON that is not meant for HTML.
func encode(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// codeResourceNotFound is the protocol's, in the versions that are spoken here.
const codeResourceNotFound = -32002

// invalid is the error for parameters that make no sense. data, if not nil, is for programs.
func invalid(data any, format string, args ...any) error {
	return fault(jsonrpc.CodeInvalidParams, data, format, args...)
}

func fault(code int64, data any, format string, args ...any) error {
	e := &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}
	if data != nil {
		e.Data, _ = encode(data)
	}
	return e
}

// page is a part of a list that is sorted by its keys: what comes after the cursor, and the cursor of what follows; empty
// is the beginning and the end. A list may change between two pages: nothing that stays in it is left out for that.
func page[T any](all []T, key func(T) string, cursor string, size int) (part []T, next string, err error) {
	start := 0
	if cursor != "" {
		after, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			return nil, "", invalid(nil, "the cursor is none of this server's")
		}
		for start < len(all) && key(all[start]) <= string(after) {
			start++
		}
	}
	end := min(len(all), start+size)
	if end < len(all) {
		next = base64.RawURLEncoding.EncodeToString([]byte(key(all[end-1])))
	}
	return all[start:end], next, nil
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members are those of an object, in their order.
func members(object json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("it is no object: %w", err)
	}
	var all []member
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		all = append(all, member{name, value})
	}
	return all, nil
}

// object writes members in their order, on one line.
func object(all []member) (json.RawMessage, error) {
	out := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := encode(m.name)
		if err != nil {
			return nil, err
		}
		out = append(append(out, name...), ':')
		var value bytes.Buffer
		if err := json.Compact(&value, m.value); err != nil {
			return nil, err
		}
		out = append(out, value.Bytes()...)
	}
	return append(out, '}'), nil
}
