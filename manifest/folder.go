package manifest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

const (
	// maxFiles bounds what is looked at in one package, and maxDepth how deep its folders go.
	maxFiles = 20_000
	maxDepth = 32
)

// folder is a package folder under inspection. It reads nothing outside of the folder, no special files and
// no more than there are limits for; what it does not read, it reports.
type folder struct {
	root *os.Root
	tell func(Diagnostic)
	told map[string]bool // rules and files that were reported
	left int             // how many files may still be seen
}

// report tells the user about a file, once for each rule: a folder is looked at more than once.
func (f *folder) report(d Diagnostic) {
	if key := d.Rule + " " + d.File; !f.told[key] {
		f.told[key] = true
		f.tell(d)
	}
}

// entry is a file or folder in the package, symbolic links followed.
type entry struct {
	path string
	info fs.FileInfo
}

func (e entry) name() string { return path.Base(e.path) }

// stat looks at a path in the package. What is not there is reported to the caller alone, with ok false;
// what cannot be looked at, to the user too.
func (f *folder) stat(name string) (e entry, ok bool) {
	info, err := f.root.Stat(filepath.FromSlash(name))
	if err == nil {
		return entry{name, info}, true
	}
	link := f.linkOnTheWay(name)
	switch {
	case link == "" && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
	case link == "":
		f.report(aboutFile(RuleFileUnreadable, name, "check the permissions of the file and its folders", "the file cannot be looked at: %s", reason(err)))
	case errors.Is(err, fs.ErrNotExist):
		f.report(aboutFile(RuleFileUnreadable, link, "remove the link, or make what it points at", "the symbolic link leads to nothing"))
	default:
		f.report(aboutFile(RuleLinkEscapes, link, "copy what it points at into the package",
			"the symbolic link cannot be followed: it leads out of the package folder, has an absolute target, or leads back to itself"))
	}
	return entry{}, false
}

// linkOnTheWay is the last symbolic link among name and the folders it is in; empty when there is none.
func (f *folder) linkOnTheWay(name string) string {
	for at := name; at != "."; at = path.Dir(at) {
		if info, err := f.root.Lstat(filepath.FromSlash(at)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return at
		}
	}
	return ""
}

// reason is what went wrong, without the operation and the path, which the message says in its own way.
func reason(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}

// list returns what is in a folder of the package, in the order of the names. Hidden files are left out. A
// folder that is not there is empty.
func (f *folder) list(dir string) []entry {
	at, ok := f.stat(dir)
	if !ok {
		return nil
	}
	if !at.info.IsDir() {
		f.report(aboutFile(RuleFileUnreadable, dir, "rename it: packages keep a folder of this name", "this is a file, and a folder is expected here"))
		return nil
	}
	handle, err := f.root.OpenFile(filepath.FromSlash(dir), os.O_RDONLY|openNonblock, 0) // it may have become a pipe
	if err != nil {
		f.report(aboutFile(RuleFileUnreadable, dir, "check the permissions of the folder", "the folder cannot be read: %s", reason(err)))
		return nil
	}
	defer handle.Close()
	// One more than the limit tells a full folder from an overfull one. A million names are never held.
	names, err := handle.Readdirnames(f.left + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		f.report(aboutFile(RuleFileUnreadable, dir, "check the permissions of the folder", "the folder cannot be read: %s", reason(err)))
	}
	slices.Sort(names)
	var entries []entry
	for _, name := range names {
		if f.left == 0 {
			f.report(aboutFile(RuleTooManyFiles, dir, "move what does not belong to the package out of it", "the package has more files than are looked at; not all in this folder are seen"))
			break
		}
		f.left--
		if strings.HasPrefix(name, ".") {
			continue
		}
		if e, ok := f.stat(path.Join(dir, name)); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

// walk returns the files below a folder, in the order of their paths. Linked folders are followed inside of
// the package, but not into one that they are in. Folders called node_modules are left out.
func (f *folder) walk(dir string) []string {
	at, ok := f.stat(dir)
	if !ok {
		return nil
	}
	var files []string
	f.walkFrom(at, nil, &files)
	slices.Sort(files)
	return files
}

func (f *folder) walkFrom(dir entry, above []fs.FileInfo, files *[]string) {
	if len(above) >= maxDepth {
		f.report(aboutFile(RuleTooManyFiles, dir.path, "make the folders flatter", "folders are nested more than %d deep; this one is not read", maxDepth))
		return
	}
	if slices.ContainsFunc(above, func(info fs.FileInfo) bool { return os.SameFile(info, dir.info) }) {
		f.report(aboutFile(RuleLinkEscapes, dir.path, "remove the link", "the symbolic link leads to a folder that it is in"))
		return
	}
	above = append(above[:len(above):len(above)], dir.info)
	for _, e := range f.list(dir.path) {
		switch {
		case e.info.IsDir() && e.name() != "node_modules":
			f.walkFrom(e, above, files)
		case e.info.Mode().IsRegular():
			*files = append(*files, e.path)
		}
	}
}

// read returns the text of a file of at most the size that JSON documents may have. What cannot be read is
// reported.
func (f *folder) read(e entry) ([]byte, bool) {
	limit := int64(jsondoc.DefaultLimits().MaxBytes)
	fail := func(rule, hint, format string, arguments ...any) ([]byte, bool) {
		f.report(aboutFile(rule, e.path, hint, format, arguments...))
		return nil, false
	}
	if !e.info.Mode().IsRegular() {
		return fail(RuleFileUnreadable, "put a regular file here", "this is %s, and a file is expected here", kindOf(e.info.Mode()))
	}
	if e.info.Size() > limit {
		return fail(RuleFileTooLarge, tooLargeHint, "the file has %d bytes, more than the %d that are read", e.info.Size(), limit)
	}
	file, err := f.root.OpenFile(filepath.FromSlash(e.path), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return fail(RuleFileUnreadable, "check the permissions of the file", "the file cannot be read: %s", reason(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case err != nil:
		return fail(RuleFileUnreadable, "check the file and the disk it is on", "the file cannot be read: %s", reason(err))
	case int64(len(text)) > limit: // it grew
		return fail(RuleFileTooLarge, tooLargeHint, "the file has more than the %d bytes that are read", limit)
	}
	return text, true
}

const tooLargeHint = "make it smaller, or move what is not needed here to a file of its own"

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}
