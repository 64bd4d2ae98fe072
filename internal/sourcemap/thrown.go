package sourcemap

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/neuralis-dev/neuralis/manifest"
)

// RuleException is a value that was thrown and not caught.
const RuleException = "uncaught-exception"

// Thrown is what the sandbox reports of something thrown: the JSON of an Extism error.
type Thrown struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack"`
}

// Diagnostic says what was thrown and where the author wrote it: at the first frame in a file
// of the author's own, with the whole stack as notes. bundle is the name the engine knew the
// bundle by. A nil Map gives the engine's places as they are.
func (m *Map) Diagnostic(bundle string, thrown Thrown) manifest.Diagnostic {
	d := manifest.Diagnostic{Rule: RuleException, Severity: manifest.SeverityError, Message: thrown.text(), Hint: hint(thrown)}
	var frames []Frame
	if m != nil {
		frames = m.Stack(bundle, thrown.Stack)
		m.refine(frames, thrown)
	} else {
		frames = ParseStack(thrown.Stack)
	}
	d.Notes = notes(frames)
	at, ok := culprit(frames)
	if !ok {
		return d
	}
	d.File, d.Line, d.Column = at.File, at.Line, at.Column
	if m == nil {
		return d
	}
	if source := m.Content(at.File); source != nil {
		d.EndColumn = wordEnd(source, at.Line, at.Column)
		d.Frame = manifest.Frame(source, at.Line, at.Column, d.EndColumn)
	}
	return d
}

// exportOf finds where a module exports a name.
func exportOf(source []byte, name string) (line, column int) {
	pattern := `(?:async\s+)?(?:function\s*\*?|const|let|var|class)\s+` + regexp.QuoteMeta(name) + `\b`
	if name == "default" {
		pattern = `(?:default\b|\{[^}]*\bas\s+default\b)`
	}
	at := regexp.MustCompile(`(?m)^[ \t]*(export)\s+` + pattern).FindSubmatchIndex(source)
	if at == nil {
		return 0, 0
	}
	return placeOf(string(source), at[2])
}

// AtExport places a diagnostic where a file of the author's exports a name ("default" for the default
// export), for what has no place of its own: a promise that never settles, a value thrown that is
// no Error. A place in the author's files that d has already is kept. A nil Map gives the file alone.
func (m *Map) AtExport(d *manifest.Diagnostic, file, name string) {
	if file == "" || d.Line > 0 && !Internal(d.File) {
		return
	}
	d.File, d.Line, d.Column, d.EndColumn, d.Frame = file, 0, 0, 0, ""
	d.Notes = slices.DeleteFunc(d.Notes, func(n manifest.Note) bool {
		return Internal(n.File) || n.File == "" && strings.HasSuffix(n.Message, "("+native+")")
	})
	if m == nil {
		return
	}
	source := m.Content(file)
	if source == nil {
		return
	}
	if d.Line, d.Column = exportOf(source, name); d.Line == 0 {
		d.Line, d.Column = 1, 1
	}
	d.EndColumn = wordEnd(source, d.Line, d.Column)
	d.Frame = manifest.Frame(source, d.Line, d.Column, d.EndColumn)
}

func (t Thrown) text() string {
	message := strings.TrimSpace(t.Message)
	switch {
	case t.Name == "" && message == "":
		return "something was thrown that is no Error"
	case t.Name == "":
		return message
	case message == "":
		return t.Name
	}
	return t.Name + ": " + message
}

func (f Frame) note() manifest.Note {
	if f.File == "" || f.File == native {
		return manifest.Note{Message: f.String()}
	}
	message := "at top level"
	// The bundler names the function around a CommonJS module by its file.
	if f.Function != "" && f.Function != "<eval>" && f.Function != f.File {
		message = "in " + f.Function
	}
	return manifest.Note{Message: message, File: f.File, Line: f.Line, Column: f.Column}
}

// notes writes frames down, those that follow each other and are the same, as in a recursion, only once.
func notes(frames []Frame) []manifest.Note {
	var list []manifest.Note
	for i := 0; i < len(frames); {
		next := i + 1
		for next < len(frames) && frames[next] == frames[i] {
			next++
		}
		note := frames[i].note()
		if times := next - i; times > 1 {
			note.Message += fmt.Sprintf(" (%d times)", times)
		}
		list = append(list, note)
		i = next
	}
	return list
}

// culprit is the frame to show: the author's own code before an npm package's, and either
// before the sandbox's library.
func culprit(frames []Frame) (Frame, bool) {
	best, rank := Frame{}, 0
	for _, f := range frames {
		r := 0
		switch {
		case f.Line == 0 || f.File == native || strings.HasPrefix(f.File, "<"):
		case Internal(f.File):
			r = 1
		case strings.Contains(f.File, "node_modules/"):
			r = 2
		default:
			r = 3
		}
		if r > rank {
			best, rank = f, r
		}
	}
	return best, rank > 0
}

// wordEnd is the column after the identifier that begins at a place, so that carets cover it.
func wordEnd(source []byte, line, column int) int {
	text := string(source)
	for ; line > 1; line-- {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return 0
		}
		text = rest
	}
	text, _, _ = strings.Cut(text, "\n")
	units := utf16.Encode([]rune(text))
	end := column - 1
	for end >= 0 && end < len(units) && wordUnit(units[end]) {
		end++
	}
	if end < column {
		return 0
	}
	return end + 1
}

func wordUnit(u uint16) bool {
	return u == '_' || u == '$' || u >= '0' && u <= '9' || u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z' || u >= 0x80
}

// hints for names that other environments have. They come up when a package made for Node
// or a browser runs in the sandbox.
var hints = map[string]string{
	"process":        "the sandbox has no process: use ctx.config.get for settings, ctx.credentials.resolveCredential for secrets",
	"require":        "modules are bundled when the package is built: use import",
	"module":         "modules are bundled when the package is built: use export",
	"exports":        "modules are bundled when the package is built: use export",
	"__dirname":      "the sandbox has no files: use ctx.data, or import the file to build it in",
	"__filename":     "the sandbox has no files: use ctx.data, or import the file to build it in",
	"window":         "the sandbox is no browser page: use globalThis for Web APIs",
	"document":       "the sandbox is no browser page: there is no DOM",
	"localStorage":   "use ctx.data.fileStore to keep values",
	"XMLHttpRequest": "use fetch",
	"WebSocket":      "the sandbox has no sockets: use fetch",
	"Deno":           "the sandbox has neither files nor processes: use ctx",
	"Bun":            "the sandbox has neither files nor processes: use ctx",
}

var undefinedName = regexp.MustCompile(`^'?([A-Za-z_$][\w$]*)'? is not defined$`)

func hint(t Thrown) string {
	if found := undefinedName.FindStringSubmatch(t.Message); found != nil && t.Name == "ReferenceError" {
		if text, ok := hints[found[1]]; ok {
			return text
		}
		return fmt.Sprintf("%s is neither declared nor part of the sandbox; a Web API is only there where code mentions its name", found[1])
	}
	if t.Name == "RangeError" && strings.Contains(t.Message, "call stack") {
		return "a function calls itself without end, or too deep"
	}
	return ""
}
