package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/neuralis-dev/neuralis/build/extismjs"
)

// cacheDir is shared by the tests of this package, as by the builds of one user.
var cacheDir string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == extismjs.Program {
		os.Exit(fakeExtismJS(os.Args[1:]))
	}
	dir, err := os.MkdirTemp("", "neuralis-build-test-")
	if err != nil {
		panic(err)
	}
	cacheDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
