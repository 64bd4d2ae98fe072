package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/neuralis-dev/neuralis/internal/atomicfile"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// Fix is a change that makes a finding go away and changes nothing else of what the package means.
type Fix struct {
	// Rule and File are those of the finding; the file is relative to the package's folder.
	Rule, File string
	// Start and End are the byte offsets of what is replaced by Text.
	Start, End int
	Text       string

	source []byte
}

// place is what a finding is known by until it is reported.
type place struct {
	rule, file   string
	line, column int
}

func placeOf(d manifest.Diagnostic) place { return place{d.Rule, d.File, d.Line, d.Column} }

// fix offers a change for the finding that was reported last.
func (p *pass) fix(source []byte, start, end int, text string) {
	d := p.found[len(p.found)-1]
	p.fixes[placeOf(d)] = append(p.fixes[placeOf(d)], Fix{Rule: d.Rule, File: d.File, Start: start, End: end, Text: text, source: source})
}

// Apply makes the changes in a package's folder, and returns how many it made. Of changes that touch each other the first is
// made; the others are offered again when the package is looked at anew. A file that has changed since is left alone.
func Apply(dir string, fixes []Fix) (made int, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	byFile := map[string][]Fix{}
	for _, f := range fixes {
		byFile[f.File] = append(byFile[f.File], f)
	}
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		n, err := applyTo(root, name, byFile[name])
		made += n
		if err != nil {
			return made, fmt.Errorf("changing %s: %w", name, err)
		}
	}
	return made, nil
}

func applyTo(root *os.Root, name string, fixes []Fix) (made int, err error) {
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return 0, err
	}
	text, err := fs.ReadFile(root.FS(), name)
	if err != nil {
		return 0, err
	}
	slices.SortStableFunc(fixes, func(a, b Fix) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	var changed []byte
	at := 0
	for _, f := range fixes {
		if !bytes.Equal(f.source, text) || f.Start < at || f.End < f.Start || f.End > len(text) || made > 0 && f.Start == at {
			continue
		}
		changed = append(append(changed, text[at:f.Start]...), f.Text...)
		at = f.End
		made++
	}
	if made == 0 {
		return 0, nil
	}
	changed = append(changed, text[at:]...)
	return made, atomicfile.WriteIn(root, filepath.FromSlash(name), changed, info.Mode().Perm())
}

// withoutMember is what to cut out of a document so that an object lacks one of its members.
func withoutMember(object *jsondoc.Value, member *jsondoc.Member) (start, end int) {
	i := slices.IndexFunc(object.Members, func(m jsondoc.Member) bool { return m.Start == member.Start })
	switch {
	case i > 0:
		return object.Members[i-1].Value.End, member.Value.End
	case len(object.Members) > 1:
		return member.Start, object.Members[1].Start
	}
	return member.Start, member.Value.End
}

// loaderFixes offers changes for what package manifest reported.
func (p *pass) loaderFixes() {
	if p.manifest == nil {
		return
	}
	for _, d := range p.found {
		if d.File != p.pkg.ManifestFile {
			continue
		}
		offer := func(start, end int) {
			p.fixes[placeOf(d)] = []Fix{{Rule: d.Rule, File: d.File, Start: start, End: end, source: p.doc.Source}}
		}
		switch d.Rule {
		case manifest.RuleByteOrderMark:
			offer(0, len("\uFEFF"))
		case manifest.RuleTrustClaim:
			for i := range p.manifest.Members {
				m := &p.manifest.Members[i]
				if at := p.doc.Span(m.Start, m.End); at.Line == d.Line && at.Column == d.Column {
					offer(withoutMember(p.manifest, m))
				}
			}
		}
	}
}
