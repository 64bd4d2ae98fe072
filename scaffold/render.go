package scaffold

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
	"text/template"

	"github.com/neuralis-dev/neuralis/templates"
)

// file is a file to be written.
type file struct {
	name string // slash-separated, relative to the package folder
	data []byte
}

// functions are what templates may call.
var functions = template.FuncMap{
	// json is a value as JSON, which is also a YAML scalar and, for plain text, a
	// string literal of Go and Python.
	"json": func(v any) (string, error) {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return "", err
		}
		return strings.TrimSuffix(b.String(), "\n"), nil
	},
	"js": jsString,
}

// jsString is text on one line as a string literal of TypeScript, in the quotes
// that the templates use.
func jsString(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// render fills one template file in.
func render(name string, data any) ([]byte, error) {
	source, err := fs.ReadFile(templates.Files, name)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, ".tmpl") {
		return source, nil
	}
	t, err := template.New(name).Delims("<<", ">>").Option("missingkey=error").Funcs(functions).Parse(string(source))
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// renderTree fills a template folder in. The files are in the order of their names.
func renderTree(root string, data packageData) ([]file, error) {
	var files []file
	err := fs.WalkDir(templates.Files, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := render(name, data)
		if err != nil {
			return err
		}
		target := strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), ".tmpl")
		target = strings.NewReplacer("__id__", data.ID, "__prefix__", data.Prefix).Replace(target)
		if path.Base(target) == "gitignore" {
			target = path.Join(path.Dir(target), ".gitignore")
		}
		files = append(files, file{name: target, data: content})
		return nil
	})
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	return files, err
}
