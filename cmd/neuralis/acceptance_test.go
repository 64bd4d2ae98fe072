package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/neuralis-dev/neuralis/internal/acceptance"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"neuralis": func() { os.Exit(program(os.Args[1:])) },
	})
}

// TestStories runs the users' stories against this program.
func TestStories(t *testing.T) {
	testscript.Run(t, acceptance.Params(t, filepath.Join("..", "..", "internal", "acceptance", "testdata", "script")))
}
