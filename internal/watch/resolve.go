package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// errLoop is of links that lead to each other.
var errLoop = errors.New("too many symbolic links")

// resolve follows an absolute path to what it leads to: a path without links in it, and what is there. It calls visit with each
// entry on the way, in a folder without links, before it looks at the entry: whoever begins to watch there misses nothing.
func resolve(path string, visit func(entry string)) (string, fs.FileInfo, error) {
	at, rest := split(path)
	info, err := os.Lstat(at)
	if err != nil {
		return "", nil, err
	}
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			if info, err = os.Lstat(at); err != nil {
				return "", nil, err
			}
			continue
		}
		entry := filepath.Join(at, name)
		visit(entry)
		if info, err = os.Lstat(entry); err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = entry
			continue
		}
		if links++; links > 100 {
			return "", nil, &fs.PathError{Op: "follow", Path: path, Err: errLoop}
		}
		target, err := os.Readlink(entry)
		if err != nil {
			return "", nil, err
		}
		var more []string
		if filepath.IsAbs(target) {
			at, more = split(target)
		} else {
			more = strings.Split(filepath.FromSlash(target), string(filepath.Separator))
		}
		rest = append(more, rest...)
		// The last name may be a ".." or nothing: then this is what is there.
		if info, err = os.Lstat(at); err != nil {
			return "", nil, err
		}
	}
	return at, info, nil
}

// split divides an absolute path into the root of its volume and the names from there.
func split(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	separator := string(filepath.Separator)
	return volume + separator, strings.Split(strings.TrimPrefix(path[len(volume):], separator), separator)
}
