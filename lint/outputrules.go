package lint

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/manifest"
)

const (
	// settingsRule is the rule of settings that make no sense.
	settingsRule = "lint-settings"
	// internalRule is the rule of faults of the linter; a host's calls it the same.
	internalRule = "internal-error"
	// unusedRule is the rule of ignores that hide nothing.
	unusedRule = "unused-ignore"
)

func outputRules() []Rule {
	return []Rule{
		{ID: "stale-output", Severity: manifest.SeverityWarning, Family: FamilyOutput, Summary: "`dist/` is older than a source that it was built from", Todo: "`neuralis build`", check: staleOutput},
	}
}

// staleOutput compares times. Which toolchain made the output is the builder's to know.
func staleOutput(p *pass) {
	built := ""
	switch p.pkg.Runtime {
	case manifest.RuntimeWASM:
		built = "dist/package.wasm"
		if entry := p.pkg.Manifest.Runtime.Entry.Module; entry != "" {
			built = strings.TrimPrefix(entry, "./")
		}
	case manifest.RuntimeNode:
		built = "dist/routes.json"
	default:
		return
	}
	info, err := os.Stat(filepath.Join(p.pkg.Dir, filepath.FromSlash(built)))
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	var newest time.Time
	file := ""
	_ = filepath.WalkDir(filepath.Join(p.pkg.Dir, "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() || strings.HasSuffix(path, ".test.ts") {
			return nil
		}
		if at, err := d.Info(); err == nil && at.ModTime().After(newest) {
			newest = at.ModTime()
			if name, err := filepath.Rel(p.pkg.Dir, path); err == nil {
				file = filepath.ToSlash(name)
			}
		}
		return nil
	})
	if newest.After(info.ModTime()) {
		p.add(manifest.Diagnostic{File: built, Message: fmt.Sprintf("%s is older than %s: what would be shipped is not what is written", built, file), Hint: "neuralis build"})
	}
}

// ownRules are about what the linter is told.
func ownRules() []Rule {
	return []Rule{
		{ID: internalRule, Severity: manifest.SeverityError, Family: FamilyLint, Summary: "a rule failed, which is a fault of the linter", Todo: "report it with the package"},
		{ID: settingsRule, Severity: manifest.SeverityError, Family: FamilyLint, Summary: "settings of the linter make no sense, or name a rule that there is not", Todo: "look at the message",
			Bad: "-- .neuralis-lint.json --\n{ \"rules\": { «\"tool-strikt\"»: \"off\" } }\n" + demo, Good: "-- .neuralis-lint.json --\n{ \"rules\": { \"tool-strict\": \"off\" } }\n" + demo},
		{ID: unusedRule, Severity: manifest.SeverityWarning, Family: FamilyLint, Summary: "an ignore hides nothing, or names no rule", Todo: "remove it: it would hide the next fault",
			Bad:  coded + schema + "-- src/tools/list.ts --\n«// neuralis-lint-disable-next-line sandbox-frozen -- not any more»\nexport default () => ({ content: [], now: Date.now() });\n",
			Good: coded + schema + "-- src/tools/list.ts --\n// neuralis-lint-disable-next-line sandbox-frozen -- says when the package was built\nconst built = Date.now();\nexport default () => ({ content: [], built });\n"},
	}
}
