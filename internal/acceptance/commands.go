package acceptance

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// code runs a command and compares its exit code.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if got := exitCode(ts, err); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func exitCode(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("running the command: %v", err)
	return -1
}

// jsonValue looks a value up in a JSON file.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] json FILE PATH VALUE")
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	var document any
	if err := dec.Decode(&document); err != nil {
		ts.Fatalf("%s is not JSON: %v", args[0], err)
	}
	if dec.More() {
		ts.Fatalf("%s holds more than one JSON document", args[0])
	}
	value, found := lookUp(document, args[1])
	matches := found
	if found && args[2] != "*" {
		want, err := compact(json.RawMessage(args[2]))
		ts.Check(err)
		got, err := compact(value)
		ts.Check(err)
		matches = bytes.Equal(got, want)
	}
	if matches == neg {
		got, _ := json.Marshal(value)
		ts.Fatalf("%s at %q: found %v, %s; want %s (negated: %v)", args[0], args[1], found, got, args[2], neg)
	}
}

func lookUp(value any, path string) (any, bool) {
	if path == "." {
		return value, true
	}
	for _, key := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			next, ok := v[key]
			if !ok {
				return nil, false
			}
			value = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// compact gives equal bytes for equal values.
func compact(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}
