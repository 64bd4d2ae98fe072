package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/httpapi"
)

func TestParseCall(t *testing.T) {
	for _, test := range []struct {
		name, body, tool, args string
		err                    string
	}{
		{"a call", `{"tool": "list", "arguments": {"n": 1, "n": 2}}`, "list", `{"n": 1, "n": 2}`, ""},
		{"in another order", "\n{\"arguments\":{},\"tool\":\"list\"}\n", "list", `{}`, ""},
		{"without arguments", `{"tool":"list"}`, "list", "", ""},
		{"arguments that are none", `{"tool":"list","arguments":"x"}`, "list", `"x"`, ""},
		{"a name with escapes", `{"t\u006fol":"\u006cist"}`, "list", "", ""},
		{"nothing", ``, "", "", "ends too early"},
		{"space", ` `, "", "", "ends too early"},
		{"half", `{"tool":"list"`, "", "", "ends too early"},
		{"half a name", `{"to`, "", "", "ends too early"},
		{"half a value", `{"tool":"list","arguments":{`, "", "", "ends too early"},
		{"no JSON", `tool=list`, "", "", "not JSON"},
		{"NaN", `{"tool":"list","arguments":{"n":NaN}}`, "", "", "not JSON"},
		{"a comma too many", `{"tool":"list",}`, "", "", "not JSON"},
		{"a comment", `{"tool":"list"/**/}`, "", "", "not JSON"},
		{"a byte order mark", "\ufeff{\"tool\":\"list\"}", "", "", "not JSON"},
		{"not UTF-8", "{\"tool\":\"list\",\"arguments\":{\"a\":\"\xff\"}}", "", "", "not UTF-8"},
		{"too deep", `{"tool":"list","arguments":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "", "", "depth"},
		{"an array", `[{"tool":"list"}]`, "", "", "not a JSON object"},
		{"a string", `"list"`, "", "", "not a JSON object"},
		{"null", `null`, "", "", "not a JSON object"},
		{"something after it", `{"tool":"list"} {}`, "", "", "follows"},
		{"a bracket after it", `{"tool":"list"}}`, "", "", "follows"},
		{"a letter after it", `{"tool":"list"}x`, "", "", "follows"},
		{"twice a tool", `{"tool":"list","tool":"put"}`, "", "", `"tool" is there twice`},
		{"twice a tool by escape", `{"tool":"list","\u0074ool":"put"}`, "", "", `"tool" is there twice`},
		{"twice arguments", `{"tool":"list","arguments":{},"arguments":{}}`, "", "", `"arguments" is there twice`},
		{"in capitals", `{"Tool":"list"}`, "", "", `a member "Tool"`},
		{"another member", `{"tool":"list","args":{}}`, "", "", `a member "args"`},
		{"__proto__", `{"tool":"list","__proto__":{}}`, "", "", `a member "__proto__"`},
		{"no tool", `{"arguments":{}}`, "", "", "is missing"},
		{"an empty tool", `{"tool":""}`, "", "", "is missing"},
		{"a number", `{"tool":1}`, "", "", "not a string"},
		{"no string", `{"tool":null}`, "", "", "not a string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			call, err := httpapi.ParseCall([]byte(test.body))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("got %v", err)
				}
			} else if err != nil || call.Tool != test.tool || string(call.Arguments) != test.args {
				t.Fatalf("got %+v, %v", call, err)
			}
			f := &fake{}
			w := ask(httpapi.New(httpapi.Options{Host: f}), bobs, "POST", "/api/calls", test.body)
			if ok := test.err == ""; ok != (w.Code == 200) || ok != (len(f.calls) == 1) {
				t.Errorf("got %d %s", w.Code, w.Body)
			} else if !ok && (w.Code != 400 || codeOf(t, w.Body.Bytes()) != httpapi.CodeInvalidRequest) {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		})
	}
}

func FuzzParseCall(f *testing.F) {
	for _, seed := range []string{`{"tool":"a","arguments":{"b":[1,"\u00e9",null]}}`, `{"tool":"a","tool":"b"}`, `{"tool":"a"}x`, `{"arguments":{}}`, `[`, ``, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		call, err := httpapi.ParseCall(body)
		if err != nil {
			return
		}
		// What is taken is read in the same way by everybody: it is valid, and has what it has once.
		var all map[string]json.RawMessage
		if err := json.Unmarshal(body, &all); err != nil {
			t.Fatalf("%q is taken, and is %v", body, err)
		}
		var tool string
		if err := json.Unmarshal(all["tool"], &tool); err != nil || tool != call.Tool || tool == "" {
			t.Fatalf("%q is a call of %q", body, call.Tool)
		}
		if !bytes.Equal(all["arguments"], call.Arguments) {
			t.Fatalf("%q has the arguments %q", body, call.Arguments)
		}
		for name := range all {
			if name != "tool" && name != "arguments" {
				t.Fatalf("%q is taken", body)
			}
		}
	})
}

func TestCalls(t *testing.T) {
	refused := func(e *dispatch.Error) dispatch.Result {
		text, _ := json.Marshal(map[string]any{"error": e})
		return dispatch.Result{IsError: true, StructuredContent: text, Err: e}
	}
	for _, test := range []struct {
		name   string
		result dispatch.Result
		status int
		body   string // a part of it
		retry  string
	}{
		{"an answer", dispatch.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"a < b & c"}`)}, StructuredContent: json.RawMessage(`{"n":1.0}`), Meta: json.RawMessage(`{"x":1}`)}, 200,
			`{"content":[{"type":"text","text":"a < b & c"}],"structuredContent":{"n":1.0},"_meta":{"x":1}}`, ""},
		{"nothing", dispatch.Result{}, 200, `{"content":[]}`, ""},
		{"an error of the tool's own", dispatch.Result{IsError: true}, 200, `{"content":[],"isError":true}`, ""},
		{"no tool", refused(&dispatch.Error{Code: dispatch.CodeUnknownTool, Message: "m"}), 404, `"structuredContent":{"error":{"code":"unknown-tool","message":"m"}},"isError":true`, ""},
		{"no feature", refused(&dispatch.Error{Code: dispatch.CodeFeatureRequired, Message: "m", Feature: "f"}), 403, `"feature":"f"`, ""},
		{"too often", refused(&dispatch.Error{Code: dispatch.CodeRateLimited, Message: "m", RetryAfter: 7}), 429, `"retryAfter":7`, "7"},
		{"a failure", refused(&dispatch.Error{Code: dispatch.CodeHandlerError, Message: "m"}), 500, `"handler-error"`, ""},
		{"too slow", refused(&dispatch.Error{Code: dispatch.CodeDeadlineExceeded, Message: "m"}), 504, `"deadline-exceeded"`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{tool: func(context.Context, string, json.RawMessage) dispatch.Result { return test.result }}
			h := httpapi.New(httpapi.Options{Host: f})
			for _, r := range []struct{ target, body string }{{"/api/calls", `{"tool":"a tool","arguments":{"a":1}}`}, {"/api/tools/a%20tool", `{"a":1}`}} {
				w := ask(h, bobs, "POST", r.target, r.body)
				if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) || w.Header().Get("Retry-After") != test.retry {
					t.Errorf("got %d, %v: %s", w.Code, w.Header(), w.Body)
				}
				if w.Header().Get("Content-Type") != "application/json; charset=utf-8" || w.Header().Get("Cache-Control") != "no-store" {
					t.Errorf("the headers are %v", w.Header())
				}
			}
			for _, call := range f.calls {
				if call.Tool != "a tool" || string(call.Arguments) != `{"a":1}` || f.who.UserID != "bob" {
					t.Errorf("called %+v by %+v", call, f.who)
				}
			}
		})
	}
}

