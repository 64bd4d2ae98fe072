package catalog

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/session"
)

func TestMarkdown(t *testing.T) {
	files := map[string]string{
		"kb/readme.md": "", "kb/deep/er/Note.MD": "", "kb/x.markdown": "", "kb/x.txt": "", "kb/.hidden.md": "", "kb/.git/a.md": "", "kb/node_modules/a.md": "",
		"kb/_data/a.md": "", "kb/pkg/package.json": pkg("p"), "kb/pkg/docs/a.md": "", "kb/broken/package.json": "{", "kb/broken/a.md": "",
		"secret.md": "", "kb/leak.md@": "../secret.md", "kb/leaks@": "../elsewhere", "elsewhere/a.md": "", "kb/logs/a.md": "",
	}
	tests := []struct {
		name string
		kb   Source
		want []string
	}{
		{"a source", Source{Scope: project}, []string{"broken/a.md", "deep/er/Note.MD", "pkg/docs/a.md", "readme.md", "x.markdown"}},
		{"one that is flagged, without the packages in it", Source{Scope: project, RecognizesPackages: true}, []string{"deep/er/Note.MD", "readme.md", "x.markdown"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := tree(t, files)
			test.kb.ID, test.kb.Path = "kb", "kb"
			roots := in(dir, Roots{Sources: []Source{test.kb}})
			roots.Exclude = []string{roots.Sources[0].Path + "/logs"}
			e, ok := Scan(context.Background(), roots).Entry(session.Session{}, "source.kb")
			if !ok || !slices.Equal(e.Markdown, test.want) || !slices.Equal(e.Package.Docs, test.want) || e.Kind != KindSource {
				t.Errorf("got  %q\nwant %q", e.Markdown, test.want)
			}
		})
	}
}

// TestSourceThatIsAPackage has the folder of a source that is a package itself: it is there once.
func TestSourceThatIsAPackage(t *testing.T) {
	bob := Scope{ScopeUser, "bob"}
	tests := []struct {
		name     string
		manifest string
		sources  []Source
		want     []string // entries with the number of their markdown files
	}{
		{"flagged", pkg("p"), []Source{{ID: "kb", Path: "kb", RecognizesPackages: true, Scope: project}}, []string{"p 2"}},
		{"not flagged", pkg("p"), []Source{{ID: "kb", Path: "kb", Scope: project}}, []string{"source.kb 2"}},
		{"flagged and broken", "{", []Source{{ID: "kb", Path: "kb", RecognizesPackages: true, Scope: project}}, []string{"kb 2"}},
		{"two sources with it", pkg("p"), []Source{{ID: "kb", Path: "kb", RecognizesPackages: true, Scope: project}, {ID: "again", Path: "link", RecognizesPackages: true, Scope: project}}, []string{"p 2"}},
		{"the project's and somebody's", pkg("p"), []Source{{ID: "kb", Path: "kb", RecognizesPackages: true, Scope: project}, {ID: "bobs", Path: "kb", RecognizesPackages: true, Scope: bob}}, []string{"p 2", "source.bobs 2"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := tree(t, map[string]string{"kb/package.json": test.manifest, "kb/readme.md": "", "kb/docs/a.md": "", "link@": "kb"})
			var got []string
			for _, e := range Scan(context.Background(), in(dir, Roots{Sources: test.sources})).All() {
				got = append(got, e.ID+" "+strings.Repeat("I", len(e.Markdown)))
			}
			for i, w := range test.want {
				test.want[i] = strings.Replace(w, " 2", " II", 1)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
