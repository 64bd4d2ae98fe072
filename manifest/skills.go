package manifest

import (
	"fmt"
	"path"
)

// skillFile is what makes a folder a skill.
const skillFile = "SKILL.md"

// readSkills finds the skills of the package.
func (l *loader) readSkills() {
	for _, dir := range l.folder.list("skills") {
		if !dir.info.IsDir() {
			continue
		}
		e, ok := l.folder.stat(path.Join(dir.path, skillFile))
		if !ok {
			d := aboutFile(RuleSkillMissing, dir.path, fmt.Sprintf("add a %s, named in capitals, or move the folder out of skills/", skillFile),
				"the folder has no %s, so it is no skill", skillFile)
			d.Severity = SeverityWarning
			l.report(d)
			continue
		}
		l.pkg.Skills = append(l.pkg.Skills, l.readSkill(dir.path, e))
	}
}

// readSkill reads the front matter of one skill. What is wrong with it is reported, and the skill is there
// all the same.
func (l *loader) readSkill(dir string, e entry) Skill {
	skill := Skill{Name: path.Base(dir), Dir: dir, File: e.path}
	source, ok := l.folder.read(e)
	if !ok {
		skill.Invalid = true
		return skill
	}
	front, diagnostics := ParseSkill(e.path, source)
	for _, d := range diagnostics {
		l.report(d)
	}
	skill.Invalid = diagnostics.HasErrors()
	skill.Description = front.Description
	if front.Name != "" {
		skill.Name = front.Name
	}
	return skill
}
