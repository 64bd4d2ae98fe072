package data

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// maxName is the longest name of a file in bytes. File systems have 255; the rest is for what is written beside:
// the lock, its queue, the temporary file and the number of a generation.
const maxName = 200

// maxPath is the longest path in bytes.
const maxPath = 1024

// hidden is what the names end in that this package and package atomicfile make beside a file.
var hidden = []string{lockSuffix, ".neuralis-tmp", lockSuffix + ".queue"}

const lockSuffix = ".neuralis-lock"

// EncodeID makes a file name without extension of the id of a record:
//
//   - lower-case letters a to z, digits, and the characters - _ . stay as they are;
//   - every other byte of the id's UTF-8, capital letters and % among them, is % and two lower-case hexadecimal
//     digits: Bob is %42ob;
//   - so is a dot at the beginning or the end, and the first character of what would be a device on Windows: con is %63on.
//
// Two ids never have the same name, not even where case is ignored, as there is none in them, and no id leads
// to another folder. The error says why an id cannot be one: it is empty, or its name would be longer than 195
// bytes.
func EncodeID(id string) (string, error) {
	if id == "" {
		return "", errors.New("an id cannot be empty")
	}
	if len(id) > maxName { // each byte is at least one in the name
		return "", fmt.Errorf("the id has %d bytes and can have at most %d", len(id), maxName-len(recordSuffix))
	}
	const digits = "0123456789abcdef"
	device := isDevice(id)
	name := make([]byte, 0, len(id)+8)
	for i := range len(id) {
		c := id[i]
		plain := 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.'
		if plain && !(i == 0 && device) && !(c == '.' && (i == 0 || i == len(id)-1)) {
			name = append(name, c)
		} else {
			name = append(name, '%', digits[c>>4], digits[c&15])
		}
	}
	if len(name) > maxName-len(recordSuffix) {
		return "", fmt.Errorf("the id's file name has %d bytes and can have at most %d; in it, each byte but for a-z 0-9 - _ . takes three", len(name), maxName-len(recordSuffix))
	}
	return string(name), nil
}

// DecodeID returns the id that [EncodeID] made a name of. Names that it makes of no id are refused, so the file
// of each record has one name only.
func DecodeID(name string) (string, bool) {
	id := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			id = append(id, name[i])
			continue
		}
		if i+2 >= len(name) {
			return "", false
		}
		high, low := strings.IndexByte("0123456789abcdef", name[i+1]), strings.IndexByte("0123456789abcdef", name[i+2])
		if high < 0 || low < 0 {
			return "", false
		}
		id = append(id, byte(high<<4|low))
		i += 2
	}
	again, err := EncodeID(string(id))
	return string(id), err == nil && again == name
}

// EncodePath makes a relative slash-separated path of ids with slashes in between, each encoded by [EncodeID].
func EncodePath(ids string) (string, error) {
	path, err := encodePath(ids)
	if err != nil {
		return "", invalidPath("make a path of", ids, err)
	}
	return path, nil
}

func encodePath(store string) (string, error) {
	if len(store) > maxPath {
		return "", fmt.Errorf("it has %d bytes and can have at most %d", len(store), maxPath)
	}
	var names []string
	for part := range strings.SplitSeq(store, "/") {
		switch {
		case part == "":
			return "", errors.New("it has an empty part; write names with single slashes in between")
		case part == "." || part == "..":
			return "", fmt.Errorf("%q is no name of a folder", part)
		case strings.Contains(part, "\x00"):
			return "", errors.New("it has a NUL character")
		}
		name, err := EncodeID(part)
		if err != nil {
			return "", err
		}
		names = append(names, name)
	}
	return path.Join(names...), nil
}

// checkPath returns a path without detours, or says why it is none inside of a folder.
func checkPath(rel string) (string, error) {
	switch {
	case rel == "":
		return "", errors.New(`it is empty; the folder itself is "."`)
	case len(rel) > maxPath:
		return "", fmt.Errorf("it has %d bytes and can have at most %d", len(rel), maxPath)
	case !utf8.ValidString(rel):
		return "", errors.New("it is not UTF-8")
	case rel[0] == '/':
		return "", errors.New("it is absolute; paths start at the package's folder")
	case len(rel) > 1 && rel[1] == ':':
		return "", errors.New("it begins with a drive; paths start at the package's folder")
	case strings.Contains(rel, `\`):
		return "", errors.New(`it has a backslash; write / between folders`)
	}
	clean := path.Clean(rel)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", errors.New("it leads out of the package's folder")
	}
	if clean == "." {
		return clean, nil
	}
	for part := range strings.SplitSeq(clean, "/") {
		if err := checkName(part); err != nil {
			return "", err
		}
	}
	return clean, nil
}

// checkName says why a name is none that a file can have on every system.
func checkName(name string) error {
	if i := strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`<>:"|?*`, r) }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(name[i:])
		if r == 0 {
			return errors.New("it has a NUL character")
		}
		return fmt.Errorf("%q has the character %q, which Windows allows in no name", name, r)
	}
	if len(name) > maxName {
		return fmt.Errorf("the name %q… has %d bytes and can have at most %d", name[:20], len(name), maxName)
	}
	if last := name[len(name)-1]; last == '.' || last == ' ' {
		return fmt.Errorf("%q ends in %q, which Windows leaves out", name, last)
	}
	if isDevice(name) {
		return fmt.Errorf("%q is a device on Windows", name)
	}
	for _, suffix := range hidden {
		if len(name) >= len(suffix) && strings.EqualFold(name[len(name)-len(suffix):], suffix) {
			return fmt.Errorf("names that end in %s belong to the host", suffix)
		}
	}
	return nil
}

// isDevice reports whether Windows takes a name for a device: it does so whatever the case and the extension.
func isDevice(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToLower(strings.TrimRight(base, " "))
	switch base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	number, isPort := strings.CutPrefix(base, "com")
	if !isPort {
		number, isPort = strings.CutPrefix(base, "lpt")
	}
	return isPort && utf8.RuneCountInString(number) == 1 && strings.Contains("0123456789¹²³", number)
}
