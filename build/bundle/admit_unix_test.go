//go:build unix

package bundle

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

// What is no regular file is refused by a diagnostic at the import: reading it might never end.
func TestAdmitRegularFilesOnly(t *testing.T) {
	pipe := func(name string) error { return syscall.Mkfifo(name, 0o600) }
	device := func(name string) error { return os.Symlink("/dev/zero", name) }
	large := func(name string) error {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(name, maxSource+1)
	}
	for _, tc := range []struct {
		name string
		file string
		make func(string) error
		tool string
		want string // of the message; empty when the package builds
	}{
		{"pipe", "src/odd.ts", pipe, "import '../odd.ts'; export default () => 1", "src/odd.ts is no regular file"},
		{"pipe of text", "src/odd.txt", pipe, "import x from '../odd.txt'; export default () => x", "src/odd.txt is no regular file"},
		{"pipe that nothing imports", "src/odd.ts", pipe, "export default () => 1", ""},
		{"device", "src/odd.ts", device, "import '../odd.ts'; export default () => 1", "leads to "},
		{"device that nothing imports", "src/odd.ts", device, "export default () => 1", ""},
		{"device by its name", "src/other.ts", pipe, "import '/dev/zero'; export default () => 1", ""},
		{"large file", "src/odd.ts", large, "import '../odd.ts'; export default () => 1", "src/odd.ts is larger than 50 MiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pkg := onePackage(t, tc.tool, nil)
			if err := tc.make(filepath.Join(pkg.Dir, filepath.FromSlash(tc.file))); err != nil {
				t.Skip(err)
			}
			_, diags := Bundle(context.Background(), Input{Package: pkg})
			if tc.name == "device by its name" {
				if !diags.HasErrors() || diags[0].File != "src/tools/t.ts" {
					t.Errorf("got %v", diags)
				}
				return
			}
			checkRefusal(t, diags, tc.want)
		})
	}
}

// A node package has texts built into its modules.
func TestTranspileRegularFilesOnly(t *testing.T) {
	pkg := onePackage(t, "import x from '../odd.txt'; export default () => x", nil)
	if err := syscall.Mkfifo(filepath.Join(pkg.Dir, "src", "odd.txt"), 0o600); err != nil {
		t.Skip(err)
	}
	_, diags := Transpile(context.Background(), pkg)
	checkRefusal(t, diags, "src/odd.txt is no regular file")
}

func checkRefusal(t *testing.T, diags manifest.Diagnostics, want string) {
	t.Helper()
	if want == "" {
		if diags.HasErrors() {
			t.Error(diags)
		}
		return
	}
	if !diags.HasErrors() || !strings.Contains(diags[0].Message, want) || diags[0].File != "src/tools/t.ts" || diags[0].Line == 0 {
		t.Errorf("got %+v, want %q", diags, want)
	}
}
