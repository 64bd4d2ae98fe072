package typegen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/neuralis-dev/neuralis/build/dispatcher"
	"github.com/neuralis-dev/neuralis/build/guest"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Folder is where the generated files lie, relative to the package folder.
const Folder = ".neuralis"

// globalsFile declares the sandbox's global scope. A node package does not have it.
const globalsFile = "globals.d.ts"

// textExtensions are the files that build/bundle makes strings of.
var textExtensions = []string{".txt", ".md", ".html", ".sql", ".css"}

// File is one generated file.
type File struct {
	// Path is slash-separated and relative to the package folder.
	Path string
	// Contents is the whole file.
	Contents []byte
}

// Files are the files of .neuralis/ for a package, sorted by path. They depend on the package alone.
func Files(pkg *manifest.Package) ([]File, error) {
	var files []File
	add := func(name string, contents []byte) {
		files = append(files, File{Path: path.Join(Folder, name), Contents: contents})
	}
	var declarations []string
	err := fs.WalkDir(guest.Declarations(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if name == globalsFile && pkg.Runtime == manifest.RuntimeNode {
			return nil
		}
		text, err := fs.ReadFile(guest.Declarations(), name)
		if err != nil {
			return err
		}
		declarations = append(declarations, declarationName(name))
		add(declarationName(name), append([]byte(header), text...))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the embedded declarations: %w", err)
	}
	config, err := tsconfig(pkg, declarations)
	if err != nil {
		return nil, fmt.Errorf("write tsconfig.json: %w", err)
	}
	add("tsconfig.json", config)
	add("tools.d.ts", toolTypes(pkg))
	add("text.d.ts", textModules(textExtensions))
	add("check.ts", checks(pkg))
	if pkg.Runtime == manifest.RuntimeWASM {
		files = append(files, File{Path: dispatcher.File, Contents: dispatcher.Generate(pkg)})
	}
	slices.SortFunc(files, func(a, b File) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	return files, nil
}

// tsconfig is the file that an author's tsconfig.json extends. Files are listed, not included by
// pattern: an "include" of the author's replaces the one here, but leaves "files" alone.
func tsconfig(pkg *manifest.Package, declarations []string) ([]byte, error) {
	files := []string{"./check.ts", "./text.d.ts", "./tools.d.ts"}
	for _, name := range declarations {
		files = append(files, "./"+name)
	}
	slices.Sort(files)
	options := map[string]any{
		"target": "ES2023", "lib": []string{"ES2023"},
		"module": "ESNext", "moduleResolution": "bundler", "moduleDetection": "force",
		"strict": true, "noEmit": true, "skipLibCheck": true,
		"verbatimModuleSyntax": true, "isolatedModules": true, "allowImportingTsExtensions": true, "resolveJsonModule": true,
		"esModuleInterop": true, "forceConsistentCasingInFileNames": true,
	}
	if pkg.Runtime != manifest.RuntimeNode {
		// Types that happen to be installed, such as those of Node, are not the sandbox's.
		options["types"] = []string{}
		options["customConditions"] = []string{"neuralis", "worker", "browser"}
	}
	if pkg.Runtime == manifest.RuntimeNode {
		// TypeScript takes no installed types by itself any more, and refuses ones that are missing.
		if _, err := os.Stat(filepath.Join(pkg.Dir, "node_modules", "@types", "node")); err == nil {
			options["types"] = []string{"node"}
		}
	}
	var b bytes.Buffer
	b.WriteString(header)
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(struct {
		CompilerOptions map[string]any `json:"compilerOptions"`
		Files           []string       `json:"files"`
		Include         []string       `json:"include"`
	}{options, files, []string{"../src", "../tests"}})
	return b.Bytes(), err
}

// Generate writes .neuralis/ for a package and returns the paths of the files that have changed. Files that
// are as they should be keep their times. Declarations of an older toolchain are removed.
func Generate(pkg *manifest.Package) (changed []string, err error) {
	files, err := Files(pkg)
	if err != nil {
		return nil, err
	}
	// A root keeps a symbolic link named .neuralis from leading the writes elsewhere.
	root, err := os.OpenRoot(pkg.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the package folder: %w", err)
	}
	defer root.Close()
	for _, file := range files {
		wrote, err := writeChanged(root, file)
		if err != nil {
			return changed, fmt.Errorf("write %s: %w", file.Path, err)
		}
		if wrote {
			changed = append(changed, file.Path)
		}
	}
	if err := removeOld(root, files); err != nil {
		return changed, fmt.Errorf("clean %s: %w", Folder, err)
	}
	return changed, nil
}

// writeChanged writes a file unless it is there already.
func writeChanged(root *os.Root, file File) (bool, error) {
	old, err := root.ReadFile(file.Path)
	if err == nil && bytes.Equal(old, file.Contents) {
		return false, nil
	}
	if err := root.MkdirAll(path.Dir(file.Path), 0o755); err != nil {
		return false, err
	}
	temporary, err := writeTemporary(root, file)
	if err != nil {
		return false, err
	}
	if err := root.Rename(temporary, file.Path); err != nil {
		return false, errors.Join(err, root.Remove(temporary))
	}
	return true, nil
}

// temporarySuffix marks files that are being written.
const temporarySuffix = ".tmp"

// writeTemporary writes a file beside where it belongs, under a name that no other build of the
// package has in use.
func writeTemporary(root *os.Root, file File) (string, error) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s.%d-%d%s", file.Path, os.Getpid(), n, temporarySuffix)
		out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = out.Write(file.Contents)
		if err = errors.Join(err, out.Close()); err != nil {
			return "", errors.Join(err, root.Remove(name))
		}
		return name, nil
	}
}

// removeOld removes declarations that this toolchain does not write.
func removeOld(root *os.Root, files []File) error {
	dir := path.Join(Folder, "declarations")
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if entry.IsDir() || path.Ext(name) == temporarySuffix || slices.ContainsFunc(files, func(f File) bool { return f.Path == name }) {
			continue
		}
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
