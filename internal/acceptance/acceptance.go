// Package acceptance holds the stories of users, as scripts that drive the real
// program, and the commands these scripts have beside those of testscript.
//
// A story is a file testdata/script/*.txtar: commands as a user would type them,
// what must be seen, and the files that are there at the beginning. The stories
// run in cmd/neuralis, whose test binary acts as the program, so that no stale
// binary can be tested by mistake:
//
//	go test ./cmd/neuralis -run TestStories/readme
//
// Every story gets an empty home. They share one cache folder, as the runs of one
// user do.
//
// Commands beside the usual ones (https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript):
//
//	code N command…         run a command and want exit code N
//	json FILE PATH VALUE    want the value at a dotted path of a JSON file (stdout and stderr
//	                        are files too); VALUE is JSON, or * for anything
//	terminal FILE command…  run a command on a pseudo-terminal and hold the dialogue in FILE;
//	                        what was on the screen is then in the file "screen"
//	server NAME command…    start a command that answers HTTP, wait until it says where it is, and put that
//	                        into the variables NAME and NAME_PORT; variables may stand in front, as in A=1 neuralis serve
//	says NAME TEXT          wait until the server says a text, after those that were waited for before
//	signal NAME TERM        send a signal to the server: HUP, INT or TERM
//	ended NAME N            wait until the server has ended, with exit code N; the file NAME has what it said
//	http METHOD URL…        send a request, with -H "Name: value", and a body or @FILE; the answer is in the files status,
//	                        headers and body. With &NAME at the end nobody waits: "answer NAME" does. "! http" wants no answer
//	appears FILE            wait until a file is there
//
// What waits does so until it has what it wants, the server ends, or half a minute is over.
//
// A dialogue has one step a line: "expect TEXT" waits for text, "send TEXT" types a
// line, "key X" presses a key, "interrupt" presses Ctrl-C, "exit N" wants the command to end with that code.
package acceptance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Params are the parameters for running the stories in dir.
func Params(t *testing.T, dir string) testscript.Params {
	cache := t.TempDir()
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("NEURALIS_CACHE_DIR", cache)
			env.Setenv("CI", "")
			env.Setenv("TERM", "xterm")
			env.Values[serversKey{}], env.Values[exchangesKey{}] = servers{}, exchanges{}
			return os.Mkdir(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":     code,
			"json":     jsonValue,
			"terminal": terminal,
			"server":   serverCommand,
			"says":     says,
			"signal":   signal,
			"ended":    ended,
			"http":     httpCommand,
			"answer":   answer,
			"appears":  appears,
		},
	}
}
