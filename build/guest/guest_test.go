package guest

import (
	"fmt"
	"io/fs"
	"regexp"
	"testing"
)

func TestEveryGlobalIsExportedByItsModule(t *testing.T) {
	for _, g := range Globals() {
		t.Run(g.Name, func(t *testing.T) {
			file, ok := Resolve("", g.Module)
			if !ok {
				t.Fatalf("%s resolves to no file", g.Module)
			}
			source, err := fs.ReadFile(Sources(), file)
			if err != nil {
				t.Fatal(err)
			}
			name := regexp.QuoteMeta(g.Export)
			declared := regexp.MustCompile(fmt.Sprintf(`(?m)^export (async )?(const|let|function\*?|class) %s\b|^export \{[^}]*\b%s\b[^}]*\}`, name, name))
			if !declared.Match(source) {
				t.Errorf("%s does not export %s", file, g.Export)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ name, importer, specifier, want string }{
		{"the runtime", "", "neuralis:runtime", "runtime.ts"},
		{"a web module", "", "neuralis:web/timers", "web/timers.ts"},
		{"the package", "", "@neuralis/package-system", "package-system.ts"},
		{"the guest PDK", "", "@neuralis/package-system/pdk-guest", "pdk-guest.ts"},
		{"the test library", "", "@neuralis/package-system/testing", "testing.ts"},
		{"relative", "web/timers.ts", "../native.ts", "native.ts"},
		{"relative without an ending", "web/timers.ts", "../native", "native.ts"},
		{"relative from outside", "", "./native.ts", ""},
		{"out of the sources", "native.ts", "../guest.go", ""},
		{"out of the sources by name", "", "neuralis:../guest.go", ""},
		{"a folder", "", "neuralis:web", ""},
		{"unknown", "", "neuralis:nothing", ""},
		{"somebody else's", "", "zod", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Resolve(c.importer, c.specifier)
			if got != c.want || ok != (c.want != "") {
				t.Errorf("got %q, %v; want %q", got, ok, c.want)
			}
		})
	}
}
