package lint

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/suggest"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// SettingsFile is where a package or a project says what it wants of the linter. The member lint of the manifest says the
// same for one package, and counts before it.
const SettingsFile = ".neuralis-lint.json"

// off is what a rule can be set to besides the severities.
const off = "off"

// settings are what a package wants of the linter.
type settings struct {
	Standing   Standing
	severities map[string]string
	ignores    []*ignore
}

// ignore keeps findings quiet.
type ignore struct {
	rules []string
	files []string // patterns; empty for all
	line  int      // 0 for all
	// where it stands, for saying that it is of no use
	file              string
	at                jsondoc.Span
	frame             string
	used              map[string]bool
	fromProject, bare bool
	// cut is what to take out of the source of a comment; start and end are equal for settings.
	source     []byte
	start, end int
}

// readSettings reads what there is: of the project, then of the package, then of its manifest.
func (p *pass) readSettings() {
	p.settings.severities = map[string]string{}
	absolute, err := filepath.Abs(p.dir)
	if err != nil {
		return
	}
	if inProject(absolute) {
		p.readSettingsFile(filepath.Join(filepath.Dir(filepath.Dir(absolute)), SettingsFile), "../../"+SettingsFile)
	}
	p.readSettingsFile(filepath.Join(absolute, SettingsFile), SettingsFile)
	if p.pkg != nil {
		doc := p.pkg.Document()
		if v := doc.Lookup(p.pkg.Pointer("lint")); v.Found {
			p.applySettings(doc, p.pkg.ManifestFile, v.Value)
		}
	}
}

func (p *pass) readSettingsFile(file, name string) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		p.found = append(p.found, manifest.Diagnostic{Rule: settingsRule, Severity: manifest.SeverityError, File: name, Line: 1, Column: 1, Message: "the settings cannot be read", Hint: "check the permissions of the file"})
		return
	}
	doc, problems := jsondoc.Parse(text, jsondoc.DefaultLimits())
	for _, problem := range problems {
		p.found = append(p.found, manifest.FromProblem(doc, name, problem, settingsRule))
	}
	if doc.Root != nil {
		p.applySettings(doc, name, doc.Root)
	}
}

