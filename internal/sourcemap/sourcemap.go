package sourcemap

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-sourcemap/sourcemap"
)

// Map is a parsed source map. It is safe for use by many goroutines.
type Map struct {
	consumer *sourcemap.Consumer
	contents map[string]string
	// modules are the parts that a bundle was compiled in: by name, pairs of a line of the module
	// and the line of the bundle that it is, in order.
	modules map[string][][2]int
}

// Parse reads a source map of version 3, with or without sections.
func Parse(data []byte) (*Map, error) {
	consumer, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("read the source map: %w", err)
	}
	var file struct {
		Sources        []string  `json:"sources"`
		SourcesContent []*string `json:"sourcesContent"`

		Modules map[string][][2]int `json:"x_neuralis_modules"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read the source map: %w", err)
	}
	m := &Map{consumer: consumer, contents: map[string]string{}, modules: file.Modules}
	for i, source := range file.Sources {
		if i < len(file.SourcesContent) && file.SourcesContent[i] != nil {
			m.contents[fileOf(source)] = *file.SourcesContent[i]
		}
	}
	return m, nil
}

// fileOf is the name of the file that a source of a map is. Sources are URLs, in which some characters of names have a
// form of their own.
func fileOf(source string) string {
	if !strings.Contains(source, "%") {
		return source
	}
	name, err := url.PathUnescape(source)
	if err != nil {
		return source
	}
	return name
}

// parse keeps a malformed map from becoming a panic: the library trusts the numbers in it.
func parse(data []byte) (consumer *sourcemap.Consumer, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("malformed: %v", r)
		}
	}()
	return sourcemap.Parse("", data)
}

// Position is a place in a source. Line and Column are 1-based; Column counts UTF-16 code
// units.
type Position struct {
	File         string
	Line, Column int
	// Name is what the author called the identifier here, where the bundler renamed it.
	Name string
}

// Source is the author's place for a 1-based place in the generated code. ok is false when
// nothing in a source stands behind it.
func (m *Map) Source(line, column int) (at Position, ok bool) {
	defer func() {
		if recover() != nil { // an index in the map that leads nowhere
			at, ok = Position{}, false
		}
	}()
	if line < 1 || column < 1 {
		return Position{}, false
	}
	file, name, sourceLine, sourceColumn, ok := m.consumer.Source(line, column-1)
	if !ok || file == "" {
		return Position{}, false
	}
	return Position{File: fileOf(file), Line: sourceLine, Column: sourceColumn + 1, Name: name}, true
}

// inBundle leads a line of a module that the bundle was compiled in to the bundle's line.
func (m *Map) inBundle(module string, line int) (int, bool) {
	found := false
	at := 0
	for _, run := range m.modules[module] {
		if run[0] <= line {
			at, found = run[1]+line-run[0], true
		}
	}
	return at, found
}

// Content is the text of a source, or nil when the map does not carry it.
func (m *Map) Content(file string) []byte {
	text, ok := m.contents[file]
	if !ok {
		return nil
	}
	return []byte(text)
}
