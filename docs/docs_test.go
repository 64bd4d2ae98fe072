package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// root is the folder of the project, seen from this one.
const root = ".."

// walk calls visit for each file of the project whose name ends in ext, with its path from the root.
func walk(t *testing.T, ext string, visit func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "node_modules" || name == "testdata" || name == "dist" || name == "release" || len(name) > 2 && name[0] == '.' {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ext {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(rel), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	walk(t, ".md", func(page string, data []byte) {
		for _, match := range link.FindAllSubmatch(data, -1) {
			target, _, _ := strings.Cut(string(match[1]), "#")
			if target == "" || strings.Contains(target, "://") || strings.Contains(target, "${") {
				continue
			}
			path := filepath.Join(root, filepath.Dir(page), filepath.FromSlash(target))
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s, which is not there", page, target)
			}
		}
	})
}

// guestCode is a code that the sandbox's runtime ends a call with; `neuralis call` reports it as a rule.
var guestCode = regexp.MustCompile(`new CallError\('([a-z-]+)'`)

// TestRulesAreExplained wants every rule of a diagnostic in a table of diagnostics.md, which is where neuralis explain
// finds them: constants named Rule… of the type string, and the codes of the host and the sandbox, which neuralis call
// reports as rules.
func TestRulesAreExplained(t *testing.T) {
	page, err := os.ReadFile("diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	explained := func(rule string) bool { return strings.Contains(string(page), "\n| `"+rule+"` | ") }
	walk(t, ".go", func(path string, data []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, data, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				for name, rule := range stringConstants(spec.(*ast.ValueSpec)) {
					code := path == "host/dispatch/code.go" && strings.HasPrefix(name, "Code")
					if !code && !strings.HasPrefix(name, "Rule") && !strings.HasPrefix(name, "rule") {
						continue
					}
					found++
					if !explained(rule) {
						t.Errorf("%s: the rule %q (%s) is not in docs/diagnostics.md", path, rule, name)
					}
				}
			}
		}
	})
	walk(t, ".ts", func(path string, data []byte) {
		if !strings.HasPrefix(path, "build/guest/src/") {
			return
		}
		for _, match := range guestCode.FindAllSubmatch(data, -1) {
			found++
			if !explained(string(match[1])) {
				t.Errorf("%s: the code %q is not in docs/diagnostics.md", path, match[1])
			}
		}
	})
	if found == 0 {
		t.Error("no rules were found: this test looks for the wrong thing")
	}
}

func stringConstants(spec *ast.ValueSpec) map[string]string {
	found := map[string]string{}
	for i, value := range spec.Values {
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		if text, err := strconv.Unquote(literal.Value); err == nil {
			found[spec.Names[i].Name] = text
		}
	}
	return found
}

var (
	helpCommand = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) {2,}\S`)
	helpFlag    = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z][a-z-]*)`)
)

// TestCommandsAreDocumented asks the program itself for its commands and flags, and wants each in cli.md
// under a heading of the command.
func TestCommandsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("cli.md")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "neuralis")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-o", binary, "./cmd/neuralis")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/neuralis: %v\n%s", err, out)
	}
	help := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(binary, append(args, "--help")...).CombinedOutput()
		if err != nil {
			t.Fatalf("neuralis %s --help: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	global := flagsOf(help())
	var check func(args []string)
	check = func(args []string) {
		if len(args) > 3 {
			t.Fatalf("commands nest without end: this test reads the help wrongly: %q", args)
		}
		text := help(args...)
		name := strings.Join(append([]string{"neuralis"}, args...), " ")
		section, ok := sectionOf(string(page), name)
		if !ok {
			t.Errorf("docs/cli.md has no section for %q", name)
		}
		for flag := range flagsOf(text) {
			if ok && !global[flag] && !strings.Contains(section, "`--"+flag) {
				t.Errorf("docs/cli.md does not mention --%s of %q", flag, name)
			}
		}
		for _, sub := range subcommands(text) {
			check(append(args[:len(args):len(args)], sub))
		}
	}
	commands := subcommands(help())
	if len(commands) == 0 {
		t.Fatal("the program lists no commands: this test reads its help wrongly")
	}
	for _, command := range commands {
		if command != "help" && command != "completion" { // not ours: cobra's
			check([]string{command})
		}
	}
	for flag := range global {
		if !strings.Contains(string(page), "`--"+flag) {
			t.Errorf("docs/cli.md does not mention --%s", flag)
		}
	}
}

func flagsOf(help string) map[string]bool {
	flags := map[string]bool{}
	for _, match := range helpFlag.FindAllStringSubmatch(help, -1) {
		flags[match[1]] = true
	}
	return flags
}

// subcommands reads the lists of commands, which stand between the usage and the flags under headings
// such as "Start:" or "Available Commands:". Other lists, such as one of templates, come before the usage.
func subcommands(help string) []string {
	_, rest, _ := strings.Cut(help, "\nUsage:\n")
	var names []string
	inList := false
	for line := range strings.Lines(rest) {
		if heading := strings.TrimSpace(line); !strings.HasPrefix(line, " ") && strings.HasSuffix(heading, ":") {
			if heading == "Flags:" {
				break
			}
			inList = heading != "Examples:" && heading != "Aliases:"
			continue
		}
		if match := helpCommand.FindStringSubmatch(line); inList && match != nil {
			names = append(names, match[1])
		}
	}
	sort.Strings(names)
	return names
}

// sectionOf is the text from a heading that names the command to the next one.
func sectionOf(page, command string) (string, bool) {
	heading := "\n## `" + command
	for at := 0; ; {
		i := strings.Index(page[at:], heading)
		if i < 0 {
			return "", false
		}
		rest := page[at+i+len(heading):]
		// "neuralis add" is not the heading of "neuralis add tool".
		if rest[0] == '`' || rest[0] == ' ' && (rest[1] == '[' || rest[1] == '<') {
			section, _, _ := strings.Cut(rest, "\n## ")
			return section, true
		}
		at += i + len(heading)
	}
}