// applySettings takes over what one place says.
func (p *pass) applySettings(doc *jsondoc.Document, file string, v *jsondoc.Value) {
	known := ruleIDs(Rules())
	wrong := func(start, end int, message, hint string) {
		at := doc.Span(start, end)
		p.found = append(p.found, manifest.Diagnostic{Rule: settingsRule, Severity: manifest.SeverityError, File: file, Line: at.Line, Column: at.Column, EndColumn: at.EndColumn,
			Message: message, Hint: hint, Frame: manifest.Frame(doc.Source, at.Line, at.Column, at.EndColumn)})
	}
	rule := func(name string, start, end int) bool {
		if slices.Contains(known, name) {
			return true
		}
		hint := `"neuralis explain" lists the rules`
		if near, ok := suggest.Closest(name, known); ok {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		wrong(start, end, fmt.Sprintf("there is no rule %q", name), hint)
		return false
	}
	if v.Kind != jsondoc.Object {
		wrong(v.Start, v.Start+1, "the settings of the linter must be an object", `{ "rules": { "RULE": "off" } }`)
		return
	}
	for _, m := range v.Members {
		switch m.Name {
		case "$schema":
		case "standing":
			if s := Standing(m.Value.Text); s != StandingProject && s != StandingFirstParty {
				wrong(m.Value.Start, m.Value.End, "standing must be \"project\" or \"first-party\"", "")
			} else {
				p.settings.Standing = s
			}
		case "rules":
			for _, r := range m.Value.Members {
				if !rule(r.Name, r.Start, r.End) {
					continue
				}
				if !slices.Contains([]string{off, "error", "warning", "info"}, r.Value.Text) {
					wrong(r.Value.Start, r.Value.End, "a rule is set to \"error\", \"warning\", \"info\" or \"off\"", "")
					continue
				}
				p.settings.severities[r.Name] = r.Value.Text
			}
		case "ignore":
			for _, item := range objects(m.Value) {
				entry := &ignore{file: file, at: doc.Span(item.Start, item.Start+1), used: map[string]bool{}, fromProject: strings.HasPrefix(file, "../")}
				entry.frame = manifest.Frame(doc.Source, entry.at.Line, entry.at.Column, entry.at.EndColumn)
				for _, r := range texts(item.Get("rules")) {
					if rule(r.Text, r.Start, r.End) {
						entry.rules = append(entry.rules, r.Text)
					}
				}
				for _, f := range texts(item.Get("files")) {
					entry.files = append(entry.files, f.Text)
				}
				if len(entry.rules) == 0 && item.Get("rules") == nil {
					wrong(item.Start, item.Start+1, "an ignore must name the rules that it is for", `add "rules": ["…"]`)
					continue
				}
				p.settings.ignores = append(p.settings.ignores, entry)
			}
		default:
			hint := "remove it"
			if near, ok := suggest.Closest(m.Name, []string{"rules", "ignore", "standing"}); ok {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			wrong(m.Start, m.End, fmt.Sprintf("the linter has no setting %q", m.Name), hint)
		}
	}
}

// directive is a comment to the linter. It must be all that the comment says.
var directive = regexp.MustCompile(`(?://|/\*)\s*neuralis-lint-disable(-next-line|-line|-file)\b[ \t]*([^\r\n]*?)[ \t]*(?:\*/[^\r\n]*)?$`)

// comments are the ignores in the sources of the package.
func (p *pass) comments() []*ignore {
	var found []*ignore
	known := ruleIDs(Rules())
	for _, name := range p.order {
		file := p.sources[name]
		if !bytes.Contains(file.Source, []byte("neuralis-lint-disable")) {
			continue
		}
		doc := jsondoc.Text(file.Source)
		start := 0
		for number, line := range strings.Split(string(file.Source), "\n") {
			m := directive.FindStringSubmatchIndex(strings.TrimSuffix(line, "\r"))
			if m != nil {
				at := doc.Span(start+m[0], start+m[1])
				entry := &ignore{file: name, at: at, used: map[string]bool{}, files: []string{name}, frame: manifest.Frame(file.Source, at.Line, at.Column, at.EndColumn)}
				entry.source, entry.start, entry.end = file.Source, start+m[0], start+m[1]
				if strings.TrimSpace(line[:m[0]]) == "" && strings.TrimSpace(line[m[1]:]) == "" && start+len(line) < len(file.Source) {
					entry.start, entry.end = start, start+len(line)+1 // the whole line
				} else {
					entry.start -= len(line[:m[0]]) - len(strings.TrimRight(line[:m[0]], " \t"))
				}
				switch line[m[2]:m[3]] {
				case "-next-line":
					entry.line = number + 2
				case "-line":
					entry.line = number + 1
				}
				names, _, _ := strings.Cut(line[m[4]:m[5]], "--")
				for _, r := range strings.FieldsFunc(names, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' }) {
					if !slices.Contains(known, r) {
						hint := `"neuralis explain" lists the rules`
						if near, ok := suggest.Closest(r, known); ok {
							hint = fmt.Sprintf("did you mean %q?", near)
						}
						p.found = append(p.found, manifest.Diagnostic{Rule: settingsRule, Severity: manifest.SeverityError, File: name, Line: at.Line, Column: at.Column, EndColumn: at.EndColumn, Frame: entry.frame,
							Message: fmt.Sprintf("there is no rule %q", r), Hint: hint})
						continue
					}
					entry.rules = append(entry.rules, r)
				}
				entry.bare = strings.TrimSpace(names) == ""
				found = append(found, entry)
			}
			start += len(line) + 1
		}
	}
	return found
}

// covers reports whether an ignore is for a finding.
func (i *ignore) covers(d manifest.Diagnostic) bool {
	if !slices.Contains(i.rules, d.Rule) || i.line != 0 && i.line != d.Line {
		return false
	}
	return len(i.files) == 0 || slices.ContainsFunc(i.files, func(pattern string) bool { return matchFile(pattern, d.File) })
}

// matchFile matches a path with a pattern in which ** stands for any number of folders.
func matchFile(pattern, file string) bool {
	if before, after, ok := strings.Cut(pattern, "**"); ok {
		if !strings.HasPrefix(file, before) {
			return false
		}
		after = strings.TrimPrefix(after, "/")
		rest := strings.TrimPrefix(file, before)
		for {
			if after == "" || matchFile(after, rest) {
				return true
			}
			_, tail, more := strings.Cut(rest, "/")
			if !more {
				return false
			}
			rest = tail
		}
	}
	if strings.HasSuffix(pattern, "/") {
		return strings.HasPrefix(file, pattern)
	}
	ok, err := path.Match(pattern, file)
	return err == nil && ok
}

// settle gives findings the severities that the settings ask for, and leaves out those that are ignored.
func (p *pass) settle(rules []Rule) (kept manifest.Diagnostics, suppressed int) {
	ignores := p.settings.ignores
	for _, d := range p.found {
		if set, ok := p.settings.severities[d.Rule]; ok && d.Rule != settingsRule {
			if set == off {
				suppressed++
				continue
			}
			d.Severity = manifest.Severity(set)
		}
		hidden := false
		for _, i := range ignores {
			if i.covers(d) {
				i.used[d.Rule], hidden = true, true
			}
		}
		if hidden {
			suppressed++
			continue
		}
		kept = append(kept, d)
	}
	severity := manifest.SeverityWarning
	switch set := p.settings.severities[unusedRule]; set {
	case off:
		return kept, suppressed
	case "":
	default:
		severity = manifest.Severity(set)
	}
	for _, i := range ignores {
		if i.fromProject {
			continue // it may be for another package
		}
		var message string
		var unused []string
		for _, r := range i.rules {
			if !i.used[r] {
				unused = append(unused, r)
			}
		}
		switch {
		case i.bare:
			message = "the ignore names no rule, so it is for none"
		case len(unused) > 0:
			message = "nothing is reported here under " + quoted(unused)
		default:
			continue
		}
		kept = append(kept, manifest.Diagnostic{Rule: unusedRule, Severity: severity, File: i.file, Line: i.at.Line, Column: i.at.Column, EndColumn: i.at.EndColumn,
			Message: message, Hint: "remove what is not needed: it would hide the next fault", Frame: i.frame})
		if i.end > i.start && len(unused) == len(i.rules) {
			at := placeOf(kept[len(kept)-1])
			p.fixes[at] = append(p.fixes[at], Fix{Rule: unusedRule, File: i.file, Start: i.start, End: i.end, source: i.source})
		}
	}
	return kept, suppressed
}
