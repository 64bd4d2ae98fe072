package logs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// world is logs with a clock and settings that tests change.
type world struct {
	*Logs
	dir      string
	settings Settings
	now      time.Time
	faults   []string
	kept     []Line
	mu       sync.Mutex
	redactor Redactor
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), now: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)}
	logs, err := Open(Options{
		DataDir: filepath.Join(w.dir, "data"), GlobalDir: filepath.Join(w.dir, "global"),
		Settings: func() Settings { return w.settings }, Now: func() time.Time { return w.now },
		Redactor: &w.redactor,
		Kept: func(line Line) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.kept = append(w.kept, line)
		},
		OnFault: func(key string, err error) { w.faults = append(w.faults, fmt.Sprint(key, ": ", err)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Logs = logs
	return w
}

func (w *world) logger(t testing.TB, p Package) *Logger {
	t.Helper()
	l, err := w.For(p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var catalog = Package{Key: "catalog", ID: "catalog"}

func newest(t testing.TB, l *Logger, n int) []map[string]any {
	t.Helper()
	values, err := l.ReadNewest(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	for _, v := range values {
		var line map[string]any
		if err := json.Unmarshal(v, &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestLines(t *testing.T) {
	w := newWorld(t)
	w.logger(t, catalog).Log(t.Context(), Warn, "a\n\"b\" <é>", json.RawMessage(`{"n": 12345678901234567890, "a": [1, {"b": null}]}`), Call{Tool: "catalog_put", Request: "r1"})
	w.logger(t, Package{Key: "core", ID: "core", FirstParty: true}).Log(t.Context(), Info, "x", nil, Call{})
	w.logger(t, Package{Key: "user/Bob/notes", ID: "notes"}).Log(t.Context(), "loud", "x", json.RawMessage(`{}`), Call{})
	for path, want := range map[string]string{
		"data/logs/catalog.jsonl":          `{"time":"2026-01-02T03:04:05.006Z","level":"warn","package":"catalog","message":"a\n\"b\" <é>","fields":{"a":[1,{"b":null}],"n":12345678901234567890},"tool":"catalog_put","request":"r1"}`,
		"global/logs/core.jsonl":           `{"time":"2026-01-02T03:04:05.006Z","level":"info","package":"core","message":"x"}`,
		"data/logs/user/%42ob/notes.jsonl": `{"time":"2026-01-02T03:04:05.006Z","level":"info","package":"notes","message":"x"}`,
	} {
		if got, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(path))); string(got) != want+"\n" || err != nil {
			t.Errorf("%s: got %s, %v", path, got, err)
		}
	}
	if _, err := w.For(Package{Key: "../x"}); err == nil {
		t.Error("a key that leads elsewhere was taken")
	}
}

func TestLevels(t *testing.T) {
	tests := []struct {
		name     string
		settings Settings
		want     Level
	}{
		{"nothing", Settings{}, Info},
		{"debug", Settings{Debug: true}, Debug},
		{"a level", Settings{Level: Error, Debug: true}, Error},
		{"off", Settings{Level: Off}, Off},
		{"an override", Settings{Level: Error, Overrides: map[string]string{"_installed/catalog": "trace"}}, Trace},
		{"an override of another", Settings{Level: Error, Overrides: map[string]string{"_installed/catalog-2": "trace", "catalog": "trace"}}, Error},
		{"an override that turns off", Settings{Debug: true, Overrides: map[string]string{"_installed/catalog": "off"}}, Off},
		{"words that are none", Settings{Level: "loud", Overrides: map[string]string{"_installed/catalog": "x"}}, Info},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.settings.LevelFor("catalog"); got != test.want {
				t.Errorf("got %s", got)
			}
			w := newWorld(t)
			w.settings = test.settings
			l := w.logger(t, catalog)
			var want int
			for _, level := range Levels() {
				l.Log(t.Context(), level, "x", nil, Call{})
				if test.want != Off && level.Rank() >= test.want.Rank() {
					want++
				}
			}
			if got := len(newest(t, l, 10)); got != want || l.Level() != test.want {
				t.Errorf("%d lines were kept and not %d", got, want)
			}
		})
	}
	for rank, want := range map[int]Level{-1: Trace, 0: Trace, 4: Error, 9: Error} {
		if got := LevelOf(rank); got != want {
			t.Errorf("%d is %s", rank, got)
		}
	}
}

func TestALevelCountsAtOnce(t *testing.T) {
	w := newWorld(t)
	l := w.logger(t, catalog)
	l.Log(t.Context(), Debug, "before", nil, Call{})
	w.settings.Overrides = map[string]string{OverrideName("catalog"): "debug"}
	l.Log(t.Context(), Debug, "with", nil, Call{})
	w.settings.Overrides = nil
	l.Log(t.Context(), Debug, "after", nil, Call{})
	if lines := newest(t, l, 10); len(lines) != 1 || lines[0]["message"] != "with" {
		t.Errorf("got %v", lines)
	}
}

func TestLongLinesAreCut(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	tests := []struct {
		name, message, fields string
		wantFields            any
	}{
		{"a long message", long, `{"a":1}`, map[string]any{"a": 1.0}},
		{"control characters", strings.Repeat("\x01", 100_000), `{"a":1}`, map[string]any{"truncated": true, "bytes": 7.0}},
		{"long fields", "x", `{"a":"` + long + `"}`, map[string]any{"truncated": true, "bytes": 200_008.0}},
		{"fields that are not JSON", "x", "{\xff", "{\uFFFD"},
		{"no UTF-8", "\xff", `1`, 1.0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			l := w.logger(t, catalog)
			l.Log(t.Context(), Info, test.message, json.RawMessage(test.fields), Call{Route: long})
			lines := newest(t, l, 10)
			if len(lines) != 1 || fmt.Sprint(lines[0]["fields"]) != fmt.Sprint(test.wantFields) {
				t.Fatalf("got %.300v", lines)
			}
			info, err := os.Stat(filepath.Join(w.dir, "data", "logs", "catalog.jsonl"))
			if err != nil || info.Size() > MaxLineBytes {
				t.Errorf("the line has %d bytes, %v", info.Size(), err)
			}
		})
	}
}

func TestFlood(t *testing.T) {
	w := newWorld(t)
	l := w.logger(t, catalog)
	for n := range Burst + 50 {
		l.Log(t.Context(), Info, fmt.Sprint(n), nil, Call{})
	}
	if lines := newest(t, l, 2*Burst); len(lines) != Burst || lines[0]["message"] != fmt.Sprint(Burst-1) {
		t.Errorf("%d lines were kept, the last one is %v", len(lines), lines[0])
	}
	w.now = w.now.Add(-time.Hour) // nothing comes of a clock that goes back
	l.Log(t.Context(), Info, "past", nil, Call{})
	w.now = w.now.Add(time.Hour + 20*time.Millisecond)
	for range 3 {
		l.Log(t.Context(), Info, "later", nil, Call{})
	}
	lines := newest(t, l, 3)
	if lines[0]["message"] != "later" || lines[1]["message"] != "later" || !strings.HasPrefix(lines[2]["message"].(string), "51 lines were dropped") || lines[2]["level"] != "warn" {
		t.Errorf("got %v", lines)
	}
	w.Close()
	if line := newest(t, l, 1)[0]; !strings.HasPrefix(line["message"].(string), "1 lines were dropped") {
		t.Errorf("got %v", line)
	}
	// Others are not held up.
	other := w.logger(t, Package{Key: "other", ID: "other"})
	other.Log(t.Context(), Info, "x", nil, Call{})
	if len(newest(t, other, 10)) != 1 {
		t.Error("another package's line was dropped")
	}
}

func TestAFloodDoesNotFillTheDisk(t *testing.T) {
	w := newWorld(t)
	l := w.logger(t, catalog)
	message := strings.Repeat("x", maxMessage)
	for range 4000 {
		w.now = w.now.Add(time.Second)
		l.Log(t.Context(), Info, message, nil, Call{})
	}
	size, files := int64(0), 0
	entries, err := os.ReadDir(filepath.Join(w.dir, "data", "logs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		size, files = size+info.Size(), files+1
	}
	if files != 1+Keep || size > (1+Keep)*MaxFileBytes {
		t.Errorf("%d files have %d bytes", files, size)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	w := newWorld(t)
	w.redactor.Add("s3cr3t-value")
	w.redactor.Add("s3cr3t-value-and-more")
	w.redactor.Add(`with "quotes"`)
	w.redactor.Add("12345678")
	w.redactor.Add("line one\nline two\n")
	w.redactor.Add("short")
	l := w.logger(t, catalog)
	long := strings.Repeat("x", maxMessage-4) + "s3cr3t-value"
	tests := []struct{ message, fields, want string }{
		{"Bearer s3cr3t-value!", ``, `"message":"Bearer [secret]!"`},
		{"s3cr3t-value-and-more", ``, `"message":"[secret]"`},
		{`it is with "quotes"`, ``, `"message":"it is [secret]"`},
		{`{"x":"with \"quotes\""}`, ``, `"message":"{\"x\":\"[secret]\"}"`},
		{"line two", ``, `"message":"[secret]"`},
		{"short", ``, `"message":"short"`},
		{"x", `{"a":["s3cr3t-value",{"s3cr3t-value":1}],"n":12345678}`, `"fields":{"a":["[secret]",{"[secret]":1}],"n":"[secret]"}`},
		{"x", `{"password":"p","apiKey":{"a":1},"Set-Cookie":"c","user_token":7,"db.Secret":["x"]}`, `"fields":{"Set-Cookie":"[secret]","apiKey":"[secret]","db.Secret":"[secret]","password":"[secret]","user_token":"[secret]"}`},
		{"x", `{"tokens":12,"passwordSet":"yes","token":null,"secret":false,"cookie":""}`, `"fields":{"cookie":"","passwordSet":"yes","secret":false,"token":null,"tokens":12}`},
		{"x", `s3cr3t-value, and no JSON`, `"fields":"[secret], and no JSON"`},
		{long, ``, "x[se"},
	}
	for _, test := range tests {
		l.Log(t.Context(), Info, test.message, json.RawMessage(test.fields), Call{})
		values, err := l.ReadNewest(t.Context(), 1)
		if err != nil || !strings.Contains(string(values[0]), test.want) || strings.Contains(string(values[0]), "s3cr") {
			t.Errorf("got %.300s, %v, want %s", values, err, test.want)
		}
	}
	var none *Redactor
	if got := none.Redact("x"); got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestFaultsAreToldOnce(t *testing.T) {
	w := newWorld(t)
	l := w.logger(t, catalog)
	dir := filepath.Join(w.dir, "data")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		l.Log(t.Context(), Info, "x", nil, Call{})
	}
	if len(w.faults) != 1 || !strings.HasPrefix(w.faults[0], "catalog: ") {
		t.Errorf("got %q", w.faults)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	l.Log(cancelled, Info, "y", nil, Call{})
	if lines := newest(t, l, 10); len(lines) != 1 {
		t.Errorf("got %v", lines)
	}
}

func TestManyLog(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			l, err := w.For(Package{Key: fmt.Sprint("p", i%2), ID: fmt.Sprint("p", i%2)})
			if err != nil {
				t.Error(err)
				return
			}
			for n := range 50 {
				w.redactor.Add(fmt.Sprint("secret number ", i, n))
				l.Log(t.Context(), Info, "x", json.RawMessage(`{"n":1}`), Call{})
			}
		})
	}
	all.Wait()
	for i := range 2 {
		if got := len(newest(t, w.logger(t, Package{Key: fmt.Sprint("p", i), ID: fmt.Sprint("p", i)}), 1000)); got != 200 {
			t.Errorf("%d lines are there", got)
		}
	}
}

// Whoever is told of lines is told what is in the file, and nothing else.
func TestKeptIsWhatIsWritten(t *testing.T) {
	w := newWorld(t)
	w.redactor.Add("s3cret-value")
	l := w.logger(t, catalog)
	l.Log(t.Context(), Debug, "below the level", nil, Call{})
	l.Log(t.Context(), "loud", "with s3cret-value", json.RawMessage(`{"password":"hunter22","n":1,"in":["s3cret-value"]}`), Call{Tool: "t", Request: "r"})
	l.Log(t.Context(), Info, strings.Repeat("x", 100_000), json.RawMessage(` {} `), Call{})
	for range 2 * Burst {
		l.Log(t.Context(), Info, "flood", nil, Call{})
	}
	w.Close()
	lines := newest(t, l, 10_000)
	if len(lines) != len(w.kept) || len(lines) != Burst+1 {
		t.Fatalf("%d lines were written and %d told", len(lines), len(w.kept))
	}
	for i, told := range w.kept {
		written := lines[len(lines)-1-i]
		fields, _ := json.Marshal(written["fields"])
		if written["fields"] == nil {
			fields = nil
		}
		if written["message"] != told.Message || written["level"] != string(told.Level) || string(fields) != string(told.Fields) || told.Package != "catalog" || !told.Time.Equal(w.now) {
			t.Fatalf("line %d is %v, and told was %+v", i, written, told)
		}
	}
	if got, want := string(w.kept[0].Fields), `{"in":["[secret]"],"n":1,"password":"[secret]"}`; got != want || w.kept[0].Level != Info || w.kept[0].Call != (Call{Tool: "t", Request: "r"}) {
		t.Errorf("got %+v %s", w.kept[0], got)
	}
}
