package source

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/neuralis-dev/neuralis/internal/nesting"
	"github.com/neuralis-dev/neuralis/internal/sourcemap"
)

// File is a source file that was read.
type File struct {
	// Name is the file's path in the package.
	Name string
	// Source is the author's text.
	Source []byte
	// Root is a Block with the statements of the file.
	Root *Node
	// Imports are the modules that are imported for their values, in the order of the source.
	Imports []Import
	// Exports are what the file exports, in the order of the source.
	Exports []Export
	// Globals are the names that no scope of the file declares.
	Globals map[string]*Binding

	code   []byte
	rawMap []byte
	places *sourcemap.Map
	lines  []int
	values []string
}

// Import is one import or re-export of a module.
type Import struct {
	Module string
	// Offset is where the specifier stands.
	Offset int
	// Dynamic says that it is an import().
	Dynamic bool
}

// Export is one name that a file exports.
type Export struct {
	// Name is "default" for the default export, and "*" for everything of another module.
	Name string
	// Value is what is exported, or nil where that is not known.
	Value *Node
	// Module is where it is from, for re-exports.
	Module string
	// Offset is where the name stands.
	Offset int
}

// Fault is why a file cannot be read. Line and Column are 1-based; Column counts UTF-16 code units.
type Fault struct {
	Message      string
	Line, Column int
	Length       int
}

func (f *Fault) Error() string { return f.Message }

const (
	// shallow is the size of files that cannot be nested so deeply that it matters, in bytes.
	shallow = 32 << 10
	// maxDepth is how deep brackets and operators may be nested, and chains long; see package nesting.
	maxDepth = 10_000
)

// Parse reads a file. A file that cannot be read is a [*Fault].
func Parse(name string, source []byte) (file *File, err error) {
	if len(source) > shallow {
		if at, levels := nesting.Beyond(source, maxDepth, maxDepth, true); at >= 0 {
			before := source[:at]
			start := bytes.LastIndexByte(before, '\n') + 1
			return nil, &Fault{Message: fmt.Sprintf("the code is nested more than %d levels deep", levels), Line: bytes.Count(before, []byte{'\n'}) + 1, Column: utf16Length(string(before[start:])) + 1}
		}
	}
	loader := api.LoaderTS
	switch {
	case strings.HasSuffix(name, ".tsx"), strings.HasSuffix(name, ".jsx"):
		loader = api.LoaderTSX
	case strings.HasSuffix(name, ".js"), strings.HasSuffix(name, ".mjs"):
		loader = api.LoaderJS
	}
	result := api.Transform(string(source), api.TransformOptions{
		Loader: loader, Sourcefile: name, Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		// What the parser behind this one does not know is written in older words.
		Target: api.ES2022, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
		TsconfigRaw: `{}`,
	})
	if len(result.Errors) > 0 {
		return nil, faultOf(result.Errors[0])
	}
	defer func() { // the parser is another's
		if r := recover(); r != nil {
			file, err = nil, &Fault{Message: fmt.Sprintf("the file cannot be analysed: %v", r), Line: 1, Column: 1}
		}
	}()
	f := &File{Name: name, Source: source, code: result.Code, rawMap: result.Map, Globals: map[string]*Binding{}}
	// The parser is given room for the byte that it writes behind the text: pieces of it then lie in this buffer.
	buffer := make([]byte, len(f.code), len(f.code)+1)
	copy(buffer, f.code)
	tree, err := js.Parse(parse.NewInputBytes(buffer), js.Options{})
	if err != nil {
		return nil, &Fault{Message: fmt.Sprintf("the file cannot be analysed: %v", err), Line: 1, Column: 1}
	}
	r := &reader{file: f, room: cap(buffer), bindings: map[*js.Var]*Binding{}, imports: map[string]imported{}}
	r.cursor.tokens = tokens(f.code, expressions(tree))
	r.read(tree)
	return f, nil
}

func faultOf(m api.Message) *Fault {
	f := &Fault{Message: m.Text, Line: 1, Column: 1}
	if at := m.Location; at != nil {
		f.Line, f.Column = at.Line, utf16Length(at.LineText[:min(at.Column, len(at.LineText))])+1
		if end := at.Column + at.Length; at.Length > 0 && end <= len(at.LineText) {
			f.Length = utf16Length(at.LineText[at.Column:end])
		}
	}
	return f
}

func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// Strings are the values of all strings in the file, for looking whether something is mentioned.
func (f *File) Strings() []string { return f.values }

// Place is where an offset in the code is in the author's text, 1-based, the column in UTF-16 code units; end is the column
// behind the word that stands there. ok is false where nothing of the author's stands behind it.
func (f *File) Place(offset int) (line, column, end int, ok bool) {
	if offset < 0 {
		return 0, 0, 0, false
	}
	if f.places == nil {
		places, err := sourcemap.Parse(f.rawMap)
		if err != nil {
			return 0, 0, 0, false
		}
		f.places = places
	}
	before := f.code[:min(offset, len(f.code))]
	start := bytes.LastIndexByte(before, '\n') + 1
	at, ok := f.places.Source(bytes.Count(before, []byte{'\n'})+1, utf16Length(string(before[start:]))+1)
	if !ok {
		return 0, 0, 0, false
	}
	line, column = at.Line, at.Column
	// A place of the map may begin before the word that is meant: the word is then the next of its text on the line.
	text := f.line(line)
	rest := text[byteOffset(text, column-1):]
	word := wordAt(string(f.code[offset:min(len(f.code), offset+200)]))
	if i := strings.Index(rest, word); word != "" && i > 0 && i < 200 {
		column += utf16Length(rest[:i])
		rest = rest[i:]
	}
	if length := len(wordAt(rest)); length > 0 {
		end = column + utf16Length(rest[:length])
	}
	return line, column, end, true
}

// wordAt is the name or string that text begins with.
func wordAt(text string) string {
	if text == "" {
		return ""
	}
	if quote := text[0]; quote == '\'' || quote == '"' || quote == '`' {
		for i := 1; i < len(text) && text[i] != '\n'; i++ {
			switch text[i] {
			case '\\':
				i++
			case quote:
				return text[:i+1]
			}
		}
		return ""
	}
	i := 0
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r < 0x80 && !(r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			break
		}
		i += size
	}
	return text[:i]
}

func byteOffset(text string, units int) int {
	for i, r := range text {
		if units <= 0 {
			return i
		}
		units -= max(1, utf16.RuneLen(r))
	}
	return len(text)
}

// line is the text of a line of the source, without its end.
func (f *File) line(number int) string {
	if f.lines == nil {
		f.lines = []int{0}
		for i, c := range f.Source {
			if c == '\n' {
				f.lines = append(f.lines, i+1)
			}
		}
	}
	if number < 1 || number > len(f.lines) {
		return ""
	}
	text := f.Source[f.lines[number-1]:]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(string(text), "\r")
}
