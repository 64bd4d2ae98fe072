package manifest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// readTools finds the tools of the package: their schemas, and the handlers that have none.
func (l *loader) readTools() {
	pkg := &l.pkg
	byName := map[string]int{}
	for _, e := range l.folder.list("tools") {
		if !strings.HasSuffix(e.name(), ".json") {
			continue
		}
		tool := l.readTool(e)
		byName[tool.Name] = len(pkg.Tools)
		pkg.Tools = append(pkg.Tools, tool)
	}
	pkg.ToolSources = l.handlers("src/tools")
	for _, file := range pkg.ToolSources {
		name := stem(file, ".ts")
		if i, ok := byName[name]; ok {
			pkg.Tools[i].Source = file
			continue
		}
		tool := Tool{Name: name, Source: file}
		l.checkToolName(&tool, file)
		pkg.Tools = append(pkg.Tools, tool)
	}
	slices.SortFunc(pkg.Tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
}

// readTool reads one tool file. What is wrong with it is reported, and the tool is there all the same.
func (l *loader) readTool(e entry) Tool {
	source, ok := l.folder.read(e)
	if !ok {
		tool := Tool{Name: stem(e.path, ".json"), File: e.path, Invalid: true}
		l.checkToolName(&tool, e.path)
		return tool
	}
	return l.parseTool(e.path, source)
}

// parseTool reads the text of one tool file.
func (l *loader) parseTool(path string, source []byte) Tool {
	tool := Tool{Name: stem(path, ".json"), File: path}
	l.checkToolName(&tool, path)
	doc, problems := jsondoc.Parse(source, jsondoc.DefaultLimits())
	var file toolFile
	if doc.Root != nil {
		problems = append(problems, toolModel().Decode(doc, doc.Root, &file)...)
		tool.Schema = bytes.TrimPrefix(source, []byte("\uFEFF"))
	}
	for _, p := range problems {
		d := FromProblem(doc, path, p, RuleToolInvalid)
		tool.Invalid = tool.Invalid || d.Severity == SeverityError
		l.report(d)
	}
	tool.Title, tool.Description, tool.Extension = file.Title, file.Description, file.Extension
	return tool
}

func (l *loader) checkToolName(tool *Tool, file string) {
	if ValidToolName(tool.Name) {
		return
	}
	tool.Invalid = true
	l.report(aboutFile(RuleToolName, file, "rename the file",
		"a tool cannot be called %s: a name must be %s", fmt.Sprintf("%q", clip(strings.ToValidUTF8(tool.Name, "\uFFFD"))), formats().Is("tool")))
}
