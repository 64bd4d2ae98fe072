package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Call is the body of POST /api/calls.
type Call struct {
	// Tool is the name of the tool.
	Tool string
	// Arguments are its arguments; nil where there are none. They are JSON, and that is all that is known of them.
	Arguments json.RawMessage
}

// ParseCall reads the body of POST /api/calls. It is one JSON object with the members tool and, if there are any,
// arguments, each once; anything else might be read in another way by somebody in between, and is an error, which says
// what is wrong in words for the caller.
func ParseCall(body []byte) (Call, error) {
	var call Call
	if !utf8.Valid(body) {
		return call, errors.New("the body is not UTF-8 text")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	token, err := d.Token()
	if err != nil {
		return call, notJSON(err)
	}
	if token != json.Delim('{') {
		return call, errors.New(`the body is not a JSON object such as {"tool": "…", "arguments": {…}}`)
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return call, notJSON(err)
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return call, notJSON(err)
		}
		if seen[name] {
			return call, fmt.Errorf("%q is there twice", name)
		}
		seen[name] = true
		switch name {
		case "tool":
			if value[0] != '"' || json.Unmarshal(value, &call.Tool) != nil {
				return call, errors.New("tool is not a string")
			}
		case "arguments":
			call.Arguments = value
		default:
			return call, fmt.Errorf("there is a member %q; the body has tool and arguments", clip(name, 100))
		}
	}
	if _, err := d.Token(); err != nil {
		return call, notJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return call, fmt.Errorf("the body is not JSON: something follows the object at byte %d", d.InputOffset())
	}
	if call.Tool == "" {
		return call, errors.New("tool, the name of the tool, is missing")
	}
	return call, nil
}

func notJSON(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the body is not JSON: it ends too early")
	case errors.As(err, &syntax):
		return fmt.Errorf("the body is not JSON: %w, at byte %d", err, syntax.Offset)
	}
	return fmt.Errorf("the body is not JSON: %w", err)
}

// calls answers POST /api/calls.
func (a *api) calls(x *exchange) {
	body, ok := x.plainBody()
	if !ok {
		return
	}
	call, err := ParseCall(body)
	if err != nil {
		x.invalid(http.StatusBadRequest, err.Error())
		return
	}
	x.callTool(call)
}

// tool answers POST /api/tools/<name>, whose body are the arguments.
func (a *api) tool(x *exchange) {
	name, err := url.PathUnescape(strings.TrimPrefix(x.path, pathTools))
	if err != nil || !utf8.ValidString(name) {
		x.invalid(http.StatusBadRequest, "the name of the tool in the path is badly encoded")
		return
	}
	if body, ok := x.plainBody(); ok {
		x.callTool(Call{Tool: name, Arguments: body})
	}
}

// callTool calls a tool and answers with its result.
func (x *exchange) callTool(call Call) {
	result := x.api.Host.CallTool(x.r.Context(), x.who, call.Tool, call.Arguments)
	status := http.StatusOK
	if result.Err != nil {
		status = result.Err.Code.Status()
		if result.Err.RetryAfter > 0 {
			x.w.Header().Set("Retry-After", strconv.Itoa(result.Err.RetryAfter))
		}
	}
	x.sendJSON(status, result)
}

// plainBody reads a body of JSON.
func (x *exchange) plainBody() (body []byte, ok bool) {
	if encoding := x.r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		x.invalid(http.StatusUnsupportedMediaType, "the body is compressed: send it as it is")
		return nil, false
	}
	return x.body()
}
