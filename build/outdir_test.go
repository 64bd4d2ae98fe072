package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/manifest"
)

func TestCheckOut(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "project", "P")
	for _, folder := range []string{"src", ".git", "nested/repo/.git"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{"up": "../..", "away": filepath.Join(root, "elsewhere"), "nowhere": "gone", "home": "src"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "elsewhere"), 0o755); err != nil {
		t.Fatal(err)
	}
	pkg := &manifest.Package{Dir: dir}
	for _, tc := range []struct{ out, want string }{
		{"", ""},
		{"out", ""},
		{"out/deep", ""},
		{filepath.Join(root, "outside"), ""},
		{"away", ""}, // somebody said so
		{".", "the package lies in it"},
		{"../P", "the package lies in it"},
		{"..", "the package lies in it"},
		{dir, "the package lies in it"},
		{"/", "the package lies in it"},
		{"up", "the package lies in it"},
		{"src", "sources"},
		{"src/lib", "sources"},
		{"home", "sources"},
		{"tools", "sources"},
		{".git", "sources"},
		{".neuralis", "sources"},
		{"node_modules", "sources"},
		{"nested/repo", ".git"},
		{"nowhere", "leads nowhere"},
	} {
		err := Options{Out: tc.out}.checkOut(pkg)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("--out %q: got %v, want %q", tc.out, err, tc.want)
		}
	}
	if err := os.Symlink("../..", filepath.Join(dir, DefaultOut)); err != nil {
		t.Fatal(err)
	}
	if err := (Options{}).checkOut(pkg); err == nil {
		t.Error("dist leads upwards, and nothing was said")
	}
}