func TestBodies(t *testing.T) {
	f := &fake{}
	h := httpapi.New(httpapi.Options{Host: f, MaxBodyBytes: 20})
	for _, test := range []struct {
		name, target, body string
		header             []string
		length             int64
		status             int
		code               dispatch.Code
	}{
		{"as long as allowed", "/api/calls", `{"tool":"012345678"}`, nil, 20, 200, ""},
		{"as long as allowed, to a route", "/api/packages/x", strings.Repeat("x", 20), nil, 20, 200, ""},
		{"too long", "/api/calls", strings.Repeat("x", 21), nil, 21, 413, "request-too-large"},
		{"too long, to a route", "/api/packages/x", strings.Repeat("x", 21), nil, 21, 413, "request-too-large"},
		{"too long, of no known length", "/api/packages/x", strings.Repeat("x", 21), nil, -1, 413, "request-too-large"},
		{"of no known length", "/api/packages/x", strings.Repeat("x", 20), nil, -1, 200, ""},
		{"compressed", "/api/calls", `{"tool":"x"}`, []string{"Content-Encoding", "gzip"}, 12, 415, "invalid-request"},
		{"not compressed", "/api/calls", `{"tool":"x"}`, []string{"Content-Encoding", "identity"}, 12, 200, ""},
		{"compressed, to a route", "/api/packages/x", `x`, []string{"Content-Encoding", "gzip"}, 1, 200, ""},
		{"as a form", "/api/calls", `{"tool":"x"}`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 12, 200, ""},
		{"a badly encoded name", "/api/tools/%ff", ``, nil, 0, 400, "invalid-request"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f.calls, f.requests = nil, nil
			r := request("POST", test.target, test.body, test.header...)
			r.Header.Set(as(bobs))
			r.ContentLength = test.length
			w := answer(h, r)
			if w.Code != test.status || test.code != "" && codeOf(t, w.Body.Bytes()) != test.code {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if called := len(f.calls)+len(f.requests) > 0; called != (test.code == "") {
				t.Errorf("called: %v", called)
			}
			if test.status == http.StatusRequestEntityTooLarge && w.Header().Get("Connection") != "close" {
				t.Error("the server reads on")
			}
		})
	}
}
