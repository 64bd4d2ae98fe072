package runtime

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/neuralis-dev/neuralis/host/session"
)

// What a module's exports take and give, as JSON; build/guest/src/runtime.ts is the other side.

// toolInput writes the input of handleTool. The arguments are put in as they are: they may be large, and are known to
// be JSON.
func toolInput(call ToolCall) ([]byte, error) {
	head, err := json.Marshal(struct {
		Tool    string          `json:"tool"`
		Session session.Session `json:"session"`
		MCP     *Offers         `json:"mcp,omitempty"`
	}{call.Name, call.Session, offersOf(call.Client)})
	if err != nil {
		return nil, inputFailure(err)
	}
	args := call.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	input := make([]byte, 0, len(head)+len(args)+len(`,"args":`))
	input = append(input, head[:len(head)-1]...)
	input = append(input, `,"args":`...)
	input = append(input, args...)
	return append(input, '}'), nil
}

func offersOf(client Client) *Offers {
	if client == nil {
		return nil
	}
	offers := client.Offers()
	return &offers
}

// routeInput writes the input of handleRoute. A body that is text goes as text, others as base64.
func routeInput(call RouteCall) ([]byte, error) {
	in := struct {
		Method   string            `json:"method"`
		Path     string            `json:"path"`
		Query    map[string]string `json:"query"`
		RawQuery string            `json:"rawQuery"`
		Headers  map[string]string `json:"headers"`
		Text     *string           `json:"rawBody,omitempty"`
		Base64   string            `json:"bodyBase64,omitempty"`
		Pattern  string            `json:"pattern"`
		Params   map[string]string `json:"params"`
		Session  session.Session   `json:"session"`
	}{call.Method, call.Path, call.Query, call.RawQuery, call.Header, nil, "", call.Pattern, call.Params, call.Session}
	if utf8.Valid(call.Body) {
		text := string(call.Body)
		in.Text = &text
	} else {
		in.Base64 = base64.StdEncoding.EncodeToString(call.Body)
	}
	if in.Query == nil {
		in.Query = map[string]string{}
	}
	if in.Headers == nil {
		in.Headers = map[string]string{}
	}
	if in.Params == nil {
		in.Params = map[string]string{}
	}
	input, err := json.Marshal(in)
	if err != nil {
		return nil, inputFailure(err)
	}
	return input, nil
}

func lifecycleInput(call LifecycleCall) ([]byte, error) {
	args := call.Args
	if len(args) == 0 {
		args = json.RawMessage("[]")
	}
	input, err := json.Marshal(struct {
		Hook   string          `json:"hook"`
		Method string          `json:"method,omitempty"`
		Args   json.RawMessage `json:"args"`
	}{call.Hook, call.Method, args})
	if err != nil {
		return nil, inputFailure(err)
	}
	return input, nil
}

func inputFailure(err error) *Failure {
	return &Failure{Kind: Stopped, Message: fmt.Sprintf("the call cannot be written as JSON: %v", err), Err: err}
}

// routeAnswer reads the output of handleRoute. Foreign plug-ins write it too, so it is looked at.
func routeAnswer(output []byte) (*RouteAnswer, error) {
	var out struct {
		Status  int                        `json:"status"`
		Headers map[string]json.RawMessage `json:"headers"`
		Body    *string                    `json:"body"`
		Base64  *string                    `json:"bodyBase64"`
	}
	if err := json.Unmarshal(output, &out); err != nil {
		return nil, answerFailure(err)
	}
	if out.Status < 200 || out.Status > 599 {
		return nil, answerFailure(fmt.Errorf("the status is %d; it must be one from 200 to 599", out.Status))
	}
	answer := &RouteAnswer{Status: out.Status, Header: make(map[string][]string, len(out.Headers))}
	for name, raw := range out.Headers {
		var one string
		if json.Unmarshal(raw, &one) == nil {
			answer.Header[name] = []string{one}
			continue
		}
		var many []string
		if err := json.Unmarshal(raw, &many); err != nil {
			return nil, answerFailure(fmt.Errorf("the header %q is no text", name))
		}
		answer.Header[name] = many
	}
	switch {
	case out.Body != nil:
		answer.Body = []byte(*out.Body)
	case out.Base64 != nil:
		body, err := base64.StdEncoding.DecodeString(*out.Base64)
		if err != nil {
			return nil, answerFailure(fmt.Errorf("the body is no base64: %w", err))
		}
		answer.Body = body
	}
	return answer, nil
}

func answerFailure(err error) *Failure {
	return &Failure{Kind: Handler, Code: "invalid-result", Message: fmt.Sprintf("the route's answer cannot be read: %v", err), Err: err}
}
