package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const plainManifest = `{ "name": "a", "neuralis": {} }`

// summary is each diagnostic as file:line:column: rule.
func summary(diagnostics Diagnostics) []string {
	var lines []string
	for _, d := range diagnostics {
		lines = append(lines, fmt.Sprintf("%s: %s", position(d.File, d.Line, d.Column), d.Rule))
	}
	return lines
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

func TestLoadHostileFiles(t *testing.T) {
	big := func(open, unit, end string, size int) []byte {
		return append(append([]byte(open), bytes.Repeat([]byte(unit), size/len(unit))...), end...)
	}
	tests := []struct {
		name, file string
		data       []byte
		want       []string
	}{
		{"10 MB manifest", "package.json", big(`{"neuralis": {"name": "`, "a", `"}}`, 10<<20), []string{"package.json:1:1: file-too-large"}},
		{"10 MB tool", "tools/big.json", big(`{"a": "`, "a", `"}`, 10<<20), []string{"tools/big.json:1:1: file-too-large"}},
		{"10 MB skill", "skills/big/SKILL.md", big("---\nname: big\n---\n", "a", "", 10<<20), []string{"skills/big/SKILL.md:1:1: file-too-large"}},
		{"1 MB of objects", "tools/big.json", big(`[`, "{},", "{}]", 1<<20-10), []string{"tools/big.json:1:299999: file-too-large"}},
		{"deep tool", "tools/deep.json", big("", "[", "", 100_000), []string{"tools/deep.json:1:201: file-too-large"}},
		{"deep manifest", "package.json", big(`{"neuralis": `, `{"a":`, "", 100_000), []string{"package.json:1:1009: file-too-large"}},
		{"NUL bytes", "package.json", []byte("{\"name\": \"a\x00\", \"neuralis\": {}\x00}"),
			[]string{"package.json:1:12: json-syntax", "package.json:1:30: json-syntax"}},
		{"only NUL bytes", "tools/zero.json", make([]byte, 1000), []string{"tools/zero.json:1:1: json-syntax"}},
		{"no UTF-8", "package.json", []byte("{\"name\": \"a\", \"neuralis\": {\"description\": \"\xe9t\xe9\"}}"),
			[]string{"package.json:1:44: text-encoding", "package.json:1:46: text-encoding"}},
		{"UTF-16", "tools/wide.json", []byte("\xff\xfe{\x00}\x00"), []string{"tools/wide.json:1:1: text-encoding"}},
		{"byte order mark", "package.json", []byte("\uFEFF" + plainManifest), []string{"package.json:1:1: byte-order-mark"}},
		{"no UTF-8 in a skill", "skills/x/SKILL.md", []byte("---\nname: x\n---\ncaf\xe9"), []string{"skills/x/SKILL.md:4:4: text-encoding"}},
		{"NUL in a skill", "skills/x/SKILL.md", []byte("---\nname: x\x00\n---\n"), []string{"skills/x/SKILL.md:2:8: text-encoding"}},
		{"1 MB front matter", "skills/x/SKILL.md", big("---\n", "a: b\n", "---\n", 1<<20-100), []string{"skills/x/SKILL.md:1:1: file-too-large"}},
		{"deep front matter", "skills/x/SKILL.md", big("---\nname: ", "[", "\n---\n", 60_000), []string{"skills/x/SKILL.md:2:1: skill-invalid"}},
		{"aliases of aliases", "skills/x/SKILL.md", []byte("---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nname: x\ndescription: y\n---\n"), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "package.json"), []byte(plainManifest))
			write(t, filepath.Join(dir, filepath.FromSlash(test.file)), test.data)
			write(t, filepath.Join(dir, "tools", "good.json"), []byte(`{"type": "object", "x-neuralis": {"annotations": {"category": "read"}}}`))
			pkg, diagnostics := Load(dir)
			equal(t, "diagnostics", summary(diagnostics), test.want)
			if pkg == nil {
				return
			}
			for _, tool := range pkg.Tools {
				if tool.Invalid == (tool.Name == "good") {
					t.Errorf("%s: invalid is %t", tool.Name, tool.Invalid)
				}
			}
		})
	}
}

func TestLoadWithoutAFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), nil)
	for name, path := range map[string]string{"nothing": filepath.Join(dir, "nothing"), "file": filepath.Join(dir, "file"), "NUL": "a\x00b", "nothing at all": ""} {
		t.Run(name, func(t *testing.T) {
			pkg, diagnostics := Load(path)
			if path == "" {
				path = "." // the folder of this test, which is no package
				equal(t, "diagnostics", summary(diagnostics), []string{": manifest-missing"})
				return
			}
			if pkg != nil {
				t.Error("there is a package")
			}
			equal(t, "diagnostics", summary(diagnostics), []string{": package-folder"})
		})
	}
}

func TestLoadDoesNotSeeMoreThanItsLimits(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "package.json"), []byte(plainManifest))
	deep := filepath.Join(dir, "docs", filepath.FromSlash(strings.Repeat("d/", 40)), "x.md")
	write(t, deep, nil)
	const limit = 100
	for i := range limit {
		write(t, filepath.Join(dir, "team", fmt.Sprintf("%05d", i)), nil)
	}
	pkg, diagnostics := load(dir, limit)
	equal(t, "diagnostics", summary(diagnostics), []string{
		"docs/" + strings.Repeat("d/", 31) + "d:1:1: too-many-files", "team:1:1: too-many-files"})
	if len(pkg.Docs) > 0 || len(pkg.Team) >= limit || len(pkg.Team) < limit/2 {
		t.Errorf("%d docs and %d in the team", len(pkg.Docs), len(pkg.Team))
	}
}

