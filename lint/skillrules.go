package lint

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/suggest"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

func skillRules() []Rule {
	rule := func(id string, summary, todo, bad, good string, check func(*pass)) Rule {
		front := "-- skills/find/SKILL.md --\n---\nname: find\ndescription: Find things in the shop\n---\n"
		return Rule{ID: id, Severity: manifest.SeverityWarning, Family: FamilySkills, Summary: summary, Todo: todo, Bad: demo + front + bad, Good: demo + front + good, check: check}
	}
	const script = "-- skills/find/scripts/find.py --\nprint('found')\n"
	declared := rule("skill-credential", "a skill asks with `${MISSING:id}` for a credential that the package does not declare, so the answer is always that it is missing", "declare the credential",
		"The key is «${MISSING:acme.key}».\n", "", skillCredentials)
	declared.Good = strings.Replace(declared.Bad, `{ "id": "demo" }`, `{ "id": "demo", "credentials": [{ "id": "acme.key" }] }`, 1)
	declared.Good = strings.NewReplacer("«", "", "»", "").Replace(declared.Good)
	return []Rule{
		rule("skill-token", "a skill has a token `${…}` that stands for nothing, and is shown to models as it is", "correct it; [packages.md](packages.md#skills) has the tokens that there are",
			"The list is at «${NEURALIS_URL}»/demo.\n", "The list is at ${NEURALIS_API}/demo.\n", skillTokens),
		declared,
		rule("skill-script", "a skill names a file of its own that is not there, or a script that cannot be executed", "add the file; `chmod +x` it",
			"Run `python «${SKILL_DIR}/scripts/search.py»`.\n"+script, "Run `python ${SKILL_DIR}/scripts/find.py`.\n"+script, skillScripts),
	}
}

// token is something that is replaced in a skill, or looks like it.
var token = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:[^}\s]*)?\}`)

// tokens are the words that are replaced in skills.
func skillWords() []string {
	return []string{"NEURALIS_API", "SKILL_DIR", "SKILL_URI", "PACKAGE_ID", "PROJECT_ID", "PROJECT_ROOT", "AGENT_ID", "DATA_DIR"}
}

// skills calls visit with the text below the front matter of each skill.
func (p *pass) skills(visit func(skill manifest.Skill, doc *jsondoc.Document, start int)) {
	root, err := os.OpenRoot(p.pkg.Dir)
	if err != nil {
		return
	}
	defer root.Close()
	for _, skill := range p.pkg.Skills {
		if skill.Invalid {
			continue
		}
		text, err := fs.ReadFile(root.FS(), skill.File)
		if err != nil {
			continue
		}
		front, _ := manifest.ParseSkill(skill.File, text)
		visit(skill, jsondoc.Text(text), front.Body)
	}
}

func skillTokens(p *pass) {
	p.skills(func(skill manifest.Skill, doc *jsondoc.Document, start int) {
		for _, m := range token.FindAllSubmatchIndex(doc.Source[start:], -1) {
			name, argument := string(doc.Source[start+m[2]:start+m[3]]), m[4] >= 0
			known := false
			for _, word := range skillWords() {
				known = known || word == name && !argument
			}
			if known || name == "MISSING" && argument {
				continue
			}
			near, ok := suggest.Closest(name, append(skillWords(), "MISSING"))
			if name == "MISSING" {
				near, ok = "MISSING:<credential>", true
			}
			shared, _, _ := strings.Cut(name, "_")
			// A block of code has variables of its own.
			switch {
			case ok, name == strings.ToUpper(name) && !fenced(doc.Source[start:start+m[0]]), shared == "NEURALIS", shared == "SKILL":
			default:
				continue
			}
			hint := "one of " + strings.Join(skillWords(), ", ") + ", MISSING:<credential>"
			if ok {
				hint = fmt.Sprintf("did you mean ${%s}?", near)
			}
			p.span(doc, skill.File, start+m[0], start+m[1], fmt.Sprintf("%s stands for nothing, and models are shown it as it is", doc.Source[start+m[0]:start+m[1]]), hint)
		}
	})
}

// fenced reports whether what follows text is in a block or a span of code.
func fenced(text []byte) bool {
	fences := 0
	for line := range bytes.Lines(text) {
		if trimmed := bytes.TrimSpace(line); bytes.HasPrefix(trimmed, []byte("```")) || bytes.HasPrefix(trimmed, []byte("~~~")) {
			fences++
		}
	}
	last := text[bytes.LastIndexByte(text, '\n')+1:]
	return fences%2 == 1 || bytes.Count(last, []byte("`"))%2 == 1
}

func skillCredentials(p *pass) {
	declared := p.declared("credentials", "id")
	p.skills(func(skill manifest.Skill, doc *jsondoc.Document, start int) {
		for _, m := range token.FindAllSubmatchIndex(doc.Source[start:], -1) {
			if string(doc.Source[start+m[2]:start+m[3]]) != "MISSING" || m[4] < 0 {
				continue
			}
			if id := string(doc.Source[start+m[4]+1 : start+m[5]]); !declared[id] {
				p.span(doc, skill.File, start+m[0], start+m[1], fmt.Sprintf("the package declares no credential %q, so it is always missing", id), near(id, declared, "declare it in credentials"))
			}
		}
	})
}

// ownFile is a file of a skill, as its text names it.
var ownFile = regexp.MustCompile(`\$\{SKILL_DIR\}/([A-Za-z0-9_./-]*[A-Za-z0-9_-])`)

func skillScripts(p *pass) {
	p.skills(func(skill manifest.Skill, doc *jsondoc.Document, start int) {
		for _, m := range ownFile.FindAllSubmatchIndex(doc.Source[start:], -1) {
			name := path.Join(skill.Dir, string(doc.Source[start+m[2]:start+m[3]]))
			if !strings.HasPrefix(name, skill.Dir+"/") {
				continue
			}
			at := filepath.Join(p.pkg.Dir, filepath.FromSlash(name))
			info, err := os.Stat(at)
			switch {
			case err != nil:
				p.span(doc, skill.File, start+m[0], start+m[1], fmt.Sprintf("there is no %s", name), "add the file, or correct its name")
			case info.Mode().IsRegular() && info.Mode()&0o111 == 0 && runtime.GOOS != "windows" && beginsWithShebang(at):
				p.span(doc, skill.File, start+m[0], start+m[1], fmt.Sprintf("%s is a script that cannot be executed", name), "chmod +x it")
			}
		}
	})
}

func beginsWithShebang(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var first [2]byte
	n, _ := f.Read(first[:])
	return string(first[:n]) == "#!"
}
