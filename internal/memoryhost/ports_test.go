package memoryhost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

func testPorts(log *bytes.Buffer) *ports {
	pkg := &manifest.Package{}
	pkg.Manifest.ConfigSettings = []manifest.ConfigSetting{
		{Key: "size", Type: "integer", Default: json.RawMessage(`20`), EnvFallback: "SIZE"},
		{Key: "name", Type: "string", Default: json.RawMessage(`"x"`), EnvFallback: "NAME"},
		{Key: "none", Type: "string"},
	}
	return newPorts(pkg, Options{Log: log, Getenv: func(name string) string {
		return map[string]string{"NAME": "42"}[name]
	}})
}

// Each row is a request and its answer, all of them in one session.
func TestAnswers(t *testing.T) {
	p := testPorts(&bytes.Buffer{})
	for _, row := range [][2]string{
		{`{"op":"store.get","store":"s","id":"a"}`, `{"ok":null}`},
		{`{"op":"store.exists","store":"s","id":"a"}`, `{"ok":false}`},
		{`{"op":"store.list","store":"s"}`, `{"ok":[]}`},
		{`{"op":"store.delete","store":"s","id":"a"}`, `{"ok":false}`},
		{`{"op":"store.put","store":"s","id":"b","value":{"n":2}}`, `{"ok":null}`},
		{`{"op":"store.put","store":"s","id":"a","value":1}`, `{"ok":null}`},
		{`{"op":"store.list","store":"s"}`, `{"ok":[1,{"n":2}]}`},
		{`{"op":"store.list","store":"other"}`, `{"ok":[]}`},
		{`{"op":"store.begin","store":"s","id":"a"}`, `{"ok":{"lock":1,"value":1}}`},
		{`{"op":"store.begin","store":"s","id":"new"}`, `{"ok":{"lock":2,"value":null}}`},
		{`{"op":"store.commit","lock":1,"value":7}`, `{"ok":null}`},
		{`{"op":"store.abort","lock":2}`, `{"ok":null}`},
		{`{"op":"store.commit","lock":1,"value":8}`, `{"error":{"code":"no-lock","message":"there is no update with the number 1"}}`},
		{`{"op":"store.get","store":"s","id":"a"}`, `{"ok":7}`},
		{`{"op":"store.exists","store":"s","id":"new"}`, `{"ok":false}`},
		{`{"op":"store.delete","store":"s","id":"a"}`, `{"ok":true}`},
		{`{"op":"store.get","store":"s","id":"a"}`, `{"ok":null}`},
		{`{"op":"data.path","rel":"a//b/../c"}`, `{"ok":"memory:/a/c"}`},
		{`{"op":"data.readNewest","path":"log.jsonl","n":5}`, `{"ok":[]}`},
		{`{"op":"data.append","path":"log.jsonl","value":1}`, `{"ok":null}`},
		{`{"op":"data.append","path":"log.jsonl","value":2}`, `{"ok":null}`},
		{`{"op":"data.readNewest","path":"./log.jsonl","n":1}`, `{"ok":[2]}`},
		{`{"op":"data.readNewest","path":"log.jsonl","n":-1}`, `{"ok":[]}`},
		{`{"op":"credentials.resolve","id":"key"}`, `{"ok":null}`},
		{`{"op":"config.get","key":"size"}`, `{"ok":20}`},
		{`{"op":"config.get","key":"name"}`, `{"ok":"42"}`},
		{`{"op":"config.get","key":"none"}`, `{"ok":null}`},
		{`{"op":"timer.sleep","ms":-5}`, `{"ok":null}`},
	} {
		if got := string(p.Answer(context.Background(), []byte(row[0]))); got != row[1] {
			t.Errorf("%s\ngot  %s\nwant %s", row[0], got, row[1])
		}
	}
}

func TestRefusals(t *testing.T) {
	p := testPorts(&bytes.Buffer{})
	for request, code := range map[string]string{
		`{`:                                      "host-error",
		`{"op":"no.such"}`:                       "unsupported",
		`{"op":"store.no"}`:                      "invalid-path",
		`{"op":"store.no","store":"s","id":"a"}`: "unsupported",
		`{"op":"store.get","store":"../s","id":"a"}`:    "invalid-path",
		`{"op":"store.get","store":"s","id":"../../a"}`: "invalid-path",
		`{"op":"store.get","store":"s","id":""}`:        "invalid-path",
		`{"op":"data.path","rel":"/etc"}`:               "invalid-path",
		`{"op":"data.path","rel":"a/../../b"}`:          "invalid-path",
		`{"op":"data.path","rel":"C:\\x"}`:              "invalid-path",
		`{"op":"data.append","path":"..","value":1}`:    "invalid-path",
		`{"op":"config.get","key":"undeclared"}`:        "unknown-config",
	} {
		if got := string(p.Answer(context.Background(), []byte(request))); !strings.Contains(got, `"code":"`+code+`"`) {
			t.Errorf("%s: %s", request, got)
		}
	}
	if len(p.lines) != 0 || len(p.store) != 0 {
		t.Error("a refused request left something behind")
	}
}

func TestSleepEndsWithTheCall(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if got := string(testPorts(&bytes.Buffer{}).Answer(ctx, []byte(`{"op":"timer.sleep","ms":1e300}`))); got != `{"cancelled":"enough","ok":null}` {
		t.Errorf("got %s", got)
	}
}

func TestLogLines(t *testing.T) {
	var log bytes.Buffer
	p := testPorts(&log)
	p.Log(context.Background(), -1, "a")
	p.Log(context.Background(), 9, "b")
	p.Answer(context.Background(), []byte(`{"op":"log","level":"info","message":"c","fields":{"n":1}}`))
	p.Answer(context.Background(), []byte(`{"op":"log","level":"warn","message":"d","fields":{}}`))
	if want := "trace a\nerror b\ninfo  c {\"n\":1}\nwarn  d\n"; log.String() != want {
		t.Errorf("got %q", log.String())
	}
}