// symlink makes a symbolic link, or skips the test where that is not allowed.
func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		if runtime.GOOS == "windows" {
			t.Skipf("symbolic links are not allowed here: %v", err)
		}
		t.Fatal(err)
	}
}

func TestLoadFollowsLinksInside(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "shared", "package.json"), []byte(plainManifest))
	write(t, filepath.Join(dir, "shared", "tools", "x.json"), []byte(`{"type": "object", "x-neuralis": {"annotations": {"category": "read"}}}`))
	write(t, filepath.Join(dir, "shared", "docs", "x.md"), nil)
	pkg := filepath.Join(dir, "shared")
	symlink(t, "docs", filepath.Join(pkg, "rules"))
	symlink(t, filepath.Join("..", "tools", "x.json"), filepath.Join(pkg, "tools", "y.json"))
	symlink(t, "shared", filepath.Join(dir, "link"))

	for _, name := range []string{"shared", "link"} { // the folder itself may be a link
		t.Run(name, func(t *testing.T) {
			loaded, diagnostics := Load(filepath.Join(dir, name))
			equal(t, "diagnostics", summary(diagnostics), nil)
			equal(t, "rules", loaded.Rules, []string{"rules/x.md"})
			if len(loaded.Tools) != 2 || loaded.Tools[1].Name != "y" || loaded.Tools[1].Invalid {
				t.Errorf("tools: %+v", loaded.Tools)
			}
		})
	}
}

func TestLoadDoesNotFollowLinksOutside(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	write(t, filepath.Join(secret, "x.json"), []byte(`{"type": "object", "description": "SECRET", "x-neuralis": {"annotations": {"category": "read"}}}`))
	write(t, filepath.Join(secret, "SKILL.md"), []byte("---\nname: secret\ndescription: SECRET\n---\n"))
	write(t, filepath.Join(secret, "lifecycle.ts"), nil)
	pkg := filepath.Join(dir, "pkg")
	write(t, filepath.Join(pkg, "package.json"), []byte(plainManifest))
	up := filepath.Join("..", "..", "secret")
	symlink(t, filepath.Join(up, "x.json"), filepath.Join(pkg, "tools", "x.json"))
	symlink(t, filepath.Join(secret, "x.json"), filepath.Join(pkg, "tools", "absolute.json"))
	symlink(t, "absolute.json", filepath.Join(pkg, "tools", "chain.json"))
	symlink(t, "gone.json", filepath.Join(pkg, "tools", "dangling.json"))
	symlink(t, "self.json", filepath.Join(pkg, "tools", "self.json"))
	symlink(t, up, filepath.Join(pkg, "skills", "secret"))
	symlink(t, filepath.Join("..", "secret"), filepath.Join(pkg, "docs"))
	symlink(t, filepath.Join("..", "secret"), filepath.Join(pkg, "src"))
	symlink(t, ".", filepath.Join(pkg, "rules", "here"))
	write(t, filepath.Join(pkg, "rules", "x.md"), nil)

	loaded, diagnostics := Load(pkg)
	equal(t, "diagnostics", summary(diagnostics), []string{
		"docs:1:1: link-escapes",
		"rules/here:1:1: link-escapes",
		"skills/secret:1:1: link-escapes",
		"src:1:1: link-escapes",
		"tools/absolute.json:1:1: link-escapes",
		"tools/chain.json:1:1: link-escapes",
		"tools/dangling.json:1:1: file-unreadable",
		"tools/self.json:1:1: link-escapes",
		"tools/x.json:1:1: link-escapes",
	})
	equal(t, "rules", loaded.Rules, []string{"rules/x.md"})
	if text := fmt.Sprintf("%+v", loaded); strings.Contains(text, "SECRET") || len(loaded.Docs) > 0 || loaded.Lifecycle != "" {
		t.Errorf("something from outside is in %s", text)
	}
}

func TestLoadWithALinkedManifest(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "package.json"), []byte(plainManifest))
	for name, target := range map[string]string{"outside": filepath.Join("..", "package.json"), "dangling": "gone.json", "folder": "docs"} {
		t.Run(name, func(t *testing.T) {
			pkg := filepath.Join(dir, name)
			write(t, filepath.Join(pkg, "docs", "x.md"), nil)
			symlink(t, target, filepath.Join(pkg, "package.json"))
			loaded, diagnostics := Load(pkg)
			if loaded != nil || len(diagnostics) != 1 || diagnostics[0].File != "package.json" || !diagnostics.HasErrors() {
				t.Errorf("got %v, %v", loaded, diagnostics)
			}
		})
	}
}

func TestLoadWithoutPermission(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "package.json"), []byte(plainManifest))
	tool := filepath.Join(dir, "tools", "x.json")
	write(t, tool, []byte("{}"))
	if err := os.Chmod(tool, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(tool); !errors.Is(err, fs.ErrPermission) {
		t.Skip("this user may read everything")
	}
	pkg, diagnostics := Load(dir)
	equal(t, "diagnostics", summary(diagnostics), []string{"tools/x.json:1:1: file-unreadable"})
	if len(pkg.Tools) != 1 || !pkg.Tools[0].Invalid {
		t.Errorf("tools: %+v", pkg.Tools)
	}
}
