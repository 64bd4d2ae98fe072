package jsonmodel

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Comments reads the comments of the struct types in the Go source files of a folder, tests left out. The keys
// are the names of fields as Type.Field. It is for generating schemas, next to the source they come from.
func Comments(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list the Go files of %s: %w", dir, err)
	}
	comments := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the comments of the model: %w", err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read the comments of the model: %w", err)
		}
		collectComments(file, comments)
	}
	return comments, nil
}

func collectComments(file *ast.File, comments map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		declared, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		structure, ok := declared.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range structure.Fields.List {
			for _, name := range f.Names {
				if text := plainText(f.Doc.Text()); text != "" {
					comments[declared.Name.Name+"."+name.Name] = text
				}
			}
		}
		return true
	})
}

// plainText is a Go comment without its line breaks and links.
func plainText(text string) string {
	// Whatever looks like a link is one, so that its brackets go.
	p := comment.Parser{LookupSym: func(string, string) bool { return true }}
	printer := comment.Printer{TextWidth: -1}
	return strings.TrimSpace(string(printer.Text(p.Parse(text))))
}
