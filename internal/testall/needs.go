package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// needsFile is the name of the file in which a folder names the Debian packages its tests use.
const needsFile = "testneeds.txt"

// Needs is what the tests of a source tree want from outside of it.
type Needs struct {
	// NPM has the folders with a package-lock.json, relative to the root, sorted.
	NPM []string
	// Debian has the names of Debian packages, sorted, each once.
	Debian []string
}

// findNeeds walks the tree below root. It does not look into node_modules, hidden folders and bench
// (whose peers are installed by the benchmarks that use them).
func findNeeds(root string) (Needs, error) {
	var needs Needs
	debian := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			name := entry.Name()
			if rel != "." && (name == "node_modules" || strings.HasPrefix(name, ".")) || rel == "bench" {
				return fs.SkipDir
			}
			return nil
		}
		switch entry.Name() {
		case "package-lock.json":
			needs.NPM = append(needs.NPM, filepath.Dir(rel))
		case needsFile:
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			names, err := parseNeeds(data)
			if err != nil {
				return fmt.Errorf("%s:%w", filepath.ToSlash(rel), err)
			}
			for _, name := range names {
				debian[name] = true
			}
		}
		return nil
	})
	if err != nil {
		return Needs{}, fmt.Errorf("looking for what the tests need: %w", err)
	}
	for name := range debian {
		needs.Debian = append(needs.Debian, name)
	}
	sort.Strings(needs.Debian)
	sort.Strings(needs.NPM)
	return needs, nil
}

// parseNeeds reads a testneeds.txt: a package name a line, "#" begins a comment. An error begins with
// the line number.
func parseNeeds(data []byte) ([]string, error) {
	var names []string
	lines := bufio.NewScanner(bytes.NewReader(data))
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		name := strings.TrimSpace(text)
		if name == "" {
			continue
		}
		if !isDebianName(name) {
			return nil, fmt.Errorf("%d: %q is no Debian package name", number, name)
		}
		names = append(names, name)
	}
	return names, lines.Err()
}

// isDebianName follows Debian policy 5.6.1: at least two characters of a-z, 0-9, "+", "-" and ".",
// the first a letter or a digit. The names become arguments of apt-get, so nothing else may pass.
func isDebianName(name string) bool {
	for i, r := range name {
		letter := 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("+-.", r)) {
			return false
		}
	}
	return len(name) >= 2
}
