package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestFindNeeds(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"examples/zod/package-lock.json":                      "{}",
		"examples/zod/node_modules/x/package-lock.json":       "{}",
		"bench/peers/package-lock.json":                       "{}",
		".hidden/package-lock.json":                           "{}",
		"build/wasm/testdata/node/package-lock.json":          "{}",
		"devserver/testneeds.txt":                             "chromium # the dashboard\n\n# nothing else\n",
		"devserver/other/testneeds.txt":                       "chromium\nfonts-dejavu-core\n",
		"examples/zod/node_modules/y/testneeds.txt":           "not-ours\n",
		"examples/zod/package-lock.json.d/something-else.txt": "",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := findNeeds(root)
	if err != nil {
		t.Fatal(err)
	}
	want := Needs{
		NPM:    []string{filepath.FromSlash("build/wasm/testdata/node"), filepath.FromSlash("examples/zod")},
		Debian: []string{"chromium", "fonts-dejavu-core"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestParseNeeds(t *testing.T) {
	for _, test := range []struct{ name, text, want, err string }{
		{"empty", "", "", ""},
		{"comment after a name", "chromium # why", "chromium", ""},
		{"two", "gcc\nlibc6-dev\n", "gcc libc6-dev", ""},
		{"plus sign", "g++", "g++", ""},
		{"an option is no package", "gcc\n--allow-downgrades", "", `2: "--allow-downgrades" is no Debian package name`},
		{"two words", "gcc make", "", `1: "gcc make" is no Debian package name`},
		{"one letter", "x", "", `1: "x" is no Debian package name`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseNeeds([]byte(test.text))
			message := ""
			if err != nil {
				message = err.Error()
			}
			if message != test.err || err == nil && strings.Join(got, " ") != test.want {
				t.Errorf("got %q, error %q; want %q, error %q", got, message, test.want, test.err)
			}
		})
	}
}

// recorder is a machine with some packages installed; it records what apt-get is asked.
type recorder struct {
	available bool
	installed []string
	fail      string
	calls     []string
}

func (r *recorder) Available() bool { return r.available }
func (r *recorder) Installed(_ context.Context, name string) bool {
	return slices.Contains(r.installed, name)
}
func (r *recorder) Run(_ context.Context, args ...string) error {
	r.calls = append(r.calls, strings.Join(args, " "))
	if args[0] == r.fail {
		return errors.New("exit status 100")
	}
	return nil
}

func TestInstallDebian(t *testing.T) {
	for _, test := range []struct {
		name   string
		system recorder
		needs  []string
		calls  []string
		err    string
	}{
		{"nothing needed", recorder{available: true}, nil, nil, ""},
		{"all there", recorder{available: true, installed: []string{"gcc"}}, []string{"gcc"}, nil, ""},
		{"update comes first", recorder{available: true, installed: []string{"gcc"}}, []string{"chromium", "gcc"},
			[]string{"update", "install --yes --no-install-recommends chromium"}, ""},
		{"no apt-get", recorder{}, []string{"chromium"}, nil, ""},
		{"update fails", recorder{available: true, fail: "update"}, []string{"chromium"}, []string{"update"},
			"apt-get update: exit status 100"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := installDebian(context.Background(), &test.system, test.needs)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if message != test.err {
				t.Errorf("error %q, want %q", message, test.err)
			}
			if !slices.Equal(test.system.calls, test.calls) {
				t.Errorf("apt-get was asked %q, want %q", test.system.calls, test.calls)
			}
		})
	}
}

func TestReadEvents(t *testing.T) {
	const stream = `{"Action":"start","Package":"m/a"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"=== RUN TestGood\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestSkip","Output":"=== RUN TestSkip\n"}
{"Action":"output","Package":"m/a","Test":"TestSkip","Output":"    a_test.go:3: no symbolic links here\n"}
{"Action":"skip","Package":"m/a","Test":"TestSkip"}
{"Action":"pass","Package":"m/a","Elapsed":1.25}
{"Action":"output","Package":"m/b","Test":"TestBad","Output":"    b_test.go:9: wrong\n"}
{"Action":"fail","Package":"m/b","Test":"TestBad"}
{"Action":"fail","Package":"m/b","Elapsed":0.5}
{"Action":"skip","Package":"m/c"}
no JSON at all
`
	var report strings.Builder
	got, err := readEvents(strings.NewReader(stream), &report)
	if err != nil {
		t.Fatal(err)
	}
	got.print(&report)
	const want = `ok    m/a  1.2s  2 tests
    b_test.go:9: wrong
FAIL  m/b  0.5s
no JSON at all
skipped  m/a TestSkip: a_test.go:3: no symbolic links here
failed   m/b TestBad
failed   m/b
FAIL: 1 tests passed, 1 failed, 1 skipped, in 2 packages
`
	if report.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", report.String(), want)
	}
	if !got.failed() {
		t.Error("a failed test does not fail the run")
	}
	if !(tally{}).failed() {
		t.Error("a run without tests must not pass")
	}
}
